use std::fmt;

use stead_model::FileId;

use crate::Binding;

/// One session of a harness. Neither part is ever empty: an unknown session cannot own anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    harness: String,
    session: String,
}

impl Owner {
    /// `None` if a part is empty or the session id is not a valid file name.
    pub fn new(harness: &str, session: &str) -> Option<Self> {
        FileId::check(session).ok()?;
        let harness = harness.trim();
        (!harness.is_empty() && !harness.contains(':'))
            .then(|| Self { harness: harness.to_owned(), session: session.to_owned() })
    }

    pub fn harness(&self) -> &str {
        &self.harness
    }

    pub fn session(&self) -> &str {
        &self.session
    }

    /// Parses what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (harness, session) = text.trim().split_once(':')?;
        Self::new(harness, session)
    }
}

impl From<&Binding> for Option<Owner> {
    fn from(binding: &Binding) -> Self {
        Owner::new(&binding.harness, &binding.session)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.harness, self.session)
    }
}

/// Who started a loop. Only they, or a person, may end it early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Starter {
    /// Somebody outside any session.
    Person,
    Session(Owner),
}

impl Starter {
    /// Parses the starter; anything else counts as a person, so that no agent may end the loop.
    pub fn parse(text: &str) -> Self {
        Owner::parse(text).map_or(Self::Person, Self::Session)
    }

    pub fn is(&self, owner: &Owner) -> bool {
        matches!(self, Self::Session(starter) if starter == owner)
    }
}

impl fmt::Display for Starter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person => f.write_str("person"),
            Self::Session(owner) => owner.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_or_unfit_session_owns_nothing() {
        for (harness, session) in [("", "s"), ("h", ""), ("h", ".."), ("h", "a/b"), ("a:b", "s"), (" ", "s")] {
            assert_eq!(Owner::new(harness, session), None, "{harness:?} {session:?}");
        }
        for text in ["", ":", "h:", ":s", "person", "h"] {
            assert_eq!(Starter::parse(text), Starter::Person, "{text:?}");
        }
        let owner = Owner::new("h", "a:b").unwrap();
        assert_eq!(Owner::parse(&owner.to_string()), Some(owner));
    }
}
