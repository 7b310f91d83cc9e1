use clap::Args;
use serde_json::{Value, json};
use stead_memory::{LEAST_COUNT, LEAST_SESSIONS, Pattern};
use stead_model::tokens;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::Guards;
use crate::patterns::{HistoryProgress, extraction};
use crate::project::Project;
use crate::ui::Ui;

/// List what went wrong at least three times, in at least two sessions
///
/// Patterns are found in the whole recorded history: what guards matched, what people corrected, and what was denied and
/// then done in another way. Each lists its evidence; `stead memory propose ID` drafts what to do about it.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead memory patterns\n  stead memory patterns --json")]
pub(super) struct PatternsArgs {
    /// The most tokens of the JSON: rather than all, some of the evidence and then fewer patterns are told
    #[arg(long, value_name = "N", requires = "json")]
    max_tokens: Option<usize>,
    /// Print the patterns as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &PatternsArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let mut progress = HistoryProgress::new();
    let found = extraction(&project, &guards, &mut |reading| progress.show(reading, ui))?;
    drop(progress);
    if args.json {
        ui.json(answer::MEMORY_PATTERNS, &within(found.patterns, args.max_tokens));
        return Ok(Exit::Done);
    }
    for pattern in &found.patterns {
        ui.line(format!(
            "{}  {:<10}  proposes {:<6}  {}",
            pattern.id,
            pattern.kind.name(),
            pattern.proposes.name(),
            pattern.summary
        ));
        ui.line(format!("            evidence: {}", pattern.evidence.join(", ")));
    }
    if found.patterns.is_empty() {
        ui.line(format!("No patterns: nothing went wrong {LEAST_COUNT} times in {LEAST_SESSIONS} sessions."));
    }
    Ok(Exit::Done)
}

/// How many ids of a pattern's evidence are told if not all fit.
const EVIDENCE: usize = 3;

/// The patterns as JSON, and how many did not fit into the budget.
fn within(mut patterns: Vec<Pattern>, most: Option<usize>) -> Value {
    let all = patterns.len();
    let told = |patterns: &[Pattern]| match all - patterns.len() {
        0 => json!({"items": answer::records(patterns)}),
        omitted => json!({"items": answer::records(patterns), "omitted": omitted}),
    };
    let fits = |value: &Value| most.is_none_or(|most| tokens(&value.to_string()) <= most);
    let mut value = told(&patterns);
    if !fits(&value) {
        // Their number is still in `count`.
        patterns.iter_mut().for_each(|pattern| pattern.evidence.truncate(EVIDENCE));
        value = told(&patterns);
    }
    while !fits(&value) && !patterns.is_empty() {
        patterns.pop();
        value = told(&patterns);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_keep_within_their_budget() {
        let pattern = |number: usize| Pattern {
            id: format!("p-{number}"),
            count: 40,
            evidence: (0..40).map(|id| format!("v-{id:08}")).collect(),
            summary: "writes to infra".repeat(4),
            ..Pattern::default()
        };
        let patterns: Vec<Pattern> = (0..30).map(pattern).collect();
        assert_eq!(within(patterns.clone(), None)["items"].as_array().unwrap().len(), 30);
        for most in [60, 200, 1_000, 2_000, 5_000, 50_000] {
            let told = within(patterns.clone(), Some(most));
            let items = told["items"].as_array().unwrap();
            assert!(tokens(&told.to_string()) <= most, "{most}: {told}");
            assert_eq!(items.len() + told["omitted"].as_u64().unwrap_or(0) as usize, 30);
            assert!(items.iter().all(|item| item["count"] == 40));
            let expected = if most == 50_000 { 40 } else { EVIDENCE };
            assert!(items.iter().all(|item| item["evidence"].as_array().unwrap().len() == expected), "{most}");
        }
    }
}
