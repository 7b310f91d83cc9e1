use super::block;
use super::redact;

/// Covers secrets in text that arrives in pieces, such as the output of an agent. A line is looked at as a whole, so a
/// secret that two pieces share is found; a private key may have many lines.
#[derive(Debug, Default)]
pub struct RedactStream {
    /// The line that has not ended, as bytes: a piece may end inside of a character.
    pending: Vec<u8>,
    is_in_block: bool,
}

/// A longer line is cut at a blank, or here if it has none.
const LONGEST: usize = 256 * 1024;

impl RedactStream {
    /// Takes a piece, and returns what can be written of it and of those before.
    pub fn take(&mut self, piece: &[u8]) -> Vec<u8> {
        let lines = self.take_lines(piece);
        self.covered(&lines)
    }

    /// The same with its secrets, for what is not written but kept until it is known whether it will be.
    pub fn take_lines(&mut self, piece: &[u8]) -> Vec<u8> {
        let Some(end) = memchr::memrchr(b'\n', piece) else {
            self.pending.extend_from_slice(piece);
            return if self.pending.len() > LONGEST { self.cut() } else { Vec::new() };
        };
        self.pending.extend_from_slice(&piece[..=end]);
        std::mem::replace(&mut self.pending, piece[end + 1..].to_vec())
    }

    /// The rest, at the end of the output.
    pub fn finish(&mut self) -> Vec<u8> {
        let rest = std::mem::take(&mut self.pending);
        self.covered(&rest)
    }

    /// Writes the beginning of a line without end; a quarter of it stays, so that what is cut at has something before it.
    fn cut(&mut self) -> Vec<u8> {
        let half = self.pending.len() * 3 / 4;
        let blank = self.pending[..half].iter().rposition(|byte| b" \t,\"".contains(byte)).map_or(half, |at| at + 1);
        let rest = self.pending.split_off(blank);
        std::mem::replace(&mut self.pending, rest)
    }

    fn covered(&mut self, bytes: &[u8]) -> Vec<u8> {
        if bytes.is_empty() {
            return Vec::new();
        }
        let text = String::from_utf8_lossy(bytes);
        let rest = if self.is_in_block { self.after_block(&text) } else { text.as_ref() };
        // A block that has not ended goes on in the next piece.
        if let Some(begin) = rest.rfind("-----BEGIN ")
            && !rest[begin..].contains("-----END ")
            && rest[begin..]
                .lines()
                .next()
                .is_some_and(|line| line.contains("PRIVATE KEY") || line.contains("SECRET KEY"))
        {
            self.is_in_block = true;
        }
        let found = redact(rest);
        // Bytes that are no text stay as they were.
        if found.count() == 0 && rest.len() == text.len() { bytes.to_vec() } else { found.into_owned().into_bytes() }
    }

    /// What follows the end of a block that began in an earlier piece.
    fn after_block<'t>(&mut self, text: &'t str) -> &'t str {
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let is_end = line.contains("-----END ");
            if !is_end && !block::is_body(line) {
                self.is_in_block = false;
                break;
            }
            at += line.len();
            if is_end {
                self.is_in_block = false;
                break;
            }
        }
        &text[at..]
    }
}
