use crate::guard_facts::Excuse;

/// One thing that a guard matched in a call. `unless` is evaluated for each of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Subject {
    /// The index of the effect.
    pub(crate) effect: Option<usize>,
    pub(crate) part: String,
    pub(crate) path: Option<String>,
    pub(crate) command: Option<String>,
    /// The item whose field changes.
    pub(crate) feature: Option<String>,
    /// Why it matched, such as `writes infra/main.tf`.
    pub(crate) because: String,
    /// The change of a field is unknown.
    pub(crate) unknown: bool,
}

impl Subject {
    /// What a person would have to allow for it to pass.
    pub(crate) fn excuse(&self) -> Excuse<'_> {
        Excuse { path: self.path.as_deref(), command: self.command.as_deref(), feature: self.feature.as_deref() }
    }
}
