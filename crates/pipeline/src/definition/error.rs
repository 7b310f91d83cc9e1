use std::path::PathBuf;

use stead_store::StoreError;

use crate::lint::Finding;

/// Why a stage or a pipeline cannot be loaded or run.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    /// `other_kind`: a pipeline has that name.
    #[error("there is no stage `{name}`")]
    UnknownStage { name: String, nearest: Option<String>, other_kind: bool },
    /// `other_kind`: a stage has that name.
    #[error("there is no pipeline `{name}`")]
    UnknownPipeline { name: String, nearest: Option<String>, other_kind: bool },
    #[error("invalid name `{name}`: {why}")]
    Name { name: String, why: String },
    #[error("`{}` already exists", path.display())]
    Taken { path: PathBuf },
    #[error("invalid run name `{name}`: {why}")]
    RunName { name: String, why: String },
    #[error("unknown provider `{name}`")]
    UnknownProvider { name: String, hint: String },
    #[error("the input `{}` is not a file", path.display())]
    Input { path: PathBuf },
    #[error("{what} has errors")]
    Faulty { what: String, findings: Vec<Finding> },
    #[error("stage `{name}` cannot run on its own")]
    Alone { name: String, findings: Vec<Finding> },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl DefinitionError {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownStage { name, other_kind: true, .. } => {
                Some(format!("`{name}` is a pipeline: `stead run pipeline {name} <run>`"))
            }
            Self::UnknownPipeline { name, other_kind: true, .. } => {
                Some(format!("`{name}` is a stage: `stead run stage {name} <run>`"))
            }
            Self::UnknownStage { nearest: Some(near), .. } | Self::UnknownPipeline { nearest: Some(near), .. } => {
                Some(format!("did you mean `{near}`?"))
            }
            Self::UnknownStage { .. } => Some("`stead stage list` lists them".into()),
            Self::UnknownPipeline { .. } => Some("`stead pipeline list` lists them".into()),
            Self::Name { .. } | Self::RunName { .. } => Some("use letters, digits, `-` and `_`".into()),
            Self::Taken { .. } => Some("choose another name, or change that one".into()),
            Self::UnknownProvider { hint, .. } => Some(hint.clone()),
            Self::Faulty { what, .. } => Some(format!("`stead lint {what}` shows them")),
            Self::Alone { name, .. } => Some(format!(
                "name it in a pipeline, as `template: {name}` with `parallel: {{over: [..]}}`, and run that; `stead \
                 pipeline new` makes one"
            )),
            Self::Store(error) => error.hint(),
            Self::Input { .. } => None,
        }
    }
}
