/// Splits a text like `str::split`, in a fraction of the time for pieces of a few letters.
/// The separator is an ASCII byte.
pub fn pieces(text: &str, separator: u8) -> Pieces<'_> {
    debug_assert!(separator.is_ascii());
    Pieces { rest: Some(text), separator }
}

/// The text before and behind the first separator, like `str::split_once`.
pub fn cut(text: &str, separator: u8) -> Option<(&str, &str)> {
    let end = memchr::memchr(separator, text.as_bytes())?;
    Some((&text[..end], &text[end + 1..]))
}

/// The iterator that [`pieces`] gives.
#[derive(Clone, Debug)]
pub struct Pieces<'a> {
    rest: Option<&'a str>,
    separator: u8,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        match cut(self.rest?, self.separator) {
            Some((piece, rest)) => {
                self.rest = Some(rest);
                Some(piece)
            }
            None => self.rest.take(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_those_of_split() {
        for text in ["", " ", "a", "a b", " a  b ", "é ü"] {
            assert!(pieces(text, b' ').eq(text.split(' ')), "{text:?}");
        }
    }
}
