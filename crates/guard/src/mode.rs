use serde::{Deserialize, Serialize};

stead_model::named! {
    /// How much a guard may do, from weak to strong.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Mode {
        /// Not judged at all.
        Off = "off",
        /// Only records what it would have done.
        Shadow = "shadow",
        /// Tells the agent, and blocks nothing.
        Warn = "warn",
        Enforce = "enforce",
    }
}

impl Mode {
    /// Reads a mode, also by the older names.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "off" | "disabled" => Some(Self::Off),
            "shadow" | "experiment" => Some(Self::Shadow),
            "warn" | "validate" => Some(Self::Warn),
            "enforce" | "production" => Some(Self::Enforce),
            _ => None,
        }
    }

    /// The next stronger mode; a guard that is off starts in shadow mode.
    pub fn promoted(self) -> Option<Self> {
        match self {
            Self::Off => Some(Self::Shadow),
            Self::Shadow => Some(Self::Warn),
            Self::Warn => Some(Self::Enforce),
            Self::Enforce => None,
        }
    }

    /// The next weaker mode. Switching off is a separate command.
    pub fn demoted(self) -> Option<Self> {
        match self {
            Self::Off | Self::Shadow => None,
            Self::Warn => Some(Self::Shadow),
            Self::Enforce => Some(Self::Warn),
        }
    }
}
