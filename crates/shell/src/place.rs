use std::ffi::OsString;
use std::path::{Path, PathBuf};

use stead_model::Base;

use crate::path;

/// Where an event happens: the project, the agent's folder, and the environment that names base folders.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    /// The project root; without one, only the rules for user-level files apply.
    pub root: Option<&'a Path>,
    /// The project in the checkout that the agent works in, if that is not the root. It may be inside the root.
    pub tree: Option<&'a Path>,
    /// Other trees, of this project and of others, that the call concerns: the project's rules apply in them, too.
    pub others: &'a [PathBuf],
    /// Relative paths of the event start here.
    pub cwd: &'a Path,
    /// Returns `HOME` and the variables that move a client's folder.
    pub env: &'a dyn Fn(&str) -> Option<OsString>,
}

impl Place<'_> {
    pub fn home(&self) -> Option<PathBuf> {
        self.folder("HOME")
    }

    /// Returns every folder a base may mean. A variable does not hide its fallback: the next call may run without it.
    pub fn folders(&self, base: Base<'_>) -> Vec<PathBuf> {
        match base {
            Base::Project => {
                let own = self.root.into_iter().chain(self.tree).map(Path::to_path_buf);
                own.chain(self.others.iter().cloned()).collect()
            }
            Base::Home => self.home().into_iter().collect(),
            Base::Var { name, fallback } => {
                let below_home = match Path::new(fallback) {
                    whole if whole.is_absolute() => Some(whole.to_owned()),
                    below => self.home().map(|home| home.join(below)),
                };
                self.folder(name).into_iter().chain(below_home).collect()
            }
        }
    }

    fn folder(&self, variable: &str) -> Option<PathBuf> {
        let folder = PathBuf::from((self.env)(variable)?);
        folder.is_absolute().then(|| path::clean(&folder))
    }
}
