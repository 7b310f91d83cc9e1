use std::path::{Path, PathBuf};

use stead_store::sha256;

use super::model::read;
use super::{MODEL_FILE, SemanticError};

/// What is known about the model in its folder.
#[derive(Debug)]
pub struct ModelStatus {
    pub dir: PathBuf,
    pub state: ModelState,
}

#[derive(Debug)]
pub enum ModelState {
    Installed(ModelFacts),
    Absent,
    /// It cannot be used; the error says why.
    Unusable(SemanticError),
}

/// An intact model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFacts {
    /// As [`super::SemanticModel::id`].
    pub id: String,
    /// The length of its file.
    pub bytes: usize,
    /// When it was installed; ISO 8601, UTC.
    pub installed: String,
    /// SHA-256 of the published weights.
    pub weights: String,
}

impl ModelStatus {
    /// Looks at the model and compares its hash, which takes longer than opening it.
    pub fn look(dir: &Path) -> Self {
        let state = match read(dir) {
            Ok((file, header, body)) if sha256(&file[body.clone()]) == header.sha256 => {
                ModelState::Installed(ModelFacts {
                    id: header.sha256,
                    bytes: file.len(),
                    installed: header.installed,
                    weights: header.weights,
                })
            }
            Ok(_) => ModelState::Unusable(SemanticError::Corrupt {
                path: dir.join(MODEL_FILE),
                why: "its SHA-256 is not the one of its header".to_owned(),
            }),
            Err(SemanticError::Absent { .. }) => ModelState::Absent,
            Err(error) => ModelState::Unusable(error),
        };
        Self { dir: dir.to_owned(), state }
    }
}
