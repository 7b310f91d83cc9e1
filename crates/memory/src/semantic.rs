//! Meaning as vectors: the sentence model all-MiniLM-L6-v2, run in this process. [`install`] fetches it once and converts
//! it into one file; [`SemanticModel`] reads that file and turns texts into vectors whose product says how close they are
//! in meaning.
//!
//! The model is optional. Where it is absent or corrupt, the error says so and search works without it. Nothing here
//! reads traces or ranks them.

mod body;
mod characters;
mod checksum;
mod convert;
mod error;
mod header;
mod install;
mod layer;
mod linear;
mod model;
mod registry;
mod safetensors;
mod shape;
mod source;
mod status;
mod tokenizer;
mod trace_text;
mod vocabulary;
mod wheel;

pub use error::SemanticError;
pub use install::{Installed, Origin, Step, install, remove};
pub use model::SemanticModel;
pub use registry::{ClientOutput, Registry};
pub use shape::DIMENSIONS;
pub use status::{ModelFacts, ModelState, ModelStatus};
pub use tokenizer::LONGEST_TEXT;
pub use trace_text::trace_text;

use std::path::{Path, PathBuf};

/// The name of the model.
pub const MODEL: &str = "all-MiniLM-L6-v2";

/// The file in the model's folder.
pub const MODEL_FILE: &str = "model.stead";

/// The model's folder in the person's data folder.
pub fn model_dir(data: &Path) -> PathBuf {
    data.join("models").join(MODEL)
}
