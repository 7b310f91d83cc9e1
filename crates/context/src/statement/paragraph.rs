//! What a person wrote in a prompt, line by line: without code, quotations and pasted logs, and with the lines joined that
//! an editor wrapped.

use crate::packet::{Fences, item_text, unclosed_fence};

/// A line that is at least this long, in characters, and ends in the middle of a sentence was wrapped.
const WRAPPED: usize = 40;

/// The levels with which programs start the lines of their logs. People write `Warning:` and `Note:` as well.
const LEVELS: &[&str] = &[
    "ERROR", "INFO", "DEBUG", "TRACE", "FATAL", "PANIC", "ERR!", "Error", "error", "warning", "fatal", "panic",
    "remote", "hint", "Traceback", "Caused", "npm",
];
const BRACKETED: &[&str] = &["error", "warn", "warning", "info", "debug", "trace", "fatal", "notice", "critical"];

/// The lines of prose in a prompt. A line that `is_complete` does not go on in the next one.
pub(super) fn paragraphs(prompt: &str, is_complete: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut fences = Fences::default();
    let unclosed = unclosed_fence(prompt);
    let (mut is_loose, mut is_code, mut in_list, mut follows) = (false, false, false, false);
    for (index, line) in prompt.lines().enumerate() {
        let text = line.trim();
        // Who forgets to close a fence means the block up to the next blank line.
        is_loose = !text.is_empty() && (is_loose || unclosed == Some(index + 1));
        let is_past = unclosed.is_some_and(|opened| index + 1 >= opened);
        if is_loose || (!is_past && fences.covers(line)) {
            (is_code, follows) = (false, false);
            continue;
        }
        if text.is_empty() {
            follows = false;
            continue;
        }
        let item = item_text(line).or_else(|| text.strip_prefix('•')).map(str::trim);
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        is_code = is_indented && item.is_none() && !in_list && (is_code || !follows);
        if is_code || text.starts_with('>') || is_log(text) {
            follows = false;
            continue;
        }
        in_list = item.is_some() || (in_list && line.starts_with([' ', '\t']));
        let is_heading = text.starts_with('#');
        let starts_low = text.chars().next().is_some_and(|c| !c.is_uppercase());
        let last = found.last_mut().filter(|last| {
            let is_wrapped = last.chars().count() >= WRAPPED
                && !last.ends_with(['.', '!', '?', ':', ';', '…', '。', '！', '？', '؟']);
            follows && item.is_none() && !is_heading && starts_low && is_wrapped && !is_complete(last)
        });
        match last {
            Some(last) => last.push_str(&format!(" {text}")),
            None => found.push(item.unwrap_or(text).trim_start_matches(['#', ' ']).to_owned()),
        }
        follows = !is_heading;
    }
    found
}

/// Returns true for a line that a program printed.
fn is_log(line: &str) -> bool {
    let first = line.split_whitespace().next().unwrap_or_default();
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
    let bare = first.trim_matches(['[', ']', '(', ')', ':', '|']);
    let is_time = bare.starts_with(|c: char| c.is_ascii_digit())
        && (bare.contains(':') && digits(bare) >= 4 || bare.matches('-').count() == 2 && digits(bare) >= 8);
    // `error:`, `error[E0502]:`, `src/a.rs:3:7: error`, `TypeError:`, `[WARN]`.
    let level = first.split(['[', ':']).next().unwrap_or_default();
    let is_level =
        LEVELS.contains(&level) && (first.contains([':', '!']) || LEVEL_LINES.iter().any(|l| line.starts_with(l)));
    let is_bracketed = first.starts_with('[') && BRACKETED.contains(&bare.to_lowercase().as_str());
    let is_exception =
        ["Error:", "Exception:", "Warning:"].iter().any(|end| first.len() > end.len() && first.ends_with(end));
    let is_place = first.split(':').skip(1).filter(|part| !part.is_empty() && digits(part) == part.len()).count() > 0
        && first.contains(['.', '/'])
        && first.ends_with(':');
    let is_frame = line.starts_with("at ") && line.ends_with(')') || FRAMES.iter().any(|start| line.starts_with(start));
    is_time || is_level || is_bracketed || is_exception || is_place || is_frame
}

/// How other lines of logs start.
const LEVEL_LINES: &[&str] = &[
    "npm ERR!", "npm WARN", "npm error", "npm warn", "Traceback (", "Caused by:", "ERROR ", "INFO ", "DEBUG ",
    "TRACE ", "FATAL ",
];
const FRAMES: &[&str] = &["File \"", "thread '", "-->", "| ", "Exception in ", "goroutine "];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(prompt: &str, expected: &[&str]) {
        assert_eq!(paragraphs(prompt, |line| line.starts_with("Why")), expected, "{prompt}");
    }

    #[test]
    fn wrapped_lines_are_one() {
        let first = "The generated files below the folder with our";
        check(
            &format!("{first}\nvendored code must stay.\nNext"),
            &[&format!("{first} vendored code must stay."), "Next"],
        );
        check(&format!("- {first}\n  `vendor/` must stay"), &[&format!("{first} `vendor/` must stay")]);
        check("Fix it\nnever push", &["Fix it", "never push"]);
        check(&format!("{first}\n\nnever push"), &[first, "never push"]);
        check(&format!("{first}\n- never push"), &[first, "never push"]);
        check(&format!("{first}.\r\nnever push\r\n"), &[&format!("{first}."), "never push"]);
        check(
            "Why does it fail whenever I run all of it\nnever push",
            &["Why does it fail whenever I run all of it", "never push"],
        );
    }

    #[test]
    fn lists_and_headings_lose_their_marks() {
        check("# Rules\n1. one\n* two\n- [ ] three\n• four", &["Rules", "one", "two", "three", "four"]);
    }

    #[test]
    fn code_and_quotations_are_left_out() {
        check("a\n```\nmust\n```\nb\n~~~\nmust\n~~~\n> must\nc", &["a", "b", "c"]);
        check("a:\n\n    must()\n    must()\n\nb", &["a:", "b"]);
        check("- a\n\n    more of a\n\nb", &["a", "more of a", "b"]);
        check("a\n```\nmust\n\nb", &["a", "b"]);
    }

    #[test]
    fn logs_are_left_out() {
        for line in [
            "2026-11-15T19:45:30Z you must not",
            "[12:30:01] only one",
            "12:30:01.123 must",
            "[WARN] should only",
            "ERROR you must",
            "ERROR: you must",
            "error[E0502]: cannot borrow, must not",
            "warning: unused, should be removed",
            "fatal: need to specify how to reconcile",
            "npm ERR! you must accept",
            "src/a.rs:3:7: error: must be",
            "src/a.c:12: must be",
            "TypeError: x must be a string",
            "java.lang.IllegalStateException: must not be null",
            "at must.never (src/a.js:3:7)",
            "File \"a.py\", line 3, in must",
            "thread 'main' panicked at must",
            "Error: you must supply a path",
        ] {
            check(&format!("Look:\n{line}\nthanks"), &["Look:", "thanks"]);
        }
        for line in [
            "Warning: never touch vendor/",
            "Note: never push",
            "Important: never push",
            "error handling must stay",
            "At most 3 (three)",
            "3 files must stay",
            "src/a.rs must stay",
            "npm must not be used",
            "src/a.rs:12 must stay as it is",
        ] {
            check(line, &[line]);
        }
    }
}
