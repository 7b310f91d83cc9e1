//! The files that a feature names, without generated ones.

use stead_pattern::{Case, Pattern, PatternList};

/// Generated folders. A test run changes them, which would make its own proof stale; a pattern that names one of them
/// still matches.
const MADE: &[&str] = &[
    ".git", ".hg", ".svn", ".jj", "node_modules", "target", "__pycache__", ".pytest_cache", ".mypy_cache",
    ".ruff_cache", ".tox", ".nox", ".venv", "venv", ".gradle", ".next", ".nuxt", ".turbo", ".cache", ".nyc_output",
    "coverage", "htmlcov", "_build", "deps", ".build", ".dart_tool", "TestResults",
];

/// Generated files.
const MADE_FILES: &[&str] = &[".DS_Store", ".coverage", ".phpunit.result.cache", ".eslintcache", "Thumbs.db"];

/// Returns true if a folder of this name is usually generated.
pub(crate) fn is_generated_folder(name: &str) -> bool {
    MADE.contains(&name)
}

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

    /// Returns true if a file counts. A generated file, or one in a generated folder, counts only if a matching pattern
    /// names it as such.
    pub(crate) fn holds(&self, file: &str) -> bool {
        let made = |part: &str| MADE.contains(&part) || is_made_file(part);
        let is_meant = |part: &str| {
            let names = |pattern: &Pattern<'_>| pattern.names(part) && pattern.matches(file, Case::Exact);
            self.patterns.wanted().any(|pattern| names(&pattern))
        };
        self.patterns.matches(file) && file.split('/').filter(|part| made(part)).all(is_meant)
    }

    /// Returns true if files in a folder of this name can count.
    pub(crate) fn enters(&self, folder: &str) -> bool {
        !MADE.contains(&folder) || self.patterns.wanted().any(|pattern| pattern.names(folder))
    }
}
