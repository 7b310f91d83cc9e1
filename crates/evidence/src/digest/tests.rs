use std::io::{BufReader, Read};

use proptest::prelude::*;

use super::*;

fn read(log: &str) -> Digest {
    digest(log.as_bytes(), Path::new("log"), &DigestOptions::default()).unwrap()
}

#[test]
fn lines_tell_how_much_they_matter() {
    let check =
        |line: &str, expected: Option<Severity>| assert_eq!(sign::severity(line.as_bytes()), expected, "{line}");
    check("2026-11-15 ERROR db: connection refused", Some(Severity::Error));
    check("thread 'main' panicked at src/main.rs:3", Some(Severity::Fatal));
    check("WARN slow query", Some(Severity::Warning));
    check("java.lang.NullPointerException: x", Some(Severity::Error));
    check("Traceback (most recent call last):", Some(Severity::Fatal));
    check("ok: 0 errors, no warnings, failed: 0, errors=0", None);
    check("10 errors", Some(Severity::Error));
    check("error: 0x12", Some(Severity::Error));
    check("terrorised by mirrors", None);
    check("all good", None);
    check("", None);
}

#[test]
fn floods_become_one_line_with_a_count() {
    let mut log = String::from("start\n");
    for number in 0..5000 {
        log.push_str(&format!("12:00:{:02} GET /item/{number} 200\n", number % 60));
        if number % 10 == 0 {
            log.push_str(&format!("12:00:{:02} ERROR request {number:08x} failed after {number} ms\n", number % 60));
        }
    }
    log.push_str(
        "thread 'main' panicked at src/main.rs:3:5:\n  index out of bounds\n  note: run with a backtrace\nbye\n",
    );
    let digest = read(&log);
    assert_eq!((digest.lines, digest.groups.len()), (5505, 2));
    let text = digest.render(400);
    assert!(text.starts_with("5505 lines, "), "{text}");
    assert!(text.contains("1 fatal, 500 errors"), "{text}");
    assert!(text.contains("(×500, last in line 5492)"), "{text}");
    assert!(text.contains("index out of bounds") && text.contains("bye") && text.contains("start"), "{text}");
    assert!(text.len() <= 1700, "{}", text.len());
}

#[test]
fn a_budget_is_kept_and_the_worst_stays() {
    let mut log = String::new();
    for word in ["alpha", "beta", "gamma", "delta"] {
        for other in ["one", "two", "three", "four"] {
            log.push_str(&format!("WARN {word} {other} is odd\nfine\nfine\nfine\nfine\nfine\n"));
        }
    }
    log.push_str("ERROR the one that matters\n");
    log.push_str(&"fine\n".repeat(50));
    for tokens in [60, 100, 200, 1000] {
        let text = read(&log).render(tokens);
        assert!(text.contains("the one that matters"), "{tokens}: {text}");
        assert!(text.len() <= tokens * 4 + 80, "{tokens}: {}", text.len());
    }
    assert!(read(&log).render(60).contains("more kinds of lines did not fit"));
}

#[test]
fn what_is_asked_for_is_shown() {
    let options = DigestOptions { grep: Some("user=(alice|bob)") };
    let log = "GET user=alice\nERROR user=carol\nGET user=bob\nWARN user=bob\n";
    let found = digest(log.as_bytes(), Path::new("log"), &options).unwrap();
    let shown: Vec<_> = found.groups.iter().map(|group| (group.severity, group.first)).collect();
    assert_eq!(shown, [(Severity::Asked, 1), (Severity::Asked, 3), (Severity::Warning, 4)]);
    let broken = DigestOptions { grep: Some("(") };
    assert!(matches!(digest(log.as_bytes(), Path::new("log"), &broken), Err(EvidenceError::Pattern { .. })));
}

#[test]
fn a_quiet_log_shows_its_ends() {
    let log: String = (1..=100).map(|number| format!("line {number}\n")).collect();
    let text = read(&log).render(200);
    assert!(text.contains("  line 1\n") && text.contains("  line 100\n") && text.contains("…"), "{text}");
    assert_eq!(read("").render(100), "0 lines, 0 bytes\n");
}

/// A log that never exists as a whole: memory is bounded by what is kept.
#[test]
fn endless_lines_and_logs_are_read_in_bounded_memory() {
    struct Endless(u64);
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = (buffer.len() as u64).min(self.0);
            self.0 -= count;
            buffer[..count as usize].fill(b'x');
            Ok(count as usize)
        }
    }
    let one = digest(BufReader::with_capacity(1 << 20, Endless(64 << 20)), Path::new("log"), &DigestOptions::default());
    let one = one.unwrap();
    assert_eq!((one.lines, one.bytes), (1, 64 << 20));
    assert!(one.head[0].1.len() < 400);
}

#[test]
fn many_kinds_of_lines_do_not_pile_up() {
    let log: String = (0..3000u32)
        .map(|number| {
            let word: String = number.to_string().bytes().map(|digit| char::from(b'a' + (digit - b'0'))).collect();
            format!("ERROR {word}\n")
        })
        .collect();
    let digest = read(&log);
    assert_eq!((digest.groups.len(), digest.dropped), (MOST, 3000 - MOST as u64));
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400), tokens in 0..200usize) {
        let found = digest(bytes.as_slice(), Path::new("log"), &DigestOptions::default()).unwrap();
        prop_assert_eq!(found.bytes, bytes.len() as u64);
        let _ = found.render(tokens);
    }
}
