//! `sed`: the files it changes and, where its script is plain, how.

use stead_model::{Content, How};

use crate::parse::syntax::mark;
use crate::programs::options::has_flag;
use crate::walk::Walk;

/// Reports which files a call changes or reads.
pub(crate) fn note(walk: &mut Walk<'_>, argv: &[String], changes: bool, shown: &str) {
    let Words { mut scripts, script_files, files } = Words::read(argv);
    let mut texts = Vec::new();
    for file in &script_files {
        walk.reads(file, false, shown);
        match walk.file_text(file) {
            Some(text) => texts.push(text),
            None => walk.gap(shown, "the script is not known"),
        }
    }
    let unknown = texts.len() < script_files.len();
    scripts.extend(texts.iter().map(String::as_str));
    let extended = has_flag(argv, "Er", &["--regexp-extended"]);
    let content = replacements(&scripts, extended).filter(|_| !unknown);
    let content = content.map_or(Content::Unknown, Content::Replacements);
    for file in files {
        if changes {
            walk.note_write(file, How::Edit, false, content.clone(), shown);
        } else {
            walk.reads(file, false, shown);
        }
    }
    for target in scripts.iter().flat_map(|script| written(script)) {
        walk.note_write(target, How::Replace, false, Content::Unknown, shown);
    }
}

/// What the words of a call are.
#[derive(Default)]
struct Words<'a> {
    scripts: Vec<&'a str>,
    /// Files that hold a script.
    script_files: Vec<&'a str>,
    files: Vec<&'a str>,
}

impl<'a> Words<'a> {
    fn read(argv: &'a [String]) -> Self {
        let (mut all, mut others) = (Self::default(), Vec::new());
        let mut words = argv.iter().skip(1).map(String::as_str);
        let (mut suffix, mut flags) = (false, true);
        while let Some(word) = words.next() {
            // The empty suffix of other systems' `-i ''`.
            if std::mem::take(&mut suffix) && word.is_empty() {
                continue;
            }
            let Some(letters) = word.strip_prefix('-').filter(|letters| flags && !letters.is_empty()) else {
                others.push(word);
                continue;
            };
            if let Some(long) = letters.strip_prefix('-') {
                let (name, glued) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                match name {
                    "" => flags = false,
                    "expression" => all.scripts.extend(glued.or_else(|| words.next())),
                    "file" => all.script_files.extend(glued.or_else(|| words.next())),
                    _ => {}
                }
                continue;
            }
            suffix = letters == "i";
            // What follows `i` is a suffix; what follows the others that take a value is that value.
            let Some(at) = letters.find(['e', 'f', 'l', 'i', 'I']) else { continue };
            let (letter, glued) = (&letters[at..=at], &letters[at + 1..]);
            let value = |words: &mut dyn Iterator<Item = &'a str>| {
                if glued.is_empty() { words.next() } else { Some(glued) }
            };
            match letter {
                "e" => all.scripts.extend(value(&mut words)),
                "f" => all.script_files.extend(value(&mut words)),
                "l" => {
                    value(&mut words);
                }
                _ => {}
            }
        }
        let named = !all.scripts.is_empty() || !all.script_files.is_empty();
        let mut others = others.into_iter();
        if !named {
            all.scripts.extend(others.next());
        }
        all.files.extend(others);
        all
    }
}

/// Reads scripts that only substitute literal text; `None` for all others. `sed` takes the first on each line where
/// we take all: for text that stands once on a line it is the same.
pub(crate) fn replacements(scripts: &[&str], extended: bool) -> Option<Vec<(String, String, bool)>> {
    let mut all = Vec::new();
    for script in scripts {
        let mut rest = script.trim_start();
        while !rest.is_empty() {
            let mut signs = rest.strip_prefix('s')?.chars();
            let sign = signs.next().filter(|c| !c.is_alphanumeric() && !c.is_whitespace() && *c != '\\')?;
            let (old, after) = field(signs.as_str(), sign)?;
            let (new, after) = field(after, sign)?;
            let flags: &str = &after[..after.find([';', '\n', '}', ' ']).unwrap_or(after.len())];
            if !flags.chars().all(|c| c == 'g') {
                return None;
            }
            all.push((literal(old, sign, extended)?, replacement(new, sign)?, true));
            rest = after[flags.len()..].trim_start_matches([';', '\n', ' ']);
        }
    }
    (!all.is_empty()).then_some(all)
}

/// Takes text up to the sign.
fn field(text: &str, sign: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == sign && !escaped {
            return Some((&text[..at], &text[at + c.len_utf8()..]));
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

fn literal(pattern: &str, sign: char, extended: bool) -> Option<String> {
    let special = if extended { ".*[]^$+?(){}|" } else { ".*[]^$" };
    let mut text = String::new();
    let mut signs = pattern.chars();
    while let Some(c) = signs.next() {
        match c {
            '\\' => match signs.next()? {
                c if c == sign || special.contains(c) || matches!(c, '\\' | '"' | '/' | '-') => text.push(c),
                _ => return None,
            },
            c if special.contains(c) || mark::is_mark(c) => return None,
            c => text.push(c),
        }
    }
    (!text.is_empty()).then_some(text)
}

fn replacement(text: &str, sign: char) -> Option<String> {
    let mut plain = String::new();
    let mut signs = text.chars();
    while let Some(c) = signs.next() {
        match c {
            '\\' => match signs.next()? {
                'n' => plain.push('\n'),
                't' => plain.push('\t'),
                c if c == sign || !c.is_alphanumeric() => plain.push(c),
                _ => return None,
            },
            '&' => return None,
            c if mark::is_mark(c) => return None,
            c => plain.push(c),
        }
    }
    Some(plain)
}

/// The files that the `w` command or flag of a script names.
fn written(script: &str) -> Vec<&str> {
    let commands = script.split(['\n', ';']);
    commands
        .filter_map(|command| {
            let (before, name) = command.trim().split_once("w ")?;
            let written = before.is_empty() || before.ends_with(|c: char| c.is_ascii_digit() || "/$g|#,".contains(c));
            (written && !name.trim().is_empty() && !name.trim().contains(' ')).then(|| name.trim())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, expected: Option<&[(&str, &str)]>) {
        let expected: Option<Vec<_>> =
            expected.map(|list| list.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned(), true)).collect());
        assert_eq!(replacements(&[script], false), expected, "{script}");
    }

    #[test]
    fn literal_substitutions_are_known() {
        check("s/a/b/", Some(&[("a", "b")]));
        check("s/a/b/g", Some(&[("a", "b")]));
        check("s|a/b|c|g; s/x/y/", Some(&[("a/b", "c"), ("x", "y")]));
        check(r#"s/"tested": false/"tested": true/"#, Some(&[("\"tested\": false", "\"tested\": true")]));
        check(r"s/v1\.0/v2.0/", Some(&[("v1.0", "v2.0")]));
        check(r"s/a\/b/c/", Some(&[("a/b", "c")]));
        check("s/(a)/b+/", Some(&[("(a)", "b+")]));
    }

    #[test]
    fn other_scripts_are_not() {
        for script in
            ["", "1d", "s/a.*/b/", "s/a/&x/", r"s/\(a\)/\1/", "2s/a/b/", "s/a/b/2", "s/a/b", "/x/s/a/b/", "y/a/b/"]
        {
            check(script, None);
        }
    }

    #[test]
    fn files_that_a_script_writes() {
        assert_eq!(written("w out.txt"), ["out.txt"]);
        assert_eq!(written("s/a/b/w out.txt"), ["out.txt"]);
        assert_eq!(written("/x/w out.txt"), ["out.txt"]);
        assert!(written("s/now here/a/").is_empty());
        assert!(written("s/a/new one/").is_empty());
    }
}
