use clap::Args;
use serde_json::{Value, json};
use stead_guard::{Listed, Origin, Problem, State};
use stead_hook::GuardChange;
use stead_model::rfc3339;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guard_counts::{Counts, is_orphaned};
use crate::guards::{Guards, state_in_words};
use crate::patterns::graph;
use crate::project::{Project, now_millis};
use crate::ui::Ui;

/// How long a change that happened by itself is told, in milliseconds.
const RECENTLY: i64 = 14 * 24 * 3600 * 1000;

/// List the guards of the project, your own, and those included in Stead
#[derive(Args)]
#[command(after_help = "Example:\n  stead guard list --json")]
pub(super) struct ListArgs {
    /// Print the guards and their problems as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ListArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let is_off = !project.config.bool("gate.guards");
    let counts = Counts::recent(&project)?;
    let marks = |guard: &Listed| -> Vec<&'static str> {
        let is_dormant = guard.origin == Origin::Project && guard.state == State::Active;
        let dormant = counts.of(&guard.id, &guard.on).marks(&guard.id).contains(&"dormant") && is_dormant;
        dormant.then_some("dormant").into_iter().chain(is_orphaned(&project, guard).then_some("orphaned")).collect()
    };
    let since = rfc3339(now_millis() - RECENTLY);
    let changes = GuardChange::unasked(&graph(&project), &since);
    if args.json {
        let each = |guard: &Listed| {
            let mut shown = as_json(guard);
            shown["marks"] = json!(marks(guard));
            shown
        };
        ui.json(
            answer::GUARD_LIST,
            &json!({
                "on": !is_off,
                "items": guards.list.iter().map(each).collect::<Vec<_>>(),
                "changes": answer::records(&changes),
                "problems": guards.problems().map(problem_as_json).collect::<Vec<_>>(),
            }),
        );
        return Ok(Exit::Done);
    }
    let width = guards.list.iter().map(|guard| guard.id.chars().count()).max().unwrap_or(0);
    for guard in &guards.list {
        let mode = if guard.state == State::Active { guard.mode.name() } else { "–" };
        let state = match &guard.state {
            State::Active => {
                let words = std::iter::once(guard.origin.name()).chain(marks(guard)).collect::<Vec<_>>();
                words.join(", ")
            }
            state => format!("{}, {}", guard.origin.name(), state_in_words(state)),
        };
        ui.line(format!("{:width$}  {mode:<7}  {:<8}  {state}", guard.id, guard.then.name()));
    }
    for change in &changes {
        ui.line(format!("\n{}", change.told()));
    }
    for problem in guards.problems() {
        ui.warning(problem.to_string());
        if let Some(hint) = problem.hint() {
            ui.note(format!("hint: {hint}"));
        }
    }
    if is_off {
        ui.warning("`gate.guards` is off, so no guard is applied");
    }
    Ok(Exit::Done)
}

pub(super) fn as_json(guard: &Listed) -> Value {
    json!({
        "id": guard.id,
        "origin": guard.origin.name(),
        "path": guard.file,
        "mode": guard.mode.name(),
        "then": guard.then.name(),
        "on": guard.on,
        "say": guard.say,
        "test_count": guard.tests,
        "made_from": guard.made_from,
        "version": guard.version,
        "active": guard.state == State::Active,
        "state": state_in_words(&guard.state),
    })
}

pub(super) fn problem_as_json(problem: &Problem) -> Value {
    json!({
        "severity": problem.severity.name(),
        "path": problem.file,
        "line": problem.line,
        "column": problem.column,
        "guard": problem.guard,
        "message": problem.message,
        "hint": problem.hint,
    })
}
