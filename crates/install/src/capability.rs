use serde::Serialize;
use stead_client::{Client, ExitStatus, Facts, Harness, Powers, WarnBy};
use stead_model::{EventKind, Level, Verdict};

/// What a client lets Stead do, according to its facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Capability {
    pub harness: &'static str,
    /// The version the facts were verified with, or their source.
    pub checked: &'static str,
    pub block: bool,
    pub ask: bool,
    /// Who reads a warning before a tool: `model`, `person`, `both` or `nobody`.
    pub warn: &'static str,
    pub rewrite: bool,
    pub context_at_start: bool,
    pub context_at_prompt: bool,
    pub context_after_tool: bool,
    pub continue_at_stop: bool,
    /// How often in a row; `None` if the client has no limit or it is unknown.
    pub stop_cap: Option<u32>,
    /// `block`, `tell` or `no`.
    pub before_compact: &'static str,
    /// Which shell commands are reported with their exit status, so that a test run can be evidence: `all`,
    /// `successful` or `none`.
    pub exit_status: &'static str,
    /// After which tool calls no hook is called, if any; what such a call weakened is noticed at the next event.
    pub lost_after_tool: Option<&'static str>,
    pub subagents: &'static str,
    /// Where a sub-agent's incomplete result is sent back: `at its stop`, `after the call that started it` or `never`.
    pub incomplete_result: &'static str,
    /// A command that a person types permits what only a person may do.
    pub typed_commands: bool,
    /// When the model reads a guard's warning issued before a tool; a warning is never raised to a denial: `at once`,
    /// `after the tool`, `with the next prompt` or `never`.
    pub guard_warning: &'static str,
    /// What does not work while an editor drives it over ACP, if anything.
    pub lost_in_editors: Option<String>,
    /// What the person does not see in the client's own window.
    pub unseen: Vec<&'static str>,
    /// Verdicts before a tool that are raised because the client cannot express them.
    pub strengthened: Vec<String>,
}

/// Returns a client's capabilities.
pub fn capability(harness: Harness) -> Capability {
    let facts = &harness.client().facts;
    let powers = |kind| facts.powers_at(kind);
    let before = powers(EventKind::BeforeTool);
    Capability {
        harness: harness.name(),
        checked: facts.checked,
        block: before.deny,
        ask: before.ask,
        warn: match before.warn {
            WarnBy::Context => "model",
            WarnBy::Notice => "person",
            WarnBy::Both => "both",
            WarnBy::Nothing => "nobody",
        },
        rewrite: before.rewrite,
        context_at_start: powers(EventKind::SessionStart).context,
        context_at_prompt: powers(EventKind::Prompt).context,
        context_after_tool: powers(EventKind::AfterTool).context,
        continue_at_stop: powers(EventKind::Stop).deny,
        stop_cap: facts.stop_cap.most(),
        before_compact: match facts.events.iter().find(|fact| fact.kind == EventKind::BeforeCompact) {
            Some(fact) if fact.powers.deny => "block",
            Some(_) => "tell",
            None => "no",
        },
        exit_status: match facts.exit_status {
            ExitStatus::All => "all",
            ExitStatus::Successful => "successful",
            ExitStatus::None => "none",
        },
        lost_after_tool: facts.lost_after_tool,
        subagents: facts.subagents,
        incomplete_result: match () {
            () if facts.answers_subagent_stop() => "at its stop",
            () if powers(EventKind::AfterTool).context => "after the call that started it",
            () => "never",
        },
        typed_commands: facts.typed_by.is_some(),
        guard_warning: match () {
            () if before.context => "at once",
            () if powers(EventKind::AfterTool).context => "after the tool",
            () if powers(EventKind::Prompt).context => "with the next prompt",
            () => "never",
        },
        lost_in_editors: facts.acp.loss(),
        unseen: unseen(facts),
        strengthened: strengthened(before),
    }
}

/// What Stead has no way to show, and what the window leaves out.
fn unseen(facts: &Facts) -> Vec<&'static str> {
    let parts = [
        (EventKind::BeforeTool, "warnings"),
        (EventKind::AfterTool, "what was put back"),
        (EventKind::Stop, "how a loop ended"),
        (EventKind::SessionStart, "what the agent is told at the start"),
    ];
    let is_missing = |kind: EventKind| {
        let is_context = kind == EventKind::SessionStart && facts.window.shows_context;
        let mut powers = facts.events.iter().filter(|fact| fact.kind == kind).map(|fact| fact.powers);
        !is_context && !powers.any(|powers| powers.warn.reaches_person())
    };
    let missing = parts.into_iter().filter(|(kind, _)| is_missing(*kind));
    missing.map(|(_, what)| what).chain(facts.window.hides.iter().copied()).collect()
}

fn strengthened(powers: Powers) -> Vec<String> {
    let rewrite = Verdict { rewrite: Some("{}".to_owned()), ..Verdict::allow() };
    let verdicts = [("warn", Verdict::warn("doctor", "w")), ("ask", Verdict::ask("doctor", "a")), ("rewrite", rewrite)];
    verdicts
        .into_iter()
        .filter_map(|(word, verdict)| {
            let weak = verdict.level;
            let strong = Client::express(verdict, powers).level;
            (strong > weak.max(Level::Allow)).then(|| format!("{word} becomes {}", strong.name()))
        })
        .collect()
}
