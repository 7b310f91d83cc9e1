//! Who is known. Adding a client means its own file below `roster/`, its lines here, and its fixtures.

use std::fmt;

use crate::doorway::Doorway;

mod claude;

/// An agent program that Stead works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Harness {
    Claude,
}

impl Harness {
    pub const ALL: [Self; 1] = [Self::Claude];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|harness| harness.name() == name)
    }

    pub fn doorway(self) -> &'static Doorway {
        match self {
            Self::Claude => &claude::DOORWAY,
        }
    }
}

impl fmt::Display for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
