//! Keeps a role's knowledge across a compaction: checks the role file before, and restores the role after.
//!
//! This applies only to a session with a role. A manual compaction is blocked once if the role file is not saved, an
//! automatic one never: blocking it would stall the session. Everything here fails open.

use std::path::Path;

use stead_client::WarnBy;
use stead_context::{
    ContextError, EditLog, Lifecycle, Recovery, RoleName, RoleState, UNTRUSTED, Unsaved, read_role_file,
    role_documents, unsaved,
};
use stead_model::{Capped, Detail, Trigger, Verdict};
use stead_store::{Durability, ItemKind};

use crate::member::Member;
use crate::snapshot;
use crate::trust::Trusted;

/// The name of these verdicts in the records.
const GATE: &str = "role";

/// Checks the role file before a compaction.
pub(crate) fn before(member: &Member<'_>) -> Verdict {
    let Some(role) = member.role() else { return Verdict::allow() };
    judge(member, &role).unwrap_or_else(|error| {
        member.request.note(&error);
        Verdict::allow()
    })
}

fn judge(member: &Member<'_>, role: &RoleName) -> Result<Verdict, ContextError> {
    let now = &member.now;
    let file = member.role_file(role);
    let mut state = RoleState::read_or_new(member.indexes(), role, now)?;
    let log = member.request.session_log();
    let edits = member.session.map(|session| EditLog { path: &log, session: session.as_str() });
    let why = unsaved(&file, state.saved_at.as_deref(), edits.as_ref()).map(|why| match why {
        Unsaved::Older { than } => Unsaved::Older { than: member.short(Path::new(&than)) },
        why => why,
    });
    if let Some(why) = &why
        && may_hold(member)
        && let Some(session) = member.session
        && state.hold(session.as_str(), now)
    {
        // Recorded before the reply: otherwise the compaction would be blocked again and again.
        state.write(member.indexes(), Durability::Quick)?;
        return Ok(Verdict::deny(GATE, hold_reason(member, role, why)));
    }
    if why.is_none() {
        state.put(Lifecycle::Saved, now);
    }
    state.put(Lifecycle::Compacting, now);
    member.session.inspect(|session| state.release(session.as_str()));
    state.unsaved = why.as_ref().map(ToString::to_string);
    if !snapshot::is_due(member, &state) {
        state.snapshot = None;
    }
    state.session = member.session.map(|session| session.as_str().to_owned());
    state.write(member.indexes(), Durability::Quick)?;
    Ok(match why {
        // If a client cannot show a warning, a stronger verdict would block the compaction.
        Some(why) if member.request.powers().warn != WarnBy::Nothing => {
            Verdict::warn(GATE, warning(member, role, &why))
        }
        _ => Verdict::allow(),
    })
}

/// Returns true if this compaction may be blocked: a person asked for it, and the client supports that.
fn may_hold(member: &Member<'_>) -> bool {
    let is_manual = matches!(member.event.detail, Detail::Compact { trigger: Trigger::Manual });
    // Only files decide: a client's settings can set variables for its hooks.
    let is_wanted = member.request.policy.value("value", "context.hold_compaction") != Some("false");
    is_manual && is_wanted && member.request.powers().deny
}

fn hold_reason(member: &Member<'_>, role: &RoleName, why: &Unsaved) -> String {
    let file = member.short(&member.role_file(role));
    let first = match why {
        Unsaved::Missing => format!("run `stead role new {role}`, fill in `{file}`"),
        _ => format!("bring `{file}` up to date"),
    };
    format!(
        "Stead blocks this compaction once: the role file `{file}` {why}.\n\
         To keep what `{role}` knows, {first}, then run: stead role lifecycle save {role}\n\
         The next attempt passes in any case."
    )
}

fn warning(member: &Member<'_>, role: &RoleName, why: &Unsaved) -> String {
    let file = member.short(&member.role_file(role));
    format!(
        "The role file `{file}` of `{role}` {why}. Keep in the summary what it should say: work done, decisions, what is \
         pending, key files."
    )
}

/// Records the end of the compaction, and restores the role if the client accepts text now.
pub(crate) fn after(member: &Member<'_>) -> Verdict {
    let Some(role) = member.role() else { return Verdict::allow() };
    if member.request.powers().context {
        return recover(member, &role);
    }
    waiting(member);
    Verdict::allow()
}

/// Records that the role is not restored yet.
pub(crate) fn waiting(member: &Member<'_>) {
    let Some(role) = member.role() else { return };
    let step = RoleState::read_or_new(member.indexes(), &role, &member.now).and_then(|mut state| {
        let session = member.session.map(|session| session.as_str().to_owned());
        // Each compaction starts with its own event, so an active role of this session was already restored.
        if state.state == Lifecycle::Active && session.is_some() && state.session == session {
            return Ok(());
        }
        state.put(Lifecycle::Recovering, &member.now);
        state.session = session;
        state.write(member.indexes(), Durability::Quick)
    });
    if let Err(error) = step {
        member.request.note(&error);
    }
}

/// Returns true if this session was compacted and its role is not restored yet.
pub(crate) fn waits(member: &Member<'_>, role: &RoleName) -> bool {
    let Ok(Some(state)) = RoleState::read(member.indexes(), role) else { return false };
    let ours = state.session.is_some() && state.session.as_deref() == member.session.map(|id| id.as_str());
    ours && matches!(state.state, Lifecycle::Compacting | Lifecycle::Recovering)
}

/// Restores the role: its recovery as context, its state active.
pub(crate) fn recover(member: &Member<'_>, role: &RoleName) -> Verdict {
    let file = member.role_file(role);
    let shown = member.short(&file);
    let mut notes = Vec::new();
    match RoleState::read_or_new(member.indexes(), role, &member.now) {
        Ok(mut state) => {
            notes = state.notes();
            state.put(Lifecycle::Active, &member.now);
            if let Err(error) = state.write(member.indexes(), Durability::Quick) {
                member.request.note(&error);
            }
        }
        Err(error) => member.request.note(&error),
    }
    let text = read_role_file(&file).unwrap_or_else(|error| {
        notes.push(format!("the role file could not be read: {error}"));
        None
    });
    let is_trusted = || Trusted::of(member.request).trusts_file(ItemKind::Role, &file);
    let text = match text {
        Some(_) if !is_trusted() => {
            notes.push(format!("`{shown}` came with the repository and is {UNTRUSTED}; see `stead trust`"));
            None
        }
        text => text,
    };
    let (skill, architecture) = (member.setting("context.role_skill"), member.setting("context.architecture"));
    let documents = role_documents(member.root, role, &skill, &architecture);
    let recovery = Recovery { role, file: &shown, text: text.as_deref(), documents: &documents, notes: &notes };
    Verdict::inform(recovery.render(Capped::LIMIT))
}
