//! The payloads on file.

use std::fs;
use std::path::{Path, PathBuf};

use stead_client::Harness;

/// A payload on file, with the event name a client without one would have on its command line.
pub(crate) struct Fixture {
    pub(crate) harness: Harness,
    /// Below the fixtures folder.
    pub(crate) file: String,
    pub(crate) named: String,
    pub(crate) payload: String,
}

impl Fixture {
    pub(crate) fn read(path: &Path) -> Self {
        let below = path.strip_prefix(folder()).unwrap();
        let harness = below.components().next().unwrap().as_os_str().to_str().unwrap();
        let stem = below.file_stem().unwrap().to_str().unwrap();
        let harness = Harness::from_name(harness).expect("a fixture folder is named after a harness");
        // A plugin's events have dots in their names.
        let stem = stem.strip_prefix("event.").unwrap_or(stem);
        let events = harness.client().facts.events.iter().map(|fact| fact.native);
        let is_of =
            |event: &&str| stem.strip_prefix(event).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let named = events.filter(is_of).max_by_key(|event| event.len()).unwrap_or_else(|| match harness.name() {
            "opencode" => stem,
            _ => stem.split('.').next().unwrap(),
        });
        Self {
            harness,
            file: below.display().to_string(),
            named: named.to_owned(),
            payload: fs::read_to_string(path).unwrap(),
        }
    }

    pub(crate) fn all() -> Vec<Self> {
        let mut files = Vec::new();
        collect(&folder(), &mut files);
        files.sort();
        files.iter().map(|path| Self::read(path)).collect()
    }

    /// The session id that the payload carries under any of the clients' names.
    pub(crate) fn session(&self) -> String {
        let event = self.harness.client().decode(&self.payload, Some(&self.named)).unwrap();
        event.session.unwrap_or_default().into_owned()
    }
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
}

#[test]
fn every_harness_has_fixtures_and_a_word_on_where_they_come_from() {
    let all = Fixture::all();
    let readme = fs::read_to_string(folder().join("README.md")).unwrap();
    for harness in Harness::ALL {
        assert!(all.iter().any(|fixture| fixture.harness == harness), "{harness} has no fixtures");
        assert!(readme.contains(&format!("| `{harness}` |")), "{harness} is missing in the README");
    }
}
