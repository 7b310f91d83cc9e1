use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::de::DeserializeOwned;
use stead_hook::{Appeal, Override};
use stead_store::{Lines, StoreError};

/// What people decided about verdicts: overrides and appeals that they upheld. What a guard stopped there was right.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    pub overrides: Vec<Override>,
    pub upheld: Vec<Appeal>,
    /// Appeals that nobody decided, or that only an agent made.
    pub open: Vec<Appeal>,
}

impl Standing {
    pub fn read(indexes: &Path) -> Result<Self, StoreError> {
        let mut standing = Self { overrides: read(&Override::path(indexes))?, ..Self::default() };
        for appeal in read::<Appeal>(&Appeal::path(indexes))? {
            match appeal.upheld && appeal.by == Appeal::PERSON {
                true => standing.upheld.push(appeal),
                false => standing.open.push(appeal),
            }
        }
        Ok(standing)
    }

    /// The verdicts that a person called wrong.
    pub fn wrong(&self) -> HashSet<&str> {
        let overridden = self.overrides.iter().map(|line| line.verdict.as_str());
        overridden.chain(self.upheld.iter().map(|line| line.verdict.as_str())).collect()
    }

    /// The sessions of verdicts, as far as the lines say.
    pub fn sessions(&self) -> HashMap<&str, &str> {
        let overridden =
            self.overrides.iter().filter_map(|line| Some((line.verdict.as_str(), line.session.as_deref()?)));
        let appealed = self.open.iter().filter_map(|line| Some((line.verdict.as_str(), line.session.as_deref()?)));
        let upheld = self.upheld.iter().filter_map(|line| Some((line.verdict.as_str(), line.session.as_deref()?)));
        appealed.chain(upheld).chain(overridden).collect()
    }
}

/// The lines of a log that can be read.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, StoreError> {
    let mut found = Vec::new();
    for line in Lines::open(path)? {
        found.extend(serde_json::from_str(&line?.text));
    }
    Ok(found)
}
