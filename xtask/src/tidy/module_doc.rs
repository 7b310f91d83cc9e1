use super::{Finding, Tree};

/// A module with its own folder needs documentation from this many lines on.
const ROOM: usize = 80;

/// Each crate, and each module with its own folder, starts with what it is.
pub(super) fn rooms_say_what_they_are(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, _) in tree.shipped() {
        let opens = file.text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with("//!"));
        if opens {
            continue;
        }
        if file.stem() == "lib" {
            findings.push(Finding::at(&file.path, 1, "a crate starts with `//!`: what it is, why, what it never does"));
        } else if lines_with_folder(tree, &file.path) >= ROOM {
            findings.push(Finding::at(&file.path, 1, "a module with its own folder starts with `//!`"));
        }
    }
    findings
}

/// Counts a module together with its folder; zero without one.
fn lines_with_folder(tree: &Tree, path: &str) -> usize {
    let folder = match path.strip_suffix("/mod.rs") {
        Some(folder) => format!("{folder}/"),
        None => format!("{}/", path.trim_end_matches(".rs")),
    };
    let inside = || tree.rust().filter(|(file, _)| file.path.starts_with(&folder) && file.path != path);
    if inside().next().is_none() {
        return 0;
    }
    let own = tree.file(path).map_or(0, |file| file.text.lines().count());
    own + inside().map(|(file, _)| file.text.lines().count()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::super::tree::check;
    use super::*;

    #[test]
    fn a_crate_without_an_opening_is_found() {
        check(rooms_say_what_they_are, "crates/shell/src/lib.rs", "mod a;\n", &[1]);
        check(rooms_say_what_they_are, "crates/shell/src/lib.rs", "//! The judges.\nmod a;\n", &[]);
        check(rooms_say_what_they_are, "crates/shell/src/a.rs", &"x\n".repeat(300), &[]);
    }

    #[test]
    fn a_module_with_a_folder_needs_one_too() {
        let long = "x\n".repeat(90);
        let tree =
            Tree::samples(&[("crates/shell/src/shell.rs", "mod word;\n"), ("crates/shell/src/shell/word.rs", &long)]);
        assert_eq!(rooms_say_what_they_are(&tree).len(), 1);
        let tree =
            Tree::samples(&[("crates/shell/src/shell.rs", "mod word;\n"), ("crates/shell/src/shell/word.rs", "x\n")]);
        assert_eq!(rooms_say_what_they_are(&tree).len(), 0);
    }
}
