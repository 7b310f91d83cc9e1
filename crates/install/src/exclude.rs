//! The lines of a personal installation in git's own `info/exclude`, which is never committed. They are between two comments,
//! so that they can be found again; everything else in the file belongs to the person.

use std::path::{Path, PathBuf};

use stead_store::{Durability, Exact, StoreError, replace_creating};

use crate::layer::read_text;

const OPENING: &str = "# stead init --personal: begin (stead uninstall removes these lines)";
const CLOSING: &str = "# stead init --personal: end";

/// The file, and where the project is in its repository.
#[derive(Clone, Debug)]
pub struct Exclude {
    pub file: PathBuf,
    /// The project's path below the top of the repository, with a slash at the end; empty at the top.
    pub prefix: String,
}

impl Exclude {
    /// The pattern of a path below the project root. A folder ends with a slash.
    pub fn pattern(&self, path: &str) -> String {
        let mut pattern = String::from("/");
        for c in self.prefix.chars().chain(path.chars()) {
            if matches!(c, '*' | '?' | '[' | '\\') {
                pattern.push('\\');
            }
            pattern.push(c);
        }
        pattern
    }

    /// Adds patterns to those that are there.
    pub fn add(&self, patterns: &[String]) -> Result<(), StoreError> {
        let text = self.read();
        let mut all = own_lines(&text);
        all.extend(patterns.iter().filter(|pattern| !text.lines().any(|line| line == pattern.as_str())).cloned());
        self.write(&text, &all)
    }

    /// Removes the patterns of what is no longer there; the rest would otherwise show in the repository.
    pub fn prune(&self, root: &Path) -> Result<Vec<String>, StoreError> {
        let text = self.read();
        let own = own_lines(&text);
        let is_there = |pattern: &&String| {
            let path = pattern.strip_prefix('/').unwrap_or(pattern).replace('\\', "");
            path.strip_prefix(&self.prefix).is_none_or(|below| root.join(below).exists())
        };
        let kept: Vec<String> = own.iter().filter(is_there).cloned().collect();
        if kept.len() < own.len() {
            self.write(&text, &kept)?;
        }
        Ok(kept)
    }

    /// Returns true if this repository has a personal installation.
    pub fn is_used(&self) -> bool {
        !own_lines(&self.read()).is_empty()
    }

    fn read(&self) -> String {
        read_text(&self.file).ok().flatten().unwrap_or_default()
    }

    fn write(&self, text: &str, patterns: &[String]) -> Result<(), StoreError> {
        let after = with_lines(text, patterns);
        if after == text {
            return Ok(());
        }
        replace_creating(&self.file, Exact::Edited.bytes(&after), Durability::Synced)
    }
}

/// The patterns between the comments.
fn own_lines(text: &str) -> Vec<String> {
    let from = text.lines().skip_while(|line| *line != OPENING).skip(1);
    from.take_while(|line| *line != CLOSING).map(str::to_owned).collect()
}

/// The text with these patterns between the comments, or without the comments if there are none.
fn with_lines(text: &str, patterns: &[String]) -> String {
    let mut rest = String::new();
    let mut is_inside = false;
    for line in text.split_inclusive('\n') {
        match line.trim_end() {
            OPENING => is_inside = true,
            CLOSING if is_inside => is_inside = false,
            _ if is_inside => {}
            _ => rest.push_str(line),
        }
    }
    if patterns.is_empty() {
        return rest;
    }
    let gap = if rest.is_empty() || rest.ends_with('\n') { "" } else { "\n" };
    format!("{rest}{gap}{OPENING}\n{}\n{CLOSING}\n", patterns.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_come_and_go_and_nothing_else_changes() {
        for own in ["", "# mine\n*.log\n", "*.log", "\r\n*.log\r\n"] {
            let patterns = ["/.agent/".to_owned(), "/.claude/settings.local.json".to_owned()];
            let with = with_lines(own, &patterns);
            assert_eq!(own_lines(&with), patterns, "{with}");
            assert_eq!(with_lines(&with, &patterns), with);
            let without = with_lines(&with, &[]);
            assert_eq!(without.trim_end(), own.trim_end());
            assert!(without.starts_with(own), "{without:?}");
        }
        // Somebody removed the end: what follows counts as ours no longer than the file.
        assert_eq!(own_lines(&format!("{OPENING}\n/.agent/\n")), ["/.agent/"]);
    }

    #[test]
    fn a_pattern_is_one_path() {
        let at = |prefix: &str| Exclude { file: PathBuf::new(), prefix: prefix.to_owned() };
        assert_eq!(at("").pattern(".agent/"), "/.agent/");
        assert_eq!(at("apps/[web]/").pattern(".agent/"), "/apps/\\[web]/.agent/");
    }
}
