use serde::Serialize;

stead_model::named! {
    /// Where an intent is in its life.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    pub enum Status {
        #[default]
        Pending = "PENDING",
        InProgress = "IN_PROGRESS",
        Completed = "COMPLETED",
    }
}

/// One intent of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Intent {
    pub id: String,
    pub name: String,
    pub status: Status,
    /// Patterns of the one path grammar, anchored at the project root.
    pub owned_scope: Vec<String>,
    pub constraints: Vec<Constraint>,
    pub acceptance_criteria: Vec<Criterion>,
    /// Command patterns that may run although Stead cannot tell what they change.
    pub commands: Vec<String>,
    pub related_files: Vec<String>,
    /// `approval: required`: the person is asked about every change.
    pub needs_approval: bool,
    /// Only one live session may have it selected.
    pub exclusive: bool,
    /// Where it is in the file.
    #[serde(skip)]
    pub line: usize,
}

/// A rule of an intent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Constraint {
    Text(String),
    /// A guard that enforces it.
    Guard(String),
}

/// One part of the definition of done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Criterion {
    pub text: String,
    /// What must be proven before the intent can be completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
}

/// What proves a criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// A command that exits with 0.
    Verify(String),
    /// A feature whose evidence is fresh.
    Feature(String),
}

impl Constraint {
    /// The text for people and models.
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Guard(id) => format!("guard `{id}` applies"),
        }
    }
}

impl Criterion {
    /// The text for people and models.
    pub fn shown(&self) -> String {
        let by = match &self.proof {
            Some(Proof::Verify(command)) => format!("`{command}` succeeds"),
            Some(Proof::Feature(id)) => format!("feature `{id}` is proven"),
            None => return self.text.clone(),
        };
        if self.text.is_empty() { by } else { format!("{} ({by})", self.text) }
    }
}
