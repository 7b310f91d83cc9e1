use stead_model::Target;
use stead_shell::{MANY, ONE, fold};

/// The folded names of a path, one component each.
pub(crate) type Names = Vec<Vec<char>>;

/// A path that is compared with the rules. Its names may contain shell wildcards; [`is_deep`] says which name stands
/// for any number of folders.
pub(crate) struct Candidate<'c> {
    pub(crate) names: Names,
    /// Part of it is unknown.
    pub(crate) guessed: bool,
    /// Its exclusions.
    pub(crate) except: &'c [String],
}

impl<'c> Candidate<'c> {
    pub(crate) fn of(target: &'c Target) -> Self {
        let name = |name: &str| match (name, target.glob) {
            ("**", true) => vec![MANY, MANY],
            (name, true) => fold(name).into_iter().map(open).collect(),
            (name, false) => fold(name),
        };
        let names = target.path.split('/').filter(|name| !name.is_empty()).map(name).collect();
        Self { names, guessed: target.guessed, except: &target.except }
    }

    /// Returns true if it stands for what a search finds at any depth.
    pub(crate) fn is_search(&self) -> bool {
        self.names.iter().any(|name| is_deep(name))
    }
}

/// Converts the special characters of a pattern to internal marks.
fn open(c: char) -> char {
    match c {
        '*' => MANY,
        '?' => ONE,
        other => other,
    }
}

/// Returns true if the name stands for any number of folders.
pub(crate) fn is_deep(name: &[char]) -> bool {
    name == [MANY, MANY]
}
