//! Settings in layers: defaults, the user's file, the project's, this checkout's, the environment and the command line.
//! A stronger layer overrides a weaker one, and each value remembers where it was set. For gates the strictest layer
//! counts: no layer loosens what the person set, and only a trusted project loosens a default. A broken layer is reported
//! and skipped, so that the others still apply. It never decides what a setting means.

mod edit;
mod key;
mod layers;
mod loosening;
mod origin;
mod parse;
mod problem;
mod refusal;
mod trusted;
mod value;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) use edit::set_values;
pub use edit::{Edited, set_value, unset_value};
pub use origin::{Layer, Origin};
pub use problem::Problem;
pub use refusal::{Because, NotTaken};
pub use trusted::trust_file;
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
    /// What other layers set in vain.
    pub not_taken: Vec<NotTaken>,
    /// What a project may not loosen by itself: what the person set, else the default.
    floor: (Value, Origin),
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
            let floor = (value.clone(), origin.clone());
            Entry { key: key.name, value, origin, about: key.about, not_taken: Vec::new(), floor }
        };
        Self { entries: KEYS.iter().map(entry).collect() }
    }
}

impl Config {
    /// Reads all layers; without a root, only those that need none. `flags` are `key=value` settings of a command line.
    /// It does not fail: whatever cannot be read becomes a [`Problem`], and the layers below apply.
    pub fn load(root: Option<&Path>, env: &dyn Fn(&str) -> Option<OsString>, flags: &[String]) -> (Self, Vec<Problem>) {
        Self::load_with(root, env, flags, &[])
    }

    /// The same, and no gate is looser than with the sealed texts of these files.
    pub fn load_sealed(
        root: Option<&Path>,
        env: &dyn Fn(&str) -> Option<OsString>,
        flags: &[String],
        sealed: &[(PathBuf, String)],
    ) -> (Self, Vec<Problem>) {
        let (mut config, problems) = Self::load(root, env, flags);
        if !sealed.is_empty() {
            config.take_stricter(Self::load_with(root, env, flags, sealed).0);
        }
        (config, problems)
    }

    fn load_with(
        root: Option<&Path>,
        env: &dyn Fn(&str) -> Option<OsString>,
        flags: &[String],
        instead: &[(PathBuf, String)],
    ) -> (Self, Vec<Problem>) {
        let mut config = Self::default();
        let mut problems = Vec::new();
        let is_trusted = |file: &Path| root.is_some_and(|root| trusted::is_trusted_config(root, file, env));
        for parsed in layers::read(root, env, flags, instead) {
            problems.extend(parsed.problems);
            for setting in parsed.settings {
                let is_elsewhere = !matches!(setting.origin.layer, Layer::User | Layer::Default);
                if is_elsewhere && Key::find(setting.key).is_some_and(Key::is_personal) {
                    let message = format!("`{}` counts only in your own settings and is ignored here", setting.key);
                    let hint = format!("set it with `stead config set --user {} …`", setting.key);
                    problems.push(Problem::warning(&setting.origin, message).hinted(hint));
                    continue;
                }
                match parsed.is_other_user {
                    true => config.tighten(setting),
                    false => config.put(setting, &is_trusted),
                }
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

    /// Returns a list. Asking for a setting that is not a list is a programming error and returns an empty one.
    pub fn list(&self, key: &str) -> Vec<String> {
        match self.find(key).map(|entry| &entry.value) {
            Some(Value::List(values)) => values.clone(),
            other => {
                debug_assert!(false, "`{key}` is not a list but {other:?}");
                Vec::new()
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

    /// Returns true if a layer that sets this value, or removes its value, may loosen a gate.
    pub fn may_loosen(key: &str, typed: Option<&str>) -> bool {
        Key::find(key).is_some_and(|key| key.may_loosen(typed))
    }

    /// Returns true if it matters to a gate whether a person trusts the project's settings.
    pub fn depends_on_trust(&self) -> bool {
        self.entries.iter().any(|entry| {
            let untrusted = entry.not_taken.iter().any(|refused| refused.because == Because::Untrusted);
            let is_by_project = matches!(entry.origin.layer, Layer::Project | Layer::Local);
            untrusted || (is_by_project && entry.floor.1.layer == Layer::Default && entry.value != entry.floor.0)
        })
    }

    fn find(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// Takes over a value, unless it would loosen a gate and may not.
    fn put(&mut self, setting: parse::Setting, is_trusted: &dyn Fn(&Path) -> bool) {
        let Some(key) = Key::find(setting.key) else { return };
        let because = self.refuses(key, &setting, is_trusted);
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.key == setting.key) else { return };
        let parse::Setting { value, origin, .. } = setting;
        match because {
            Some(because) => entry.not_taken.push(NotTaken { value, origin, because }),
            None => {
                if origin.layer == Layer::User {
                    entry.floor = (value.clone(), origin.clone());
                }
                (entry.value, entry.origin) = (value, origin);
            }
        }
    }

    /// Takes over a value of a file that may not be the person's: only if it is a gate, and stricter.
    fn tighten(&mut self, setting: parse::Setting) {
        let Some(key) = Key::find(setting.key) else { return };
        let Some(entry) = self.entries.iter_mut().find(|entry| entry.key == setting.key) else { return };
        let parse::Setting { value, origin, .. } = setting;
        if key.strictness(&value) > key.strictness(&entry.value) {
            entry.floor = (value.clone(), origin.clone());
            (entry.value, entry.origin) = (value, origin);
        } else if value != entry.value {
            entry.not_taken.push(NotTaken { value, origin, because: Because::OtherUser });
        }
    }

    /// Why a layer may not set a gate to this value.
    fn refuses(&self, key: &Key, setting: &parse::Setting, is_trusted: &dyn Fn(&Path) -> bool) -> Option<Because> {
        let new = key.strictness(&setting.value)?;
        let entry = self.find(key.name)?;
        match setting.origin.layer {
            Layer::Default | Layer::User => None,
            Layer::Project | Layer::Local => {
                let (floor, set) = &entry.floor;
                match set.layer {
                    _ if Some(new) >= key.strictness(floor) => None,
                    Layer::Default => {
                        let file = setting.origin.file.as_deref();
                        (!file.is_some_and(is_trusted)).then_some(Because::Untrusted)
                    }
                    _ => Some(Because::Person(set.clone())),
                }
            }
            layer @ (Layer::Env | Layer::Flag) => {
                (Some(new) < key.strictness(&entry.value)).then_some(Because::Passing(layer))
            }
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
