use std::fmt;

/// An id from outside that is fit to be a file name. Ids are opaque, so only the harm is refused: separators, dots in
/// front, control characters, length.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(String);

/// Why an id may not become a file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdProblem {
    Empty,
    TooLong,
    StartsWithDot,
    Character(char),
}

impl FileId {
    /// Room for a suffix within the 255 bytes of common file systems.
    pub const LIMIT: usize = 128;

    /// Checks the id. Only letters, digits, `.`, `_`, `-`, `:`, `@`, `+` and `=` pass.
    pub fn check(id: &str) -> Result<Self, IdProblem> {
        if id.is_empty() {
            return Err(IdProblem::Empty);
        }
        if id.len() > Self::LIMIT {
            return Err(IdProblem::TooLong);
        }
        if id.starts_with('.') {
            return Err(IdProblem::StartsWithDot);
        }
        match id.chars().find(|c| !(c.is_ascii_alphanumeric() || "._-:@+=".contains(*c))) {
            Some(bad) => Err(IdProblem::Character(bad)),
            None => Ok(Self(id.to_owned())),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for IdProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "it is empty"),
            Self::TooLong => write!(f, "it is longer than {} bytes", FileId::LIMIT),
            Self::StartsWithDot => write!(f, "it starts with a dot"),
            Self::Character(c) => write!(f, "it contains {c:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(id: &str, expected: Result<(), IdProblem>) {
        assert_eq!(FileId::check(id).map(|_| ()), expected, "{id:?}");
    }

    #[test]
    fn ids_of_real_clients_pass() {
        check("00000000-0000-0000-0000-000000000001", Ok(()));
        check("ses_e1f869d06ffe4Vy2VGZEwVZs1q", Ok(()));
        check("session_73500b9d-d6a3-4769-90a9-ad403906b78b", Ok(()));
        check("20260921_3", Ok(()));
    }

    #[test]
    fn ids_that_would_leave_the_folder_do_not() {
        check("", Err(IdProblem::Empty));
        check("..", Err(IdProblem::StartsWithDot));
        check(".hidden", Err(IdProblem::StartsWithDot));
        check("a/b", Err(IdProblem::Character('/')));
        check("a\\b", Err(IdProblem::Character('\\')));
        check("a\0b", Err(IdProblem::Character('\0')));
        check("a b", Err(IdProblem::Character(' ')));
        check("é", Err(IdProblem::Character('é')));
        check(&"x".repeat(129), Err(IdProblem::TooLong));
    }
}
