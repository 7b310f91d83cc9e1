use std::fmt;

use clap::ValueEnum;
use stead_pipeline::{Plan, What};

use crate::ui::Ui;

/// What a person asks to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    /// The run works on the feature list, by `stead orchestrate`.
    pub(crate) is_feature_list: bool,
}

stead_model::named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
    pub(crate) enum Kind {
        #[value(alias = "loop")]
        Stage = "stage",
        Pipeline = "pipeline",
    }
}

impl Target {
    /// What a plan was made from.
    pub(crate) fn of(plan: &Plan) -> Self {
        match &plan.pipeline {
            Some(name) => {
                Self { kind: Kind::Pipeline, name: name.clone(), is_feature_list: plan.orchestrate.is_some() }
            }
            None => {
                let name = plan.nodes.first().map(|node| node.template.clone()).unwrap_or_default();
                Self { kind: Kind::Stage, name, is_feature_list: false }
            }
        }
    }

    pub(crate) fn what(&self) -> What<'_> {
        match self.kind {
            Kind::Stage => What::Stage(&self.name),
            Kind::Pipeline => What::Pipeline(&self.name),
        }
    }

    /// The command that continues a run of it.
    pub(crate) fn resume(&self, run: &str, ui: &Ui) -> String {
        match self.is_feature_list {
            true => format!("{} {} --resume --run {run}", ui.program(), self.name),
            false => format!("{} run {} {} {run} --resume", ui.program(), self.kind.name(), self.name),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} `{}`", self.kind.name(), self.name)
    }
}
