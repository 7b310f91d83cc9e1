use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::Person;

/// Stead's folders of one user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserDirs {
    /// Settings and guards, usually `~/.config/stead`.
    pub config: PathBuf,
    /// What outlives a project, usually `~/.local/share/stead`.
    pub data: PathBuf,
    /// What belongs to this machine only, usually `~/.local/state/stead`.
    pub state: PathBuf,
}

impl UserDirs {
    /// The folders of the person who works on a project: what the project remembers of them, else what the environment
    /// says.
    pub fn of_project(root: &Path, env: &dyn Fn(&str) -> Option<OsString>) -> Option<Self> {
        Self::of_person(Person::read(root).as_ref(), env)
    }

    /// The same for what the project remembers, read before.
    pub(crate) fn of_person(person: Option<&Person>, env: &dyn Fn(&str) -> Option<OsString>) -> Option<Self> {
        person.and_then(Person::dirs).or_else(|| Self::from_env(env))
    }

    /// Derives the folders from the environment; `None` if it names no home. A relative variable counts as unset, as
    /// the XDG specification demands.
    pub fn from_env(env: &dyn Fn(&str) -> Option<OsString>) -> Option<Self> {
        let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME").or_else(|| absolute("USERPROFILE"));
        let dir = |name: &str, fallback: &str| {
            let base = absolute(name).or_else(|| Some(home.as_ref()?.join(fallback)))?;
            Some(base.join("stead"))
        };
        Some(Self {
            config: dir("XDG_CONFIG_HOME", ".config")?,
            data: dir("XDG_DATA_HOME", ".local/share")?,
            state: dir("XDG_STATE_HOME", ".local/state")?,
        })
    }
}

/// Returns true if a folder is the home folder, or contains it.
pub fn holds_home(folder: &Path, env: &dyn Fn(&str) -> Option<OsString>) -> bool {
    let home = env("HOME").filter(|home| !home.is_empty()).or_else(|| env("USERPROFILE")).map(PathBuf::from);
    let real = |path: &Path| crate::os::real_path(path).unwrap_or_else(|_| path.to_owned());
    home.filter(|home| home.is_absolute()).is_some_and(|home| real(&home).starts_with(real(folder)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[track_caller]
    fn check(env: &[(&str, &str)], expected: Option<[&str; 3]>) {
        let dirs = UserDirs::from_env(&|name| {
            env.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        });
        let dirs = dirs.map(|dirs| [dirs.config, dirs.data, dirs.state]);
        assert_eq!(dirs, expected.map(|paths| paths.map(|path| Path::new(path).to_owned())));
    }

    #[test]
    fn folders_follow_the_environment() {
        let usual = ["/h/.config/stead", "/h/.local/share/stead", "/h/.local/state/stead"];
        check(&[("HOME", "/h")], Some(usual));
        check(&[], None);
        check(&[("HOME", "relative")], None);
        check(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "relative"), ("XDG_STATE_HOME", "")], Some(usual));
        check(&[("XDG_CONFIG_HOME", "/c"), ("XDG_DATA_HOME", "/d")], None);
        check(&[("HOME", "/h"), ("XDG_STATE_HOME", "/s")], Some([usual[0], usual[1], "/s/stead"]));
        check(
            &[("XDG_CONFIG_HOME", "/c"), ("XDG_DATA_HOME", "/d"), ("XDG_STATE_HOME", "/s")],
            Some(["/c/stead", "/d/stead", "/s/stead"]),
        );
    }
}
