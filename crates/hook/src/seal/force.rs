//! What is in force while a change waits for a person: the sealed text counts beside the present one, and the stricter
//! of both applies. Asked only when something is compiled.

use std::path::{Path, PathBuf};

use stead_ledger::intent::{IntentFile, IntentIgnore};
use stead_store::seal::{Look, Seal, Sealed};
use stead_store::{Config, Marker, ProjectState, UserDirs};

use super::kind::Kind;
use super::look::known_files;
use super::project::{PERSON, SealedProject};
use crate::location::Env;

/// A sealed text that is stricter than the present file; empty if there was no file.
pub(crate) struct InForce {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// The sealed settings files that are stricter than the present ones. The policy is compiled with them, so it cannot be
/// asked for.
pub fn sealed_configs(root: &Path, env: &Env) -> Vec<(PathBuf, String)> {
    let Some(UserDirs { state, .. }) = UserDirs::of_project(root, env) else { return Vec::new() };
    let project = ProjectState::sealed(&state, root).map(|project| project.dir().to_owned());
    let seals = project.into_iter().chain([state.join(PERSON)]).map(|dir| Seal::new(&dir, root));
    let stricter = |seal: Seal| {
        let is_config = |file: &Sealed| file.kind == Kind::Config.name();
        let files = seal.files().into_iter().filter(is_config);
        files
            .filter_map(|file| {
                let sealed = match &file.sha256 {
                    Some(hash) => String::from_utf8(seal.copy(hash)?).ok()?,
                    None => String::new(),
                };
                let present = seal.present(&file.path);
                if present.sha256 == file.sha256 || seal.is_announced(&file.path, &present) {
                    return None;
                }
                let text = present.bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                let is_looser = Config::loosens(Some(&sealed), text.as_deref()).is_some();
                is_looser.then(|| (seal.path_of(&file.path), sealed))
            })
            .collect::<Vec<_>>()
    };
    seals.flat_map(stricter).collect()
}

/// The sealed marker of a project, whatever became of the file.
pub fn sealed_marker(root: &Path, env: &Env) -> Option<Marker> {
    let state = UserDirs::of_project(root, env)?.state;
    let seal = Seal::new(ProjectState::sealed(&state, root)?.dir(), root);
    let file = seal.files().into_iter().find(|file| file.kind == Kind::Marker.name())?;
    Marker::parse(&seal.copy(&file.sha256?)?, &seal.path_of(&file.path)).ok()
}

impl SealedProject<'_> {
    /// The sealed texts that are stricter than the files of the same path. Files that changed since the last look are
    /// judged here, so that nothing counts before somebody looked.
    pub(crate) fn in_force(&self, wanted: &[Kind]) -> Vec<InForce> {
        let mut all = Vec::new();
        for (seal, reach) in self.seals() {
            // Nothing has changed since the last look, and no change waits.
            if seal.look() == Look::Same && seal.is_clear() {
                continue;
            }
            let sealed = seal.files();
            if sealed.is_empty() {
                continue;
            }
            for file in known_files(seal, sealed, &self.set(reach)) {
                let Some(kind) = Kind::from_name(&file.kind).filter(|kind| wanted.contains(kind)) else { continue };
                if let Some(text) = self.stricter(seal, &file, kind) {
                    all.push(InForce { path: seal.path_of(&file.path), text });
                }
            }
        }
        all
    }

    fn stricter(&self, seal: &Seal, file: &Sealed, kind: Kind) -> Option<String> {
        let present = seal.present(&file.path);
        if present.sha256 == file.sha256 || seal.is_announced(&file.path, &present) {
            return None;
        }
        // Intents that cannot be read block everything, which is stricter than whatever they were.
        let blocks = |parse: fn(&str) -> bool| {
            present.stamp.is_some()
                && !present.bytes.as_deref().is_some_and(|bytes| std::str::from_utf8(bytes).is_ok_and(parse))
        };
        match kind {
            Kind::Intents if blocks(|text| IntentFile::parse(text).is_ok()) => return None,
            Kind::IntentIgnore if blocks(|text| IntentIgnore::parse(text).is_ok()) => return None,
            _ => {}
        }
        let before = match &file.sha256 {
            Some(hash) => Some(seal.copy(hash)?),
            None => None,
        };
        self.weakens(kind, &seal.path_of(&file.path), before.as_deref(), &present)?;
        String::from_utf8(before.unwrap_or_default()).ok()
    }

    /// The sealed text of one file, if it is stricter than the file.
    pub(crate) fn sealed_text(&self, path: &Path) -> Option<String> {
        let kinds = [Kind::Overrides, Kind::Features, Kind::Intents, Kind::IntentIgnore];
        self.in_force(&kinds).into_iter().find(|one| one.path == path).map(|one| one.text)
    }
}
