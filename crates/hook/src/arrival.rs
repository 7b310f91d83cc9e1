//! What a session is told when it starts: its role after a compaction, else the briefing. A client that accepts no text
//! at session start gets it with the first prompt, one that accepts none there either with the result of the first tool.

use stead_context::{
    BriefingPart, Loops, Note, RoleMember, RoleName, RoleState, Scope, Shelf, briefing, read_role_file,
};
use stead_model::{Author, Capped, Detail, EventKind, Verdict};
use stead_store::{Durability, ItemKind, Room};

use crate::compaction;
use crate::editor_mode;
use crate::guard;
use crate::intent;
use crate::lesson;
use crate::member::Member;
use crate::orchestrate;
use crate::record;
use crate::request::Request;
use crate::trust::{self, Trusted, Untrusted};

/// What a client calls the start of a session after a compaction.
const COMPACT: &str = "compact";

/// Adds what a session should know at its start or after a compaction; other events return at once.
/// `untrusted` is what the look at the project found, if it was looked at.
pub(crate) fn inform(request: &Request<'_>, untrusted: Option<Untrusted>) -> Verdict {
    let kind = request.event.kind;
    let turning =
        matches!(
            kind,
            EventKind::SessionStart
                | EventKind::SessionEnd
                | EventKind::Prompt
                | EventKind::BeforeCompact
                | EventKind::AfterCompact
        ) || (kind == EventKind::AfterTool && request.agent_id().is_none() && first_text(request) == Some(kind));
    let Some(member) = turning.then(|| Member::of(request)).flatten() else { return Verdict::allow() };
    match kind {
        EventKind::SessionEnd => {
            leave(&member);
            Verdict::allow()
        }
        EventKind::BeforeCompact => compaction::before(&member),
        EventKind::AfterCompact => compaction::after(&member),
        EventKind::Prompt => prompt(&member),
        EventKind::AfterTool => first_result(&member),
        _ => start(&member, untrusted.unwrap_or_default()),
    }
}

/// Returns true if a briefing that could not be delivered now waits for a later event.
pub(crate) fn waits(request: &Request<'_>) -> bool {
    let start = EventKind::SessionStart;
    request.event.kind == start && first_text(request).is_some_and(|kind| kind != start)
}

/// The first event of a session at which the client accepts text for the model.
fn first_text(request: &Request<'_>) -> Option<EventKind> {
    let facts = &request.harness.client().facts;
    let takes = |kind: &EventKind| facts.events.iter().any(|fact| fact.kind == *kind && fact.powers.context);
    [EventKind::SessionStart, EventKind::Prompt, EventKind::AfterTool].into_iter().find(takes)
}

fn start(member: &Member<'_>, untrusted: Untrusted) -> Verdict {
    let Detail::Start { source, .. } = &member.event.detail else { return Verdict::allow() };
    let compacted = source.as_deref() == Some(COMPACT);
    if compacted && member.request.harness.client().facts.drops_compact_start {
        compaction::waiting(member);
        return Verdict::allow();
    }
    if !member.request.powers().context {
        return if compacted { compaction::after(member) } else { Verdict::allow() };
    }
    match member.role().filter(|_| compacted) {
        Some(role) => with_briefing(member, compaction::recover(member, &role), &untrusted),
        None => with_briefing(member, Verdict::allow(), &untrusted),
    }
}

fn prompt(member: &Member<'_>) -> Verdict {
    if !member.request.powers().context {
        return Verdict::allow();
    }
    // A role is needed at once; the rest can wait for the next prompt.
    let by_machine = matches!(member.event.detail, Detail::Prompt { author: Author::Machine, .. });
    let due = !by_machine && take_due(member);
    let recovered = match member.role() {
        Some(role) if compaction::waits(member, &role) => compaction::recover(member, &role),
        _ => Verdict::allow(),
    };
    let recovered = match member.role().and_then(|role| in_role(member, &role)) {
        Some(others) => recovered.and(Verdict::inform(others)),
        None => recovered,
    };
    let recovered = editor_mode::tell(member).and(recovered);
    match orchestrate::at_prompt(member.request) {
        _ if due => with_briefing(member, recovered, &trust::untrusted(member.request)),
        Some(text) if !by_machine => recovered.and(Verdict::inform(text)),
        _ => recovered,
    }
}

/// For clients that accept no text before a tool has run.
fn first_result(member: &Member<'_>) -> Verdict {
    let recovered = match member.role() {
        Some(role) if compaction::waits(member, &role) => compaction::recover(member, &role),
        _ => Verdict::allow(),
    };
    if take_due(member) { with_briefing(member, recovered, &trust::untrusted(member.request)) } else { recovered }
}

/// Notes that the session has its role, and returns what it has to be told about others in it.
fn in_role(member: &Member<'_>, role: &RoleName) -> Option<String> {
    let session = member.session?.as_str();
    let mut state = RoleState::read_or_new(member.indexes(), role, &member.now).ok()?;
    let before = state.clone();
    state.join(session, member.request.harness.name(), &member.now);
    let others = state.others(session);
    // That the session was seen is written once an hour.
    let hours = |state: &RoleState| {
        let hour = |member: &RoleMember| (member.session.clone(), member.seen.get(..13).map(str::to_owned));
        state.members.iter().map(hour).collect::<Vec<_>>()
    };
    let is_news = others.is_some() || hours(&before) != hours(&state);
    if is_news && let Err(error) = state.write(member.indexes(), Durability::Quick) {
        member.request.note(&error);
    }
    others
}

/// Notes that the session no longer has its role.
fn leave(member: &Member<'_>) {
    let (Some(role), Some(session)) = (member.role(), member.session) else { return };
    if let Ok(Some(mut state)) = RoleState::read(member.indexes(), &role)
        && state.leave(session.as_str())
        && let Err(error) = state.write(member.indexes(), Durability::Quick)
    {
        member.request.note(&error);
    }
}

/// Takes a waiting briefing, so that it is delivered once.
fn take_due(member: &Member<'_>) -> bool {
    let (Some(state), Some(session)) = (member.state, member.session) else { return false };
    if !state.briefing_due {
        return false;
    }
    let mut state = state.clone();
    state.briefing_due = false;
    match state.write(member.indexes(), session, Durability::Quick) {
        Ok(()) => true,
        Err(error) => {
            member.request.note(&error);
            false
        }
    }
}

/// Adds the briefing as far as there is room.
fn with_briefing(member: &Member<'_>, said: Verdict, untrusted: &Untrusted) -> Verdict {
    let tokens = member.number("context.briefing_tokens");
    let room = Capped::LIMIT.saturating_sub(said.context_text().len() + 1) / 4;
    if tokens.min(room) == 0 {
        return said;
    }
    let trusted = Trusted::of(member.request);
    let mut parts = Vec::new();
    parts.extend(trust::briefing_part(untrusted));
    if said.context.is_empty()
        && let Some(role) = member.role()
    {
        let file = member.role_file(&role);
        let text = read_role_file(&file).ok().flatten();
        let part = BriefingPart::role(&role, &member.short(&file), text.as_deref());
        let is_trusted = text.is_none() || trusted.trusts_file(ItemKind::Role, &file);
        parts.push(if is_trusted { part } else { part.as_data() });
        let others = in_role(member, &role);
        parts.extend(others.map(|text| BriefingPart { title: "Not alone".into(), text, more: None }));
    }
    parts.extend(intent::briefing_part(member.request));
    parts.extend(orchestrate::briefing_part(member.request));
    let context = member.request.room(Room::Context);
    let shelf = Shelf::new(&context);
    let is_trusted = |id: &str| trusted.trusts_packet_file(&shelf.path(id));
    let scope = Scope { session: member.session.map(|session| session.as_str()), now: record::now_millis() };
    parts.extend(BriefingPart::packets(&shelf, &scope, &is_trusted));
    if let Some(session) = member.session {
        match BriefingPart::own_loop(&Loops::of_room(&context), session.as_str()) {
            Ok(part) => parts.extend(part.filter(|_| !trusted.has_untrusted_loop(&context, session.as_str()))),
            Err(error) => {
                member.request.note(&error);
                let text =
                    format!("The loop of this session cannot be read, so it holds nobody: {error}. Tell the person.");
                parts.push(BriefingPart { title: "Loop".into(), text, more: None });
            }
        }
    }
    let notes = member.indexes().join(Note::FILE);
    parts.extend(BriefingPart::notes(&notes, &|line| trusted.trusts_note(&notes, line)));
    parts.extend(lesson::briefing_part(member, tokens.min(room), &parts, &trusted));
    let (graph, guards) = (member.request.room(Room::Graph), member.request.room(Room::Guards));
    parts.extend(guard::briefing_part(member.indexes(), &graph, &guards, record::now_millis()));
    match briefing(&parts, tokens.min(room)) {
        Some(text) => {
            lesson::told(member, &text);
            let titles: Vec<String> = parts.iter().map(|part| part.title.to_lowercase()).collect();
            let told = format!("Stead told the agent about: {}", titles.join(", "));
            said.and(Verdict::inform(text).noticed(told))
        }
        None => said,
    }
}
