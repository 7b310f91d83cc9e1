//! Runs verifiers and records what they show. `stead verify`, `stead feature report` and the engine use this one way.

use std::io;
use std::time::Duration;

use stead_feature::Feature;
use stead_model::Effects;
use stead_store::{Checked, StoreError, run_check};

use crate::{Bounds, EvidenceError, Ground, Recorded, Source, Verified, Who, record_run, tree_of};

/// How much of a verifier's output is read.
const KEPT: usize = 256 * 1024;

/// Runs a command, with all that it starts.
pub type Runner<'a> = &'a dyn Fn(&str) -> io::Result<Checked>;

/// How verifiers are run.
pub struct Verify<'a> {
    pub ground: &'a Ground,
    pub who: Who,
    pub source: Source,
    /// The limit of each command.
    pub timeout: Duration,
    /// What a command does, read in the project's root.
    pub effects: &'a dyn Fn(&str) -> Effects,
    /// The current time as files store it.
    pub now: &'a dyn Fn() -> String,
    /// Runs a command in another way than `stead verify` does: the engine can be cancelled.
    pub runner: Option<Runner<'a>>,
}

impl Verify<'_> {
    /// Set for verifiers, so that none of them starts verifiers itself.
    pub const WITHIN: &'static str = "STEAD_VERIFYING";

    /// Runs one command in the project's root and records it, for a feature or for none.
    pub fn run(&self, feature: Option<&Feature>, command: &str) -> Result<(Recorded, Checked), EvidenceError> {
        let bounds = Bounds::command();
        let before = tree_of(self.ground, feature.map_or(&[][..], |feature| &feature.files), &bounds);
        let effects = (self.effects)(command);
        let checked = match self.runner {
            Some(runner) => runner(command),
            None => run_check(command, &self.ground.root, &[(Self::WITHIN, "1")], self.timeout, KEPT),
        };
        let checked = checked.map_err(|source| StoreError::Io { doing: "run", path: command.into(), source })?;
        let verified = Verified {
            feature,
            command,
            effects: &effects,
            checked: &checked,
            before: &before,
            source: self.source,
            who: self.who.clone(),
            now: &(self.now)(),
        };
        let recorded = record_run(self.ground, &verified, &bounds)?;
        Ok((recorded, checked))
    }
}
