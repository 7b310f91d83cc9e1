use std::fs::Metadata;
use std::time::Duration;

use crate::folder::mixed;
use crate::os;

/// What changes when a file changes; reading the file is not needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStamp {
    /// Size, inode and times as one word without white space.
    pub text: String,
    /// When anything about the file last changed, since 1970. Where the system keeps it, it cannot be set.
    pub changed: Duration,
}

/// Reads the stamp of a file.
pub fn file_stamp(data: &Metadata) -> FileStamp {
    let os::Stamp { number, modified, changed } = os::stamp(data);
    let mut text = String::with_capacity(64);
    let mut first = true;
    // Every call of the hook compares some, and formatting them would cost as much as the system calls.
    for number in [u128::from(data.len()), u128::from(number), modified, changed] {
        if !first {
            text.push('.');
        }
        first = false;
        push_hex(&mut text, number);
    }
    FileStamp { text, changed: Duration::from_nanos(u64::try_from(changed).unwrap_or(u64::MAX)) }
}

/// Reads the stamp of a file as one number, and when anything about the file last changed, since 1970. It detects changes and
/// is not cryptographic.
pub fn file_sum(data: &Metadata) -> (u64, Duration) {
    let stamp = os::stamp(data);
    let changed = Duration::from_nanos(u64::try_from(stamp.changed).unwrap_or(u64::MAX));
    (mixed("", data.len(), &stamp), changed)
}

fn push_hex(text: &mut String, number: u128) {
    let digits = (128 - number.leading_zeros()).div_ceil(4).max(1);
    for at in (0..digits).rev() {
        let digit = (number >> (at * 4)) as u8 & 0xf;
        text.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_before() {
        for number in [0, 1, 15, 16, 255, 4096, u128::from(u64::MAX), u128::MAX] {
            let mut text = String::new();
            push_hex(&mut text, number);
            assert_eq!(text, format!("{number:x}"));
        }
    }
}
