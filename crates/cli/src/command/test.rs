use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;
use stead_pipeline::{CompileOptions, Provider, Purpose, RunFolder};

use super::run::{Kind, Start, Talk, Target, compiled, execute};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::progress::Manner;
use crate::project::now;
use crate::run_room::RunRoom;
use crate::ui::Ui;

/// Test a stage or a pipeline with mock answers
///
/// Runs the real engine, but every agent is a mock that answers from the stage's `fixtures/`: `iteration-1.txt`, …,
/// else `default.txt`. Nothing in the project changes: the run is stored in a temporary folder, which is kept only if
/// the run fails. Queue commands and checks do not run, tracked outputs are not written. Exit codes are those of `stead
/// run`.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead test stage improve-plan --iterations 3\n  stead test pipeline full-refine")]
pub(crate) struct TestArgs {
    #[arg(value_enum)]
    kind: Kind,
    /// The name of the stage or pipeline
    name: String,
    /// Maximum iterations of each stage, overriding its file; a `fixed` stage runs exactly that many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    iterations: Option<u32>,
    /// Use mock answers, as every test does; the older spelling
    #[arg(long, hide = true)]
    mock: bool,
    /// Keep the run's folder even if the test passes
    #[arg(long)]
    keep: bool,
    /// Print the result as JSON, and nothing else
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: TestArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    stead_store::ignore_broken_pipes();
    let room = RunRoom::find(ui)?;
    let target = Target { kind: args.kind, name: args.name.clone(), is_feature_list: false };
    let talk = if args.json { Talk::Errors } else { Talk::All };
    let name = format!("test-{}", target.name);
    let options = CompileOptions {
        run: name.clone(),
        max: args.iterations,
        max_runtime_seconds: None,
        max_cost_usd: None,
        provider: Some(Provider::Mock),
        model: None,
        intent: None,
        default_provider: Provider::Mock,
        inputs: Vec::new(),
        now: now(),
        purpose: Purpose::Rehearsal,
    };
    let plan = compiled(&target, &room, &options, talk, ui)?;
    let scratch = Scratch::make()?;
    let folder = RunFolder::at(&scratch.0, &name)?;
    let manner = if args.json { Manner::Silent } else { Manner::for_people() };
    let report = execute(&room, &folder, &plan, manner, Start::Fresh, ui)?.for_good();
    let exit = report.exit();
    let is_kept = args.keep || exit.code() == Exit::Failed.code();
    let report = if is_kept { report } else { report.without_log() };
    if args.json {
        let mut told = report.json();
        if !is_kept {
            told["path"] = Value::Null;
        }
        ui.json(answer::RUN, &told);
    } else {
        report.tell_end(&room.project, ui);
    }
    if is_kept {
        if !args.json {
            ui.note(format!("kept in {}", folder.path().display()));
        }
        scratch.keep();
    }
    Ok(exit)
}

/// A folder that is deleted when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn make() -> Result<Self, CliError> {
        let folder = std::env::temp_dir().join(format!("stead-test-{}", std::process::id()));
        // An existing folder of that name would be somebody else's.
        let made = fs::create_dir(&folder);
        made.map_err(|source| CliError::user(format!("cannot create `{}`", folder.display())).because(source))?;
        Ok(Self(folder))
    }

    fn keep(mut self) {
        self.0 = PathBuf::new();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.0 != Path::new("") {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}
