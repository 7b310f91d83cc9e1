use std::collections::HashSet;

use crate::glob;

/// The maximum number of texts of one value. Greater than the number of acts, so that truncation here is reported
/// there.
const MOST: usize = 600;
/// The maximum length of a text that is put together.
const LONGEST: usize = 64 * 1024;
/// The most that the texts of one value hold together.
const WHOLE: usize = 4 * LONGEST;

/// Stands in a text for what is unknown.
pub(crate) const UNKNOWN: char = '\u{F0002}';

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// One of these texts; `path` for an object that is a path.
    Text {
        any: Vec<String>,
        path: bool,
    },
    List(Vec<Value>),
    /// A dictionary or an object; a key that is unknown may be any.
    Fields(Vec<(Option<String>, Value)>),
    /// One of these, not all of them texts.
    Any(Vec<Value>),
    /// A dotted name: a module, a function.
    Name(String),
    /// An open file: which act opened it.
    File(usize),
    Unknown,
}

impl Value {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text { any: vec![text.into()], path: false }
    }

    pub(crate) fn path(any: Vec<String>) -> Self {
        Self::Text { any, path: true }
    }

    /// One of several values.
    pub(crate) fn union(values: impl IntoIterator<Item = Self>) -> Self {
        let mut all: Vec<Self> = Vec::new();
        for value in values {
            match value {
                Self::Any(values) => all.extend(values),
                value => all.push(value),
            }
            if all.len() > MOST {
                all.push(Self::Unknown);
                break;
            }
        }
        if all.len() < 2 {
            return all.pop().unwrap_or(Self::Unknown);
        }
        if all.iter().all(|value| *value == Self::Unknown) {
            return Self::Unknown;
        }
        if !all.iter().all(|value| matches!(value, Self::Text { .. } | Self::Unknown)) {
            return Self::Any(all);
        }
        let path = all.iter().any(|value| matches!(value, Self::Text { path: true, .. }));
        let (mut seen, mut any) = (HashSet::new(), Vec::new());
        for text in all.iter().flat_map(Self::texts) {
            if any.len() < MOST && seen.insert(text.clone()) {
                any.push(text);
            }
        }
        Self::Text { any, path }
    }

    /// The texts it may be, with a mark for what is unknown; never none at all.
    pub(crate) fn texts(&self) -> Vec<String> {
        let mut texts: Vec<String> = match self {
            Self::Text { any, .. } => any.clone(),
            Self::List(items) | Self::Any(items) => items.iter().flat_map(Self::texts).take(MOST).collect(),
            Self::Fields(fields) => fields.iter().flat_map(|(_, value)| value.texts()).take(MOST).collect(),
            Self::Name(_) | Self::File(_) | Self::Unknown => Vec::new(),
        };
        if texts.is_empty() {
            texts.push(UNKNOWN.to_string());
        }
        texts
    }

    /// What it costs to copy it.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Text { any, .. } => any.iter().map(|text| 1 + text.len() / 32).sum(),
            Self::List(items) | Self::Any(items) => 1 + items.iter().map(Self::weight).sum::<usize>(),
            Self::Fields(fields) => 1 + fields.iter().map(|(_, value)| 1 + value.weight()).sum::<usize>(),
            Self::Name(_) | Self::File(_) | Self::Unknown => 1,
        }
    }

    /// The value in another reading, in which files are opened again.
    pub(crate) fn lasting(self) -> Self {
        match self {
            Self::File(_) => Self::Unknown,
            Self::List(items) => Self::List(items.into_iter().map(Self::lasting).collect()),
            Self::Any(values) => Self::Any(values.into_iter().map(Self::lasting).collect()),
            Self::Fields(fields) => {
                Self::Fields(fields.into_iter().map(|(key, value)| (key, value.lasting())).collect())
            }
            other => other,
        }
    }

    /// The text, if there is one and all of it is known.
    pub(crate) fn known(&self) -> Option<&str> {
        match self {
            Self::Text { any, .. } => match any.as_slice() {
                [text] if !text.contains(UNKNOWN) => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::Text { .. })
    }

    /// What a loop over it gives: one of the items; a pattern stands for all it matches.
    pub(crate) fn one_of(self) -> Self {
        match self {
            Self::List(items) => Self::union(items),
            Self::Fields(fields) => Self::union(fields.into_iter().map(|(key, _)| Self::key(key))),
            Self::Any(values) => Self::union(values.into_iter().map(Self::one_of)),
            other => other,
        }
    }

    /// The keys of a dictionary with their values, in pairs.
    pub(crate) fn pairs(&self) -> Self {
        match self {
            Self::Fields(fields) => Self::List(
                fields.iter().map(|(key, value)| Self::List(vec![Self::key(key.clone()), value.clone()])).collect(),
            ),
            Self::Any(values) => Self::union(values.iter().map(Self::pairs)),
            // Entries of a list are its places and its items.
            Self::List(items) => {
                Self::List(items.iter().map(|item| Self::List(vec![Self::Unknown, item.clone()])).collect())
            }
            _ => Self::Unknown,
        }
    }

    fn key(key: Option<String>) -> Self {
        key.map_or(Self::Unknown, Self::text)
    }

    /// The item at a place.
    pub(crate) fn part(&self, place: usize) -> Self {
        match self {
            // A pattern is as many items as it matches.
            Self::List(items) => match items.as_slice() {
                [only @ Self::Text { any, .. }] if any.iter().any(|text| glob::is_open(text)) => only.clone(),
                items => items.get(place).cloned().unwrap_or(Self::Unknown),
            },
            Self::Any(values) => Self::union(values.iter().map(|value| value.part(place))),
            Self::Fields(_) => self.field(&place.to_string()),
            _ => Self::Unknown,
        }
    }

    /// What a dictionary has under a key; `None` if it has no such key.
    pub(crate) fn field_of(&self, key: &str) -> Option<Self> {
        match self {
            Self::Fields(fields) => {
                let meant = |known: &Option<String>| known.as_deref().is_none_or(|known| known == key);
                let mut values =
                    fields.iter().filter(|(known, _)| meant(known)).map(|(_, value)| value.clone()).peekable();
                values.peek()?;
                Some(Self::union(values))
            }
            Self::Any(values) => {
                let values: Vec<Self> = values.iter().filter_map(|value| value.field_of(key)).collect();
                if values.is_empty() { None } else { Some(Self::union(values)) }
            }
            _ => None,
        }
    }

    pub(crate) fn field(&self, key: &str) -> Self {
        self.field_of(key).unwrap_or(Self::Unknown)
    }

    /// All that a container holds, whatever the place or the key.
    pub(crate) fn held(&self) -> Self {
        match self {
            Self::Fields(fields) => Self::union(fields.iter().map(|(_, value)| value.clone())),
            Self::Any(values) => Self::union(values.iter().map(Self::held)),
            Self::List(items) => Self::union(items.iter().cloned()),
            _ => Self::Unknown,
        }
    }

    /// Changes each text.
    pub(crate) fn map(&self, change: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Text { any, path } => Self::Text { any: any.iter().map(|text| change(text)).collect(), path: *path },
            _ => Self::Unknown,
        }
    }

    /// What `+` makes: one list of two, one text of two.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::List(one), Self::List(two)) => Self::List(one.iter().chain(two).cloned().collect()),
            (Self::List(one), two) => Self::List(one.iter().cloned().chain([two.clone()]).collect()),
            (one, Self::List(two)) if !one.is_text() => {
                Self::List([one.clone()].into_iter().chain(two.iter().cloned()).collect())
            }
            _ => self.join("", other),
        }
    }

    /// Puts two texts together; what is not text becomes a mark.
    pub(crate) fn join(&self, sign: &str, other: &Self) -> Self {
        let (left, right) = (self.texts(), other.texts());
        let (mut any, mut whole) = (Vec::new(), 0);
        'all: for left in &left {
            for right in &right {
                let long = left.len() + right.len();
                whole += long;
                if any.len() >= MOST {
                    break 'all;
                }
                if whole > WHOLE {
                    any.push(UNKNOWN.to_string());
                    break 'all;
                }
                any.push(if long >= LONGEST {
                    UNKNOWN.to_string()
                } else if sign == "/" {
                    below(left, right)
                } else {
                    format!("{left}{sign}{right}")
                });
            }
        }
        Self::Text { any, path: matches!(self, Self::Text { path: true, .. }) }
    }
}

/// Joins paths as most languages do: an absolute second part replaces the first.
fn below(left: &str, right: &str) -> String {
    if right.starts_with('/') || left.is_empty() {
        return right.to_owned();
    }
    format!("{}/{right}", left.trim_end_matches('/'))
}

/// Turns the wildcards of a language's own patterns into marks.
pub(crate) fn pattern(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '*' => glob::MANY,
            '?' => glob::ONE,
            other => other,
        })
        .collect()
}
