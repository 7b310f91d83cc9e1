//! The gatekeeper of intents: a call that changes something needs a selected intent, and the intent must own what is
//! changed. It judges the effects of a call, never the tool or the spelling, and fails closed: intents that cannot be
//! read block. Without an intents file it does nothing.

mod briefing;
mod gate;
mod message;
mod need;
mod outside;
mod programs;
mod selected;

use std::cell::OnceCell;
use std::path::Path;

use stead_client::Powers;
use stead_ledger::Selection;
use stead_ledger::intent::{Compiled, INTENTS};
use stead_model::{Action, Event, EventKind, Level, ToolCall, Verdict};
use stead_store::{Room, redact};

use crate::glance::Glance;
use crate::guard::{Did, HitLine};
use crate::policy::PolicyText;
use crate::record::cut;
use crate::request::Request;
use crate::seal::SealedProject;

pub(crate) use briefing::briefing_part;
pub(crate) use outside::{notice_waits, outside, owe, owe_text, take_notice};
pub(crate) use selected::{active, begin_session, bind, selected};

/// The gate's name in reasons, in the session log and in `stead explain`.
pub const INTENT_GATE: &str = "intents";

/// The path of the compiled intents below the project root. Like the policy, it does not move with the layout.
pub(crate) const CACHE: &str = ".agent/cache/intents";

/// The tools that always change something, by the names that they had where intents come from. Every client's payload
/// may name them, beside the client's own tools.
const CHANGING: &[&str] =
    &["write_to_file", "edit", "edit_file", "search_replace", "apply_diff", "apply_patch", "execute_command"];

/// Those that only read or talk, from the same place.
const EXEMPT: &[&str] = &[
    SELECT, "read_file", "list_files", "search_files", "codebase_search", "read_command_output",
    "ask_followup_question", "attempt_completion", "switch_mode", "new_task", "update_todo_list", "use_mcp_tool",
    "access_mcp_resource", "run_slash_command", "skill", "generate_image",
];

/// The tool that selects an intent.
const SELECT: &str = "select_active_intent";

/// What the gate has against a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// What it would answer if it is enforced: ask or deny.
    pub level: Level,
    pub text: String,
    /// The file or the part of the call that it is about.
    pub part: String,
    /// It only warns (`intents.mode = "warn"`).
    pub only_warns: bool,
}

/// Judges a call. Everything that needs no intent returns early: reading, projects without an intents file.
pub(crate) fn judge(request: &Request<'_>) -> Option<Objection> {
    let event = request.event;
    let call = event.call.as_ref().filter(|_| event.kind != EventKind::ConfigChange && event.kind.is_gated())?;
    let is_changing = CHANGING.contains(&call.tool.as_ref());
    let only_reads = matches!(call.action, Action::Read(_) | Action::Spawn { .. } | Action::Inert);
    if !is_changing && (only_reads || EXEMPT.contains(&call.tool.as_ref())) {
        return None;
    }
    let root = request.location.root()?;
    let only_warns = match request.policy.value("value", "intents.mode") {
        Some("off") => return None,
        mode => mode == Some("warn"),
    };
    if std::fs::symlink_metadata(request.room(Room::Intents).join(INTENTS)).is_err() && !has_seen_intents(request) {
        return None;
    }
    let compiled = OnceCell::new();
    let load = || compiled.get_or_init(|| compiled_intents(request, root));
    if let Action::Run { command, .. } = &call.action
        && !is_changing
    {
        match request.glance(command) {
            Glance::Reads if request.policy.value("value", "intents.shell") != Some("all") => {
                debug_assert!(need::Need::of(request, call, is_changing).is_none(), "{command}");
                return None;
            }
            // All that these need is an intent.
            Glance::Keeps | Glance::Builds if gate::has_intent(request, load()) => {
                let objection = || gate::judge(request, load(), &need::Need::of(request, call, is_changing)?);
                debug_assert!(objection().is_none(), "{command}");
                return None;
            }
            _ => {}
        }
    }
    // Where a client's names for MCP tools have this form, too, the name still means this tool.
    let plain = (is_changing && matches!(call.action, Action::Mcp { .. })).then(|| {
        let call = Some(ToolCall { action: Action::Other, ..call.clone() });
        Event { call, ..event.clone() }
    });
    let plain = plain.as_ref().map(|event| request.with_event(event));
    let request = plain.as_ref().unwrap_or(request);
    let call = request.event.call.as_ref()?;
    let need = need::Need::of(request, call, is_changing)?;
    let objection = gate::judge(request, load(), &need)?;
    Some(Objection { only_warns, ..objection })
}

/// The intents as they apply: of a file that allows more than it did, the sealed text, until a person accepts it.
fn compiled_intents(request: &Request<'_>, root: &Path) -> Compiled {
    request.policy.announce_caches(root);
    let instead = |path: &Path| SealedProject::of(root, request.policy, request.env)?.sealed_text(path);
    Compiled::load_with(&root.join(CACHE), &request.room(Room::Intents), &instead)
}

/// Returns true if the project had an intents file when the session started, or later in it.
fn has_seen_intents(request: &Request<'_>) -> bool {
    request.session().is_some_and(|session| Selection::path(request.indexes(), session).exists())
}

impl Objection {
    fn deny(text: String, part: impl Into<String>) -> Self {
        Self { level: Level::Deny, text, part: part.into(), only_warns: false }
    }

    /// The verdict on the call. A warning that the client does not accept now is deferred.
    pub(crate) fn verdict(&self, powers: Powers) -> Verdict {
        match self.level {
            _ if self.only_warns && !powers.context => Verdict::allow(),
            _ if self.only_warns => Verdict::inform(&self.text),
            Level::Ask => Verdict::ask(INTENT_GATE, &self.text),
            _ => Verdict::deny(INTENT_GATE, &self.text),
        }
    }

    /// The same for the session log.
    pub(crate) fn hit(&self, powers: Powers) -> HitLine {
        let did = match self.level {
            _ if self.only_warns && powers.context => Did::Told,
            _ if self.only_warns => Did::Owed,
            Level::Ask if powers.ask => Did::Asked,
            _ => Did::Denied,
        };
        HitLine {
            guard: INTENT_GATE.to_owned(),
            mode: if self.only_warns { "warn" } else { "enforce" }.to_owned(),
            would: self.level.name().to_owned(),
            did,
            part: cut(&redact(&self.part)).to_owned(),
            say: redact(&self.text).into_owned(),
            ..HitLine::default()
        }
    }
}

/// The selected intent and the guards that its constraints name, if there are any.
pub(crate) fn constraints(request: &Request<'_>) -> Option<(String, Vec<String>)> {
    let id = selected(request)?.intent;
    let compiled = compiled_intents(request, request.location.root()?);
    let guards: Vec<String> = compiled.find(&id)?.guards().map(str::to_owned).collect();
    (!guards.is_empty()).then_some((id, guards))
}

/// Returns true if the gate may issue a deferred warning.
pub(crate) fn may_warn(policy: &PolicyText) -> bool {
    policy.value("value", "intents.mode") == Some("warn")
}
