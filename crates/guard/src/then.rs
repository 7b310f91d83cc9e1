use serde::{Deserialize, Serialize};
use stead_model::{EventKind, Level};

/// What a guard does when it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Then {
    Deny,
    Ask,
    /// Tells the agent; never blocks.
    Warn,
    /// Changes where a file tool writes.
    Rewrite,
    /// Puts text before the model.
    Inject,
    /// Keeps the agent working at a stop.
    Continue,
    /// Answers a permission request with yes.
    Allow,
}

impl Then {
    pub const ALL: [Self; 7] =
        [Self::Deny, Self::Ask, Self::Warn, Self::Rewrite, Self::Inject, Self::Continue, Self::Allow];

    pub fn name(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Warn => "warn",
            Self::Rewrite => "rewrite",
            Self::Inject => "inject",
            Self::Continue => "continue",
            Self::Allow => "allow",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|then| then.name() == name)
    }

    /// How strongly an enforced guard objects by this.
    pub fn level(self) -> Level {
        match self {
            Self::Deny | Self::Continue => Level::Deny,
            Self::Ask => Level::Ask,
            Self::Warn => Level::Warn,
            Self::Rewrite | Self::Inject | Self::Allow => Level::Allow,
        }
    }

    /// Says whether this can be done at an event.
    pub fn fits(self, kind: EventKind) -> bool {
        match self {
            Self::Deny => !matches!(kind, EventKind::Stop | EventKind::SubagentStop),
            Self::Ask => matches!(kind, EventKind::BeforeTool | EventKind::PermissionRequest),
            Self::Rewrite => kind == EventKind::BeforeTool,
            Self::Continue => matches!(kind, EventKind::Stop | EventKind::SubagentStop),
            Self::Allow => kind == EventKind::PermissionRequest,
            Self::Warn | Self::Inject => true,
        }
    }
}
