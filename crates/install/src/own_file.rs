//! A file that is entirely Stead's: a command, an agent or a skill. A file of the same name that belongs to somebody else,
//! or that somebody changed, is never touched.

use std::path::{Path, PathBuf};

use stead_client::{Harness, Scope};
use stead_model::{Shape, Spot};
use stead_settings::has_our_lines;

use crate::agent_file::agent_paths;
use crate::command_file::files;
use crate::layer::{layers, read_text};
use crate::signature::{Ownership, ownership};
use crate::{FileEdit, Note, Plan, Reach, Site, UndoRecord};

pub(crate) const CHANGED: &str = "it was changed after Stead wrote it; delete it to remove or recreate it";

/// Returns why such files cannot be installed for a client, if they cannot.
pub(crate) fn obstacle(site: &Site<'_>, scope: Scope, what: &str) -> Option<String> {
    match scope {
        Scope::Local => Some(format!(
            "{what} cannot be installed for this checkout only; install them for the project or with `--user`"
        )),
        Scope::User if site.home().is_none() => Some("there is no home folder ($HOME is not set)".to_owned()),
        _ => None,
    }
}

/// Finds a file with `{name}` in its path.
pub(crate) fn locate(site: &Site<'_>, reach: Reach, project: &str, user: Spot<'static>, name: &str) -> Option<PathBuf> {
    match reach {
        Reach::Project => Some(site.root.join(project.replace("{name}", name))),
        Reach::User => site.resolve(Spot { base: user.base, path: &user.path.replace("{name}", name) }),
    }
}

/// Plans to write a file, unless it is there or is not ours.
pub(crate) fn plan_file(harness: Harness, path: PathBuf, wanted: String, plan: &mut Plan) {
    if plan.has(&path) {
        return;
    }
    match read_text(&path) {
        Ok(Some(text)) if text == wanted => {}
        Ok(Some(text)) if ownership(&text) == Ownership::Foreign => {
            plan.notes.push(Note::Kept { harness, path, why: "another file with this name exists" });
        }
        Ok(Some(text)) if ownership(&text) == Ownership::Changed => {
            plan.notes.push(Note::Kept { harness, path, why: CHANGED });
        }
        Ok(before) => plan.edits.push(whole(harness, path, before, Some(wanted))),
        Err(why) => plan.notes.push(Note::Bad { harness, path, why }),
    }
}

/// An edit of a file that is entirely Stead's.
pub(crate) fn whole(harness: Harness, path: PathBuf, before: Option<String>, after: Option<String>) -> FileEdit {
    let is_removal = after.is_none();
    FileEdit { harness, path, shape: Some(Shape::Whole), before, after, folders: Vec::new(), is_removal }
}

/// The files of a client within reach that would be Stead's, existing or not.
pub(crate) fn own_paths(site: &Site<'_>, harness: Harness, reach: Reach) -> Vec<PathBuf> {
    let commands = files(site, harness, reach).into_iter().map(|(_, path)| path);
    commands.chain(agent_paths(site, harness, reach)).collect()
}

/// Plans to remove them. A file that other clients share stays while one of them has lines.
pub(crate) fn plan_own_removal(
    site: &Site<'_>,
    harnesses: &[Harness],
    reach: Reach,
    record: &UndoRecord,
    plan: &mut Plan,
) {
    for &harness in harnesses {
        for path in own_paths(site, harness, reach) {
            if plan.has(&path) || is_used_elsewhere(site, &path, harnesses, reach) {
                continue;
            }
            match read_text(&path) {
                Ok(Some(text)) => match ownership(&text) {
                    Ownership::Ours => {
                        let folders = folders(site, record, &path);
                        plan.edits.push(FileEdit { folders, ..whole(harness, path, Some(text), None) });
                    }
                    Ownership::Changed => plan.notes.push(Note::Kept { harness, path, why: CHANGED }),
                    Ownership::Foreign => {}
                },
                Ok(None) => {}
                Err(why) => plan.notes.push(Note::Bad { harness, path, why }),
            }
        }
    }
}

/// The folders that are removed with a file: those in the record, else the one that was created for it alone.
fn folders(site: &Site<'_>, record: &UndoRecord, path: &Path) -> Vec<PathBuf> {
    let named = |dir: &Path| dir.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let own = path
        .parent()
        .filter(|dir| path.ends_with("SKILL.md") || named(dir) == "stead" || named(dir).starts_with("stead-"));
    match record.file(site.root, path) {
        Some(known) => known.folders(site.root),
        None => own.map(Path::to_owned).into_iter().collect(),
    }
}

fn is_used_elsewhere(site: &Site<'_>, path: &Path, leaving: &[Harness], reach: Reach) -> bool {
    let others = Harness::ALL.into_iter().filter(|harness| !leaving.contains(harness));
    others
        .filter(|harness| own_paths(site, *harness, reach).iter().any(|used| used == path))
        .any(|harness| has_lines(site, harness))
}

/// Returns true if a client has lines of ours in any of its settings.
fn has_lines(site: &Site<'_>, harness: Harness) -> bool {
    let layers = [Reach::Project, Reach::User].into_iter().flat_map(|reach| layers(site, harness, reach));
    layers
        .into_iter()
        .any(|layer| read_text(&layer.path).ok().flatten().is_some_and(|text| has_our_lines(layer.shape, &text)))
}
