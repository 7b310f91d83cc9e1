use clap::Args;
use stead_ledger::intent::{IntentFile, NewIntent, Reach, Scope, Status};

use super::{Here, as_json};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

/// Add an intent (a person's decision)
///
/// Patterns start at the project root and are case-sensitive; `**/` asks for any depth.
#[derive(Args)]
#[command(
    after_help = "Example:\n  stead intent add INT-001 --name 'Sign in' --scope 'src/auth/**' \\\n    --constraint 'no new tables' --criterion 'the tests pass'"
)]
pub(super) struct AddArgs {
    /// The id, such as INT-001
    id: String,
    /// A short name
    #[arg(long)]
    name: String,
    /// A path pattern that the intent owns; can be repeated
    #[arg(long, value_name = "PATTERN", num_args = 1..)]
    scope: Vec<String>,
    /// A rule to follow, or `guard: ID`; can be repeated
    #[arg(long, value_name = "TEXT", num_args = 1..)]
    constraint: Vec<String>,
    /// A part of the definition of done; can be repeated
    #[arg(long, value_name = "TEXT", num_args = 1..)]
    criterion: Vec<String>,
    /// A file that helps to understand it; can be repeated
    #[arg(long, value_name = "FILE", num_args = 1..)]
    related: Vec<String>,
    /// Print the intent as JSON
    #[arg(long)]
    json: bool,
}

/// Add patterns to the scope of an intent (a person's decision)
#[derive(Args)]
#[command(after_help = "Example:\n  stead intent widen INT-001 --add docs/auth.md")]
pub(super) struct WidenArgs {
    id: String,
    /// A path pattern; can be repeated
    #[arg(long, value_name = "PATTERN", required = true, num_args = 1..)]
    add: Vec<String>,
    /// Print the intent as JSON
    #[arg(long)]
    json: bool,
}

/// Make a completed intent available again (a person's decision)
#[derive(Args)]
#[command(after_help = "Example:\n  stead intent reopen INT-001")]
pub(super) struct ReopenArgs {
    id: String,
    /// Print the intent as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn add(args: &AddArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let new = NewIntent {
        id: args.id.clone(),
        name: args.name.clone(),
        scope: args.scope.clone(),
        constraints: args.constraint.clone(),
        criteria: args.criterion.clone(),
        related_files: args.related.clone(),
    };
    // Only what the project's own files say counts; the caller can set variables and flags.
    let files = stead_store::Config::load(Some(here.project.root()), &|_| None, &[]).0;
    if !files.bool("intents.agents_may_add") || owns_everything(&new.scope) {
        here.require_person("add an intent")?;
    }
    IntentFile::add(&here.room, &new)?;
    tell(&args.id, "added", args.json, here, ui)
}

/// Returns true if a name that nobody chose belongs to the scope, at the top or below.
fn owns_everything(patterns: &[String]) -> bool {
    let scope = Scope::new(patterns);
    let owns = |path: &str| scope.owns(&Reach { path: "", inside: Some(path), tree: false, open: false }, None);
    let outside = Reach { path: "/q7~/q7~", inside: None, tree: false, open: false };
    ["q7~", "q7~/q7~", "q7~/q7~/q7~/q7~", ".q7~/q7~"].into_iter().any(owns) || scope.owns(&outside, None)
}

pub(super) fn widen(args: &WidenArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    here.require_person("widen an intent")?;
    IntentFile::amend(&here.room, |file| file.with_scope(&args.id, &args.add))?;
    tell(&args.id, "widened", args.json, here, ui)
}

pub(super) fn reopen(args: &ReopenArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    here.require_person("reopen an intent")?;
    if here.file()?.find(&args.id)?.status != Status::Completed {
        return Err(CliError::user(format!("intent `{}` is not COMPLETED", args.id)));
    }
    IntentFile::amend(&here.room, |file| file.with_status(&args.id, Status::Pending))?;
    tell(&args.id, "reopened", args.json, here, ui)
}

/// Prints the intent after a change.
pub(super) fn tell(id: &str, how: &str, json: bool, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let file = here.file()?;
    let intent = file.find(id)?;
    match json {
        true => ui.json(answer::INTENT, &as_json(intent)),
        false => {
            ui.line(format!("intent {id} {how} ({})", intent.status.name()));
            intent.owned_scope.iter().for_each(|pattern| ui.line(format!("  {pattern}")));
        }
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_that_owns_everything_is_recognised() {
        let check = |pattern: &str, expected: bool| {
            assert_eq!(owns_everything(&[pattern.to_owned()]), expected, "{pattern}");
        };
        for wide in ["**", "*", "**/*", "*/**", "./**", "{*,.*}", "[!x]*", "*/*", "**/**", "?*", "@outside", "/**"] {
            check(wide, true);
        }
        for narrow in ["src/**", "*.md", "**/*.rs", "src/*", "a*"] {
            check(narrow, false);
        }
    }
}
