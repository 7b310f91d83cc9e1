use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};

/// Removes `.`, `..` and doubled separators by the letters alone, as if no symlink existed.
pub fn clean(path: &Path) -> PathBuf {
    if MAIN_SEPARATOR == '/' && is_clean(path.as_os_str().as_encoded_bytes()) {
        return path.to_path_buf();
    }
    let mut clean = PathBuf::with_capacity(path.as_os_str().len());
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

/// Returns true if nothing is to be removed; nearly every path of a call is like that.
fn is_clean(path: &[u8]) -> bool {
    let rest = path.strip_prefix(b"/").unwrap_or(path);
    rest.split(|byte| *byte == b'/').all(|name| !matches!(name, b"" | b"." | b".."))
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
        check("/a/b", "/a/b");
        check("a/.b/..c", "a/.b/..c");
        check("/", "/");
        check("//a//b/", "/a/b");
        check("./a/.", "a");
        check("", "");
    }
}
