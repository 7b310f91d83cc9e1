//! Where a person's folders are, as a project remembers it: the variables of the environment in which the person set the
//! project up or last ran a command there.
//!
//! The environment of a hook comes from the client and may be changed by whoever changes the client's settings. What is
//! recorded here was seen from the person, so it counts instead. It can only add rules, and a record that could have come
//! with the repository is not used.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use stead_client::Harness;
use stead_model::Base;

use crate::file::read_capped;
use crate::{Durability, Exact, StoreError, UserDirs, os, replace_creating, reserve_private};

/// The variable that says where programs are.
const PATH: &str = "PATH";

const FIRST_LINE: &str = "stead-person\t1";

/// A record holds a few paths; anything larger is not one.
const LIMIT: usize = 64 * 1024;

/// What a project remembers about the environment of one person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    values: Vec<(String, String)>,
}

impl Person {
    /// The variables that name a person's own folders. What was recorded counts instead of the environment, also if a
    /// variable was unset.
    pub const FOLDERS: [&str; 5] = ["HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

    /// How the names of the records begin; the person's number on this machine follows.
    pub const FILE: &str = ".agent/cache/person-";

    /// The record of whoever runs this process.
    pub fn path(root: &Path) -> PathBuf {
        root.join(format!("{}{}", Self::FILE, os::user_id()))
    }

    /// What there is to record of an environment; `None` if it names no home, or names one inside the project.
    pub fn of_env(root: &Path, env: &dyn Fn(&str) -> Option<OsString>) -> Option<Self> {
        let known = |name: &str| {
            let value = env(name)?.into_string().ok().filter(|value| !value.contains(['\n', '\0']))?;
            (!value.is_empty()).then(|| (name.to_owned(), value))
        };
        let names = Person::FOLDERS.into_iter().chain([PATH]).chain(client_variables());
        let person = Self { values: names.filter_map(known).collect() };
        person.is_plausible(root).then_some(person)
    }

    /// Reads the record of a project. `None` if there is none, or if it may not be this person's: it could have come with
    /// the repository, was made for another folder, or names folders in the project or of another user.
    pub fn read(root: &Path) -> Option<Self> {
        let path = Self::path(root);
        let is_own = |data: &fs::Metadata| data.is_file() && os::is_private(data);
        fs::symlink_metadata(&path).ok().filter(is_own)?;
        let text = String::from_utf8(read_capped(&path, LIMIT).ok()??).ok()?;
        let mut lines = text.strip_suffix("\nend\n")?.lines();
        let is_ours = lines.next()? == FIRST_LINE && lines.next()?.strip_prefix("root\t")? == real(root).to_str()?;
        let split = |line: &str| line.split_once('\t').map(|(name, value)| (name.to_owned(), value.to_owned()));
        let person = Self { values: lines.filter_map(split).collect() };
        (is_ours && person.is_plausible(root)).then_some(person)
    }

    /// Stores the record, readable by its owner only. An equal one is not touched.
    pub fn keep(&self, root: &Path) -> Result<(), StoreError> {
        if Self::read(root).as_ref() == Some(self) {
            return Ok(());
        }
        let real = real(root);
        // A root that is not text cannot be written in a line; without a record the environment counts.
        let Some(named) = real.to_str().filter(|named| !named.contains('\n')) else { return Ok(()) };
        let mut text = format!("{FIRST_LINE}\nroot\t{named}\n");
        for (name, value) in &self.values {
            text.push_str(&format!("{name}\t{value}\n"));
        }
        text.push_str("end\n");
        let path = Self::path(root);
        // Whatever is there keeps neither its mode nor a link.
        let is_private = |data: &fs::Metadata| data.is_file() && os::is_private(data);
        if fs::symlink_metadata(&path).is_ok_and(|data| !is_private(&data)) {
            let _ = fs::remove_file(&path);
        }
        crate::create_parents(&path)?;
        reserve_private(&path)?;
        replace_creating(&path, Exact::Own.bytes(&text), Durability::Quick)
    }

    /// A recorded variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The person's own folders.
    pub fn dirs(&self) -> Option<UserDirs> {
        UserDirs::from_env(&|name| self.get(name).map(OsString::from))
    }

    /// The recorded values of the variables that name the person's folders, where they differ from an environment. What
    /// was unset is empty.
    pub fn differing(&self, env: &dyn Fn(&str) -> Option<OsString>) -> Vec<(&'static str, &str)> {
        let differs = |name: &&str| env(name).unwrap_or_default() != self.get(name).unwrap_or_default();
        Person::FOLDERS.into_iter().filter(differs).map(|name| (name, self.get(name).unwrap_or_default())).collect()
    }

    /// An environment in which the person's folders are the recorded ones.
    pub fn env<'a>(&'a self, env: &'a dyn Fn(&str) -> Option<OsString>) -> impl Fn(&str) -> Option<OsString> + use<'a> {
        |name| if Person::FOLDERS.contains(&name) { self.get(name).map(OsString::from) } else { env(name) }
    }

    /// Returns true if the folders can be a person's: of this user, and outside the project.
    fn is_plausible(&self, root: &Path) -> bool {
        let real_root = real(root);
        let is_inside = |path: &Path| path.starts_with(root) || path.starts_with(&real_root);
        let is_own = |folder: &Path| {
            let existing = folder.ancestors().find_map(|dir| Some((os::real_path(dir).ok()?, fs::metadata(dir).ok()?)));
            !is_inside(folder) && existing.is_some_and(|(dir, data)| !is_inside(&dir) && os::is_owned(&data))
        };
        self.dirs().is_some_and(|dirs| [dirs.config, dirs.data, dirs.state].iter().all(|dir| is_own(dir)))
    }
}

/// The variables that move the folders of clients.
fn client_variables() -> impl Iterator<Item = &'static str> {
    let files = Harness::ALL.into_iter().flat_map(|harness| harness.client().facts.settings);
    let mut names: Vec<&str> = files
        .filter_map(|file| match file.spot.base {
            Base::Var { name, .. } if !name.is_empty() && !Person::FOLDERS.contains(&name) => Some(name),
            _ => None,
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter()
}

fn real(path: &Path) -> PathBuf {
    os::real_path(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    struct World {
        folder: tempfile::TempDir,
    }

    impl World {
        fn new() -> Self {
            let world = Self { folder: tempfile::tempdir().unwrap() };
            for dir in ["project/.agent", "home", "other"] {
                fs::create_dir_all(world.at(dir)).unwrap();
            }
            world
        }

        fn at(&self, path: &str) -> PathBuf {
            fs::canonicalize(self.folder.path()).unwrap().join(path)
        }

        fn root(&self) -> PathBuf {
            self.at("project")
        }

        /// A folder of another user.
        fn foreign(&self) -> PathBuf {
            if os::user_id() != 0 {
                return PathBuf::from("/");
            }
            let foreign = self.at("foreign");
            fs::create_dir(&foreign).unwrap();
            std::os::unix::fs::chown(&foreign, Some(12_345), None).unwrap();
            foreign
        }

        fn person(&self, values: &[(&str, &str)]) -> Option<Person> {
            let values: Vec<(String, OsString)> =
                values.iter().map(|(name, path)| ((*name).to_owned(), self.at(path).into())).collect();
            Person::of_env(&self.root(), &move |name| {
                values.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
            })
        }
    }

    #[test]
    fn what_was_seen_is_read_again_and_counts_instead_of_the_environment() {
        let world = World::new();
        let root = world.root();
        assert_eq!(Person::read(&root), None);
        let person = world.person(&[("HOME", "home"), ("XDG_STATE_HOME", "other/state"), ("TERM", "x")]).unwrap();
        person.keep(&root).unwrap();
        let read = Person::read(&root).unwrap();
        assert_eq!(read, person);
        assert_eq!(read.get("TERM"), None);
        let hostile = |name: &str| Some(OsString::from(format!("/evil/{name}")));
        let env = read.env(&hostile);
        assert_eq!(env("HOME"), Some(world.at("home").into()));
        assert_eq!(env("XDG_CONFIG_HOME"), None);
        assert_eq!(env("XDG_STATE_HOME"), Some(world.at("other/state").into()));
        assert_eq!(env("TERM"), Some("/evil/TERM".into()));
        assert_eq!(read.dirs().unwrap().config, world.at("home/.config/stead"));
        assert_eq!(read.differing(&hostile).len(), Person::FOLDERS.len());
        assert_eq!(read.differing(&|name| read.get(name).map(OsString::from)), []);
    }

    #[test]
    fn a_record_that_may_have_come_with_the_repository_is_not_used() {
        let world = World::new();
        let root = world.root();
        let record = Person::path(&root);
        let keep = || world.person(&[("HOME", "home")]).unwrap().keep(&root).unwrap();
        keep();
        let text = fs::read_to_string(&record).unwrap();
        let spoil = |name: &str, change: &dyn Fn()| {
            keep();
            assert!(Person::read(&root).is_some(), "{name}");
            change();
            assert_eq!(Person::read(&root), None, "{name}");
            // The person's next command repairs it.
            keep();
            assert!(Person::read(&root).is_some(), "{name}");
        };
        let home = world.at("home").display().to_string();
        let inside = root.join("home").display().to_string();
        spoil("readable by others", &|| fs::set_permissions(&record, fs::Permissions::from_mode(0o644)).unwrap());
        spoil("for another folder", &|| fs::write(&record, text.replace("/project\n", "/clone\n")).unwrap());
        spoil("a home in the project", &|| fs::write(&record, text.replace(&home, &inside)).unwrap());
        let foreign = world.foreign().display().to_string();
        spoil("a home of another user", &|| fs::write(&record, text.replace(&home, &foreign)).unwrap());
        spoil("no home", &|| fs::write(&record, text.replace("HOME\t", "HOUSE\t")).unwrap());
        spoil("a later version", &|| fs::write(&record, text.replace("person\t1", "person\t2")).unwrap());
        spoil("torn", &|| fs::write(&record, text.trim_end()).unwrap());
        spoil("a link", &|| {
            let elsewhere = world.at("other/record");
            fs::rename(&record, &elsewhere).unwrap();
            symlink(&elsewhere, &record).unwrap();
        });
    }

    #[test]
    fn a_home_that_cannot_be_the_persons_is_not_recorded() {
        let world = World::new();
        assert_eq!(world.person(&[]), None);
        assert_eq!(world.person(&[("HOME", "project/home")]), None);
        symlink(world.root(), world.at("other/link")).unwrap();
        assert_eq!(world.person(&[("HOME", "other/link/home")]), None);
        assert_eq!(world.person(&[("HOME", "home"), ("XDG_STATE_HOME", "project/state")]), None);
        assert!(world.person(&[("HOME", "other/new/home")]).is_some());
    }
}
