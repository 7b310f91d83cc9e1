use std::path::{Path, PathBuf};

use clap::Args;
use stead_pipeline::{CompileOptions, Provider, Purpose};

use super::target::{Kind, Target};
use crate::project::now;
use crate::run_room::RunRoom;
use crate::span::{dollars, seconds};

/// What to run and how: the arguments that `run` and `dry-run` share.
#[derive(Args)]
pub(crate) struct PlanArgs {
    #[arg(value_enum)]
    pub(crate) kind: Kind,
    /// The name of the stage or pipeline
    pub(crate) name: String,
    /// Maximum iterations of each stage, overriding its file; a `fixed` stage runs exactly that many
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max: Option<u32>,
    /// Time limit of the whole run, such as `90m` or `8h`; with `--resume` also of unfinished stages that have a lower one
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) max_runtime: Option<u64>,
    /// Budget of the whole run in dollars; with `--resume` also of unfinished stages that have a lower one
    #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
    pub(crate) max_cost: Option<f64>,
    /// Who does the work: the name of an agent program, the path of a program, or `mock`
    #[arg(long)]
    pub(crate) provider: Option<String>,
    /// The model to request from the provider
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// The intent that the agents work for, overriding the stages'
    #[arg(long, value_name = "ID")]
    pub(crate) intent: Option<String>,
    /// A file for the agents to read; can be repeated
    #[arg(long = "input", value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
}

impl PlanArgs {
    pub(crate) fn target(&self) -> Target {
        Target { kind: self.kind, name: self.name.clone(), is_feature_list: false }
    }

    /// The input files, relative to `dir`.
    pub(crate) fn inputs(&self, dir: &Path) -> impl Iterator<Item = PathBuf> {
        self.inputs.iter().map(|path| stead_model::clean(&dir.join(path)))
    }

    pub(crate) fn options(
        &self,
        run: &str,
        room: &RunRoom,
        provider: Option<Provider>,
        inputs: Vec<PathBuf>,
    ) -> CompileOptions {
        CompileOptions {
            run: run.to_owned(),
            max: self.max,
            max_runtime_seconds: self.max_runtime,
            max_cost_usd: self.max_cost,
            provider,
            model: self.model.clone(),
            intent: self.intent.clone(),
            default_provider: room.default_provider(),
            inputs,
            now: now(),
            purpose: Purpose::Run,
        }
    }
}
