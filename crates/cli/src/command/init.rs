use std::path::Path;

use clap::Args;
use serde_json::{Value, json};
use stead_client::{Harness, Scope};
use stead_install::{
    Applied, Instructions, Note, Old, Plan, Reach, apply, detect, diff, plan, plan_agents, plan_commands, plan_include,
    plan_servers,
};
use stead_ledger::lesson::Lessons;
use stead_settings::Finding;
use stead_store::{Did, Done, Layout, MARKER, Room, init};

use crate::cli::Exit;
use crate::error::CliError;
use crate::here::{Here, chosen};
use crate::person::remember_at_setup;
use crate::project::{Project, env, now};
use crate::trusting::set_up;
use crate::ui::Ui;

/// Set Stead up in this project: its folder, hooks in the agents' settings, and commands to type there
///
/// Does what `stead context init` does, finds the agent programs used here, shows how it would change their settings,
/// and changes them. The rest of those files is not touched, running it again changes nothing, and `stead uninstall`
/// restores the old files.
///
/// With `--user`, hooks and commands go into your own settings and apply to every project; nothing is written to this
/// one.
#[derive(Args)]
#[command(
    after_help = format!(
        "Examples:\n  stead init\n  stead init --harness {} --dry-run\n  stead init --user --all\n  stead init --agents",
        Harness::NAMES[..2].join(",")
    )
)]
pub(crate) struct InitArgs {
    /// Only these agent programs, detected or not
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "all")]
    harness: Vec<String>,
    /// All supported agent programs
    #[arg(long)]
    all: bool,
    /// Change your own settings, for every project, instead of this project's
    #[arg(long, conflicts_with_all = ["local", "strict", "no_hooks"])]
    user: bool,
    /// Change the settings of this checkout only, if an agent program has such a file
    #[arg(long, conflicts_with = "strict")]
    local: bool,
    /// Require Stead for everyone who works here: without it the agent is blocked where possible
    #[arg(long)]
    strict: bool,
    /// Only create the project folder
    #[arg(long, conflicts_with_all = ["harness", "all", "local", "strict"])]
    no_hooks: bool,
    /// Do not install the commands that a person types in an agent program
    #[arg(long)]
    no_commands: bool,
    /// Do not register the MCP server
    #[arg(long)]
    no_mcp: bool,
    /// Also install agents that set up, implement and test features, their skills, and a command to run them
    #[arg(long, conflicts_with = "no_hooks")]
    agents: bool,
    /// Let the agent programs read the project's lessons: adds one line to their instructions, such as `AGENTS.md`
    #[arg(long, conflicts_with = "user")]
    lessons: bool,
    /// Tell the agent programs how an agent of a run gets its task and reports: adds three lines on `context.json` and
    /// `status.json` to their instructions
    #[arg(long, conflicts_with = "user")]
    runs: bool,
    /// Also repair invalid matchers and remove hook scripts that Stead replaces
    #[arg(long)]
    replace_old: bool,
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

impl InitArgs {
    fn scope(&self) -> Scope {
        match (self.user, self.local, self.strict) {
            (true, _, _) => Scope::User,
            (_, true, _) => Scope::Local,
            (_, _, true) => Scope::ProjectStrict,
            _ => Scope::Project,
        }
    }
}

pub(crate) fn run(args: InitArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let here = Here::find(ui)?;
    let harnesses = harnesses(&args, &here)?;
    let mut work =
        Work { plan: Plan::default(), done: Vec::new(), trusted: Vec::new(), applied: None, args: &args, here: &here };
    work.plan = work.plan_for(&harnesses, if args.replace_old { Old::Replace } else { Old::Keep });
    if !args.json {
        work.show(ui);
    }
    if args.dry_run {
        return work.finish(ui);
    }
    if !args.yes && !args.json && ui.is_interactive() {
        if work.offers_replacement() && ui.confirm("Replace the older hooks too?") {
            work.plan = work.plan_for(&harnesses, Old::Replace);
            work.show(ui);
        }
        if work.has_work() && !ui.confirm("Apply?") {
            ui.note("nothing was changed");
            return Ok(Exit::Failed);
        }
    }
    if !args.user {
        work.done = init(here.project.root(), &env, &now())?;
        // First, before a look at the project finds the marker that this command made.
        work.trusted = trust_set_up(&here.project, &work.done, ui)?;
        remember_at_setup(here.project.root(), ui);
    }
    let record = here.record(Reach::of(args.scope()))?;
    work.applied = Some(apply(&here.site(), &work.plan, &record)?);
    if harnesses.is_empty() && !args.no_hooks {
        ui.note(nothing_found());
    }
    work.finish(ui)
}

/// Trusts what is there if a person sets the project up. Also for `stead context init`.
pub(crate) fn trust_set_up(project: &Project, done: &[Done], ui: &Ui) -> Result<Vec<String>, CliError> {
    let created: Vec<&Path> =
        done.iter().filter(|done| done.did == Did::Created).map(|done| done.path.as_path()).collect();
    let is_new = created.contains(&Path::new(MARKER));
    Ok(set_up(project, &created, is_new, ui)?)
}

fn harnesses(args: &InitArgs, here: &Here) -> Result<Vec<Harness>, CliError> {
    if args.no_hooks {
        return Ok(Vec::new());
    }
    if args.all {
        return Ok(Harness::ALL.to_vec());
    }
    if !args.harness.is_empty() {
        return chosen(&args.harness);
    }
    let found: Vec<Harness> = detect(&here.site()).into_iter().map(|client| client.harness).collect();
    if found.is_empty() && args.user {
        return Err(CliError::user("no agent program was found").hinted(choices()));
    }
    Ok(found)
}

fn choices() -> String {
    format!("name one with `--harness`: {}", Harness::ALL.map(Harness::name).join(", "))
}

fn nothing_found() -> String {
    format!("no agent program was found on PATH or in this project, so no hooks were installed\nhint: {}", choices())
}

/// One run of the command.
struct Work<'a> {
    plan: Plan,
    done: Vec<Done>,
    /// What came with the repository and is trusted now.
    trusted: Vec<String>,
    applied: Option<Applied>,
    args: &'a InitArgs,
    here: &'a Here,
}

impl Work<'_> {
    fn plan_for(&self, harnesses: &[Harness], old: Old) -> Plan {
        let site = self.here.site();
        let mut all = plan(&site, harnesses, self.args.scope(), old);
        if !self.args.no_mcp {
            all = plan_servers(&site, harnesses, self.args.scope(), all);
        }
        if !self.args.no_commands {
            all = all.and(plan_commands(&site, harnesses, self.args.scope()));
        }
        if self.args.agents {
            all = all.and(plan_agents(&site, harnesses, self.args.scope()));
        }
        if self.args.lessons || self.args.runs {
            let intents = Layout::of(&self.here.project.config).relative(Room::Intents).to_owned();
            let lessons = self.args.lessons.then(|| format!("{intents}/{}", Lessons::FILE));
            let wanted = Instructions { lessons: lessons.as_deref(), runs: self.args.runs };
            all = all.and(plan_include(&site, harnesses, wanted));
        }
        all
    }

    fn show(&self, ui: &mut Ui) {
        let site = self.here.site();
        for edit in &self.plan.edits {
            ui.raw(diff(&site, edit));
        }
        for note in &self.plan.notes {
            match note {
                Note::Bad { .. } | Note::Skipped { .. } | Note::Found { .. } | Note::Kept { .. } => {
                    ui.warning(note.words(&site));
                }
                Note::Current { .. } => ui.line(note.words(&site)),
                Note::NoCommands { .. } | Note::NoServer { .. } => ui.note(note.words(&site)),
                Note::Confirm { .. } | Note::Commands { .. } | Note::Agents { .. } => {}
            }
        }
    }

    fn has_work(&self) -> bool {
        !self.plan.edits.is_empty() || (!self.args.user && !self.here.project.found.is_marked())
    }

    fn offers_replacement(&self) -> bool {
        self.plan
            .notes
            .iter()
            .any(|note| matches!(note, Note::Found { finding, is_replaced: false, .. } if *finding != Finding::Wrapped))
    }

    fn finish(&self, ui: &mut Ui) -> Result<Exit, CliError> {
        if self.args.json {
            ui.json(&self.as_json());
        } else {
            self.tell(ui);
        }
        let has_failed = self.applied.as_ref().is_some_and(|applied| !applied.failed.is_empty());
        let has_bad = self.plan.notes.iter().any(|note| matches!(note, Note::Bad { .. }));
        Ok(if has_failed || has_bad { Exit::Failed } else { Exit::Done })
    }

    fn tell(&self, ui: &mut Ui) {
        let site = self.here.site();
        let Some(applied) = &self.applied else {
            if !self.args.user && !self.here.project.found.is_marked() {
                ui.line(format!("would create a project in {}", self.here.project.root().display()));
            }
            ui.note("dry run; nothing was changed");
            return;
        };
        for Done { path, did } in &self.done {
            match did {
                Did::Created => ui.line(format!("created  {}", path.display())),
                Did::Adopted { room, because } => {
                    ui.line(format!("adopted  {} as {} ({because})", path.display(), room.name()));
                }
                Did::Kept => {}
            }
        }
        for name in &self.trusted {
            ui.line(format!("trusted  {name}"));
        }
        for path in &applied.done {
            ui.line(format!("wrote    {}", site.brief(path)));
        }
        for (path, why) in &applied.failed {
            ui.warning(format!("`{}` was not changed: {why}", site.brief(path)));
        }
        let is_new = self.done.iter().any(|done| done.did != Did::Kept);
        if applied.done.is_empty() && applied.failed.is_empty() && !is_new {
            ui.line("nothing to change");
        }
        self.next_steps(ui);
    }

    fn next_steps(&self, ui: &mut Ui) {
        let site = self.here.site();
        let confirm: Vec<String> = self
            .plan
            .notes
            .iter()
            .filter(|note| matches!(note, Note::Confirm { .. } | Note::Commands { .. } | Note::Agents { .. }))
            .map(|n| n.words(&site))
            .collect();
        if confirm.is_empty() {
            return;
        }
        ui.line("\nNext:");
        for words in confirm {
            ui.line(format!("  {words}"));
        }
        ui.line("  then run `stead doctor` to prove that the hooks work");
    }

    fn as_json(&self) -> Value {
        let site = self.here.site();
        let edits = self.plan.edits.iter().map(|edit| {
            let is_done = self.applied.as_ref().is_some_and(|applied| applied.done.contains(&edit.path));
            json!({"harness": edit.harness.name(), "path": edit.path, "applied": is_done, "diff": diff(&site, edit)})
        });
        let failed = self.applied.iter().flat_map(|applied| &applied.failed);
        json!({
            "root": self.here.project.root(),
            "scope": match self.args.scope() {
                Scope::Project => "project",
                Scope::ProjectStrict => "strict",
                Scope::Local => "local",
                Scope::User => "user",
            },
            "dry_run": self.args.dry_run,
            "created": self.done.iter().filter(|done| done.did != Did::Kept).map(|done| &done.path).collect::<Vec<_>>(),
            "edits": edits.collect::<Vec<_>>(),
            "notes": self.plan.notes.iter().map(|note| note_json(note, &note.words(&site))).collect::<Vec<_>>(),
            "failed": failed.map(|(path, why)| json!({"path": path, "why": why})).collect::<Vec<_>>(),
        })
    }
}

fn note_json(note: &Note, words: &str) -> Value {
    let kind = match note {
        Note::Bad { .. } => "bad",
        Note::Skipped { .. } => "skipped",
        Note::Current { .. } => "current",
        Note::Found { .. } => "found",
        Note::Confirm { .. } => "confirm",
        Note::Commands { .. } => "commands",
        Note::Agents { .. } => "agents",
        Note::NoCommands { .. } => "no-commands",
        Note::NoServer { .. } => "no-server",
        Note::Kept { .. } => "kept",
    };
    json!({"harness": note.harness().name(), "kind": kind, "text": words})
}
