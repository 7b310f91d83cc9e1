//! Changes the mode of a guard, by changing one line of its file. For a guard that is included in Stead, a file is
//! created.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use stead_guard::{Listed, Mode, Origin, Shipped, Source, State, enable_text, inventory, mode_of, set_mode, sha256};
use stead_hook::{Appeal, ProgramConsent};
use stead_memory::{ExitRule, FileChange};
use stead_model::{FileId, Severity};
use stead_store::{Layout, Room, read_capped};

use crate::answer;
use crate::cli::{Exit, one_of};
use crate::error::CliError;
use crate::guard_counts::record_of;
use crate::guards::{Guards, path_of};
use crate::patterns::{guard_folders, versions};
use crate::person::{Whose, agent_near, refuse_agents, require_person, require_person_to_weaken};
use crate::project::{Project, env, now, user_dirs};
use crate::speaker::Speaker;
use crate::ui::Ui;

/// The largest guard file.
const FILE_LIMIT: usize = 256 * 1024;

/// The largest program that is read to compare its hash.
const PROGRAM_LIMIT: usize = 64 * 1024 * 1024;

/// Enable a guard; for one that is included in Stead, create its file
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead guard enable destructive\n  stead guard enable orchestrator-does-not-edit --with paths='src/**,lib/**'"
)]
pub(super) struct EnableArgs {
    /// The guard, or a pack of them
    #[arg(value_name = "ID")]
    id: String,
    /// A value for the guard; can be repeated
    #[arg(long = "with", value_name = "NAME=VALUE")]
    values: Vec<String>,
    /// The mode; by default `enforce`, or for a guard with a program the mode in its file
    #[arg(long, value_parser = one_of(Mode::ALL.into_iter().filter(|mode| *mode > Mode::Off), Mode::name))]
    mode: Option<Mode>,
    /// Enable it for all your projects
    #[arg(long)]
    user: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(in crate::command) struct Which {
    /// The guard, or a pack of them
    #[arg(value_name = "ID")]
    pub(super) id: String,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Move a guard one step up: off, shadow, warn, enforce
///
/// Says what the rules for this step still miss: calls, days, hits that nobody reviewed, verdicts that were wrong. You
/// decide.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead guard promote infra-is-reviewed\n  stead guard promote infra-is-reviewed --check"
)]
pub(super) struct PromoteArgs {
    #[command(flatten)]
    which: Which,
    /// Change nothing; exit with 1 if the rules miss something
    #[arg(long)]
    check: bool,
}

pub(super) fn promote(args: &PromoteArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let members = guards.members(&args.which.id)?;
    let missing = missing(&project, &args.which.id, &members)?;
    if !args.check {
        return step_with(&args.which, Step::Up, &missing, ui);
    }
    match args.which.json {
        true => ui.json(answer::GUARD_MODE, &json!({"id": args.which.id, "missing": missing})),
        false if missing.is_empty() => ui.line(format!("`{}` meets the rules for its next mode", args.which.id)),
        false => tell_missing(&args.which.id, &missing, ui),
    }
    Ok(if missing.is_empty() { Exit::Done } else { Exit::Failed })
}

/// What the rules for the next mode of a guard still miss.
fn missing(project: &Project, id: &str, members: &[&Listed]) -> Result<Vec<String>, CliError> {
    let Some(rule) = members.first().and_then(|guard| ExitRule::of(guard.mode)) else { return Ok(Vec::new()) };
    let file = id.split('.').next().unwrap_or(id);
    Ok(rule.missing(file, &record_of(project, file, members)?))
}

fn tell_missing(id: &str, missing: &[String], ui: &mut Ui) {
    ui.line(format!("the rules for the next mode of `{id}` still miss:"));
    missing.iter().for_each(|line| ui.line(format!("  {line}")));
}

pub(super) fn enable(args: &EnableArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    refuse_part(&args.id, &guards, "enable")?;
    let members = guards.members(&args.id)?;
    if consent(&members, &project, ui)? && args.mode.is_none() && args.values.is_empty() {
        return Ok(Exit::Done);
    }
    let mode = args.mode.unwrap_or(Mode::Enforce);
    let own = members.iter().find(|guard| path_of(&project, guard).is_some()).copied();
    if own.is_some() && !args.values.is_empty() && Shipped::named(&args.id).is_none() {
        return Err(CliError::usage(format!("`{}` takes no values", args.id)).hinted("edit its file instead"));
    }
    let whose = whose(args.user, own);
    let loosens = |guard: &&Listed| guard.state == State::Active && (mode < guard.mode || !args.values.is_empty());
    match members.iter().any(loosens) {
        true => require_person_to_weaken("weaken a guard", whose, &project, ui)?,
        false => refuse_agents("enable guards", whose, &project)?,
    }
    if let Some(guard) = own.filter(|_| args.values.is_empty()) {
        return put(guard, &guards, &project, "enable", mode, &[], args.json, ui);
    }
    let mut values = Vec::new();
    for value in &args.values {
        match value.split_once('=') {
            Some((name, value)) => values.push((name.trim().to_owned(), value.to_owned())),
            None => return Err(CliError::usage(format!("`{value}` has no `=`")).hinted("write it as NAME=VALUE")),
        }
    }
    let text =
        enable_text(&args.id, &values).map_err(|error| CliError::usage(error.to_string()).hinted_if(error.hint()))?;
    let path = match own.and_then(|guard| path_of(&project, guard)) {
        Some(path) => path,
        None => fresh_path(&args.id, args.user, &project)?,
    };
    let text = set_mode(&text, mode);
    refuse_broken("these values", &args.id, &text, &guards)?;
    write(&args.id, &path, (file_text(&path)?.as_deref(), &text), "enable", "", &[], &project)?;
    tell(&args.id, mode, &path, &project, &[], args.json, ui);
    Ok(Exit::Done)
}

/// Records a person's consent to run the programs of these guards on this machine. Returns true if there was one to ask
/// about.
fn consent(members: &[&Listed], project: &Project, ui: &mut Ui) -> Result<bool, CliError> {
    let mut asked = false;
    for guard in members {
        let Some(exec) = &guard.exec else { continue };
        if ProgramConsent::holds(&env, project.root(), &guard.id, guard.origin, exec) {
            continue;
        }
        if !asked {
            require_person("let a guard run a program", project, ui)?;
        }
        asked = true;
        let bytes = read_capped(&project.root().join(&exec.path), PROGRAM_LIMIT)?.unwrap_or_default();
        if !exec.is_pinned(&bytes) {
            let message = format!("`{}` does not have the hash in {}", exec.path, guard.file);
            return Err(CliError::user(message).hinted(format!("its `sha256` is {}", sha256(&bytes))));
        }
        let kept = ProgramConsent::of(&env, project.root(), &guard.id, exec);
        let kept = kept.ok_or_else(|| CliError::user("there is no state folder outside the project"))?;
        kept.keep(project.root(), &guard.id, exec, &now())?;
        ui.note(format!("`{}` may run `{}` in this project, on this machine", guard.id, exec.path));
    }
    Ok(asked)
}

stead_model::named! {
    /// How a guard is moved, by the command that does it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::command) enum Step {
        Up = "promote",
        Down = "demote",
        Off = "disable",
    }
}

impl Step {
    fn from(self, mode: Mode) -> Option<Mode> {
        match self {
            Self::Up => mode.promoted(),
            Self::Down => mode.demoted(),
            Self::Off => Some(Mode::Off),
        }
    }
}

pub(in crate::command) fn step(which: &Which, step: Step, ui: &mut Ui) -> Result<Exit, CliError> {
    step_with(which, step, &[], ui)
}

fn step_with(which: &Which, step: Step, missing: &[String], ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    refuse_part(&which.id, &guards, step.name())?;
    let members = guards.members(&which.id)?;
    let Some(guard) = members.first().copied() else { return Err(guards.unknown(&which.id)) };
    match step {
        Step::Up => refuse_agents("change the mode of a guard", whose(false, Some(guard)), &project)?,
        Step::Down | Step::Off => require_person_to_weaken("weaken a guard", whose(false, Some(guard)), &project, ui)?,
    }
    let stated = guards.source_of(guard).and_then(|source| mode_of(&source.text));
    let now = stated.unwrap_or(guard.mode);
    let Some(mode) = step.from(now) else {
        let hint = match step {
            Step::Up => format!("this is the strongest mode; `stead guard stats {}` shows what it did", which.id),
            Step::Down | Step::Off => format!("`stead guard disable {}` switches it off", which.id),
        };
        return Err(CliError::user(format!("`{}` is in mode `{}` already", which.id, now.name())).hinted(hint));
    };
    put(guard, &guards, &project, step.name(), mode, missing, which.json, ui)
}

/// The guards of one file change mode together, so the file must be named, not one of its guards.
fn refuse_part(id: &str, guards: &Guards, verb: &str) -> Result<(), CliError> {
    let Some((pack, _)) = id.rsplit_once('.') else { return Ok(()) };
    let Ok(guard) = guards.find(id) else { return Ok(()) };
    let many = guards.list.iter().filter(|other| other.file == guard.file).count();
    if many < 2 {
        return Ok(());
    }
    Err(CliError::user(format!("`{id}` is one of {many} guards in {}, which share a mode", guard.file))
        .hinted(format!("`stead guard {verb} {pack}` changes all of them")))
}

/// Whose file is changed.
fn whose(user: bool, own: Option<&Listed>) -> Whose {
    let is_persons = user || own.is_some_and(|guard| guard.origin == Origin::User);
    if is_persons { Whose::Person } else { Whose::Project }
}

/// Checks the text before it is written: a file with errors is not applied.
pub(super) fn refuse_broken(what: &str, id: &str, text: &str, guards: &Guards) -> Result<(), CliError> {
    let (_, problems) = inventory(&[Source::project(format!("{id}.yaml"), text.to_owned())], &guards.rooms);
    match problems.into_iter().find(|problem| problem.severity == Severity::Error) {
        None => Ok(()),
        Some(problem) => {
            let error = CliError::usage(format!("{what} would break `{id}`: {}", problem.message));
            let stock = "nothing was written; `stead guard show` lists the values it takes";
            Err(error.hinted(problem.hint().unwrap_or(stock)))
        }
    }
}

/// Writes the mode into the guard's file, or into a new one for a guard that has none.
#[expect(clippy::too_many_arguments, reason = "each is a different thing")]
fn put(
    guard: &Listed,
    guards: &Guards,
    project: &Project,
    what: &str,
    mode: Mode,
    missing: &[String],
    json: bool,
    ui: &mut Ui,
) -> Result<Exit, CliError> {
    let id = guard.id.split('.').next().unwrap_or(&guard.id);
    let (path, old, text) = match (path_of(project, guard), guards.source_of(guard)) {
        (Some(path), Some(source)) => (path, Some(source.text.clone()), source.text),
        _ => {
            let text = enable_text(id, &[]).map_err(|error| {
                CliError::user(error.to_string()).hinted(error.hint().unwrap_or_else(|| "enable it first".to_owned()))
            })?;
            (fresh_path(id, false, project)?, None, text)
        }
    };
    let text = set_mode(&text, mode);
    if mode > Mode::Shadow {
        refuse_broken("this mode", id, &text, guards)?;
    }
    write(id, &path, (old.as_deref(), &text), what, "", &[], project)?;
    tell(id, mode, &path, project, missing, json, ui);
    Ok(Exit::Done)
}

/// Where the file of a new guard lies.
pub(super) fn fresh_path(id: &str, user: bool, project: &Project) -> Result<PathBuf, CliError> {
    let folder = match user {
        true => user_dirs()?.config.join("guards"),
        false => Layout::of(&project.config).dir(project.root(), Room::Guards),
    };
    Ok(folder.join(format!("{id}.yaml")))
}

/// The text of a guard file, if there is one.
pub(super) fn file_text(path: &Path) -> Result<Option<String>, CliError> {
    Ok(read_capped(path, FILE_LIMIT)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Changes a guard file from the text that the caller saw to another, and keeps the version before it. If somebody
/// changed or created it meanwhile, that stays.
pub(super) fn write(
    id: &str,
    path: &Path,
    (old, new): (Option<&str>, &str),
    what: &str,
    why: &str,
    evidence: &[String],
    project: &Project,
) -> Result<(), CliError> {
    let broken = |problem| CliError::user(format!("`{id}` cannot be a guard's id: {problem}"));
    let is_agent = agent_near(project).is_some() || Speaker::calling(project).session.is_some();
    versions(project).change(&FileChange {
        guard: FileId::check(id).map_err(broken)?,
        path,
        user: !path.starts_with(&guard_folders(project).project),
        old,
        new,
        what,
        by: if is_agent { Appeal::AGENT } else { Appeal::PERSON },
        why,
        evidence,
        now: &now(),
    })?;
    Ok(())
}

fn tell(id: &str, mode: Mode, path: &Path, project: &Project, missing: &[String], json: bool, ui: &mut Ui) {
    let file = project.short(path).display().to_string();
    if json {
        ui.json(answer::GUARD_MODE, &json!({"id": id, "mode": mode.name(), "path": file, "missing": missing}));
        return;
    }
    ui.line(format!("`{id}` is now in mode `{}`, set in {file}", mode.name()));
    if !missing.is_empty() {
        ui.note(format!("note: the rules for this step still miss: {}", missing.join("; ")));
    }
}
