use clap::Args;
use serde_json::json;
use stead_client::Harness;
use stead_install::{Applied, Note, Plan, Reach, UndoRecord, apply, diff, plan_removal};

use crate::answer;
use crate::cli::Exit;
use crate::command::init::Personal;
use crate::error::CliError;
use crate::here::{Here, chosen};
use crate::person::{Whose, require_person_to_weaken};
use crate::ui::Ui;

/// Remove Stead's hooks and commands from the agents' settings
///
/// A settings file that has not changed since gets its old content back; from any other only Stead's hooks are removed.
/// Commands are removed unless somebody changed them. The project folder `.agent/` stays, with everything in it. Only a
/// person at a terminal may do this.
#[derive(Args)]
#[command(
    after_help = format!(
        "Examples:\n  stead uninstall\n  stead uninstall --harness {} --dry-run\n  stead uninstall --user",
        Harness::DEFAULT
    )
)]
pub(crate) struct UninstallArgs {
    /// Only these agent programs
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    harness: Vec<String>,
    /// Remove them from your own settings instead of this project's
    #[arg(long)]
    user: bool,
    /// Show what would change, without changing anything
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: UninstallArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let here = Here::find(ui)?;
    let harnesses = if args.harness.is_empty() { Harness::ALL.to_vec() } else { chosen(&args.harness)? };
    let reach = if args.user { Reach::User } else { Reach::Project };
    if !args.dry_run {
        let whose = if args.user { Whose::Person } else { Whose::Project };
        require_person_to_weaken("remove Stead's hooks", whose, &here.project, ui)?;
    }
    let record = here.record(reach)?;
    let site = here.site();
    let plan = plan_removal(&site, &harnesses, reach, &UndoRecord::read(&record)?);
    if !args.json {
        for edit in &plan.edits {
            ui.raw(diff(&site, edit));
        }
    }
    let asks = !args.dry_run && !args.yes && !args.json && ui.is_interactive() && !plan.edits.is_empty();
    if asks && !ui.confirm("Apply?") {
        ui.note("nothing was changed");
        return Ok(Exit::Failed);
    }
    let applied = if args.dry_run { Applied::default() } else { apply(&site, &plan, &record)? };
    let personal = Personal::find(here.project.root()).filter(|personal| !args.user && personal.is_used());
    let stays_unseen = match personal.filter(|_| !args.dry_run) {
        Some(personal) => personal.prune()?,
        None => false,
    };
    if args.json {
        ui.json(answer::UNINSTALL, &as_json(&here, &args, &plan, &applied));
    } else {
        tell(&here, &args, &plan, &applied, ui);
        if stays_unseen {
            ui.note("`.agent/` stays, and git still does not see it; `rm -r .agent` and `stead uninstall` end that");
        }
    }
    let has_bad = plan.notes.iter().any(|note| matches!(note, Note::Bad { .. }));
    let is_clean = applied.failed.is_empty() && !has_bad;
    Ok(if is_clean { Exit::Done } else { Exit::Failed })
}

fn tell(here: &Here, args: &UninstallArgs, plan: &Plan, applied: &Applied, ui: &mut Ui) {
    let site = here.site();
    for note in &plan.notes {
        ui.warning(note.words(&site));
    }
    for edit in plan.edits.iter().filter(|edit| applied.done.contains(&edit.path)) {
        let did = if edit.after.is_some() { "cleaned" } else { "deleted" };
        ui.line(format!("{did}  {}", site.brief(&edit.path)));
    }
    for (path, why) in &applied.failed {
        ui.warning(format!("`{}` was not changed: {why}", site.brief(path)));
    }
    if args.dry_run {
        ui.note("dry run; nothing was changed");
    } else if plan.edits.is_empty() {
        let whose = if args.user { "your settings" } else { "this project's settings" };
        ui.line(format!("there are no Stead hooks in {whose}"));
    }
}

fn as_json(here: &Here, args: &UninstallArgs, plan: &Plan, applied: &Applied) -> serde_json::Value {
    let site = here.site();
    let edits = plan.edits.iter().map(|edit| {
        json!({
            "harness": edit.harness.name(),
            "path": edit.path,
            "applied": applied.done.contains(&edit.path),
            "deletes": edit.after.is_none(),
            "diff": diff(&site, edit),
        })
    });
    json!({
        "root": here.project.root(),
        "dry_run": args.dry_run,
        "edits": edits.collect::<Vec<_>>(),
        "notes": plan.notes.iter().map(|note| note.words(&site)).collect::<Vec<_>>(),
        "failed": applied.failed.iter().map(|(path, why)| json!({"path": path, "why": why})).collect::<Vec<_>>(),
    })
}
