use clap::Args;
use serde_json::json;
use stead_context::{RoleFinding, RoleState, check_role_file, read_role_file, roles};

use super::{folder, shown};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::Project;
use crate::ui::Ui;

/// List the roles that have a file, with their state
#[derive(Args)]
#[command(after_help = "Example:\n  stead role list --json")]
pub(super) struct ListArgs {
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ListArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let folder = folder(&project);
    let mut list = Vec::new();
    for role in roles(&folder) {
        let file = role.file(&folder);
        let text = read_role_file(&file).ok().flatten();
        let valid = text.is_some_and(|text| !check_role_file(&text).iter().any(RoleFinding::is_error));
        let state = RoleState::read(&project.indexes(), &role).ok().flatten().map(|state| state.state.name());
        list.push((role, shown(&project, &file), valid, state));
    }
    if args.json {
        let as_json = |(role, file, valid, state): &(_, String, bool, Option<&str>)| -> serde_json::Value {
            let role: &stead_context::RoleName = role;
            json!({"role": role.as_str(), "path": file, "valid": valid, "state": state})
        };
        ui.json(answer::ROLE_LIST, &list.iter().map(as_json).collect());
        return Ok(Exit::Done);
    }
    let width = list.iter().map(|(role, ..)| role.as_str().len()).max().unwrap_or(0);
    for (role, file, valid, state) in &list {
        let valid = if *valid { "valid" } else { "invalid" };
        ui.line(format!("{:width$}  {:<10}  {valid:<7}  {file}", role.as_str(), state.unwrap_or("-")));
    }
    if list.is_empty() {
        ui.note(format!("no role files in `{}`; create one with `stead role new <role>`", shown(&project, &folder)));
    }
    Ok(Exit::Done)
}
