/// Why something counts as a mistake.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Cause {
    /// This guard or gate matched it.
    Guard(String),
    /// A person corrected it, as far as is known.
    Correction,
    /// This guard denied it, and the agent did it in another way.
    Route(String),
    /// A trace tells it; no effects are known.
    Told,
}
