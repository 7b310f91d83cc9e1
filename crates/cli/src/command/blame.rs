use clap::Args;
use serde_json::{Value, json};
use stead_ledger::why::{Answer, Inquiry};

use super::why::to_json;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::git::Git;
use crate::line_source::LineSource;
use crate::project::Project;
use crate::ui::Ui;

/// Show for each line of a file who wrote it, and for which intent
///
/// `unknown` is everything that the ledger has no unambiguous evidence for.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead blame src/main.rs\n  stead blame src/main.rs --json")]
pub(crate) struct BlameArgs {
    #[arg(value_name = "FILE")]
    file: String,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: BlameArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    let source = LineSource::open(&project, &ui.dir()?, &args.file)?;
    let git = Git { root: &source.root };
    let origins = git.blame(&source.path, None).unwrap_or_default();
    let commits: Vec<Option<String>> =
        (0..source.text.lines().count()).map(|line| origins.get(&line)?.commit.clone()).collect();
    let books = source.books(&project)?;
    let answers = Inquiry::new(&books, &git, &source.root, &source.path, &source.text, origins).all();
    let rows = answers.iter().zip(&commits).zip(source.text.lines());
    if args.json {
        let lines: Vec<Value> = rows
            .zip(1..)
            .map(|(((answer, commit), _), number)| {
                let mut said = to_json(answer, commit.as_deref());
                said["line"] = number.into();
                said
            })
            .collect();
        ui.json(answer::BLAME, &json!({"path": source.path, "items": lines}));
        return Ok(Exit::Done);
    }
    let width = answers.len().to_string().len();
    let intent = |answer: &Answer| answer.held.as_ref().and_then(|held| held.record.intent()).unwrap_or("-").to_owned();
    let widest = answers.iter().map(|answer| intent(answer).chars().count()).max().unwrap_or(0).min(16);
    let mut out = String::new();
    for (((answer, commit), text), number) in rows.zip(1..) {
        let session = answer.held.as_ref().and_then(|held| held.record.session()).unwrap_or("-");
        let short = |text: &str, length: usize| text.chars().take(length).collect::<String>();
        let day = answer.held.as_ref().map_or("-".to_owned(), |held| short(&held.record.timestamp, 10));
        let commit = commit.as_deref().map_or("-".to_owned(), |commit| short(commit, 8));
        out.push_str(&format!(
            "{commit:<8} {:<7} {:<widest$} {:<8} {day:<10} {number:>width$} {text}\n",
            answer.class.name(),
            short(&intent(answer), 16),
            short(session, 8),
        ));
    }
    ui.raw(out);
    Ok(Exit::Done)
}
