use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::{Config, OWN, Room, confine, keep_private};

/// Where each room is, relative to the project root, with forward slashes. The marker and `config.toml` never move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    paths: [Cow<'static, str>; Room::ALL.len()],
}

impl Default for Layout {
    fn default() -> Self {
        Self { paths: Room::ALL.map(|room| Cow::Borrowed(room.default_path())) }
    }
}

impl Layout {
    /// Takes the paths from the settings, which were checked when they were loaded.
    pub fn of(config: &Config) -> Self {
        Self { paths: Room::ALL.map(|room| Cow::Owned(config.text(room.key()).to_owned())) }
    }

    /// Takes the paths of rooms that are not in their default places from whoever knows them.
    pub fn with<'p>(path: impl Fn(Room) -> Option<&'p str>) -> Self {
        let place =
            |room: Room| path(room).map_or(Cow::Borrowed(room.default_path()), |path| Cow::Owned(path.to_owned()));
        Self { paths: Room::ALL.map(place) }
    }

    /// Moves a room to a path that is known to be valid.
    pub(crate) fn place(&mut self, room: Room, path: &'static str) {
        self.paths[room as usize] = Cow::Borrowed(path);
    }

    /// The room's path, relative to the root.
    pub fn relative(&self, room: Room) -> &str {
        &self.paths[room as usize]
    }

    pub fn dir(&self, root: &Path, room: Room) -> PathBuf {
        root.join(self.relative(room))
    }

    /// The folders that only their owner may enter, relative to the root: what is in them is private to this checkout.
    pub fn private(&self) -> Vec<String> {
        let context = self.relative(Room::Context);
        let rooms = [Room::Cache, Room::Runs, Room::Graph].map(|room| self.relative(room).to_owned());
        let parts = ["indexes", "scratch", "packets", "loops"].map(|name| format!("{context}/{name}"));
        rooms.into_iter().chain(parts).collect()
    }

    /// Keeps writers inside the project, and private folders private.
    pub fn confine(&self, root: &Path) {
        confine(root, OWN);
        Room::ALL.into_iter().for_each(|room| confine(root, self.relative(room)));
        self.private().iter().for_each(|folder| keep_private(root, folder));
    }
}

/// Normalises a room's path, or says why it is invalid: it must stay inside the project on every operating system, and
/// away from the files that never move.
pub(crate) fn check_place(place: &str) -> Result<String, &'static str> {
    if place.trim().is_empty() {
        return Err("it is empty");
    }
    if place.contains(['\\', '\0', '\n']) {
        return Err("use `/` as the path separator");
    }
    if place.starts_with('/') || place.starts_with('~') || place.get(1..2) == Some(":") {
        return Err("it must be relative to the project root");
    }
    let mut parts = Vec::new();
    for part in place.split('/') {
        match part {
            "" | "." => {}
            ".." => return Err("it leaves the project through `..`"),
            part => parts.push(part),
        }
    }
    match parts.as_slice() {
        [] => Err("it is the project root itself"),
        [".git", ..] => Err("it is inside git's own folder"),
        [".agent"] => Err("`.agent` contains the other folders"),
        _ => Ok(parts.join("/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(place: &str, expected: Result<&str, &str>) {
        assert_eq!(check_place(place).as_deref(), expected.as_deref(), "{place:?}");
    }

    #[test]
    fn places_stay_inside_the_project() {
        check(".orchestration", Ok(".orchestration"));
        check("./session//agents/", Ok("session/agents"));
        check("a/./b", Ok("a/b"));
        check("ünïcode dir", Ok("ünïcode dir"));
        check("..name", Ok("..name"));
        check("", Err("it is empty"));
        check("  ", Err("it is empty"));
        check(".", Err("it is the project root itself"));
        check(".//.", Err("it is the project root itself"));
        check("../x", Err("it leaves the project through `..`"));
        check("a/../../x", Err("it leaves the project through `..`"));
        check("/etc", Err("it must be relative to the project root"));
        check("~/x", Err("it must be relative to the project root"));
        check("C:/x", Err("it must be relative to the project root"));
        check("a\\b", Err("use `/` as the path separator"));
        check(".git/hooks", Err("it is inside git's own folder"));
        check("./.agent/", Err("`.agent` contains the other folders"));
    }

    #[test]
    fn rooms_are_where_their_names_say() {
        let layout = Layout::default();
        for room in Room::ALL {
            assert_eq!(layout.relative(room), format!(".agent/{}", room.name()));
        }
        assert_eq!(layout.dir(Path::new("/p"), Room::Cache), Path::new("/p/.agent/cache"));
    }
}
