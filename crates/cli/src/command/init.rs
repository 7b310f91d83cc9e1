//! Sets Stead up in a project: plans, asks a person if there is one, applies, and says what comes next.

mod outcome;
mod personal;
mod place;
mod question;

use std::path::Path;

use clap::Args;
use stead_client::{Harness, Scope};
use stead_hook::StateOfProject;
use stead_install::{
    Applied, Instructions, Note, Old, Plan, Reach, apply, detect, diff, plan, plan_agents, plan_commands, plan_include,
    plan_servers, plan_status_lines, summary,
};
use stead_ledger::lesson::Lessons;
use stead_settings::Finding;
use stead_store::{Did, Done, Layout, MARKER, Room, holds_home, init};

use crate::cli::Exit;
use crate::command::guard::starter::start_guards;
use crate::error::CliError;
use crate::here::{Here, chosen};
use crate::person::remember_at_setup;
use crate::project::{Project, env, now};
use crate::seal::refuse_former;
use crate::trusting::set_up;
use crate::ui::Ui;
pub(crate) use personal::Personal;
pub(crate) use place::{Answerer, settle_place};
use question::{Answer, For, Offer, go_ahead, starter_guards, which_agents};

/// Set Stead up in this project: its folder, hooks in the agents' settings, and commands to type there
///
/// Does what `stead context init` does, finds the agent programs used here, and adds hooks to their settings. At a terminal
/// it asks which agents, whether to add the starter guards, and, below a summary of all changes, whether it is for the
/// team or only for you; Enter takes the default. Otherwise it shows the changes and makes them. The rest of those files
/// is not touched, running it again changes nothing, and `stead uninstall` restores the old files.
///
/// The starter guards record calls that discard work or read secrets, and block nothing. Once they would have stopped
/// something in three sessions, Stead says so; `stead guard enable destructive` enforces them.
///
/// In the home folder it is refused without `--here`, and outside a git repository it warns; at a terminal it asks.
///
/// With `--user`, hooks and commands go into your own settings and apply to every project; nothing is written to this
/// one.
#[derive(Args)]
#[command(
    after_help = format!(
        "Examples:\n  stead init\n  stead init --harness {} --dry-run\n  stead init --personal\n  stead init --user --all\n  stead init --agents\n  stead init --statusline",
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
    /// Only for you, in this checkout, with no trace in the repository: git sees none of the files
    ///
    /// Hooks go into the agent programs' local settings, or into files that git is told to ignore in `info/exclude`, which
    /// is never committed. So do commands and `.agent/`. A file that git tracks is not changed.
    #[arg(long, conflicts_with_all = ["user", "local", "strict", "lessons"])]
    personal: bool,
    /// Require Stead for everyone who works here: without it the agent is blocked where possible
    #[arg(long)]
    strict: bool,
    /// Make exactly this folder a project: inside another one, outside a git repository, or the home folder
    #[arg(long, conflicts_with = "user")]
    here: bool,
    /// Only create the project folder
    #[arg(long, conflicts_with_all = ["harness", "all", "local", "strict"])]
    no_hooks: bool,
    /// Add the starter guards to a project that is set up already; a new one gets them anyway
    #[arg(long, conflicts_with_all = ["user", "no_guards"])]
    guards: bool,
    /// Do not add the starter guards, which record and block nothing
    #[arg(long)]
    no_guards: bool,
    /// Do not install the commands that a person types in an agent program
    #[arg(long)]
    no_commands: bool,
    /// Do not register the MCP server
    #[arg(long)]
    no_mcp: bool,
    /// Also install agents that set up, implement and test features, their skills, and a command to run them
    #[arg(long, conflicts_with = "no_hooks")]
    agents: bool,
    /// Also show a line of Stead in the agent programs' status line: intent, loop, denied calls, what waits for you
    #[arg(long, conflicts_with = "no_hooks")]
    statusline: bool,
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
            _ if self.personal => Scope::Personal,
            (true, _, _) => Scope::User,
            (_, true, _) => Scope::Local,
            (_, _, true) => Scope::ProjectStrict,
            _ => Scope::Project,
        }
    }

    /// In the home folder, the project's settings files are the person's own, and every project reads them.
    fn scope_in(&self, root: &Path) -> Scope {
        match self.scope() {
            Scope::Project if holds_home(root, &env) => Scope::User,
            scope => scope,
        }
    }

    /// A new project starts with guards that only watch. One that exists has its guards already.
    fn starts_guards(&self, here: &Here) -> bool {
        let is_new = !self.user && !self.no_hooks && !here.project.found.is_marked();
        self.guards || (is_new && !self.no_guards)
    }
}

pub(crate) fn run(args: InitArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let here = if args.here { Here::exactly(ui)? } else { Here::find(ui)? };
    let is_asked = !args.yes && !args.json && !args.dry_run && ui.is_interactive();
    if !args.user {
        refuse_former(here.project.root())?;
    }
    if !args.user && !args.here {
        let answerer = match (args.dry_run, is_asked) {
            (true, _) => Answerer::DryRun,
            (_, true) => Answerer::Person,
            _ => Answerer::Nobody,
        };
        if !settle_place(&here.project, answerer, ui)? {
            ui.note("nothing was changed");
            return Ok(Exit::Failed);
        }
    }
    let personal = if args.personal { Some(Personal::check(&here)?) } else { None };
    let harnesses = harnesses(&args, &here)?;
    let mut work = Work {
        plan: Plan::default(),
        done: Vec::new(),
        guards: Vec::new(),
        trusted: Vec::new(),
        applied: None,
        scope: args.scope_in(here.project.root()),
        old: if args.replace_old { Old::Replace } else { Old::Keep },
        starts: args.starts_guards(&here),
        is_asked,
        harnesses,
        personal,
        args: &args,
        here: &here,
    };
    if !work.settle_questions(ui) {
        ui.note("nothing was changed");
        return Ok(Exit::Failed);
    }
    if args.dry_run {
        return work.finish(ui);
    }
    work.apply(ui)?;
    if work.harnesses.is_empty() && !args.no_hooks {
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

/// Lets a project begin again that a person took Stead out of. Also for `stead context init`.
pub(crate) fn begin_again(root: &Path) -> Result<(), CliError> {
    match StateOfProject::of(root, &env) {
        Some(state) => Ok(state.begin_again()?),
        None => Ok(()),
    }
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
    /// The starter guards that were added.
    guards: Vec<&'static str>,
    /// What came with the repository and is trusted now.
    trusted: Vec<String>,
    applied: Option<Applied>,
    scope: Scope,
    old: Old,
    /// Starter guards are added.
    starts: bool,
    /// A person answers questions, so that they saw a summary.
    is_asked: bool,
    harnesses: Vec<Harness>,
    personal: Option<Personal>,
    args: &'a InitArgs,
    here: &'a Here,
}

impl Work<'_> {
    /// Plans, and lets a person decide if there is one to ask. Returns false if they do not want it.
    fn settle_questions(&mut self, ui: &mut Ui) -> bool {
        if !self.is_asked {
            self.plan = self.make_plan();
            if !self.args.json {
                self.show_diff(ui);
                self.show_notes(ui);
            }
            return true;
        }
        self.ask(ui).is_some()
    }

    fn ask(&mut self, ui: &mut Ui) -> Option<()> {
        let is_new = !self.args.user && !self.here.project.found.is_marked();
        if !self.args.no_hooks && !self.args.all && self.args.harness.is_empty() {
            self.harnesses = which_agents(&self.harnesses, ui)?;
        }
        if self.starts && !self.args.guards {
            self.starts = starter_guards(ui)?;
        }
        let decides = is_new && self.scope == Scope::Project && Personal::check(self.here).is_ok();
        self.plan = self.make_plan();
        loop {
            self.show_summary(ui);
            self.show_notes(ui);
            if !self.has_work() {
                return Some(());
            }
            let now = if self.personal.is_some() { For::Person } else { For::Team };
            let offer = Offer { choice: decides.then_some(now), replacement: self.offers_replacement() };
            match go_ahead(offer, ui) {
                Answer::Apply => return Some(()),
                Answer::Stop => return None,
                Answer::ShowDiff => {
                    self.show_diff(ui);
                    continue;
                }
                Answer::Replace => self.old = Old::Replace,
                Answer::Personal => {
                    self.scope = Scope::Personal;
                    self.personal = Personal::check(self.here).ok();
                }
                Answer::Shared => {
                    self.scope = Scope::Project;
                    self.personal = None;
                }
            }
            self.plan = self.make_plan();
        }
    }

    fn apply(&mut self, ui: &mut Ui) -> Result<(), CliError> {
        let project = &self.here.project;
        if let Some(personal) = &self.personal {
            personal.hide(&self.plan)?;
        }
        if !self.args.user {
            self.done = init(project.root(), &env, &now())?;
            begin_again(project.root())?;
            if let Some(personal) = &self.personal {
                personal.hide_created(&self.done)?;
            }
            // First, before a look at the project finds the marker that this command made.
            self.trusted = trust_set_up(project, &self.done, ui)?;
            remember_at_setup(project.root(), ui);
        }
        if self.starts {
            self.guards = start_guards(&Project::at(project.root(), ui))?;
        }
        let record = self.here.record(Reach::of(self.scope))?;
        self.applied = Some(apply(&self.here.site(), &self.plan, &record)?);
        // Without it, shared lines still work wherever `stead` is on PATH.
        if let Err(error) = self.here.site().renew_link() {
            ui.warning(format!("no link to this program could be made: {error}"));
        }
        Ok(())
    }

    fn make_plan(&self) -> Plan {
        let (site, harnesses) = (self.here.site(), self.harnesses.as_slice());
        let mut all = plan(&site, harnesses, self.scope, self.old);
        if !self.args.no_mcp {
            all = plan_servers(&site, harnesses, self.scope, all);
        }
        if self.args.statusline {
            all = plan_status_lines(&site, harnesses, self.scope, all);
        }
        if !self.args.no_commands {
            all = all.and(plan_commands(&site, harnesses, self.scope));
        }
        if self.args.agents {
            all = all.and(plan_agents(&site, harnesses, self.scope));
        }
        if self.args.lessons || self.args.runs {
            let intents = Layout::of(&self.here.project.config).relative(Room::Intents).to_owned();
            let lessons = self.args.lessons.then(|| format!("{intents}/{}", Lessons::FILE));
            let wanted = Instructions { lessons: lessons.as_deref(), runs: self.args.runs };
            all = all.and(plan_include(&site, harnesses, wanted));
        }
        match &self.personal {
            Some(personal) => personal.narrow(all),
            None => all,
        }
    }

    /// What would be written, a line for each file or folder.
    fn show_summary(&self, ui: &mut Ui) {
        let mut rows = Vec::new();
        if !self.args.user && !self.here.project.found.is_marked() {
            rows.push((".agent/".to_owned(), "settings, guards and records of this project".to_owned()));
        }
        if self.starts {
            rows.push((".agent/guards/".to_owned(), "starter guards, which block nothing".to_owned()));
        }
        rows.extend(summary(&self.here.site(), &self.plan));
        if let Some(personal) = &self.personal {
            rows.push((personal.file(self.here), "so that git sees none of it".to_owned()));
        }
        if rows.is_empty() {
            return;
        }
        ui.line("\nThis would be written:");
        let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, what) in rows {
            ui.line(format!("  {name:<width$}  {what}"));
        }
    }

    fn show_diff(&self, ui: &mut Ui) {
        let site = self.here.site();
        for edit in &self.plan.edits {
            ui.raw(diff(&site, edit));
        }
    }

    fn show_notes(&self, ui: &mut Ui) {
        let site = self.here.site();
        for note in &self.plan.notes {
            match note {
                Note::Bad { .. } | Note::Skipped { .. } | Note::Found { .. } | Note::Kept { .. } => {
                    ui.warning(note.words(&site));
                }
                Note::Current { .. } => ui.line(note.words(&site)),
                Note::NoCommands { .. } | Note::NoServer { .. } | Note::NoStatusLine { .. } => {
                    ui.note(note.words(&site))
                }
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
}
