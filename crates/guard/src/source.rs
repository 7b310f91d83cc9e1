use serde::{Deserialize, Serialize};

stead_model::named! {
    /// Where a guard comes from. A file of the person or of a trusted project replaces a shipped guard of the same id; a
    /// project's guard is added to the person's of the same id.
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

stead_model::named! {
    /// How far a guard file is trusted, from weak to strong.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum SourceTrust {
        /// It came with a repository, and no person has looked at it: it may restrict, and nothing else.
        Untrusted = "untrusted",
        /// It was written on this machine. Its program still needs a person's consent.
        #[default]
        Local = "local",
        /// A person looked at it, or wrote it for all their projects.
        Trusted = "trusted",
    }
}

impl SourceTrust {
    pub(crate) fn is_local(&self) -> bool {
        *self == Self::Local
    }
}

/// One guard file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub origin: Origin,
    pub trust: SourceTrust,
    /// How messages name the file, such as `.agent/guards/infra.yaml`.
    pub file: String,
    pub text: String,
    /// Why there is no text, if the file cannot be read.
    pub unreadable: Option<String>,
}

impl Source {
    pub fn project(file: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            origin: Origin::Project,
            trust: SourceTrust::Local,
            file: file.into(),
            text: text.into(),
            unreadable: None,
        }
    }

    pub fn user(file: impl Into<String>, text: impl Into<String>) -> Self {
        Self { origin: Origin::User, trust: SourceTrust::Trusted, ..Self::project(file, text) }
    }
}
