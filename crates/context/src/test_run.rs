/// A test or a build that a session ran, as evidence has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestRun {
    /// The id of the evidence.
    pub id: String,
    pub at: String,
    pub command: String,
    /// `None` if nobody saw how it ended.
    pub passed: Option<bool>,
    /// What it printed about itself, in a few words.
    pub summary: String,
    /// It ran everything, not a selection.
    pub is_whole: bool,
}
