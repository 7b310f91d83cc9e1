use clap::Args;
use serde_json::json;
use stead_ledger::map::{Answer, Asked, PromptText, Reason};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::intent_map::{intent_map, prompts, update_map};
use crate::project::Project;
use crate::ui::Ui;

/// Find where something is, by the intents and changes that Stead recorded
///
/// Searches the names of intents, files, functions and types, constraints, notes in the intent map, and the prompts that
/// led to changes. What was never recorded is not found: the answer is then "nothing found" and exit code 1, never a
/// guess.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead where-is \"billing logic\"\n  stead where-is invoice total --json")]
pub(crate) struct WhereIsArgs {
    /// What to look for
    #[arg(required = true)]
    question: Vec<String>,
    /// The maximum number of answers
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    /// Print the answers as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: WhereIsArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    let question = args.question.join(" ");
    let ledger = update_map(&project, ui);
    let prompts: Vec<PromptText> = prompts(&project);
    let asked = Asked { question: &question, prompts: &prompts, most: usize::from(args.limit) };
    let answers = intent_map(&project).find(&ledger, &asked)?;
    if args.json {
        ui.json(answer::WHERE_IS, &json!({"question": question, "items": answers}));
    } else if answers.is_empty() {
        ui.line("nothing found");
        ui.note("hint: only what agents changed, and the scopes of intents, are known");
    } else {
        answers.iter().for_each(|answer| tell(answer, ui));
    }
    Ok(if answers.is_empty() { Exit::Failed } else { Exit::Done })
}

fn tell(answer: &Answer, ui: &mut Ui) {
    let line = answer.line.map(|line| format!(":{line}")).unwrap_or_default();
    let named = match (&answer.kind, &answer.name) {
        (Some(kind), Some(name)) => format!("  {kind} `{name}`"),
        _ => String::new(),
    };
    let intent = answer.intent.as_ref().map(|id| format!("  {id}")).unwrap_or_default();
    ui.line(format!("{}{line}{named}{intent}", answer.path));
    for Reason { what, words, text } in &answer.why {
        ui.line(format!("  {} ({}): {text}", what.name(), words.join(", ")));
    }
}
