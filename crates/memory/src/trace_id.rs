use std::fmt;

use serde::{Deserialize, Serialize};
use stead_store::sha256;

/// The id of a trace, a UUID. Text from outside is checked by [`TraceId::parse`].
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TraceId(String);

impl TraceId {
    pub fn random() -> Self {
        Self(uuid::Uuid::new_v4().to_string())
    }

    /// The id of a trace that is derived from something with a key of its own, the same each time.
    pub fn of_key(project: &str, key: &str) -> Self {
        let digest = sha256(format!("{project}\0{key}"));
        let bits = u128::from_str_radix(&digest[..32], 16).unwrap_or_default();
        Self(uuid::Builder::from_custom_bytes(bits.to_be_bytes()).into_uuid().to_string())
    }

    pub fn parse(text: &str) -> Option<Self> {
        uuid::Uuid::try_parse(text).ok().map(|id| Self(id.to_string()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
