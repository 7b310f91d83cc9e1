use serde::{Deserialize, Serialize};
use stead_model::{EventKind, Level};

stead_model::named! {
    /// What a guard does when it holds.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Then {
        Deny = "deny",
        Ask = "ask",
        /// Tells the agent; never blocks.
        Warn = "warn",
        /// Changes where a file tool writes.
        Rewrite = "rewrite",
        /// Puts text before the model.
        Inject = "inject",
        /// Keeps the agent working at a stop.
        Continue = "continue",
        /// Answers a permission request with yes.
        Allow = "allow",
    }
}

impl Then {
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
