//! A screen as a text that is the same in every run: without what a client shows of itself, and with the same letters for
//! what differs each time. Those have the length of what they stand for, so that lines break at the same place.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::client::Client;
use crate::page::OnDifference;
use crate::repository;

/// Removes noise from a screen.
pub(crate) fn plain(screen: &str, noise: &[&str]) -> String {
    let mut text = String::new();
    for line in screen.lines().map(str::trim_end) {
        let is_rule = !line.is_empty() && line.chars().all(|c| matches!(c, '─' | '━' | '╭' | '╮' | '╰' | '╯' | ' '));
        if is_rule || noise.iter().any(|start| line.trim_start().starts_with(start)) {
            continue;
        }
        // Blank lines say nothing, but some separate paragraphs.
        if line.is_empty() && (text.is_empty() || text.ends_with("\n\n")) {
            continue;
        }
        text.push_str(&steady(line));
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

/// Replaces ids and times in a line: of verdicts, of what was put back, and of loops.
fn steady(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let is_start = !out.ends_with(|c: char| c.is_ascii_alphanumeric());
        if is_start && let Some(placeholder) = time(rest).or_else(|| id(rest)) {
            out.push_str(&placeholder);
            rest = &rest[placeholder.len()..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// What stands for a time such as `20261118T024234Z`, if a text begins with one.
fn time(text: &str) -> Option<String> {
    const SHAPE: &str = "00000000T000000Z";
    let bytes = text.as_bytes().get(..SHAPE.len())?;
    let fits = |(byte, shape): (&u8, u8)| if shape == b'0' { byte.is_ascii_digit() } else { *byte == shape };
    bytes.iter().zip(SHAPE.bytes()).all(fits).then(|| SHAPE.to_owned())
}

/// What stands for a verdict's id or the like, if a text begins with one.
fn id(text: &str) -> Option<String> {
    let bytes = text.as_bytes().get(..10)?;
    let is_id = matches!(bytes, [b'v' | b't', b'-', ..])
        && bytes[2..].iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && !text.as_bytes().get(10).is_some_and(u8::is_ascii_alphanumeric);
    is_id.then(|| format!("{}-xxxxxxxx", char::from(bytes[0])))
}

/// Compares a screen with the one that is kept, or keeps it.
pub(crate) fn compare(client: &Client, text: &str, on_difference: OnDifference) -> Result<()> {
    let path = repository::root().join(format!("crates/scenario/screens/{}.txt", client.harness));
    let kept = fs::read_to_string(&path).unwrap_or_default();
    match on_difference {
        _ if kept == text => Ok(()),
        OnDifference::Write => {
            fs::create_dir_all(path.parent().unwrap_or(&path))?;
            fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))
        }
        OnDifference::Tell => {
            let missing = |one: &str, other: &str, mark: char| -> String {
                one.lines().filter(|line| !other.lines().any(|l| l == *line)).map(|l| format!("{mark}{l}\n")).collect()
            };
            bail!(
                "the window shows something else than `{}` says; look at it and write it with `--write`\n{}{}\nit shows:\n{text}",
                path.display(),
                missing(&kept, text, '-'),
                missing(text, &kept, '+')
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_each_time_is_replaced_by_as_many_letters() {
        let check = |line: &str, expected: &str| {
            assert_eq!(steady(line), expected);
            assert_eq!(line.chars().count(), expected.chars().count());
        };
        check("denied [v-f5c4z3e8]", "denied [v-xxxxxxxx]");
        check("loop `20261118T024234Z-paint-it`", "loop `00000000T000000Z-paint-it`");
        check("a-reviewed plan, v-8, é — x-1234567890", "a-reviewed plan, v-8, é — x-1234567890");
    }

    #[test]
    fn noise_goes_and_paragraphs_stay() {
        let screen = " Banner 1\n\n\n❯ Do it   \n\n\n● Done\n────\n  hint: x\n\n";
        assert_eq!(plain(screen, &["Banner", "hint:"]), "❯ Do it\n\n● Done\n");
    }
}
