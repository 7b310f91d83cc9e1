stead_model::named! {
    /// The status of a loop.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum LoopStatus {
        Active = "active",
        /// Blocks nobody until it is resumed.
        Paused = "paused",
        /// Its iterations or minutes are used up; it can be resumed with more of them.
        Limit = "limit",
        /// Its promise was kept.
        Done = "done",
        /// Ended by somebody.
        Cancelled = "cancelled",
    }
}

impl LoopStatus {
    /// The status as part of a sentence: `the loop is …`.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Limit => "at its limit",
            status => status.name(),
        }
    }

    /// Returns true if the loop has ended for good.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled)
    }
}
