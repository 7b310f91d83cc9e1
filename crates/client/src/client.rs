//! What is known about one agent program: facts as data, and functions for its own formats.

use std::ffi::OsString;

use stead_model::{Action, Capped, Event, EventKind, Level, Reason, Reply, Verdict};

use crate::acp::Acp;
use crate::agents::Agents;
use crate::commands::Commands;
use crate::detect::Signs;
use crate::headless::Headless;
use crate::injected::Injected;
use crate::lenient::Members;
use crate::outcome::Outcome;
use crate::servers::Servers;
use crate::settings::{Install, SettingsFile};
use crate::status_line::StatusLine;
use crate::switches::Switches;
use crate::todo::{self, TodoChange, TodoTools};
use crate::transcript::Spoken;
use crate::window::Window;

/// Everything Stead knows about one agent program.
pub struct Client {
    pub facts: Facts,
    /// Reads an event. `named` is its name from the command line, for clients whose payload has none; the payload's own
    /// name takes precedence.
    pub read: for<'a> fn(payload: &Members<'a>, named: Option<&'a str>) -> Event<'a>,
    /// Formats a verdict for the client. The verdict has passed [`Client::express`].
    pub encode: fn(heard: &Heard<'_>, verdict: &Verdict) -> Reply,
    /// Reads how a shell command ended, and its output, from the event after it.
    pub outcome: fn(event: &Event<'_>) -> Outcome,
    /// Returns true if payload or environment prove that this client is calling.
    pub claims: fn(signs: &Signs<'_>) -> bool,
    /// Reads one line of the client's transcript; `None` if it has none or its format is unknown.
    pub transcript: Option<fn(line: &str) -> Spoken>,
    pub headless: Headless,
}

/// The facts about a client that encoder, installer and `doctor` share.
pub struct Facts {
    /// The program as people call it.
    pub title: &'static str,
    /// The program's name on PATH.
    pub program: &'static str,
    /// The client version these facts were checked with, or their source.
    pub checked: &'static str,
    /// Files or folders in a project that show the client is used there.
    pub traces: &'static [&'static str],
    /// The file in a project with instructions for the agent.
    pub instructions: &'static str,
    /// Variables in the hook's environment that name the project folder and do not follow the agent's `cd`.
    pub project_vars: &'static [&'static str],
    pub events: &'static [EventFact],
    pub stop_cap: StopCap,
    pub window: Window,
    /// How its agent keeps a list of what is to be done.
    pub todos: TodoTools,
    /// What it adds to a person's prompt.
    pub injected: Injected,
    /// The end of a sub-agent first raises the stop event of the main agent, then its own.
    pub stops_alike: bool,
    /// It raises a session start after a compaction, but drops the text that a hook returns then.
    pub drops_compact_start: bool,
    /// The word with which it starts a server of its own that outlives its windows and runs their hooks.
    pub server_word: Option<&'static str>,
    /// Its agent can type into a program that runs, and no event tells what.
    pub hides_typing: bool,
    /// It starts sub-agents as sessions of their own, and only their start names the session that called.
    pub starts_sessions: bool,
    /// How a sub-agent's calls are distinguished from the main agent's.
    pub subagents: &'static str,
    /// Tool calls name the sub-agent that makes them. Otherwise it is unknown which agent makes a call.
    pub marks_calls: bool,
    /// The event that proves that a person typed a command of Stead. `None` if a command looks like other prompts, or an
    /// agent's like a person's; then what a person types grants nothing.
    pub typed_by: Option<&'static str>,
    /// Variables that tell a command that this client's agent runs it.
    pub shell_vars: &'static [&'static str],
    /// Whether hooks learn how a shell command ended. Otherwise a reported test run proves nothing.
    pub exit_status: ExitStatus,
    /// After which tool calls it calls no hook, as a sentence without its subject; `None` if it calls one after each. What
    /// such a call weakened is noticed at the session's next event.
    pub lost_after_tool: Option<&'static str>,
    /// The model reads so many characters of the reason of a denied call; `None` if it reads all.
    pub reason_cap: Option<usize>,
    /// How editors drive it, and which hooks it calls then.
    pub acp: Acp,
    /// Every settings layer the client reads. Agents may edit them only if our lines survive.
    pub settings: &'static [SettingsFile],
    /// What else turns its hooks off.
    pub switches: Switches,
    pub install: Install,
    pub servers: Servers,
    /// How a command prints a line in its window; `None` if it shows none.
    pub status_line: Option<StatusLine>,
    pub commands: Commands,
    pub agents: Agents,
}

impl Facts {
    /// What the client lets a hook do at an event; nothing if it does not raise the event.
    pub fn powers_at(&self, kind: EventKind) -> Powers {
        self.events.iter().find(|fact| fact.kind == kind).map_or(Powers::NONE, |fact| fact.powers)
    }

    /// Returns true if a hook can keep a sub-agent working when it stops.
    pub fn answers_subagent_stop(&self) -> bool {
        self.powers_at(EventKind::SubagentStop).deny
    }
}

/// One event of a client, and what the client lets a hook do there.
pub struct EventFact {
    pub native: &'static str,
    pub kind: EventKind,
    pub powers: Powers,
}

/// Names an event in a table.
pub(crate) const fn event(native: &'static str, kind: EventKind, powers: Powers) -> EventFact {
    EventFact { native, kind, powers }
}

/// What a hook can achieve at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Powers {
    /// Prevent what is about to happen; at a stop: keep the agent working.
    pub deny: bool,
    /// Ask the person.
    pub ask: bool,
    pub warn: WarnBy,
    /// Change the tool's input.
    pub rewrite: bool,
    /// Add text for the model.
    pub context: bool,
    /// Grant a permission request.
    pub grant: bool,
}

impl Powers {
    /// The client only notifies; every answer is ignored.
    pub const NONE: Self =
        Self { deny: false, ask: false, warn: WarnBy::Nothing, rewrite: false, context: false, grant: false };
    /// The client accepts text for the model, nothing else.
    pub const CONTEXT: Self = Self { warn: WarnBy::Context, context: true, ..Self::NONE };
    /// The client accepts a denial, nothing else.
    pub const DENY: Self = Self { deny: true, ..Self::NONE };
    /// A denial, or text for the model.
    pub const DENY_CONTEXT: Self = Self { deny: true, ..Self::CONTEXT };
    /// A line for the person, nothing else.
    pub const NOTICE: Self = Self { warn: WarnBy::Notice, ..Self::NONE };
    /// A denial, or a line for the person.
    pub const DENY_NOTICE: Self = Self { deny: true, ..Self::NOTICE };

    /// The same where the person is shown a line beside text for the model.
    pub const fn shown(self) -> Self {
        Self { warn: WarnBy::Both, ..self }
    }
}

/// Who reads a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarnBy {
    /// The model reads it.
    Context,
    /// The person reads it, the model does not.
    Notice,
    /// The model reads it, and the person its first line.
    Both,
    Nothing,
}

impl WarnBy {
    /// The model reads it.
    pub fn reaches_model(self) -> bool {
        matches!(self, Self::Context | Self::Both)
    }

    /// The client shows the person a line of ours.
    pub fn reaches_person(self) -> bool {
        matches!(self, Self::Notice | Self::Both)
    }
}

/// How often a client lets a hook continue a turn before it ends the turn anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCap {
    Blocks {
        most: u32,
        /// The last block is counted, but the turn ends anyway.
        excludes_last: bool,
        /// The variable with which a person sets another number, for the client and its child processes.
        variable: Option<&'static str>,
        /// The client resets its count when the agent uses a tool.
        resets_on_tool_use: bool,
    },
    /// No limit except Stead's own.
    None,
    Unknown,
}

impl StopCap {
    /// The default number.
    pub fn most(self) -> Option<u32> {
        self.most_in(&|_| None)
    }

    /// The number in this environment. A value that is not a number is ignored; 0 means no limit.
    pub fn most_in(self, env: &dyn Fn(&str) -> Option<OsString>) -> Option<u32> {
        let Self::Blocks { most, excludes_last, variable, .. } = self else { return None };
        let said = variable.and_then(env).and_then(|value| value.to_str()?.trim().parse::<u32>().ok());
        match said.unwrap_or(most) {
            0 => None,
            most => Some(most.saturating_sub(excludes_last.into())),
        }
    }
}

/// Which shell commands a client reports with their exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    All,
    /// A command that fails raises no event after it.
    Successful,
    None,
}

/// The event as far as a reply needs it; known even if the payload could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heard<'a> {
    pub kind: EventKind,
    pub native: &'a str,
    /// It is about a shell command.
    pub is_shell: bool,
}

impl Client {
    /// Reads the event of a payload. Fails only on malformed JSON.
    pub fn decode<'a>(&self, payload: &'a str, named: Option<&'a str>) -> serde_json::Result<Event<'a>> {
        Ok((self.read)(&Members::read(payload)?, named))
    }

    /// Finds what is known about an event by the client's own name for it.
    pub fn event(&self, native: &str) -> Option<&'static EventFact> {
        self.facts.events.iter().find(|fact| fact.native == native)
    }

    /// Identifies the event by the client's name for it.
    pub fn heard<'a>(&self, native: &'a str) -> Heard<'a> {
        Heard { kind: self.event(native).map_or(EventKind::Other, |fact| fact.kind), native, is_shell: false }
    }

    /// Identifies an event that was read.
    pub fn heard_in<'a>(&self, event: &'a Event<'_>) -> Heard<'a> {
        let is_shell = event.call.as_ref().is_some_and(|call| matches!(call.action, Action::Run { .. }));
        Heard { kind: event.kind, native: &event.native, is_shell }
    }

    /// Reads what a finished call did to the agent's to-do list; `None` for any other call.
    pub fn todo_change(&self, event: &Event<'_>) -> Option<TodoChange> {
        todo::read(&self.facts.todos, event)
    }

    /// Returns the client's reply to a verdict.
    pub fn reply(&self, heard: &Heard<'_>, verdict: &Verdict) -> Reply {
        let powers = self.event(heard.native).map_or(Powers::NONE, |fact| fact.powers);
        let mut verdict = verdict.clone();
        if !matches!(heard.kind, EventKind::BeforeTool | EventKind::PermissionRequest) {
            // There is no input left to change.
            verdict.rewrite = None;
        }
        if verdict.reason_text().trim().is_empty() {
            // Clients ignore a denial without a reason, so a missing one gets a default.
            verdict.reasons.clear();
        }
        let mut verdict = Self::express(verdict, powers);
        self.facts.window.choose(&mut verdict, heard, powers);
        if let (EventKind::BeforeTool, Level::Deny, Some(cap)) = (heard.kind, verdict.level, self.facts.reason_cap) {
            fit(&mut verdict, cap);
        }
        (self.encode)(heard, &verdict)
    }

    /// Turns a verdict into one that the client supports: the next stronger one, never a weaker one. The verdict is
    /// lost only if the client accepts no answer at all.
    pub fn express(mut verdict: Verdict, powers: Powers) -> Verdict {
        if let Some(rewrite) = verdict.rewrite.take().filter(|_| verdict.level <= Level::Warn) {
            if !is_object(&rewrite) {
                verdict = verdict.and(Verdict::deny("rewrite", "the changed input of this call could not be read"));
            } else if powers.rewrite {
                verdict.rewrite = Some(rewrite);
            } else if powers.deny {
                verdict = verdict.and(Verdict::deny(
                    "rewrite",
                    format!("this client cannot change a tool call; call it again with this input: {rewrite}"),
                ));
            }
        }
        if verdict.level == Level::Warn && powers.warn == WarnBy::Nothing {
            verdict.level = Level::Ask;
        }
        if verdict.level == Level::Ask && !powers.ask {
            verdict.level = Level::Deny;
        }
        if verdict.level == Level::Deny && !powers.deny {
            verdict.level = if powers.warn == WarnBy::Nothing { Level::Allow } else { Level::Warn };
        }
        if !powers.context {
            verdict.context.clear();
        }
        verdict.grant &= powers.grant && verdict.level == Level::Allow;
        verdict
    }
}

/// Shortens the reason of a denial to what the client passes on: the lines that fit, of the first one its start. A line is
/// not cut further down, as it may quote somebody. The last words name the command that tells the rest.
fn fit(verdict: &mut Verdict, cap: usize) {
    let reason = verdict.reason_text();
    if reason.chars().count() <= cap {
        return;
    }
    let id = reason.rsplit_once(" [v-").and_then(|(_, id)| id.split_once(']')).map(|(id, _)| format!("v-{id}"));
    let end = id.map_or_else(|| "…".to_owned(), |id| format!("… (rest: `stead explain {id}`)"));
    let room = cap.saturating_sub(end.chars().count());
    let mut kept = String::new();
    for line in reason.lines() {
        let length = kept.chars().count() + line.chars().count() + 1;
        match (kept.is_empty(), length <= room) {
            (true, true) => kept.push_str(line),
            (true, false) => kept.extend(line.chars().take(room)),
            (false, true) => kept.extend(["\n", line]),
            (false, false) => break,
        }
    }
    let text = Capped::new(format!("{}{end}", kept.trim_end()));
    verdict.reasons = vec![Reason { gate: verdict.reasons.first().map_or("", |reason| reason.gate), text }];
}

fn is_object(json: &str) -> bool {
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(json).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_ends_with_where_the_rest_is() {
        let check = |reason: &str, expected: &str| {
            let mut verdict = Verdict::deny("g", reason);
            fit(&mut verdict, 60);
            assert_eq!(verdict.reason_text(), expected);
            assert!(expected.chars().count() <= 60);
        };
        check("short [v-1]", "short [v-1]");
        let words = "né ".repeat(30);
        check(&format!("{words} [v-ab12cd34]"), "né né né né né né né né… (rest: `stead explain v-ab12cd34`)");
        check(words.trim(), "né né né né né né né né né né né né né né né né né né né né…");
        let quoted = "first [v-1]\nsecond\n\"a quoted line that does not fit beside the others\" [v-1]";
        check(quoted, "first [v-1]\nsecond… (rest: `stead explain v-1`)");
    }

    #[test]
    fn a_person_may_change_how_often_a_stop_is_held() {
        let cap = |excludes_last| StopCap::Blocks {
            most: 8,
            excludes_last,
            variable: Some("CAP"),
            resets_on_tool_use: false,
        };
        let check = |cap: StopCap, said: Option<&str>, expected: Option<u32>| {
            let env = |name: &str| said.filter(|_| name == "CAP").map(OsString::from);
            assert_eq!(cap.most_in(&env), expected, "{cap:?} {said:?}");
        };
        check(cap(false), None, Some(8));
        check(cap(false), Some("3"), Some(3));
        check(cap(true), Some("3"), Some(2));
        check(cap(false), Some("0"), None);
        for odd in ["-1", "many", ""] {
            check(cap(true), Some(odd), Some(7));
        }
        check(StopCap::None, Some("3"), None);
        assert_eq!(cap(true).most(), Some(7));
    }
}
