use serde::{Deserialize, Serialize};

stead_model::named! {
    /// Where a guard comes from, in order of precedence: a later one replaces an earlier one of the same id.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Origin {
        /// Part of the binary.
        Shipped = "shipped",
        /// The person's, for every project.
        User = "user",
        Project = "project",
    }
}

/// One guard file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub origin: Origin,
    /// How messages name the file, such as `.agent/guards/infra.yaml`.
    pub file: String,
    pub text: String,
    /// Why there is no text, if the file cannot be read.
    pub unreadable: Option<String>,
}

impl Source {
    pub fn project(file: impl Into<String>, text: impl Into<String>) -> Self {
        Self { origin: Origin::Project, file: file.into(), text: text.into(), unreadable: None }
    }

    pub fn user(file: impl Into<String>, text: impl Into<String>) -> Self {
        Self { origin: Origin::User, ..Self::project(file, text) }
    }
}
