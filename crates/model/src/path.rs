use std::path::{Component, Path, PathBuf};

/// Removes `.`, `..` and doubled separators by the letters alone, as if no symlink existed.
pub fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expected: &str) {
        assert_eq!(clean(Path::new(path)), Path::new(expected), "{path}");
    }

    #[test]
    fn dots_are_removed_by_the_letters() {
        check("/a/./b", "/a/b");
        check("/a/b/../c", "/a/c");
        check("/../../a", "/a");
        check("/a/b/c/../../..", "/");
    }
}
