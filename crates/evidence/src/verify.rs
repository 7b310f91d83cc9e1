//! Runs verifiers and records what they show. `stead verify`, `stead feature report` and the engine use this one way.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use stead_feature::Feature;
use stead_model::Effects;
use stead_store::{Checked, StoreError, named_verifier, run_check};

use crate::{Bounds, EvidenceError, Ground, Recorded, Source, Verified, Who, Wrote, record_run, tree_of};

/// How much of a verifier's output is read.
const KEPT: usize = 256 * 1024;

/// Runs a command, with all that it starts.
pub type Runner<'a> = &'a dyn Fn(&str) -> io::Result<Checked>;

/// How verifiers are run.
pub struct Verify<'a> {
    pub ground: &'a Ground,
    /// The person's config folder, which may give names to verifiers.
    pub config: Option<PathBuf>,
    pub who: Who,
    pub source: Source,
    /// A person started this: only then do verifiers count that an agent wrote.
    pub supervised: bool,
    /// The limit of each command.
    pub timeout: Duration,
    /// What a command does, read in the project's root.
    pub effects: &'a dyn Fn(&str) -> Effects,
    /// Knows what the session or run wrote that it is for.
    pub wrote: Wrote<'a>,
    /// The current time as files store it.
    pub now: &'a dyn Fn() -> String,
    /// Runs a command in another way than `stead verify` does: the engine can be cancelled.
    pub runner: Option<Runner<'a>>,
}

impl Verify<'_> {
    /// Set for verifiers, so that none of them starts verifiers itself.
    pub const WITHIN: &'static str = "STEAD_VERIFYING";

    /// Runs one command in the project's root and records it, for a feature or for none. `@name` runs the command that
    /// the person gave this name; only whether it passed and a digest of its failure are kept.
    pub fn run(&self, feature: Option<&Feature>, verifier: &str) -> Result<(Recorded, Checked), EvidenceError> {
        let named = verifier.trim().strip_prefix(NAMED).map(|name| self.command_of(name)).transpose()?;
        let command = named.as_deref().unwrap_or(verifier);
        let bounds = Bounds::command();
        let before = tree_of(self.ground, feature.map_or(&[][..], |feature| &feature.files), &bounds);
        let effects = (self.effects)(command);
        let checked = match self.runner {
            Some(runner) => runner(command),
            None => run_check(command, &self.ground.root, &[(Self::WITHIN, "1")], self.timeout, KEPT),
        };
        let mut checked = checked.map_err(|source| StoreError::Io { doing: "run", path: verifier.into(), source })?;
        let distilled = named.is_some().then(|| distilled(&checked));
        let verified = Verified {
            feature,
            command: verifier,
            output: distilled.as_deref(),
            effects: &effects,
            checked: &checked,
            before: &before,
            source: self.source,
            supervised: self.supervised,
            who: self.who.clone(),
            wrote: self.wrote,
            now: &(self.now)(),
        };
        let recorded = record_run(self.ground, &verified, &bounds)?;
        if let Some(distilled) = distilled {
            checked.tail = distilled;
        }
        Ok((recorded, checked))
    }

    fn command_of(&self, name: &str) -> Result<String, EvidenceError> {
        let found = self.config.as_deref().map(|config| named_verifier(config, name)).transpose()?.flatten();
        found.ok_or_else(|| EvidenceError::UnknownVerifier { name: name.to_owned() })
    }
}

/// What starts the name of a verifier.
const NAMED: char = '@';

/// How many lines of a failure are shown, and how long each may be.
const LINES: usize = 5;
const WIDTH: usize = 160;

/// The lines of an output that name a failure, without what is around them.
fn distilled(checked: &Checked) -> String {
    if checked.is_green() {
        return String::new();
    }
    let tells = |line: &&str| {
        let lower = line.to_lowercase();
        ["error", "fail", "panicked", "assert"].iter().any(|word| lower.contains(word))
    };
    let lines = checked.tail.lines().map(str::trim).filter(tells).take(LINES);
    lines.map(|line| line.chars().take(WIDTH).collect::<String>() + "\n").collect()
}
