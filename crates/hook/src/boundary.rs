//! Finds the end of the first JSON value while bytes still arrive. Clients may send more after it or never close the
//! pipe, so the end of input cannot be used.

use memchr::memchr2;

/// An incremental scanner.
#[derive(Clone, Debug, Default)]
pub struct Boundary {
    seen: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Boundary {
    pub fn new() -> Self {
        Self::default()
    }

    /// Scans the bytes that arrived since the last call (`bytes` is everything so far) and returns the length of the
    /// text up to the end of the first object or array, if it is complete.
    pub fn find(&mut self, bytes: &[u8]) -> Option<usize> {
        while let Some(&byte) = bytes.get(self.seen) {
            self.seen += 1;
            if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    // Most bytes are the text of strings.
                    _ => self.seen += memchr2(b'"', b'\\', &bytes[self.seen..]).unwrap_or(bytes.len() - self.seen),
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(self.seen);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let found = Boundary::new().find(text.as_bytes()).map(|end| &text[..end]);
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn the_first_value_ends_where_its_last_bracket_closes() {
        check("", None);
        check("  ", None);
        check("{", None);
        check(r#"{"a":1}"#, Some(r#"{"a":1}"#));
        check("{\"a\":{\"b\":[1]}}\n{\"c\":2}", Some(r#"{"a":{"b":[1]}}"#));
        check(r#"{"a":"}\"}"} trailing"#, Some(r#"{"a":"}\"}"}"#));
        check("[1,2]x", Some("[1,2]"));
        check(r#"{"a":"unclosed}"#, None);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(text in ".{0,80}", cut in 0usize..80) {
            let bytes = text.as_bytes();
            let cut = cut.min(bytes.len());
            let mut piecewise = Boundary::new();
            let found = piecewise.find(&bytes[..cut]).or_else(|| piecewise.find(bytes));
            prop_assert_eq!(found, Boundary::new().find(bytes));
        }
    }
}
