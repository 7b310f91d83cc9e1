//! The sentence model of this person, as commands see it.

use std::path::PathBuf;

use stead_memory::semantic::{SemanticError, model_dir};

use crate::error::CliError;
use crate::project::user_dirs;

/// The folder of the model.
pub(crate) fn own_model_dir() -> Result<PathBuf, CliError> {
    Ok(model_dir(&user_dirs()?.data))
}

impl From<SemanticError> for CliError {
    fn from(error: SemanticError) -> Self {
        let hint = error.hint();
        match error {
            SemanticError::Store(source) => source.into(),
            error => Self::user(error.to_string()).hinted_if(hint),
        }
    }
}
