//! Where the programs of this machine and of a project lie. A file that is only called like a test runner is none.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use stead_shell::TOOL_FOLDERS;

/// Programs that projects carry themselves, wherever they lie in it.
const CARRIED: &[&str] =
    &["gradlew", "gradlew.bat", "mvnw", "mvnw.cmd", "rails", "rake", "rspec", "bundle", "phpunit", "pest", "manage.py"];

/// Finds programs that are named with their folder.
#[derive(Clone, Copy)]
pub(crate) struct Tools<'a> {
    pub(crate) root: &'a Path,
    pub(crate) env: fn(&str) -> Option<OsString>,
}

impl<'a> Tools<'a> {
    /// Those of a project and of PATH, as this process has it: a hook has it from the client, as the shell does.
    pub(crate) fn of(root: &'a Path) -> Self {
        Self { root, env: |name| std::env::var_os(name) }
    }

    /// Says whether the program is what its name says: found by PATH, or a tool that projects have.
    pub(crate) fn has(&self, program: &str) -> bool {
        if !program.contains(['/', '\\']) {
            return true;
        }
        let program = program.replace('\\', "/");
        let below_home = program.strip_prefix("~/").or(program.strip_prefix("$HOME/"));
        let path = match (below_home, (self.env)("HOME")) {
            (Some(rest), Some(home)) => Path::new(&home).join(rest),
            _ => stead_model::clean(Path::new(&program)),
        };
        let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
            return false;
        };
        if self.on_path().any(|known| known == folder) {
            return true;
        }
        let inside = if path.is_absolute() { folder.strip_prefix(self.root).ok() } else { Some(folder) };
        inside.is_some_and(|inside| CARRIED.contains(&name) || TOOL_FOLDERS.iter().any(|known| inside.ends_with(known)))
    }

    /// The first folder of a changed PATH in which agents write: one of the project's, unless its package manager fills
    /// it, a temporary one, or one that is not known.
    pub(crate) fn leads_astray<'p>(&self, path: &'p str) -> Option<&'p str> {
        let own: Vec<PathBuf> = self.on_path().collect();
        path.split(':').find(|folder| match Path::new(folder) {
            folder if own.iter().any(|known| known == folder) => false,
            // What PATH was before, where nobody knows it.
            _ if *folder == "…" && own.is_empty() => false,
            _ if folder.contains('…') => true,
            folder if !folder.is_absolute() => true,
            folder => match stead_model::clean(folder).strip_prefix(self.root) {
                Ok(inside) => !TOOL_FOLDERS.iter().any(|known| inside.ends_with(known)),
                Err(_) => self.is_temporary(&stead_model::clean(folder)),
            },
        })
    }

    fn is_temporary(&self, folder: &Path) -> bool {
        let named = ["TMPDIR", "TEMP", "TMP"].iter().filter_map(|name| (self.env)(name)).map(PathBuf::from);
        let usual = ["/tmp", "/var/tmp", "/private/tmp"].map(PathBuf::from);
        named.chain(usual).any(|temporary| temporary.is_absolute() && folder.starts_with(temporary))
    }

    /// Says whether a program in this folder is found by its name, on PATH as it is or as the call changes it.
    pub(crate) fn finds_in(&self, folder: &Path, changed: Option<&str>) -> bool {
        self.on_path().any(|known| known == folder)
            || changed.is_some_and(|path| path.split(':').any(|known| Path::new(known) == folder))
    }

    fn on_path(&self) -> impl Iterator<Item = PathBuf> + use<> {
        let path = (self.env)("PATH").unwrap_or_default();
        std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect::<Vec<_>>().into_iter()
    }
}

#[cfg(test)]
impl Tools<'static> {
    /// Those of a project in `/p`, with two folders on PATH.
    pub(crate) fn for_tests() -> Self {
        let env = |name: &str| match name {
            "PATH" => Some("/usr/bin:/home/me/.cargo/bin".into()),
            "HOME" => Some("/home/me".into()),
            _ => None,
        };
        Tools { root: Path::new("/p"), env }
    }
}
