use crate::guard_facts::Excuse;

/// One thing that a guard found in a call. `unless` is asked for each of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Subject {
    /// The effect it is about, by its number.
    pub(crate) effect: Option<usize>,
    pub(crate) part: String,
    pub(crate) path: Option<String>,
    pub(crate) command: Option<String>,
    /// The item whose field changes.
    pub(crate) feature: Option<String>,
    /// Why it was found, such as `writes infra/main.tf`.
    pub(crate) because: String,
    /// What happens to a field could not be known.
    pub(crate) unknown: bool,
}

impl Subject {
    /// What a person would have to allow for it to pass.
    pub(crate) fn excuse(&self) -> Excuse<'_> {
        Excuse { path: self.path.as_deref(), command: self.command.as_deref(), feature: self.feature.as_deref() }
    }
}
