use proptest::prelude::*;
use stead_code::{Hash, LineHash, LineRange, changed_lines, line_hash};

#[track_caller]
fn check(before: &str, after: &str, expected: &[(usize, usize)]) {
    let expected: Vec<_> = expected.iter().map(|(start, end)| LineRange { start: *start, end: *end }).collect();
    assert_eq!(changed_lines(before, after), expected, "{before:?} {after:?}");
}

#[test]
fn only_lines_that_differ_are_changed() {
    check("", "", &[]);
    check("", "a\nb\n", &[(1, 2)]);
    check("a\nb\nc\n", "a\nx\nc\n", &[(2, 2)]);
    check("a\nb\nc\n", "a\nc\n", &[]);
    check("a\r\nb\r\n", "a\nb\n", &[]);
    check("a\nb\nc\nd\n", "x\na\nb\ny\nz\nc\nd\nw", &[(1, 1), (4, 5), (8, 8)]);
}

#[test]
fn long_files_are_compared_in_linear_time() {
    let line = |at: usize| format!("line {at}\n");
    let before: String = (0..100_000).map(line).collect();
    let after: String = (0..100_000).map(|at| if at % 1_000 == 7 { format!("new {at}\n") } else { line(at) }).collect();
    assert_eq!(changed_lines(&before, &after).len(), 100);
    let other: String = (0..100_000).map(|at| format!("other {at}\n")).collect();
    assert_eq!(changed_lines(&before, &other), [LineRange { start: 1, end: 100_000 }]);
    let same: String = "x\n".repeat(100_000);
    let more: String = "x\ny\n".repeat(50_000);
    assert!(!changed_lines(&same, &more).is_empty());
}

proptest! {
    /// What is not changed is, in order, part of the text before.
    #[test]
    fn unchanged_lines_come_from_before(before in "([abc]\n){0,30}", after in "([abc]\n){0,30}") {
        let ranges = changed_lines(&before, &after);
        let is_changed = |line: usize| ranges.iter().any(|range| range.start <= line && line <= range.end);
        let mut old = before.lines();
        for (at, line) in after.lines().enumerate().filter(|(at, _)| !is_changed(at + 1)) {
            prop_assert!(old.any(|known| known == line), "line {} is not from before", at + 1);
        }
    }

    #[test]
    fn hashes_can_be_read_back(lines in prop::collection::vec(".{0,20}", 0..5), bytes: [u8; 32]) {
        let hashes: Vec<_> = lines.iter().map(|line| line_hash(line)).collect();
        let text: String = hashes.iter().map(LineHash::to_string).collect();
        prop_assert_eq!(LineHash::parse_all(&text), Some(hashes));
        prop_assert_eq!(Hash(bytes).to_string().parse(), Ok(Hash(bytes)));
    }
}
