use serde::{Deserialize, Serialize};

use crate::sha256;
use crate::source::{Origin, SourceTrust};

/// A program that judges for a guard. It may only deny or abstain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exec {
    /// Below the project root.
    pub path: String,
    /// The SHA-256 of the file's bytes in lower-case hexadecimal; a file with another hash is not run.
    pub sha256: String,
    /// The program's own time: waiting for a processor does not count.
    pub timeout_ms: u64,
}

impl Exec {
    /// The maximum time limit of a program; the hook's own deadline is not much longer.
    pub const MOST_MS: u64 = 1_500;
    pub const USUAL_MS: u64 = 500;

    /// Returns true if these bytes have the pinned hash.
    pub fn is_pinned(&self, bytes: &[u8]) -> bool {
        sha256::hex(bytes) == self.sha256
    }

    /// The name of the file that stores a person's consent to this program of this guard in this project.
    pub fn consent_name(&self, root: &str, guard: &str) -> String {
        sha256::hex([root, guard, &self.path, &self.sha256].join("\0").as_bytes())
    }
}

/// The input of an executable guard.
pub struct ExecCall<'a> {
    pub guard: &'a str,
    pub origin: Origin,
    pub trust: SourceTrust,
    pub exec: &'a Exec,
    /// One JSON object for its standard input: `guard`, `event`, `tool`, `input`, `effects`, `subjects`.
    pub input: String,
}

/// The answer of an executable guard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecAnswer {
    Abstain,
    Deny { reason: String },
}

impl ExecAnswer {
    /// Parses a program's output: one JSON object with `decision` (`deny` or `abstain`) and, to deny, a `reason`. Empty
    /// output abstains.
    pub fn parse(output: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Wire {
            decision: String,
            #[serde(default)]
            reason: String,
        }
        if output.trim().is_empty() {
            return Ok(Self::Abstain);
        }
        let wire: Wire = serde_json::from_str(output.trim()).map_err(|_| "its output is not the expected JSON")?;
        match wire.decision.as_str() {
            "abstain" => Ok(Self::Abstain),
            "deny" => Ok(Self::Deny { reason: wire.reason }),
            other => Err(format!("it may deny or abstain, not `{other}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_answers_count() {
        assert_eq!(ExecAnswer::parse(" \n"), Ok(ExecAnswer::Abstain));
        assert_eq!(ExecAnswer::parse(r#"{"decision":"abstain","more":1}"#), Ok(ExecAnswer::Abstain));
        let deny = ExecAnswer::Deny { reason: "no".into() };
        assert_eq!(ExecAnswer::parse(r#"{"decision":"deny","reason":"no"}"#), Ok(deny));
        for odd in [r#"{"decision":"allow"}"#, "ok", "[]", "{}", "{\"decision\":"] {
            assert!(ExecAnswer::parse(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn only_the_pinned_bytes_run() {
        let exec = Exec { path: "x".into(), sha256: sha256::hex(b"one"), timeout_ms: 1 };
        assert!(exec.is_pinned(b"one"));
        assert!(!exec.is_pinned(b"two"));
    }
}
