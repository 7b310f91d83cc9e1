use std::ops::Range;
use std::path::PathBuf;

/// A file as it was read: its text, and its name in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Relative to the project's root, or `builtin:…`.
    pub name: String,
    /// Its path; `None` for a built-in one.
    pub path: Option<PathBuf>,
    pub text: String,
}

impl SourceFile {
    /// Line and column of a byte, both from 1, the column in characters.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
    }

    /// The bytes of the line (from 1), without its end.
    pub(crate) fn line(&self, line: usize) -> Range<usize> {
        let mut start = 0;
        for _ in 1..line {
            match self.text[start..].find('\n') {
                Some(at) => start += at + 1,
                None => break,
            }
        }
        let end = self.text[start..].find('\n').map_or(self.text.len(), |at| start + at);
        start..end
    }

    /// Git's hash of the content.
    pub(crate) fn sha1(&self) -> String {
        let mut hash = sha1_smol::Sha1::new();
        hash.update(format!("blob {}\0", self.text.len()).as_bytes());
        hash.update(self.text.as_bytes());
        hash.digest().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters() {
        let file = SourceFile { name: "x".into(), path: None, text: "aé\nbc".into() };
        assert_eq!(file.position(0), (1, 1));
        assert_eq!(file.position(2), (1, 2), "inside a character");
        assert_eq!(file.position(3), (1, 3));
        assert_eq!(file.position(5), (2, 2));
        assert_eq!(file.position(99), (2, 3));
        assert_eq!(file.line(2), 4..6);
        assert_eq!(file.line(9), 4..6);
    }

    #[test]
    fn the_hash_is_gits() {
        let file = SourceFile { name: "x".into(), path: None, text: "hello\n".into() };
        assert_eq!(file.sha1(), "ce013625030ba8dba906f756967f9e9ca394464a");
    }
}
