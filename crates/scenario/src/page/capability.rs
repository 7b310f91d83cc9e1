//! The capability table, from the facts that encoder, installer and `stead doctor` share.

use stead_client::{ExitStatus, Facts, Harness, Powers, StopCap, WarnBy};
use stead_model::EventKind;

use super::named;

/// The kinds of event at which a hook can achieve something.
const KINDS: &[EventKind] = &[
    EventKind::SessionStart,
    EventKind::Prompt,
    EventKind::BeforeTool,
    EventKind::AfterTool,
    EventKind::Stop,
    EventKind::SubagentStop,
    EventKind::BeforeCompact,
    EventKind::ConfigChange,
];

pub(super) fn tables() -> String {
    let mut text = String::from(
        "## What each client supports\n\nWhat a client lets a hook do at an event: *deny* (at a stop: keep the agent working), \
        *ask* the person, *warn* the model or the person, *rewrite* the call, give the model *context*. *Notifies* means that \
        every answer is ignored, – that there is no such event.\n\n| client | checked with |",
    );
    for kind in KINDS {
        text.push_str(&format!(" {kind} |"));
    }
    text.push_str(&format!("\n|---|---|{}\n", "---|".repeat(KINDS.len())));
    for harness in Harness::ALL {
        let facts = &harness.client().facts;
        text.push_str(&format!("| {} | {} |", named(harness), facts.checked));
        for kind in KINDS {
            text.push_str(&format!(" {} |", at(facts, *kind)));
        }
        text.push('\n');
    }
    text.push_str("\n| client | how often a stop can be blocked | reports the exit status | typed commands grant | hook after a tool | sub-agents | what a person confirms |\n|---|---|---|---|---|---|---|\n");
    for harness in Harness::ALL {
        let facts = &harness.client().facts;
        let (cap, confirm) = (cap(facts), facts.install.confirm);
        let exit = match facts.exit_status {
            ExitStatus::All => "yes",
            ExitStatus::Successful => "only of commands that succeed",
            ExitStatus::None => "no",
        };
        let typed = if facts.typed_by.is_some() { "yes" } else { "no" };
        let after = facts.lost_after_tool.unwrap_or("after each");
        text.push_str(&format!(
            "| {} | {cap} | {exit} | {typed} | {after} | {} | {confirm} |\n",
            named(harness),
            facts.subagents
        ));
    }
    text
}

fn at(facts: &Facts, kind: EventKind) -> String {
    match facts.events.iter().find(|fact| fact.kind == kind) {
        Some(fact) => words(fact.powers),
        None => "–".to_owned(),
    }
}

fn words(powers: Powers) -> String {
    let warn = match powers.warn {
        WarnBy::Context => Some("warn the model"),
        WarnBy::Notice => Some("warn the person"),
        WarnBy::Both => Some("warn both"),
        WarnBy::Nothing => None,
    };
    let each = [
        powers.deny.then_some("deny"),
        powers.ask.then_some("ask"),
        warn,
        powers.rewrite.then_some("rewrite"),
        powers.context.then_some("context"),
    ];
    let each: Vec<_> = each.into_iter().flatten().collect();
    if each.is_empty() { "notifies".to_owned() } else { each.join(", ") }
}

fn cap(facts: &Facts) -> String {
    match (facts.stop_cap, facts.stop_cap.most()) {
        (StopCap::None, _) => "without limit".to_owned(),
        (_, None) => "unknown".to_owned(),
        (_, Some(1)) => "once".to_owned(),
        (StopCap::Blocks { variable: Some(variable), .. }, Some(most)) => {
            format!("{most} times, unless `{variable}` is set")
        }
        (_, Some(most)) => format!("{most} times"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_told_in_words() {
        assert_eq!(words(Powers::NONE), "notifies");
        assert_eq!(words(Powers { rewrite: true, ..Powers::DENY }), "deny, rewrite");
        assert_eq!(words(Powers::CONTEXT), "warn the model, context");
        assert_eq!(words(Powers::CONTEXT.shown()), "warn both, context");
    }
}
