use clap::Args;
use stead_context::{ContextError, RoleName, roles, template};
use stead_store::{Creation, Durability, FileContent, create, create_parents, redact};

use super::{folder, shown};
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::{Project, env, now};
use crate::ui::Ui;

/// Create the file of a new role
#[derive(Args)]
#[command(after_help = "Example:\n  stead role new code-reviewer --about \"reads every change twice\"")]
pub(super) struct NewArgs {
    /// The role's name: letters, digits, hyphens
    role: String,
    /// What the role does
    #[arg(long, value_name = "TEXT")]
    about: Option<String>,
    /// The terminal pane it works in; by default the one this command runs in
    #[arg(long, value_name = "TEXT")]
    pane: Option<String>,
}

pub(super) fn run(args: &NewArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    let role = RoleName::check(&args.role)?;
    let folder = folder(&project);
    if let Some(other) = roles(&folder).into_iter().find(|other| *other != role && other.machine() == role.machine()) {
        let (role, other, machine) = (role.to_string(), other.to_string(), role.machine());
        return Err(ContextError::RoleClash { role, other, machine }.into());
    }
    let pane = args.pane.clone().or_else(|| env("TMUX_PANE")?.into_string().ok());
    let pane = pane.filter(|pane| !pane.trim().is_empty()).unwrap_or_else(|| "unknown".to_owned());
    let text = template(&role, args.about.as_deref().map(one_line).as_deref(), &one_line(&pane), &minute(&now()));
    let file = role.file(&folder);
    create_parents(&file)?;
    match create(&file, FileContent::from(redact(&text)).shared(), Durability::Synced)? {
        Creation::Created => {
            ui.line(shown(&project, &file));
            Ok(Exit::Done)
        }
        Creation::Existed => Err(CliError::user(format!("the role file `{}` already exists", shown(&project, &file)))
            .hinted(format!("`stead role validate {role}` checks it"))),
    }
}

/// A timestamp as role files have it: without seconds.
pub(super) fn minute(moment: &str) -> String {
    format!("{}Z", moment.get(..16).unwrap_or(moment))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
