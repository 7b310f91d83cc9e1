//! Makes paths absolute and clean, without reading the disk.

use std::path::{Component, Path, PathBuf};

pub use stead_model::clean;

/// Makes a path as somebody wrote it absolute: `~` is home, the rest starts at `cwd`.
pub fn absolute(text: &str, cwd: &Path, home: Option<&Path>) -> PathBuf {
    let text = text.strip_prefix("file://").unwrap_or(text);
    match (text.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            clean(&home.join(rest.trim_start_matches('/')))
        }
        _ => clean(&cwd.join(text)),
    }
}

/// The names of a path, folded for comparison: protected names are protected in any case, because some file systems
/// ignore case.
pub fn names(path: &Path) -> Vec<Vec<char>> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(fold(&name.to_string_lossy())),
            _ => None,
        })
        .collect()
}

/// Folds one name.
pub fn fold(name: &str) -> Vec<char> {
    // Nearly every name is ASCII, and a call folds dozens.
    if name.is_ascii() {
        return name.bytes().map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    }
    name.chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let path = absolute(text, Path::new("/srv/here"), Some(Path::new("/home/ann")));
        assert_eq!(path, Path::new(expected), "{text}");
    }

    #[test]
    fn every_spelling_becomes_one() {
        check("a", "/srv/here/a");
        check("./a//b/.", "/srv/here/a/b");
        check("../a", "/srv/a");
        check("../../../../a", "/a");
        check("/x/../y", "/y");
        check("~", "/home/ann");
        check("~/a", "/home/ann/a");
        check("~other/a", "/srv/here/~other/a");
        check("file:///etc/x", "/etc/x");
        check("", "/srv/here");
    }
}
