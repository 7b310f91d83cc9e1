use std::path::PathBuf;

use stead_store::StoreError;

use crate::lint::Finding;

/// Why a stage or a pipeline cannot be had, or cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    #[error("there is no stage `{name}`")]
    UnknownStage { name: String, nearest: Option<String> },
    #[error("there is no pipeline `{name}`")]
    UnknownPipeline { name: String, nearest: Option<String> },
    #[error("`{name}` cannot be a name: {why}")]
    Name { name: String, why: String },
    #[error("`{}` exists already", path.display())]
    Taken { path: PathBuf },
    #[error("a run cannot be called `{name}`: {why}")]
    RunName { name: String, why: String },
    #[error("there is no provider `{name}`")]
    UnknownProvider { name: String, hint: String },
    #[error("the input `{}` is not a file", path.display())]
    Input { path: PathBuf },
    #[error("{what} has errors")]
    Faulty { what: String, findings: Vec<Finding> },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl DefinitionError {
    /// Says what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownStage { nearest: Some(near), .. } | Self::UnknownPipeline { nearest: Some(near), .. } => {
                Some(format!("did you mean `{near}`?"))
            }
            Self::UnknownStage { .. } => Some("`stead stage list` shows what there is".into()),
            Self::UnknownPipeline { .. } => Some("`stead pipeline list` shows what there is".into()),
            Self::Name { .. } | Self::RunName { .. } => Some("use letters, digits, `-` and `_`".into()),
            Self::Taken { .. } => Some("choose another name, or change that one".into()),
            Self::UnknownProvider { hint, .. } => Some(hint.clone()),
            Self::Faulty { what, .. } => Some(format!("`stead lint {what}` shows them with their places")),
            Self::Store(error) => error.hint(),
            Self::Input { .. } => None,
        }
    }
}
