//! Whether a change of a sealed file weakens: the same question as for an edit, asked about the result.

use std::path::Path;

use stead_client::Harness;
use stead_feature::{Weakening, weakenings};
use stead_guard::{EvidenceState, Source, weakens};
use stead_ledger::intent::{frees_more, widens};
use stead_settings::Problem;
use stead_store::seal::Present;
use stead_store::{Config, Marker};

use super::kind::Kind;
use super::project::SealedProject;
use super::set::{SettingsPlace, settings_files};
use crate::guard::Proof;

impl SealedProject<'_> {
    /// Why the present file is weaker than the text before, if it is. `None` as text means that there was no file.
    pub(super) fn weakens(&self, kind: Kind, path: &Path, before: Option<&[u8]>, present: &Present) -> Option<String> {
        let place = if kind == Kind::Settings { self.settings_place(path) } else { None };
        if present.stamp.is_some() && present.bytes.is_none() {
            return place.is_none_or(|place| !place.is_persons()).then(|| "it cannot be read".to_owned());
        }
        let after = present.bytes.as_deref();
        let (Ok(was), Ok(is)) = (text(before), text(after)) else { return Some("it is not UTF-8".to_owned()) };
        match kind {
            Kind::Marker => marker(path, before, after),
            Kind::Config => Config::loosens(was, is),
            Kind::Guard => {
                let source = |text: &str| Source::project(path.to_string_lossy(), text);
                weakens(was.map(source).as_ref(), is.map(source).as_ref(), &self.rooms())
            }
            Kind::Intents => widens(was, is),
            Kind::IntentIgnore => frees_more(was, is),
            Kind::Features => self.features(before, after),
            Kind::Overrides => {
                let known: Vec<&str> = was.unwrap_or_default().lines().collect();
                let new = is.unwrap_or_default().lines().find(|line| !line.trim().is_empty() && !known.contains(line));
                new.map(|_| "it has an override that no person gave".to_owned())
            }
            Kind::Settings => settings(&place?, self.root, was, is),
            // Whoever compiles one announces it.
            Kind::Cache => after.map(|_| "it was not written by Stead".to_owned()),
        }
    }

    /// Returns true for a settings file that is not the project's.
    pub(super) fn is_persons(&self, path: &Path) -> bool {
        self.settings_place(path).is_some_and(|place| place.is_persons())
    }

    /// The facts about a settings file, by its path.
    pub(super) fn settings_place(&self, path: &Path) -> Option<SettingsPlace> {
        let mut all = Harness::ALL.into_iter().flat_map(|harness| settings_files(harness, self.root, self.env));
        all.find(|place| place.path == path)
    }

    fn features(&self, before: Option<&[u8]>, after: Option<&[u8]>) -> Option<String> {
        let proof = Proof { ground: self.evidence_ground() };
        let is_weaker = |found: &Weakening| match found {
            Weakening::Tested { feature } => !matches!(proof.standing(Some(feature)), Ok(EvidenceState::Fresh)),
            _ => true,
        };
        weakenings(before, after).into_iter().find(is_weaker).map(|found| found.to_string())
    }
}

fn text(bytes: Option<&[u8]>) -> Result<Option<&str>, std::str::Utf8Error> {
    bytes.map(std::str::from_utf8).transpose()
}

fn marker(path: &Path, before: Option<&[u8]>, after: Option<&[u8]>) -> Option<String> {
    let was = Marker::parse(before?, path).ok()?;
    match after.map(|bytes| Marker::parse(bytes, path)) {
        None => Some("the project marker is gone".to_owned()),
        Some(Err(_)) => Some("the project marker cannot be read".to_owned()),
        Some(Ok(is)) if is.project_id != was.project_id => Some("the project has another id".to_owned()),
        Some(Ok(_)) => None,
    }
}

/// In a file of the person, only what keeps our hooks from running is damage; whatever else a client or the person does to
/// it is theirs.
fn settings(place: &SettingsPlace, root: &Path, was: Option<&str>, is: Option<&str>) -> Option<String> {
    place.watching(root, |watch| {
        let has_lines = was.is_some_and(|was| watch.has_our_lines(was));
        let Some(is) = is else {
            return has_lines.then(|| "it was removed, with Stead's hooks in it".to_owned());
        };
        let counts = |problem: &Problem| match problem {
            Problem::Unreadable { .. } | Problem::Structure { .. } | Problem::UnknownKey { .. } => {
                has_lines || !place.is_persons()
            }
            _ => problem.is_damage(),
        };
        watch.judge(was, is).into_iter().find(counts).map(|problem| problem.to_string())
    })
}
