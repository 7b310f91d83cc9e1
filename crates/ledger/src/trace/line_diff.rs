//! Lines and their hashes, and which lines of a text are not in the text before.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

use sha2::{Digest, Sha256};
use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};
use stead_store::sha256;

/// The hash of a whole file, over its bytes.
pub fn file_hash(bytes: &[u8]) -> String {
    format!("sha256:{}", sha256(bytes))
}

/// The lines of a text without their ends (LF or CRLF). A last line without an end is a line.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

/// The hash of a range: its lines joined by LF, plus one LF.
pub fn content_hash(lines: &[&str]) -> String {
    let mut hash = Sha256::new();
    for line in lines {
        hash.update(line);
        hash.update("\n");
    }
    format!("sha256:{}", hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>())
}

/// The hash of one line without the blanks around it: 11 characters.
pub fn line_hash(line: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let digest = Sha256::digest(line.trim());
    let number = digest.iter().take(8).fold(0_u128, |number, byte| number << 8 | u128::from(*byte)) << 2;
    (0..11).rev().map(|at| char::from(DIGITS[(number >> (at * 6)) as usize & 63])).collect()
}

/// The hashes of lines, one after the other.
pub fn line_hashes<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(line_hash).collect()
}

/// The ranges of lines of `after` that are not in `before`, counted from 0.
pub(crate) fn changed(before: &[&str], after: &[&str], deadline: Instant) -> Vec<Range<usize>> {
    let same = |a: &&str, b: &&str| a == b;
    let head = before.iter().zip(after).take_while(|(a, b)| same(a, b)).count();
    let (old, new) = (&before[head..], &after[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| same(a, b)).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    // Numbers are compared faster than texts.
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for line in old.iter().chain(new) {
        let next = numbers.len();
        numbers.entry(line).or_insert(next);
    }
    let number = |lines: &[&str]| -> Vec<usize> { lines.iter().map(|line| numbers[line]).collect() };
    let (old, new) = (number(old), number(new));
    let ops = capture_diff_slices_deadline(Algorithm::Patience, &old, &new, Some(deadline));
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for op in ops.into_iter().filter(|op| matches!(op.tag(), DiffTag::Insert | DiffTag::Replace)) {
        let range = op.new_range();
        let range = range.start + head..range.end + head;
        match ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => ranges.push(range),
        }
    }
    ranges
}
