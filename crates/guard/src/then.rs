use serde::{Deserialize, Serialize};
use stead_model::{EventKind, Level};

stead_model::named! {
    /// What a guard does if it matches.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Then {
        Deny = "deny",
        Ask = "ask",
        /// Tells the agent; never blocks.
        Warn = "warn",
        /// Changes where a file tool writes.
        Rewrite = "rewrite",
        /// Adds text for the model.
        Inject = "inject",
        /// Keeps the agent working at a stop.
        Continue = "continue",
        /// Grants a permission request.
        Allow = "allow",
    }
}

impl Then {
    /// The level of the verdict of an enforced guard.
    pub fn level(self) -> Level {
        match self {
            Self::Deny | Self::Continue => Level::Deny,
            Self::Ask => Level::Ask,
            Self::Warn => Level::Warn,
            Self::Rewrite | Self::Inject | Self::Allow => Level::Allow,
        }
    }

    /// Returns true if this is possible at an event.
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
