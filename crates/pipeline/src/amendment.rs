//! Changes of a frozen plan: a person makes them when resuming a run, and the plan records them.

use serde::{Deserialize, Serialize};

use crate::Provider;

/// What a person wants to change from now on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Change {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_iterations: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Additional files for the agents to read, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
}

impl Change {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A change as the plan records it. The nodes contain the values in force.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Amendment {
    pub at: String,
    #[serde(flatten)]
    pub change: Change,
    /// The nodes that it changed, or that get the new inputs.
    pub nodes: Vec<String>,
}
