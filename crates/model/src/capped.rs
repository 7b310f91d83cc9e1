use crate::visible;

/// Text that a model will read, with hidden characters written out. Clients cut, spill or silently drop what is longer than about 10,000 characters, so
/// the limit is in the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capped(String);

impl Capped {
    /// The most bytes one text may have; below the lowest limit of any client.
    pub const LIMIT: usize = 8_000;

    const MARK: &str = " … (cut)";

    /// Keeps the text, cut at a character boundary if it is too long.
    pub fn new(text: impl AsRef<str>) -> Self {
        let text = visible(text.as_ref());
        if text.len() <= Self::LIMIT {
            return Self(text.into_owned());
        }
        let mut end = Self::LIMIT - Self::MARK.len();
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        Self(format!("{}{}", &text[..end], Self::MARK))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_at_a_character() {
        let capped = Capped::new("é".repeat(Capped::LIMIT));
        assert!(capped.as_str().len() <= Capped::LIMIT);
        assert!(capped.as_str().ends_with("é … (cut)"));
    }

    #[test]
    fn nothing_hides_in_it() {
        assert_eq!(Capped::new("a\u{1b}[2Jb\u{202e}").as_str(), "a\\u{1b}[2Jb\\u{202e}");
    }

    #[test]
    fn short_text_is_untouched() {
        assert_eq!(Capped::new("plain").as_str(), "plain");
    }
}
