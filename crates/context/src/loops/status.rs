stead_model::named! {
    /// The status of a loop.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum LoopStatus {
        Active = "active",
        /// Blocks nobody until it is resumed.
        Paused = "paused",
        /// Its promise was kept.
        Done = "done",
        /// Ended by somebody, or by a limit.
        Cancelled = "cancelled",
    }
}

impl LoopStatus {
    /// Returns true if the loop has ended for good.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled)
    }
}
