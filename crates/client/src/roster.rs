//! The known agent programs: an enum generated from the lines in `lib.rs`.

use std::fmt;

use crate::Harness;

/// Generates the enum of the known agent programs from lines `Variant = folder`. The folder's name is the program's
/// name on the command line and in files; every list has the order of these lines.
macro_rules! roster {
    ($($variant:ident = $folder:ident,)+) => {
        /// An agent program that Stead works in.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Harness {
            $($variant,)+
        }

        impl Harness {
            pub const ALL: [Self; [$(stringify!($folder)),+].len()] = [$(Self::$variant),+];

            /// The names of all, in the order of [`Self::ALL`].
            pub const NAMES: &[&str] = &[$(stringify!($folder)),+];

            pub fn client(self) -> &'static $crate::Client {
                match self {
                    $(Self::$variant => &crate::$folder::CLIENT,)+
                }
            }
        }
    };
}

impl Harness {
    /// The default provider of a run, also used in examples.
    pub const DEFAULT: Self = Self::ALL[0];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|harness| harness.name() == name)
    }

    /// The variables that tell a program that it runs inside another one's session.
    pub fn session_vars() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(Self::client).flat_map(|client| {
            let facts = &client.facts;
            [facts.shell_vars, facts.project_vars, client.headless.session_vars].into_iter().flatten().copied()
        })
    }
}

impl fmt::Display for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
