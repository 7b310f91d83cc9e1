//! Who is known. Adding a client means its own file below `roster/`, its lines here, and its fixtures.

use std::fmt;

use crate::client::Client;

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

    pub fn client(self) -> &'static Client {
        match self {
            Self::Claude => &claude::CLIENT,
            Self::Codex => &codex::CLIENT,
            Self::Gemini => &gemini::CLIENT,
            Self::Qwen => &qwen::CLIENT,
            Self::OpenCode => &opencode::CLIENT,
            Self::Copilot => &copilot::CLIENT,
            Self::Kimi => &kimi::CLIENT,
            Self::Droid => &droid::CLIENT,
            Self::Cursor => &cursor::CLIENT,
        }
    }
}

impl fmt::Display for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
