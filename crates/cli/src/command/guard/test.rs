use clap::Args;
use serde_json::json;
use stead_guard::{ExampleResult, test};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::Guards;
use crate::project::Project;
use crate::ui::Ui;

/// Run the tests in guard files
///
/// Each example runs in a small made-up project: what a guard must match, and what it must not. Exits with 1 if one
/// fails.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead guard test\n  stead guard test infra-is-reviewed")]
pub(super) struct TestArgs {
    /// The guards; by default all of the project and all of yours
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &TestArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let mut sources = Vec::new();
    for id in &args.ids {
        sources.extend(guards.members(id)?.first().and_then(|guard| guards.source_of(guard)));
    }
    if args.ids.is_empty() {
        sources.clone_from(&guards.sources);
    }
    let (mut results, mut wrong) = (Vec::new(), Vec::new());
    for source in &sources {
        match test(source, &guards.rooms) {
            Ok(ran) => results.extend(ran.into_iter().map(|result| (source.file.clone(), result))),
            Err(problems) => wrong.extend(problems),
        }
    }
    let failed = results.iter().filter(|(_, result)| !result.passed).count();
    if args.json {
        ui.json(
            answer::GUARD_TEST,
            &json!({
                "items": results.iter().map(|(file, result)| json!({
                    "path": file, "guard": result.guard, "line": result.line, "test": result.title, "must": result.must,
                    "passed": result.passed, "detail": result.detail,
                })).collect::<Vec<_>>(),
                "problems": wrong.iter().map(super::list::problem_as_json).collect::<Vec<_>>(),
            }),
        );
    } else {
        results.iter().for_each(|(_, result)| tell(result, ui));
        wrong.iter().for_each(|problem| ui.warning(problem.to_string()));
        ui.line(format!("{} passed, {failed} failed", results.len() - failed));
    }
    Ok(if failed > 0 || !wrong.is_empty() { Exit::Failed } else { Exit::Done })
}

fn tell(result: &ExampleResult, ui: &mut Ui) {
    let (mark, word) = (if result.passed { "ok  " } else { "FAIL" }, if result.must { "must" } else { "must not" });
    ui.line(format!("{mark} {} {word}: {}", result.guard, result.title.replace('\n', " ")));
    if !result.passed || result.must {
        ui.line(format!("       {}", result.detail.replace('\n', " ")));
    }
}
