use std::fmt;

/// The status of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopStatus {
    Active,
    /// Blocks nobody until it is resumed.
    Paused,
    /// Its promise was kept.
    Done,
    /// Ended by somebody, or by a limit.
    Cancelled,
}

impl LoopStatus {
    pub const ALL: [Self; 4] = [Self::Active, Self::Paused, Self::Done, Self::Cancelled];

    /// The name used in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Returns true if the loop has ended for good.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled)
    }
}

impl fmt::Display for LoopStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
