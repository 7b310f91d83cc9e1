use stead_pattern::has_wildcard;

/// A file or a folder that an effect concerns, as guards write it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Below the project; with `~/` below the home folder; with `/` elsewhere.
    pub path: String,
    /// Everything below it.
    pub tree: bool,
}

/// The longest file extension that counts as one.
const EXTENSION: usize = 10;

impl Place {
    /// Reads a path that may be a pattern of the shell: from the first folder that is one, only what is before is kept.
    pub fn new(path: &str, tree: bool) -> Option<Self> {
        let path = path.trim_end_matches('/');
        let mut names = path.split('/');
        let last = names.next_back()?;
        let folders: Vec<&str> = names.collect();
        let fixed = folders.iter().take_while(|name| !has_wildcard(name)).count();
        let is_open = fixed < folders.len() || last.bytes().all(|byte| b"*?".contains(&byte));
        let (path, tree) = if is_open { (folders[..fixed].join("/"), true) } else { (path.to_owned(), tree) };
        (!matches!(path.as_str(), "" | "." | "~" | "/")).then_some(Self { path, tree })
    }

    /// The folders that contain it, the innermost first; a folder contains itself.
    pub fn folders(&self) -> Vec<&str> {
        let mut at = self.path.as_str();
        let mut folders = if self.tree { vec![at] } else { Vec::new() };
        while let Some((above, _)) = at.rsplit_once('/').filter(|(above, _)| !matches!(*above, "" | "~")) {
            folders.push(above);
            at = above;
        }
        folders
    }

    /// The innermost folder, with a slash at its end; a file at the top is its own.
    pub fn folder(&self) -> String {
        self.folders().first().map_or_else(|| self.path.clone(), |folder| format!("{folder}/"))
    }

    pub fn name(&self) -> Option<&str> {
        (!self.tree).then(|| self.path.rsplit('/').next().unwrap_or_default())
    }

    pub fn extension(&self) -> Option<&str> {
        let (stem, ending) = self.name()?.rsplit_once('.')?;
        let is_one = !stem.is_empty() && !ending.is_empty() && ending.len() <= EXTENSION && !has_wildcard(ending);
        is_one.then_some(ending)
    }

    pub fn is_in(&self, folder: &str) -> bool {
        self.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/') || rest.is_empty() && self.tree)
    }

    /// Returns true if one contains the other, or both are the same.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.path == other.path
            || self.tree && other.path.starts_with(&format!("{}/", self.path))
            || other.tree && self.path.starts_with(&format!("{}/", other.path))
    }

    pub fn is_in_project(&self) -> bool {
        !self.path.starts_with(['/', '~'])
    }

    /// Returns true for devices and temporary files, which nobody protects.
    pub fn is_fleeting(&self) -> bool {
        ["/dev", "/proc", "/tmp", "/var/tmp"].iter().any(|folder| self.is_in(folder) || self.path == *folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_knows_its_folders() {
        let check = |path: &str, tree: bool, expected: Option<&[&str]>| {
            let place = Place::new(path, tree);
            assert_eq!(place.as_ref().map(Place::folders).as_deref(), expected, "{path}");
        };
        check("a/b/c.tf", false, Some(&["a/b", "a"]));
        check("a/b", true, Some(&["a/b", "a"]));
        check("a/b/", true, Some(&["a/b", "a"]));
        check("x.tf", false, Some(&[]));
        check("~/.ssh/id", false, Some(&["~/.ssh"]));
        check("/etc/nginx/x", false, Some(&["/etc/nginx", "/etc"]));
        check("a/*/c.tf", false, Some(&["a"]));
        check("a/*.tf", false, Some(&["a"]));
        check("a/**", false, Some(&["a"]));
        check("**", true, None);
        check("", true, None);
        assert_eq!(Place::new("a/*.tf", false).unwrap().extension(), Some("tf"));
        assert_eq!(Place::new("a/.env", false).unwrap().extension(), None);
    }
}
