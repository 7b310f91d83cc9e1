//! The files that a feature names, without those that programs fill by themselves.

use stead_pattern::{Case, Pattern, PatternList};

/// Folders that programs fill by themselves. A test run would change them and so outdate itself; a pattern that names
/// one of them still reaches it.
const MADE: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".jj",
    "node_modules",
    "target",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    ".venv",
    "venv",
    ".gradle",
    ".next",
    ".nuxt",
    ".turbo",
    ".cache",
    ".nyc_output",
    "coverage",
    "htmlcov",
    "_build",
    "deps",
    ".build",
    ".dart_tool",
    "TestResults",
];

/// Files of the same sort.
const MADE_FILES: &[&str] = &[".DS_Store", ".coverage", ".phpunit.result.cache", ".eslintcache", "Thumbs.db"];

fn is_made_file(name: &str) -> bool {
    MADE_FILES.contains(&name) || name.ends_with(".pyc")
}

/// The files that a feature names.
pub(crate) struct NamedFiles {
    pub(crate) patterns: PatternList,
}

impl NamedFiles {
    pub(crate) fn new(files: &[String]) -> Self {
        Self { patterns: PatternList::new(files, Case::Exact) }
    }

    /// Returns true if a file counts. One that programs fill, or that lies in such a folder, must be named as such by a
    /// pattern that matches it.
    pub(crate) fn holds(&self, file: &str) -> bool {
        let made = |part: &str| MADE.contains(&part) || is_made_file(part);
        let is_meant = |part: &str| {
            let names = |pattern: &Pattern<'_>| pattern.names(part) && pattern.matches(file, Case::Exact);
            self.patterns.wanted().any(|pattern| names(&pattern))
        };
        self.patterns.matches(file) && file.split('/').filter(|part| made(part)).all(is_meant)
    }

    /// Returns true if files can count that lie in a folder of this name.
    pub(crate) fn enters(&self, folder: &str) -> bool {
        !MADE.contains(&folder) || self.patterns.wanted().any(|pattern| pattern.names(folder))
    }
}
