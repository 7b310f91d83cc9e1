stead_model::named! {
    /// How much of a trace is told.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Level {
        /// What there is: id, type, time and the beginning of what happened.
        Metadata = "metadata",
        /// And what happened, what was correct, and why.
        #[default]
        Summary = "summary",
        /// Everything.
        Full = "full",
    }
}

impl Level {
    /// The largest answer, in tokens: to a query at the first two levels, about one trace at the last.
    pub const fn tokens(self) -> usize {
        match self {
            Self::Metadata => 500,
            Self::Summary => 1_000,
            Self::Full => 2_000,
        }
    }

    /// How many traces a query returns unless it says otherwise.
    pub const fn usual_count(self) -> usize {
        match self {
            Self::Metadata => 20,
            Self::Summary | Self::Full => 5,
        }
    }

    /// The least text of a field that is worth telling, in bytes. Rather than less, fewer traces are told.
    pub(crate) const fn least_text(self) -> usize {
        match self {
            Self::Metadata => 32,
            Self::Summary => 64,
            Self::Full => 256,
        }
    }
}
