use std::fmt;
use std::path::PathBuf;

use stead_evidence::{Ground, Who};
use stead_feature::{Command, Feature};
use stead_model::Effects;

/// What a run needs to work on the feature list.
pub struct FeatureSupport<'a> {
    /// The list and its evidence. Its root is the project.
    pub ground: Ground,
    /// The person's config folder, which may give names to verifiers.
    pub config: Option<PathBuf>,
    /// What a command does, read in the root of the ground.
    pub effects: &'a (dyn Fn(&Ground, &str) -> Effects + Sync),
    /// Of paths below the root, those that a session or run wrote.
    pub wrote: &'a (dyn Fn(&Who, &[&str]) -> Vec<String> + Sync),
    /// Why an agent may not run a command; `None` if it may.
    pub refusal: &'a (dyn Fn(&str) -> Option<String> + Sync),
    /// Why a feature's verifiers may not run at all: nobody trusts where they came from.
    pub untrusted: &'a (dyn Fn(&Feature) -> Option<String> + Sync),
    /// Adds to a command object what happened before in similar work.
    pub add_precedents: &'a (dyn Fn(&mut Command) + Sync),
}

impl fmt::Debug for FeatureSupport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeatureSupport").field("ground", &self.ground).finish_non_exhaustive()
    }
}
