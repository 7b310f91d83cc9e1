//! Programs that are known to write or remove: which of their words they change.

use crate::programs::table::{self, Known};
use crate::programs::{archive, copy, patch, sed};
use crate::walk::program::brief;
use crate::walk::{Call, Stop, Walk};

/// Reports what a program does; returns true if that is all.
pub(crate) fn judge(walk: &mut Walk<'_>, name: &str, call: &Call<'_>) -> Result<bool, Stop> {
    let argv = call.argv;
    let shown = || brief(argv);
    match name {
        "cp" | "gcp" | "install" | "ginstall" | "ln" | "mv" | "gmv" => copy::note(walk, name, argv, &shown()),
        "sed" | "gsed" => sed::note(walk, argv, edits_in_place(argv), &shown()),
        "tar" | "bsdtar" | "gtar" => return archive::tar(walk, call),
        "unzip" => archive::unzip(walk, argv, &shown()),
        "zip" => archive::zip(walk, argv, &shown()),
        "apply_patch" | "applypatch" => patch::envelope(walk, call),
        _ => return Ok(table::note(walk, name, call)? == Known::Complete),
    }
    Ok(true)
}

/// Returns the words that are neither flags nor the values of the short flags named.
pub(crate) fn operands_after<'a>(argv: &'a [String], valued: &str) -> Vec<&'a str> {
    operands_without(argv, valued, &[])
}

/// Returns the words that are neither flags nor the values of the short and long flags named.
pub(crate) fn operands_without<'a>(argv: &'a [String], valued: &str, long: &[&str]) -> Vec<&'a str> {
    let (mut words, mut at, mut flags) = (Vec::new(), 1, true);
    while let Some(word) = argv.get(at) {
        at += 1;
        match word.strip_prefix('-').filter(|_| flags && word != "-") {
            Some("-") => flags = false,
            Some(flag) if flag.starts_with('-') => at += usize::from(long.contains(&word.as_str())),
            Some(flag) => at += usize::from(flag.chars().count() == 1 && valued.contains(flag)),
            None => words.push(word.as_str()),
        }
    }
    words
}

/// Returns true if a short flag (alone or in a bundle) or a long one is there.
pub(crate) fn has_flag(argv: &[String], short: &str, long: &[&str]) -> bool {
    argv.iter().skip(1).take_while(|word| *word != "--").any(|word| match word.strip_prefix("--") {
        Some(_) => long.iter().any(|flag| word == flag || word.starts_with(&format!("{flag}="))),
        None => word.strip_prefix('-').is_some_and(|flags| flags.contains(|c| short.contains(c))),
    })
}

/// Returns the values of an option: `-o x`, `-ox`, `--output x`, `--output=x`.
pub(crate) fn option_values<'a>(argv: &'a [String], short: char, long: &str) -> Vec<&'a str> {
    let mut values = Vec::new();
    for (at, word) in argv.iter().enumerate().skip(1) {
        let next = argv.get(at + 1).map(String::as_str);
        if let Some(rest) = word.strip_prefix(long) {
            values.extend(rest.strip_prefix('=').or(next.filter(|_| rest.is_empty())));
        } else if let Some(flags) = word.strip_prefix('-').filter(|flags| !flags.starts_with('-'))
            && let Some((_, rest)) = flags.split_once(short)
        {
            values.extend(if rest.is_empty() { next } else { Some(rest) });
        }
    }
    values
}

/// Returns true if `sed` rewrites its files.
pub(crate) fn edits_in_place(argv: &[String]) -> bool {
    argv.iter().skip(1).any(|word| {
        word.starts_with("--in-place")
            || word.strip_prefix('-').is_some_and(|flags| {
                let before: String = flags.chars().take_while(|c| !matches!(c, 'i' | 'I')).collect();
                before.len() < flags.len() && before.chars().all(|c| "nErsuz".contains(c))
            })
    })
}
