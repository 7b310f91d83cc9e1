//! It prints the stream of messages that several clients share, with the cost if its server states one.

use crate::headless::{Headless, PromptWay};
use crate::report::{Report, events, money, result_lines};

pub(super) const HEADLESS: Headless = Headless {
    // Its mode that accepts edits asks all the same, and headless a question ends the run.
    args: &["--allow", "Edit", "--allow", "Write", "--output-format", "streaming-messages-json"],
    may: "edits files and runs commands that it knows to be harmless; any other ends the run, `--allow Bash` allows them",
    prompt: PromptWay::File("--prompt-file"),
    session_vars: &["GROK_SESSION_ID", "GROK_HOOK_EVENT", "GROK_HOOK_NAME", "GROK_PLUGIN_ROOT", "GROK_PLUGIN_DATA"],
    read,
    reports_cost: true,
    ..Headless::PLAIN
};

fn read(said: &str) -> Report {
    let mut report = result_lines(said);
    report.cost_usd = events(said).rev().find_map(|event| money(&event["total_cost_usd"]));
    report
}
