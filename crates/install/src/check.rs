use serde::Serialize;

/// The result of one check, from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    Good,
    Odd,
    Broken,
}

/// One check of doctor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub status: Status,
    pub message: String,
    /// What a person can do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Check {
    pub(crate) fn good(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, status: Status::Good, message: message.into(), remedy: None }
    }

    pub fn odd(name: &'static str, message: impl Into<String>) -> Self {
        Self { status: Status::Odd, ..Self::good(name, message) }
    }

    pub(crate) fn broken(name: &'static str, message: impl Into<String>) -> Self {
        Self { status: Status::Broken, ..Self::good(name, message) }
    }

    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}
