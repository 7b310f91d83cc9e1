//! Who is known. Adding a client means its own file below `roster/`, its lines here, and its fixtures.

use std::fmt;

use crate::doorway::Doorway;

mod claude;
mod codex;
mod copilot;
mod cursor;
mod droid;
mod gemini;
mod kimi;
mod opencode;
mod qwen;

/// An agent program that Stead works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Harness {
    Claude,
    Codex,
    Gemini,
    Qwen,
    OpenCode,
    Copilot,
    Kimi,
    Droid,
    Cursor,
}

impl Harness {
    pub const ALL: [Self; 9] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Qwen,
        Self::OpenCode,
        Self::Copilot,
        Self::Kimi,
        Self::Droid,
        Self::Cursor,
    ];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Qwen => "qwen",
            Self::OpenCode => "opencode",
            Self::Copilot => "copilot",
            Self::Kimi => "kimi",
            Self::Droid => "droid",
            Self::Cursor => "cursor",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|harness| harness.name() == name)
    }

    pub fn doorway(self) -> &'static Doorway {
        match self {
            Self::Claude => &claude::DOORWAY,
            Self::Codex => &codex::DOORWAY,
            Self::Gemini => &gemini::DOORWAY,
            Self::Qwen => &qwen::DOORWAY,
            Self::OpenCode => &opencode::DOORWAY,
            Self::Copilot => &copilot::DOORWAY,
            Self::Kimi => &kimi::DOORWAY,
            Self::Droid => &droid::DOORWAY,
            Self::Cursor => &cursor::DOORWAY,
        }
    }
}

impl fmt::Display for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
