use std::io::Cursor;
use std::path::Path;

use stead_store::{Lines, Tail};

/// Reading a log from either end gives the same lines and passes over the same number.
pub fn jsonl(data: &[u8]) {
    let (times, data) = data.split_first().map_or((0, data), |(first, rest)| (usize::from(first % 32), rest));
    // Repeated, so that a log is longer than the blocks it is read in.
    let log = data.repeat(times + 1);
    let name = Path::new("log.jsonl");
    let mut forward = Lines::new(Cursor::new(&log), name);
    let lines: Vec<_> = forward.by_ref().filter_map(Result::ok).collect();
    let Ok(mut backward) = Tail::new(Cursor::new(&log), name) else {
        panic!("a log in memory cannot be read backwards");
    };
    let mut reversed: Vec<_> = backward.by_ref().filter_map(Result::ok).collect();
    reversed.reverse();
    assert_eq!(lines, reversed);
    assert_eq!(forward.skipped(), backward.skipped());
    for line in &lines {
        let at = usize::try_from(line.offset).unwrap_or(usize::MAX);
        assert!(log.get(at..).is_some_and(|rest| rest.trim_ascii_start().starts_with(line.text.as_bytes())));
    }
}
