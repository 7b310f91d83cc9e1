use std::fmt;
use std::path::{Path, PathBuf};

use stead_model::FileId;

use crate::ContextError;

/// The suffix of a role file.
const ENDING: &str = ".context.md";

/// The name of a role, valid as a file name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleName(FileId);

impl RoleName {
    /// Checks a name that came from outside.
    pub fn check(name: &str) -> Result<Self, ContextError> {
        let name = name.trim();
        FileId::check(name)
            .map(Self)
            .map_err(|problem| ContextError::RoleName { name: name.to_owned(), why: problem.to_string() })
    }

    /// The role of a file, by the file's name.
    pub fn of_file(path: &Path) -> Option<Self> {
        Self::check(path.file_name()?.to_str()?.strip_suffix(ENDING)?).ok()
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The name under which the role's state is stored. Several roles can share one; see [`crate::RoleState`].
    pub fn machine(&self) -> String {
        self.as_str().replace('-', "_")
    }

    /// The name as people write it in a title.
    pub(crate) fn title(&self) -> String {
        let words = self.as_str().split(['-', '_']).filter(|word| !word.is_empty());
        let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
        let title = words.map(capital).collect::<Vec<_>>().join(" ");
        if title.is_empty() { "Agent".to_owned() } else { title }
    }

    /// The path of the role's file.
    pub fn file(&self, roles: &Path) -> PathBuf {
        roles.join(format!("{self}{ENDING}"))
    }
}

impl fmt::Display for RoleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The roles that have a file, by name. A missing folder has none.
pub fn roles(folder: &Path) -> Vec<RoleName> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut roles: Vec<_> = entries.filter_map(|entry| RoleName::of_file(&entry.path())).collect();
    roles.sort();
    roles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_has_one_spelling_for_files_machines_and_people() {
        let role = RoleName::check(" oosh-expert ").unwrap();
        assert_eq!((role.machine().as_str(), role.title().as_str()), ("oosh_expert", "Oosh Expert"));
        assert_eq!(role.file(Path::new("r")), Path::new("r/oosh-expert.context.md"));
        assert_eq!(RoleName::of_file(&role.file(Path::new("r"))), Some(role));
        assert_eq!(RoleName::of_file(Path::new("r/notes.md")), None);
        assert_eq!(RoleName::check("--").unwrap().title(), "Agent");
        for bad in ["", "../x", "a/b", "a b", ".hidden"] {
            assert!(RoleName::check(bad).is_err(), "{bad}");
        }
    }
}
