use std::path::PathBuf;

use stead_client::Harness;

use crate::{InstallError, Site};

/// A client that seems to be used here, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detected {
    pub harness: Harness,
    pub program: Option<PathBuf>,
    /// Its files or folders in the project.
    pub traces: Vec<&'static str>,
}

/// Finds the clients whose program is on PATH or that have files in the project.
pub fn detect(site: &Site<'_>) -> Vec<Detected> {
    let found = Harness::ALL.into_iter().map(|harness| {
        let facts = &harness.client().facts;
        let traces = facts.traces.iter().copied().filter(|trace| site.root.join(trace).exists()).collect();
        Detected { harness, program: site.find_program(facts.program), traces }
    });
    found.filter(|client| client.program.is_some() || !client.traces.is_empty()).collect()
}

/// Parses names given on the command line.
pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Vec<Harness>, InstallError> {
    let mut chosen = Vec::new();
    for name in names.into_iter().map(str::trim).filter(|name| !name.is_empty()) {
        let harness = Harness::from_name(name).ok_or_else(|| InstallError::UnknownHarness { name: name.to_owned() })?;
        if !chosen.contains(&harness) {
            chosen.push(harness);
        }
    }
    Ok(chosen)
}
