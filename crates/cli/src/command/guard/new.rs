use clap::Args;
use serde_json::json;
use stead_guard::{PLACEHOLDER, Source, State, lint};
use stead_model::{FileId, Severity};
use stead_store::{Creation, Durability, FileContent, create, create_parents, redact};

use super::list::problem_as_json;
use super::mode::fresh_path;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::Guards;
use crate::person::{Whose, refuse_agents, require_person_to_weaken};
use crate::project::Project;
use crate::ui::Ui;

/// Create a guard file to start from, in mode `shadow`
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead guard new infra-is-reviewed --writes 'infra/**' --say 'plan it first'\n  stead guard new no-deploy --runs 'kubectl apply'"
)]
pub(super) struct NewArgs {
    /// The guard's id, also the file's name
    #[arg(value_name = "ID")]
    id: String,
    /// Match any change of these files; can be repeated
    #[arg(long, value_name = "PATTERN")]
    writes: Vec<String>,
    /// Match commands with these words in this order, and flags anywhere; can be repeated
    #[arg(long, value_name = "WORDS")]
    runs: Vec<String>,
    /// What the agent is told
    #[arg(long)]
    say: Option<String>,
    /// Create it for all your projects
    #[arg(long)]
    user: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &NewArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    if let Err(problem) = FileId::check(&args.id) {
        return Err(CliError::usage(format!("`{}` cannot be a guard's id: {problem}", args.id))
            .hinted("letters, digits and hyphens, as in `infra-is-reviewed`"));
    }
    let path = fresh_path(&args.id, args.user, &project)?;
    let whose = if args.user { Whose::Person } else { Whose::Project };
    // It would replace an active guard of that name, and be weaker.
    let replaces = guards.members(&args.id).is_ok_and(|held| held.iter().any(|guard| guard.state == State::Active));
    match replaces && !path.exists() {
        true => require_person_to_weaken("replace an active guard", whose, &project, ui)?,
        false => refuse_agents("create guards", whose, &project)?,
    }
    let text = text(args);
    create_parents(&path)?;
    if create(&path, FileContent::from(redact(&text)).shared(), Durability::Synced)? == Creation::Existed {
        return Err(CliError::user(format!("`{}` already exists", project.short(&path).display()))
            .hinted(format!("`stead guard show {}` shows it", args.id)));
    }
    let shown = project.short(&path).display().to_string();
    let problems = lint(&Source::project(shown.clone(), text), &guards.sources, &guards.rooms);
    if args.json {
        let problems: Vec<_> = problems.iter().map(problem_as_json).collect();
        ui.json(answer::GUARD_NEW, &json!({"id": args.id, "path": shown, "mode": "shadow", "problems": problems}));
        return Ok(Exit::Done);
    }
    ui.line(format!("created {shown} in mode `shadow`; it applies from the next call on"));
    for problem in problems.iter().filter(|problem| problem.severity == Severity::Error) {
        ui.warning(problem.to_string());
    }
    ui.line(format!("Next: complete its tests, run `stead guard test {0}`, then `stead guard promote {0}`", args.id));
    Ok(Exit::Done)
}

fn text(args: &NewArgs) -> String {
    let list = |texts: &[String]| serde_json::to_string(texts).unwrap_or_default();
    let mut matched = String::new();
    if !args.writes.is_empty() || args.runs.is_empty() {
        let writes = if args.writes.is_empty() { vec!["path/to/guard/**".to_owned()] } else { args.writes.clone() };
        matched.push_str(&format!("  writes: {}\n", list(&writes)));
    }
    if !args.runs.is_empty() {
        matched.push_str(&format!("  runs: {}\n", list(&args.runs)));
    }
    let (must, must_not) = examples(args);
    let say = args.say.clone().unwrap_or_else(|| PLACEHOLDER.to_owned());
    format!(
        "id: {}\nmode: shadow          # shadow | warn | enforce\non: [before-tool]\nmatch:\n{matched}then: deny\nsay: \
         {}\ntests:\n  must: {}\n  must_not: {}\n",
        args.id,
        serde_json::Value::from(say),
        must,
        list(&[must_not]),
    )
}

/// One call that it must match and one that it must not, from its first pattern.
fn examples(args: &NewArgs) -> (String, String) {
    match (args.writes.first(), args.runs.first()) {
        (None, Some(words)) => (json!([words]).to_string(), format!("git commit -m '{}'", words.replace('\'', ""))),
        (pattern, _) => {
            let pattern = pattern.map_or("path/to/guard/**", String::as_str);
            let path = pattern.replace("**/*", "a").replace("**", "a").replace(['*', '?'], "a");
            (json!([{"write": path}]).to_string(), format!("git log -- {path}"))
        }
    }
}
