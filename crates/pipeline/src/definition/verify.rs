use stead_yaml::{Entry, Value};

use super::reading::Reading;
use crate::{Termination, VerifyMust};

/// What a file says about `verify`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verify {
    pub commands: Vec<String>,
    /// `None` if unset.
    pub must: Option<VerifyMust>,
}

const KEYS: [&str; 2] = ["commands", "must"];

impl Verify {
    /// Takes what `other` sets and keeps the rest.
    pub(crate) fn overridden_by(self, other: &Self) -> Self {
        let commands = if other.commands.is_empty() { self.commands } else { other.commands.clone() };
        Self { commands, must: other.must.or(self.must) }
    }

    /// A stage that ends because something says so must be able to show it. A fixed one ends anyway.
    pub(crate) fn must(&self, termination: &Termination) -> VerifyMust {
        let default = if *termination == Termination::Fixed { VerifyMust::Run } else { VerifyMust::Pass };
        self.must.unwrap_or(default)
    }
}

/// Reads a command, a list of them, or `{commands, must}`.
pub(crate) fn verify(reading: &mut Reading, entry: &Entry) -> Verify {
    let Value::Map(entries) = &entry.value.value else {
        return Verify { commands: reading.texts(entry), must: None };
    };
    let mut verify = Verify::default();
    for part in entries {
        match part.key.as_str() {
            "commands" => verify.commands = reading.texts(part),
            "must" => {
                verify.must = reading.choice(part, &[("pass", VerifyMust::Pass), ("run", VerifyMust::Run)]);
            }
            _ => reading.unknown(part, &KEYS),
        }
    }
    verify
}
