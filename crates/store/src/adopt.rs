use std::fs;
use std::path::Path;

use crate::Room;

/// A folder that already serves a room's purpose and stays where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adopted {
    pub room: Room,
    /// Relative to the project root.
    pub path: &'static str,
    /// What was recognised in it.
    pub because: String,
}

/// Finds the folders in which earlier tools kept what a room holds.
pub fn adopt(root: &Path) -> Vec<Adopted> {
    let found = [
        is_dir(root, Room::Intents, ".orchestration"),
        holds(root, Room::Roles, "session/agents", &|entry| entry.to_string_lossy().ends_with(".context.md")),
        is_dir(root, Room::Features, ".claude/progress"),
        holds(root, Room::Stages, "scripts/loops", &|entry| entry.join("loop.yaml").is_file()),
        holds(root, Room::Pipelines, "scripts/pipelines", &|entry| {
            entry.is_file() && entry.extension().is_some_and(|ending| ending == "yaml" || ending == "yml")
        }),
    ];
    found.into_iter().flatten().collect()
}

fn is_dir(root: &Path, room: Room, path: &'static str) -> Option<Adopted> {
    root.join(path).is_dir().then(|| Adopted { room, path, because: format!("`{path}` exists") })
}

/// Finds the first entry, by name, that shows what the folder is for.
fn holds(root: &Path, room: Room, path: &'static str, fits: &dyn Fn(&Path) -> bool) -> Option<Adopted> {
    let mut entries: Vec<_> =
        fs::read_dir(root.join(path)).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    let entry = entries.into_iter().find(|entry| fits(entry))?;
    let name = entry.file_name()?.to_string_lossy();
    Some(Adopted { room, path, because: format!("`{path}` holds `{name}`") })
}
