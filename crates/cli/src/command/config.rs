use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stead_store::{
    CONFIG, CONFIG_LOCAL, Config, Edited, Entry, Layer, Layout, NotTaken, Origin, Problem, Room, set_value, unset_value,
};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::{Whose, refuse_agents, require_person_to_weaken};
use crate::project::{Project, env, user_dirs};
use crate::ui::Ui;

/// Show and change settings
///
/// Layers, weakest first: defaults, user (`~/.config/stead/config.toml`), project (`.agent/config.toml`), local
/// (`.agent/config.local.toml`), environment (`STEAD_RECORD_SESSIONS=false`), `--config record.sessions=false`. For gates
/// the strictest layer counts: none of them loosens what your user settings say, and the environment loosens nothing.
/// Agents cannot change settings; switching a gate off needs a person at a terminal.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead config list --origin\n  stead config set --local record.sessions false")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Subcommand)]
enum ConfigCommand {
    List(ListArgs),
    Get(GetArgs),
    Set(SetArgs),
    Unset(UnsetArgs),
}

/// List all settings
#[derive(Args)]
#[command(after_help = "Example:\n  stead config list --origin")]
struct ListArgs {
    /// Show where each value was set
    #[arg(long)]
    origin: bool,
    /// Print the settings, their origins and problems as JSON
    #[arg(long)]
    json: bool,
}

/// Print one setting
#[derive(Args)]
#[command(after_help = "Example:\n  stead config get record.sessions")]
struct GetArgs {
    /// The setting, as `stead config list` names it
    key: String,
    /// Print value and origin as JSON
    #[arg(long)]
    json: bool,
}

/// Set one value in a settings file (the project's by default)
#[derive(Args)]
#[command(after_help = "Example:\n  stead config set gate.self_protection true")]
struct SetArgs {
    #[command(flatten)]
    target: Target,
    /// The setting, as `stead config list` names it
    key: String,
    /// Its new value
    value: String,
}

/// Remove one value from a settings file, so that weaker layers apply again
#[derive(Args)]
#[command(after_help = "Example:\n  stead config unset --user auto_init")]
struct UnsetArgs {
    #[command(flatten)]
    target: Target,
    /// The setting, as `stead config list` names it
    key: String,
}

#[derive(Args)]
struct Target {
    /// Change your user settings, for all projects
    #[arg(long, conflicts_with = "local")]
    user: bool,
    /// Change the settings of this checkout, which are not committed
    #[arg(long)]
    local: bool,
}

/// The section that says which projects a person trusts.
const TRUST: &str = "trust.";

pub(crate) fn run(args: ConfigArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    match args.command {
        ConfigCommand::List(args) => list(&args, &project, ui),
        ConfigCommand::Get(args) => get(&args, &project, ui)?,
        ConfigCommand::Set(args) => set(&args, &project, ui)?,
        ConfigCommand::Unset(args) => unset(&args, &project, ui)?,
    }
    Ok(Exit::Done)
}

fn list(args: &ListArgs, project: &Project, ui: &mut Ui) {
    if args.json {
        ui.json(
            answer::CONFIG_LIST,
            &json!({
                "items": project.config.entries().iter().map(as_json).collect::<Vec<_>>(),
                "problems": project.problems.iter().map(problem_as_json).collect::<Vec<_>>(),
            }),
        );
        return;
    }
    let lines: Vec<_> =
        project.config.entries().iter().map(|entry| format!("{} = {}", entry.key, entry.value)).collect();
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    for (entry, line) in project.config.entries().iter().zip(lines) {
        match args.origin {
            true => ui.line(format!("{line:width$}  {}", short(project, &entry.origin))),
            false => ui.line(line),
        }
        for refused in entry.not_taken.iter().filter(|_| args.origin) {
            let NotTaken { value, origin, because } = refused;
            let why = because.words(&|origin| short(project, origin));
            ui.line(format!("  not taken: {value} from {}, because {why}", short(project, origin)));
        }
    }
    project.warn(ui);
}

fn get(args: &GetArgs, project: &Project, ui: &mut Ui) -> Result<(), CliError> {
    let entry = project.config.get(&args.key)?;
    match args.json {
        true => ui.json(answer::CONFIG_VALUE, &as_json(entry)),
        false => ui.line(entry.value.to_string()),
    }
    project.warn(ui);
    Ok(())
}

fn set(args: &SetArgs, project: &Project, ui: &mut Ui) -> Result<(), CliError> {
    project.config.get(&args.key)?;
    let (layer, path) = args.target.file(project)?;
    match args.key.starts_with(TRUST) {
        true => refuse_elsewhere(&args.key, layer)?,
        false => refuse_clash(args, project)?,
    }
    refuse_weakening(&args.key, Some(&args.value), layer, project, ui)?;
    let edited = set_value(&path, &args.key, &args.value)?;
    tell(edited, &format!("{} = {}", args.key, args.value), &path, project, ui);
    tell_if_overruled(&args.key, layer, project, ui);
    Ok(())
}

fn unset(args: &UnsetArgs, project: &Project, ui: &mut Ui) -> Result<(), CliError> {
    project.config.get(&args.key)?;
    let (layer, path) = args.target.file(project)?;
    refuse_weakening(&args.key, None, layer, project, ui)?;
    let edited = unset_value(&path, &args.key)?;
    tell(edited, &format!("{} unset", args.key), &path, project, ui);
    tell_if_overruled(&args.key, layer, project, ui);
    Ok(())
}

impl Target {
    fn file(&self, project: &Project) -> Result<(Layer, PathBuf), CliError> {
        if self.user {
            return Ok((Layer::User, user_dirs()?.config.join("config.toml")));
        }
        if !project.found.is_marked() {
            let message = format!("`{}` is not a project yet", project.root().display());
            return Err(CliError::user(message).hinted("run `stead init` first, or use `--user`"));
        }
        Ok(match self.local {
            true => (Layer::Local, project.root().join(CONFIG_LOCAL)),
            false => (Layer::Project, project.root().join(CONFIG)),
        })
    }
}

/// Settings about trust count only in the person's own file.
fn refuse_elsewhere(key: &str, layer: Layer) -> Result<(), CliError> {
    if layer == Layer::User {
        return Ok(());
    }
    Err(CliError::usage(format!("`{key}` counts only in your own settings"))
        .hinted(format!("set it with `stead config set --user {key} …`")))
}

/// Tries the value on top of all layers first, to catch what it would break elsewhere.
fn refuse_clash(args: &SetArgs, project: &Project) -> Result<(), CliError> {
    let trial = [format!("{}={}", args.key, args.value)];
    let (_, problems) = Config::load(Some(project.root()), &env, &trial);
    match problems.into_iter().find(|problem| problem.origin.layer == Layer::Flag) {
        None => Ok(()),
        Some(Problem { message, hint, .. }) => Err(CliError::usage(message).hinted_if(hint)),
    }
}

/// Lets a person's scripts change harmless settings; settings that restrict agents need a person at a terminal.
fn refuse_weakening(key: &str, value: Option<&str>, layer: Layer, project: &Project, ui: &Ui) -> Result<(), CliError> {
    let whose = if layer == Layer::User { Whose::Person } else { Whose::Project };
    // If guards, features and intents are moved elsewhere, the old ones no longer apply.
    let room =
        [Room::Guards, Room::Features, Room::Intents].into_iter().find(|room| key == format!("layout.{}", room.name()));
    let leaves = |room: Room| {
        let folder = Layout::of(&project.config).dir(project.root(), room);
        folder.read_dir().is_ok_and(|mut entries| entries.next().is_some())
    };
    let is_trust = key.starts_with(TRUST) && value.is_some();
    match is_trust || Config::may_loosen(key, value) || room.is_some_and(leaves) {
        true => require_person_to_weaken(&format!("change `{key}` to this value"), whose, project, ui),
        false => refuse_agents("change settings", whose, project),
    }
}

fn tell(edited: Edited, what: &str, path: &std::path::Path, project: &Project, ui: &mut Ui) {
    let file = project.short(path);
    match edited {
        Edited::Changed => ui.line(format!("{what} in {}", file.display())),
        Edited::Unchanged => ui.line(format!("{what} in {} already; nothing to do", file.display())),
    }
}

fn tell_if_overruled(key: &str, layer: Layer, project: &Project, ui: &mut Ui) {
    let (now, _) = Config::load(Some(project.root()), &env, &ui.global.config);
    let refused = now.get(key).ok().and_then(|entry| entry.not_taken.iter().find(|other| other.origin.layer == layer));
    if let Some(refused) = refused {
        let why = refused.because.words(&|origin| short(project, origin));
        ui.note(format!("note: it does not count, because {why}"));
        return;
    }
    if let Ok(entry) = project.config.get(key)
        && entry.origin.layer > layer
    {
        ui.note(format!("note: {} still overrides it with `{}`", short(project, &entry.origin), entry.value));
    }
}

fn as_json(entry: &Entry) -> Value {
    let refused = |refused: &NotTaken| {
        let why = refused.because.words(&|origin| origin.to_string());
        json!({"value": refused.value, "origin": origin_as_json(&refused.origin), "because": why})
    };
    json!({
        "key": entry.key,
        "value": entry.value,
        "origin": origin_as_json(&entry.origin),
        "about": entry.about,
        "not_taken": entry.not_taken.iter().map(refused).collect::<Vec<_>>(),
    })
}

fn problem_as_json(problem: &Problem) -> Value {
    json!({
        "severity": problem.severity.name(),
        "origin": origin_as_json(&problem.origin),
        "message": problem.message,
        "hint": problem.hint,
    })
}

fn origin_as_json(origin: &Origin) -> Value {
    json!({
        "layer": origin.layer.name(),
        "path": origin.file.as_ref().map(|file| file.to_string_lossy()),
        "line": origin.line,
        "variable": origin.variable,
    })
}

/// Formats an origin with its layer, and a file below the root by its relative path.
fn short(project: &Project, origin: &Origin) -> String {
    let shown = Origin { file: origin.file.as_deref().map(|file| project.short(file)), ..origin.clone() };
    match origin.layer {
        Layer::Default => shown.to_string(),
        layer => format!("{} {shown}", layer.name()),
    }
}
