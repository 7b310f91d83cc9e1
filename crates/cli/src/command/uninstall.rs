//! Takes Stead out of a project, or out of the person's own settings: plans, asks a person if there is one, removes, and
//! says what is left.

mod rest;

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use stead_client::Harness;
use stead_install::{Applied, Note, Plan, Reach, UndoRecord, apply, diff, plan_removal, summary};

use crate::answer;
use crate::cli::Exit;
use crate::command::init::Personal;
use crate::error::CliError;
use crate::here::{Here, chosen};
use crate::person::{Whose, is_person, require_person, require_person_to_weaken};
use crate::ui::Ui;
use rest::{Rest, user_files};

/// Remove Stead's hooks and commands from the agents' settings
///
/// A settings file that has not changed since gets its old content back; from any other only Stead's hooks are removed.
/// Commands are removed unless somebody changed them. From then on nothing of the project is in force.
///
/// The project folder `.agent/` and what Stead keeps about the project in your state folder stay, unless you say so when
/// asked, or with `--purge`. Only a person at a terminal may do this.
#[derive(Args)]
#[command(
    after_help = format!(
        "Examples:\n  stead uninstall\n  stead uninstall --purge\n  stead uninstall --harness {} --dry-run\n  stead uninstall --user",
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
    /// Also delete `.agent/` and what Stead keeps about this project in your state folder: its seal, trust, ends of logs
    ///
    /// It cannot be undone. Files in `.agent/` that Stead did not make stay, and so does what is kept about other projects.
    #[arg(long, conflicts_with_all = ["harness", "user"])]
    purge: bool,
    /// Show the full diff, not only a line for each file
    #[arg(long)]
    diff: bool,
    /// Show what would change, without changing anything
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation; `.agent/` is deleted only with `--purge`
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
        if args.purge {
            require_person("delete what Stead keeps about a project", &here.project, ui)?;
        }
    }
    let record = here.record(reach)?;
    let plan = plan_removal(&here.site(), &harnesses, reach, &UndoRecord::read(&record)?);
    let is_whole = !args.user && args.harness.is_empty();
    let mut work = Work {
        is_asked: !args.dry_run && !args.yes && !args.json && ui.is_interactive(),
        rest: if is_whole { Rest::of(&here) } else { None },
        applied: Applied::default(),
        deleted: Vec::new(),
        purges: args.purge,
        plan,
        here: &here,
        args: &args,
    };
    if args.purge
        && let Some((what, how)) = work.rest.as_ref().and_then(Rest::obstacle)
    {
        return Err(CliError::user(format!("nothing was changed: {what}")).hinted(how));
    }
    work.show(ui);
    if work.is_asked && !work.ask(ui) {
        ui.note("nothing was changed");
        return Ok(Exit::Failed);
    }
    if !args.dry_run {
        work.carry_out(&record, ui)?;
    }
    let stays_unseen = work.prune()?;
    if args.json {
        ui.json(answer::UNINSTALL, &work.as_json());
    } else {
        work.tell(stays_unseen, ui);
    }
    let has_bad = work.plan.notes.iter().any(|note| matches!(note, Note::Bad { .. }));
    let is_clean = work.applied.failed.is_empty() && !has_bad;
    Ok(if is_clean { Exit::Done } else { Exit::Failed })
}

/// One run of the command.
struct Work<'a> {
    plan: Plan,
    /// What is left without the hooks; `None` if only some hooks go, or there is no project.
    rest: Option<Rest>,
    /// It is deleted, too.
    purges: bool,
    /// A person answers questions, so that they saw a summary.
    is_asked: bool,
    applied: Applied,
    deleted: Vec<PathBuf>,
    here: &'a Here,
    args: &'a UninstallArgs,
}

impl Work<'_> {
    fn show(&self, ui: &mut Ui) {
        if self.args.json {
            return;
        }
        if self.is_asked || self.args.dry_run {
            let mut rows = summary(&self.here.site(), &self.plan);
            if self.purges {
                rows.extend(self.rest_rows());
            }
            show_rows("This would be removed:", &rows, ui);
        }
        if self.args.diff {
            self.show_diff(ui);
        }
    }

    fn show_diff(&self, ui: &mut Ui) {
        let site = self.here.site();
        for edit in &self.plan.edits {
            ui.raw(diff(&site, edit));
        }
    }

    fn rest_rows(&self) -> Vec<(String, String)> {
        self.rest.as_ref().map(|rest| rest.rows(self.here)).unwrap_or_default()
    }

    /// Asks about the hooks, then about the rest. Returns false if the person does not want it.
    fn ask(&mut self, ui: &mut Ui) -> bool {
        let rest = self.rest_rows();
        if let Some(rest) = self.rest.as_ref().filter(|_| self.purges) {
            rest.tell_others(ui);
        }
        if (!self.plan.edits.is_empty() || (self.purges && !rest.is_empty())) && !self.confirm_hooks(ui) {
            return false;
        }
        let has_folder = self.rest.as_ref().is_some_and(|rest| !rest.folder.is_empty());
        if !self.purges && has_folder {
            self.purges = self.confirm_rest(&rest, ui);
        }
        true
    }

    fn confirm_hooks(&self, ui: &mut Ui) -> bool {
        loop {
            let Some(answer) = ui.ask("\nRemove it? d shows the diff. [y/N/d] ") else { return false };
            match answer.to_ascii_lowercase().as_str() {
                "y" | "yes" => return true,
                "d" => self.show_diff(ui),
                "" | "n" | "no" | "q" => return false,
                _ => {}
            }
        }
    }

    fn confirm_rest(&self, rows: &[(String, String)], ui: &mut Ui) -> bool {
        let Some(rest) = &self.rest else { return false };
        show_rows("\nThis stays, unless you delete it too:", rows, ui);
        rest.tell_others(ui);
        if let Some((what, how)) = rest.obstacle() {
            ui.warning(format!("it cannot be deleted now: {what}; {how}"));
            return false;
        }
        ui.confirm("\nDelete it? It cannot be restored.")
    }

    /// Hooks first: until they are gone, the project is as it was. Then the project ends, and only then its folder goes.
    fn carry_out(&mut self, record: &std::path::Path, ui: &mut Ui) -> Result<(), CliError> {
        self.applied = apply(&self.here.site(), &self.plan, record)?;
        let Some(rest) = &self.rest else { return Ok(()) };
        // Somebody whom the project permits to remove its hooks is not the one whose state folder it is.
        let is_ended = self.applied.failed.is_empty() && is_person(&self.here.project, ui);
        if is_ended {
            let places = rest.places();
            rest.end()?;
            if self.purges {
                rest.delete()?;
            }
            self.deleted = places.into_iter().filter(|path| !path.exists()).collect();
        }
        Ok(())
    }

    /// Forgets what a personal installation made git ignore. Returns true if the project folder stays unseen.
    fn prune(&self) -> Result<bool, CliError> {
        let personal = Personal::find(self.here.project.root());
        match personal.filter(|personal| !self.args.user && !self.args.dry_run && personal.is_used()) {
            Some(personal) => personal.prune(),
            None => Ok(false),
        }
    }

    fn tell(&self, stays_unseen: bool, ui: &mut Ui) {
        let site = self.here.site();
        for note in &self.plan.notes {
            ui.warning(note.words(&site));
        }
        // Whoever was asked has seen the list.
        let done = self.plan.edits.iter().filter(|edit| self.applied.done.contains(&edit.path));
        for edit in done.filter(|_| !self.is_asked) {
            let did = if edit.after.is_some() { "cleaned" } else { "deleted" };
            ui.line(format!("{did}  {}", site.brief(&edit.path)));
        }
        for (path, why) in &self.applied.failed {
            ui.warning(format!("`{}` was not changed: {why}", site.brief(path)));
        }
        if self.args.dry_run {
            ui.note("dry run; nothing was changed");
            return;
        }
        if self.plan.edits.is_empty() {
            let whose = if self.args.user { "your settings" } else { "this project's settings" };
            ui.line(format!("there are no Stead hooks in {whose}"));
        }
        if let Some(rest) = &self.rest {
            self.tell_rest(rest, ui);
        }
        if stays_unseen {
            ui.note("git still does not see `.agent/`; `stead uninstall --purge` ends that, too");
        }
    }

    fn tell_rest(&self, rest: &Rest, ui: &mut Ui) {
        let own = user_files(self.here);
        if self.deleted.is_empty() && self.applied.failed.is_empty() && !rest.folder.is_empty() {
            let so = if rest.sessions.is_empty() && own.is_empty() {
                ", and nothing in it is enforced any more"
            } else {
                ""
            };
            ui.line(format!(
                "`.agent/` stays{so}. `stead uninstall --purge` deletes it, with what Stead keeps about this project in your \
                 state folder.",
            ));
        } else if !self.deleted.is_empty() {
            let gone = if rest.folder.is_empty() { "" } else { "`.agent/` and " };
            ui.line(format!("deleted  {gone}what Stead kept about this project in your state folder"));
        }
        rest.tell_sessions(ui);
        if !own.is_empty() {
            let so = if self.deleted.is_empty() {
                "so guards in `.agent/` apply to new sessions here as long as it is there"
            } else {
                "but nothing of this one is left for it to enforce"
            };
            ui.note(format!(
                "note: your own settings ({}) still call Stead in every project, {so}; `stead uninstall --user` removes those hooks",
                own.join(", ")
            ));
        }
    }

    fn as_json(&self) -> serde_json::Value {
        let site = self.here.site();
        let edits = self.plan.edits.iter().map(|edit| {
            json!({
                "harness": edit.harness.name(),
                "path": edit.path,
                "applied": self.applied.done.contains(&edit.path),
                "deletes": edit.after.is_none(),
                "diff": diff(&site, edit),
            })
        });
        let rest = self.rest.as_ref();
        let left: Vec<PathBuf> = rest.map(Rest::places).unwrap_or_default();
        json!({
            "root": self.here.project.root(),
            "dry_run": self.args.dry_run,
            "edits": edits.collect::<Vec<_>>(),
            "notes": self.plan.notes.iter().map(|note| note.words(&site)).collect::<Vec<_>>(),
            "failed": self.applied.failed.iter().map(|(path, why)| json!({"path": path, "why": why})).collect::<Vec<_>>(),
            "deleted": self.deleted,
            "left": left.into_iter().filter(|path| path.exists()).collect::<Vec<_>>(),
            "open_sessions": rest.map(|rest| rest.sessions.iter().map(|one| json!({
                "harness": one.harness,
                "session": one.session,
            })).collect::<Vec<_>>()).unwrap_or_default(),
        })
    }
}

fn show_rows(head: &str, rows: &[(String, String)], ui: &mut Ui) {
    if rows.is_empty() {
        return;
    }
    ui.line(head);
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    for (name, what) in rows {
        ui.line(format!("  {name:<width$}  {what}"));
    }
}
