use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::rust_text::RustText;

/// Every text file of the repository, read once.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) files: Vec<File>,
}

#[derive(Debug)]
pub(super) struct File {
    /// Below the root, with forward slashes.
    pub(super) path: String,
    pub(super) text: String,
    /// Present for Rust sources.
    pub(super) rust: Option<RustText>,
}

/// Folders with a leading dot that belong to the repository; the others belong to tools.
const HIDDEN: &[&str] = &[".cargo", ".ci", ".config", ".github"];

impl Tree {
    pub(super) fn load(root: &Path) -> Result<Self> {
        let mut tree = Self::default();
        tree.add_folder(root, "")?;
        tree.files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(tree)
    }

    fn add_folder(&mut self, root: &Path, below: &str) -> Result<()> {
        let folder = root.join(below);
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot list `{}`", folder.display()))? {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
            let kind = entry.file_type()?;
            if kind.is_dir() && !is_skipped(&path, &name) {
                self.add_folder(root, &path)?;
            } else if kind.is_file()
                // In a worktree, this is a file.
                && path != ".git"
                && let Ok(text) = fs::read_to_string(entry.path())
            {
                self.add(&path, text);
            }
        }
        Ok(())
    }

    pub(super) fn add(&mut self, path: &str, text: String) {
        let rust = path.ends_with(".rs").then(|| RustText::new(&text));
        self.files.push(File { path: path.to_owned(), text, rust });
    }

    pub(super) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The Rust sources, each in its forms.
    pub(super) fn rust(&self) -> impl Iterator<Item = (&File, &RustText)> {
        self.files.iter().filter_map(|file| Some((file, file.rust.as_ref()?)))
    }

    /// The Rust sources that become part of a program, without tests and build scripts.
    pub(super) fn shipped(&self) -> impl Iterator<Item = (&File, &RustText)> {
        self.rust().filter(|(file, _)| !file.is_test() && !file.is_build_script() && !self.is_declared_for_tests(file))
    }

    /// Returns true if this file is declared for tests only.
    fn is_declared_for_tests(&self, file: &File) -> bool {
        let Some((folder, _)) = file.path.rsplit_once('/') else {
            return false;
        };
        let parents = [
            format!("{folder}.rs"),
            format!("{folder}/lib.rs"),
            format!("{folder}/main.rs"),
            format!("{folder}/mod.rs"),
        ];
        self.rust().any(|(parent, rust)| {
            parents.contains(&parent.path) && rust.test_modules.iter().any(|name| name == file.stem())
        })
    }
}

fn is_skipped(path: &str, name: &str) -> bool {
    name == "target"
        || matches!(path, "fuzz/corpus" | "fuzz/artifacts")
        || (name.starts_with('.') && !HIDDEN.contains(&path) && !path.contains('/'))
}

impl File {
    /// The room of a source below `crates/`, or `xtask`.
    pub(super) fn room(&self) -> &str {
        let mut parts = self.path.split('/');
        match parts.next() {
            Some("crates") => parts.next().unwrap_or_default(),
            Some(top) => top,
            None => "",
        }
    }

    fn is_test(&self) -> bool {
        self.path.split('/').any(|part| part == "tests" || part == "benches") || self.path.ends_with("/tests.rs")
    }

    fn is_build_script(&self) -> bool {
        self.path.ends_with("/build.rs") && !self.path.contains("/src/")
    }

    /// The file's name without folder and `.rs`.
    pub(super) fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.strip_suffix(".rs").unwrap_or(name)
    }
}

#[cfg(test)]
impl Tree {
    /// A tree of one file.
    pub(super) fn sample(path: &str, text: &str) -> Self {
        Self::samples(&[(path, text)])
    }

    pub(super) fn samples(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            tree.add(path, (*text).to_owned());
        }
        tree
    }
}

/// Asserts what a rule finds in one file, as `path:line` places.
#[cfg(test)]
#[track_caller]
pub(super) fn check(rule: fn(&Tree) -> Vec<super::Finding>, path: &str, text: &str, places: &[usize]) {
    let lines: Vec<_> = rule(&Tree::sample(path, text)).iter().map(|finding| finding.line).collect();
    assert_eq!(lines, places, "{path}:\n{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_output_and_tools_folders_are_not_read() {
        assert!(is_skipped("target", "target"));
        assert!(is_skipped("fuzz/target", "target"));
        assert!(is_skipped("fuzz/corpus", "corpus"));
        assert!(is_skipped(".git", ".git"));
        assert!(!is_skipped(".ci", ".ci"));
        assert!(!is_skipped("crates/shell/src", "src"));
    }

    #[test]
    fn test_files_are_known() {
        let tree = Tree::samples(&[
            ("crates/shell/src/lib.rs", "#[cfg(test)]\nmod testing;\n"),
            ("crates/shell/src/testing.rs", ""),
            ("crates/shell/src/shell/tests.rs", ""),
            ("crates/shell/tests/main.rs", ""),
            ("crates/shell/build.rs", ""),
        ]);
        let shipped: Vec<_> = tree.shipped().map(|(file, _)| file.path.as_str()).collect();
        assert_eq!(shipped, ["crates/shell/src/lib.rs"]);
        assert_eq!(tree.files[0].room(), "shell");
    }
}
