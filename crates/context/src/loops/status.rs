use std::fmt;

/// Where a loop stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopStatus {
    Active,
    /// Holds nobody until somebody resumes it.
    Paused,
    /// Its promise was kept.
    Done,
    /// Given up: by somebody, or by a bound.
    Cancelled,
}

impl LoopStatus {
    pub const ALL: [Self; 4] = [Self::Active, Self::Paused, Self::Done, Self::Cancelled];

    /// Names the status as it stands in files.
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

    /// Says whether the loop is over for good.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled)
    }
}

impl fmt::Display for LoopStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
