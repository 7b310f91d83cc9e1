use std::collections::{HashMap, HashSet};

/// Where git says that a line is from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The commit that has the line; `None` if it is not committed.
    pub commit: Option<String>,
    /// When that commit was made, in seconds since 1970.
    pub time: i64,
    /// The path of the file in that commit, relative to the project.
    pub path: Option<String>,
}

/// What is asked of git. Each answer is one process at most; `None` if there is no answer.
pub trait History {
    /// The commits that revisions contain, with their parents. Revisions that are not there are left out.
    fn ancestry(&self, revisions: &[&str]) -> Option<Ancestry>;

    /// All lines of the project's files that are one of these texts, but for blanks around them: path and line.
    fn occurrences(&self, texts: &[&str]) -> Option<Vec<(String, String)>>;
}

/// A part of the graph of commits.
#[derive(Clone, Debug, Default)]
pub struct Ancestry {
    parents: HashMap<String, Vec<String>>,
}

impl Ancestry {
    /// Reads lines of commit ids: a commit, then its parents.
    pub fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let mut ids = line.split_whitespace().map(str::to_owned);
            Some((ids.next()?, ids.collect()))
        };
        Self { parents: text.lines().filter_map(line).collect() }
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.parents.extend(other.parents);
    }

    /// Returns true if a revision is a commit or was made on top of it; `None` if it is not known.
    pub(super) fn contains(&self, revision: &str, commit: &str) -> Option<bool> {
        let mut open = vec![self.parents.get_key_value(revision)?.0.as_str()];
        let mut seen = HashSet::new();
        let mut is_whole = true;
        while let Some(id) = open.pop() {
            if id == commit {
                return Some(true);
            }
            if seen.insert(id) {
                match self.parents.get(id) {
                    Some(parents) => open.extend(parents.iter().map(String::as_str)),
                    None => is_whole = false,
                }
            }
        }
        is_whole.then_some(false)
    }
}
