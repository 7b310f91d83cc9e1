use std::path::{Path, PathBuf};

use stead_client::Harness;
use stead_model::Shape;
use stead_settings::{has_our_lines, is_bare, remove};

use crate::include_line::{include_files, plan_include_removal};
use crate::layer::{layers, read_text};
use crate::own_file::{own_paths, plan_own_removal};
use crate::server_entry::{is_server_file, plan_server_removal};
use crate::status_entry::plan_status_removal;
use crate::{FileEdit, Note, Plan, Reach, Site, UndoRecord};

/// Plans the removal. A file that is still exactly what Stead wrote gets its old bytes back; from any other only
/// Stead's lines are removed, and commands and agents that nobody changed. It works without a record too, since a teammate has
/// none.
pub fn plan_removal(site: &Site<'_>, harnesses: &[Harness], reach: Reach, record: &UndoRecord) -> Plan {
    let mut plan = Plan::default();
    // Before the lines, so that a folder created for both is empty in time.
    plan_own_removal(site, harnesses, reach, record, &mut plan);
    plan_include_removal(site, harnesses, reach, record, &mut plan);
    let mut others: Vec<PathBuf> =
        Harness::ALL.into_iter().flat_map(|harness| own_paths(site, harness, reach)).collect();
    others.extend(include_files(site, &Harness::ALL).into_iter().map(|(_, path)| path));
    for &harness in harnesses {
        for (path, shape) in candidates(site, harness, reach, record) {
            if others.contains(&path) {
                continue;
            }
            let shape = if is_server_file(site, harness, &path) { Shape::Groups } else { shape };
            match read_text(&path) {
                Ok(None) => {}
                Ok(Some(text)) => match way_back(site, record, &path, shape, &text) {
                    Ok(Some((after, folders))) => plan.edits.push(FileEdit {
                        harness,
                        path,
                        shape: Some(shape),
                        before: Some(text),
                        after,
                        folders,
                        is_removal: true,
                    }),
                    Ok(None) => {}
                    Err(why) => plan.notes.push(Note::Bad { harness, path, why }),
                },
                Err(why) => plan.notes.push(Note::Bad { harness, path, why }),
            }
        }
    }
    plan_server_removal(site, harnesses, reach, record, &mut plan);
    plan_status_removal(site, harnesses, reach, record, &mut plan);
    plan
}

/// The files that may contain lines of a client: those it reads, and those in the record.
fn candidates(site: &Site<'_>, harness: Harness, reach: Reach, record: &UndoRecord) -> Vec<(PathBuf, Shape)> {
    let install = &harness.client().facts.install;
    let mut found: Vec<(PathBuf, Shape)> =
        layers(site, harness, reach).into_iter().map(|layer| (layer.path, layer.shape)).collect();
    let remembered = record.files.iter().filter(|file| file.harness == harness.name());
    for path in remembered.map(|file| file.locate(site.root)) {
        if !found.iter().any(|(known, _)| *known == path) {
            found.push((path, install.shape));
        }
    }
    found
}

type After = (Option<String>, Vec<PathBuf>);

fn way_back(
    site: &Site<'_>,
    record: &UndoRecord,
    path: &Path,
    shape: Shape,
    text: &str,
) -> Result<Option<After>, String> {
    let known = record.file(site.root, path);
    let folders = known.map(|known| known.folders(site.root)).unwrap_or_default();
    if let Some(known) = known.filter(|known| known.is_intact(Some(text))) {
        return Ok(Some((known.before.clone(), folders)));
    }
    if !has_our_lines(shape, text) {
        return Ok(None);
    }
    let rest = match remove(shape, text) {
        Ok(Some(rest)) => rest,
        Ok(None) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    // A file that was created for our lines is deleted with them, if nobody added to it.
    let was_made_for_us = match known {
        Some(known) => known.before.is_none(),
        None => shape == Shape::Whole || path.file_stem().is_some_and(|stem| stem == "stead"),
    };
    let after = if was_made_for_us && is_bare(shape, &rest) { None } else { Some(rest) };
    Ok(Some((after, folders)))
}
