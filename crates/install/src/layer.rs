//! The settings files of a client, as they are on this machine.

use std::fs;
use std::path::{Path, PathBuf};

use stead_client::{Harness, SettingsFile};
use stead_model::{Shape, Spot};
use stead_settings::{Watch, has_our_lines};
use stead_store::read_capped;

use crate::{Reach, Site};

/// The size limit of a settings file.
const LIMIT: usize = 8 * 1024 * 1024;

/// A settings file that a client reads.
pub(crate) struct Layer {
    pub(crate) path: PathBuf,
    pub(crate) shape: Shape,
    pub(crate) watch: &'static str,
    pub(crate) spot: Spot<'static>,
}

impl Layer {
    /// What must survive in it.
    pub(crate) fn watch<'w>(&'w self, project: &'w [&'w Path]) -> Watch<'w> {
        Watch { shape: self.shape, clauses: self.watch, variables: &[], project, file: &self.path }
    }
}

/// Whether a client calls Stead in a project, as far as its settings tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallsHere {
    /// It has no lines of ours.
    NoLines,
    /// It keeps by itself which lines it trusts, and has none of ours.
    Untrusted,
    Expected,
}

/// Looks at the settings of a client.
pub fn calls_here(site: &Site<'_>, harness: Harness) -> CallsHere {
    let has_lines = |layer: &Layer| {
        let text = read_text(&layer.path).ok().flatten();
        text.is_some_and(|text| has_our_lines(layer.shape, &text))
    };
    if !all_layers(site, harness).iter().any(has_lines) {
        return CallsHere::NoLines;
    }
    if trust(site, harness) == Some(false) { CallsHere::Untrusted } else { CallsHere::Expected }
}

/// Whether a client keeps that it trusts the hooks here; `None` if it does not say.
pub(crate) fn trust(site: &Site<'_>, harness: Harness) -> Option<bool> {
    let real = fs::canonicalize(site.root).unwrap_or_else(|_| site.root.to_owned());
    let project = [site.root, real.as_path()];
    let trusted = |layer: Layer| {
        let text = read_text(&layer.path).ok().flatten().unwrap_or_default();
        layer.watch(&project).has_trust(&text)
    };
    all_layers(site, harness).into_iter().filter_map(trusted).reduce(|one, other| one || other)
}

/// Lists a client's settings files, each once. In the home folder, files of the project are the user's.
pub(crate) fn all_layers(site: &Site<'_>, harness: Harness) -> Vec<Layer> {
    let users = layers(site, harness, Reach::User);
    let is_users = |layer: &Layer| users.iter().any(|own| own.path == layer.path);
    let mut all: Vec<Layer> = layers(site, harness, Reach::Project).into_iter().filter(|one| !is_users(one)).collect();
    all.extend(users);
    all
}

/// Lists a client's settings files in a scope, existing or not, except where the name is a pattern.
pub(crate) fn layers(site: &Site<'_>, harness: Harness, reach: Reach) -> Vec<Layer> {
    let files = harness.client().facts.settings.iter().filter(|file| reach.covers(file.spot));
    let mut found: Vec<Layer> = Vec::new();
    for &SettingsFile { spot, shape, watch } in files {
        for path in site.files(spot) {
            if !found.iter().any(|layer| layer.path == path) {
                found.push(Layer { path, shape, watch, spot });
            }
        }
    }
    found
}

/// Reads a settings file as text. `Ok(None)` if there is none; the error is a message for people.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>, String> {
    let bytes = read_capped(path, LIMIT).map_err(|error| match std::error::Error::source(&error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    })?;
    bytes.map(|bytes| String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())).transpose()
}
