use std::path::{Path, PathBuf};

use clap::Args;
use stead_pipeline::{CompileOptions, Provider, Purpose};

use super::target::{Kind, Target};
use crate::project::now;
use crate::run_room::RunRoom;

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
