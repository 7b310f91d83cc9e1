//! Settings in layers: defaults, the user's file, the project's, this checkout's, the environment and the command line.
//! A stronger layer overrides a weaker one, and each value remembers where it was set. A broken layer is reported and
//! skipped, so that the others still apply. It never decides what a setting means.

mod edit;
mod key;
mod layers;
mod origin;
mod parse;
mod problem;
mod value;

use std::ffi::OsString;
use std::path::Path;

pub(crate) use edit::set_values;
pub use edit::{Edited, set_value, unset_value};
pub use origin::{Layer, Origin};
pub use problem::Problem;
pub(crate) use value::Value;

use crate::{MARKER, Room, StoreError};
use key::{KEYS, Key};

/// One setting: its effective value, where it was set and what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub key: &'static str,
    pub value: Value,
    pub origin: Origin,
    pub about: &'static str,
}

/// All settings, each with the value of the strongest layer that sets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// In the order of [`KEYS`].
    entries: Vec<Entry>,
}

impl Default for Config {
    fn default() -> Self {
        let mut defaults = parse::defaults();
        let entry = |key: &Key| {
            let found = defaults.iter().position(|setting| setting.key == key.name);
            // A test keeps the table and the file of defaults in step.
            let (value, origin) = match found.map(|at| defaults.swap_remove(at)) {
                Some(setting) => (setting.value, setting.origin),
                None => (Value::Text(String::new()), Origin::layer(Layer::Default)),
            };
            Entry { key: key.name, value, origin, about: key.about }
        };
        Self { entries: KEYS.iter().map(entry).collect() }
    }
}

impl Config {
    /// Reads all layers; without a root, only those that need none. `flags` are `key=value` settings of a command line.
    /// It does not fail: whatever cannot be read becomes a [`Problem`], and the layers below apply.
    pub fn load(root: Option<&Path>, env: &dyn Fn(&str) -> Option<OsString>, flags: &[String]) -> (Self, Vec<Problem>) {
        let mut config = Self::default();
        let mut problems = Vec::new();
        for parsed in layers::read(root, env, flags) {
            problems.extend(parsed.problems);
            for setting in parsed.settings {
                config.put(setting);
            }
        }
        config.part_rooms(&mut problems);
        (config, problems)
    }

    /// Returns a switch. Asking for a setting that is not a switch is a programming error and returns false.
    pub fn bool(&self, key: &str) -> bool {
        match self.find(key).map(|entry| &entry.value) {
            Some(Value::Bool(value)) => *value,
            other => {
                debug_assert!(false, "`{key}` is not a switch but {other:?}");
                false
            }
        }
    }

    /// Returns a text. Asking for a setting that is not a text is a programming error and returns an empty one.
    pub fn text(&self, key: &str) -> &str {
        match self.find(key).map(|entry| &entry.value) {
            Some(Value::Text(value)) => value,
            other => {
                debug_assert!(false, "`{key}` is not a text but {other:?}");
                ""
            }
        }
    }

    /// Returns a number. Asking for a setting that is not a number is a programming error and returns 0.
    pub fn number(&self, key: &str) -> u64 {
        match self.find(key).map(|entry| &entry.value) {
            Some(Value::Number(value)) => *value,
            other => {
                debug_assert!(false, "`{key}` is not a number but {other:?}");
                0
            }
        }
    }

    /// Returns a setting by a name that a person typed.
    pub fn get(&self, key: &str) -> Result<&Entry, StoreError> {
        self.find(key).ok_or_else(|| Key::unknown(key))
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns true if any layer above the defaults sets this value.
    pub fn is_set(&self, key: &str) -> bool {
        self.find(key).is_some_and(|entry| entry.origin.layer != Layer::Default)
    }

    fn find(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    fn put(&mut self, setting: parse::Setting) {
        if let Some(entry) = self.entries.iter_mut().find(|entry| entry.key == setting.key) {
            entry.value = setting.value;
            entry.origin = setting.origin;
        }
    }

    /// Resets rooms to their default if they overlap another room, or if deleting the cache would then delete more than
    /// the cache.
    fn part_rooms(&mut self, problems: &mut Vec<Problem>) {
        let defaults = Self::default();
        while let Some((room, there)) = self.clash() {
            let Some(at) = self.entries.iter().position(|entry| entry.key == room.key()) else { return };
            let entry = &mut self.entries[at];
            let message = format!("`{}` cannot be `{}`: it overlaps `{there}`", room.key(), entry.value);
            problems.push(Problem::error(&entry.origin, message).hinted("give each room a folder of its own"));
            *entry = defaults.entries[at].clone();
        }
    }

    /// Finds a moved room that overlaps another one, and names that one.
    fn clash(&self) -> Option<(Room, &'static str)> {
        let cache = self.text(Room::Cache.key());
        if self.is_set(Room::Cache.key()) && holds(cache, MARKER) {
            return Some((Room::Cache, MARKER));
        }
        // From the last one on: the cache is reset first.
        let pairs = Room::ALL.into_iter().rev().flat_map(|one| Room::ALL.map(|other| (one, other)));
        pairs.filter(|(one, other)| one != other && self.is_set(one.key())).find_map(|(one, other)| {
            let (place, taken) = (self.text(one.key()), self.text(other.key()));
            let mixed = [one, other].contains(&Room::Cache) && (holds(place, taken) || holds(taken, place));
            (place == taken || mixed).then_some((one, other.key()))
        })
    }
}

/// Returns true if the first path is a folder above the second.
fn holds(outer: &str, inner: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests;
