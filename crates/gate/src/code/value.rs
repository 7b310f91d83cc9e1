use crate::glob;

/// The most texts one value may stand for.
const MOST: usize = 16;
/// The longest text that is put together.
const LONGEST: usize = 64 * 1024;

/// Stands in a text for what is not known.
pub(super) const UNKNOWN: char = '\u{F0002}';

/// What an expression is worth.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// One of these texts; `path` for an object that is a path.
    Text {
        any: Vec<String>,
        path: bool,
    },
    List(Vec<Value>),
    /// A dotted name: a module, a function.
    Name(String),
    /// An open file: which act opened it.
    File(usize),
    Unknown,
}

impl Value {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text { any: vec![text.into()], path: false }
    }

    pub(super) fn path(any: Vec<String>) -> Self {
        Self::Text { any, path: true }
    }

    /// The texts it may be, with a mark for what is not known; never none at all.
    pub(super) fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = match self {
            Self::Text { any, .. } => any.clone(),
            Self::List(items) => items.iter().flat_map(Self::texts).take(MOST).collect(),
            Self::Name(_) | Self::File(_) | Self::Unknown => Vec::new(),
        };
        if texts.is_empty() {
            texts.push(UNKNOWN.to_string());
        }
        texts
    }

    /// The text, if there is one and all of it is known.
    pub(super) fn known(&self) -> Option<&str> {
        match self {
            Self::Text { any, .. } => match any.as_slice() {
                [text] if !text.contains(UNKNOWN) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Text { .. })
    }

    /// What a loop over it gives: one of the items; a pattern stands for all it matches.
    pub(super) fn one_of(self) -> Self {
        match self {
            Self::List(items) => {
                let path = items.iter().any(|item| matches!(item, Self::Text { path: true, .. }));
                let any: Vec<String> = items.iter().flat_map(Self::texts).take(MOST).collect();
                if any.is_empty() { Self::Unknown } else { Self::Text { any, path } }
            }
            other => other,
        }
    }

    /// Changes each text.
    pub(super) fn map(&self, change: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Text { any, path } => Self::Text { any: any.iter().map(|text| change(text)).collect(), path: *path },
            _ => Self::Unknown,
        }
    }

    /// Puts two texts together; what is not text becomes a mark.
    pub(super) fn join(&self, sign: &str, other: &Self) -> Self {
        let (left, right) = (self.texts(), other.texts());
        let mut any = Vec::new();
        for left in &left {
            for right in &right {
                if any.len() < MOST && left.len() + right.len() < LONGEST {
                    any.push(if sign == "/" { below(left, right) } else { format!("{left}{sign}{right}") });
                }
            }
        }
        if any.is_empty() {
            return Self::Unknown;
        }
        Self::Text { any, path: matches!(self, Self::Text { path: true, .. }) }
    }
}

/// Joins paths as most languages do: an absolute second part wins.
fn below(left: &str, right: &str) -> String {
    if right.starts_with('/') || left.is_empty() {
        return right.to_owned();
    }
    format!("{}/{right}", left.trim_end_matches('/'))
}

/// Turns the wildcards of a language's own patterns into marks.
pub(super) fn pattern(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '*' => glob::MANY,
            '?' => glob::ONE,
            other => other,
        })
        .collect()
}
