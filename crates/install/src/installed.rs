use std::path::PathBuf;

use stead_client::Harness;
use stead_settings::our_lines;

use crate::layer::{layers, read_text};
use crate::{Reach, Site};

/// A client that has lines of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    pub harness: Harness,
    /// The settings files that hold them.
    pub paths: Vec<PathBuf>,
}

/// Finds the clients that have lines, without running any: installed does not mean working.
pub fn installed(site: &Site<'_>) -> Vec<Installed> {
    installed_in(site, &[Reach::Project, Reach::User])
}

/// The same for some of the settings.
pub fn installed_in(site: &Site<'_>, reaches: &[Reach]) -> Vec<Installed> {
    let lines_in = |harness: Harness| {
        let all = reaches.iter().flat_map(move |reach| layers(site, harness, *reach));
        let has_lines = |shape, path: &PathBuf| {
            let text = read_text(path).ok().flatten();
            let lines = text.and_then(|text| our_lines(shape, &text).ok()).unwrap_or_default();
            lines.iter().any(|line| line.harness == harness.name())
        };
        let paths = all.filter(|layer| has_lines(layer.shape, &layer.path)).map(|layer| layer.path).collect();
        Installed { harness, paths }
    };
    Harness::ALL.into_iter().map(lines_in).filter(|installed| !installed.paths.is_empty()).collect()
}
