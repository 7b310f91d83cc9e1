//! Options whose next word is a secret.

use super::byte::{in_name, is_boundary, run_end};
use super::name::Name;
use super::value::{Bond, Value, is_secret};

/// Short options of programs that take a secret. A long one says so by its name.
pub(crate) const OPTIONS: &[Short] = &[
    Short {
        letter: b'p',
        programs: &[
            "sshpass", "docker", "podman", "nerdctl", "helm", "oras", "crane", "skopeo", "buildah", "az", "mongo",
            "mongosh", "mongodump", "mongorestore", "cf", "oc", "7z", "7za", "mysql", "mysqldump", "mysqladmin",
            "mariadb", "mysqlimport", "mysqlsh",
        ],
        with: With::Password,
    },
    Short { letter: b'P', programs: &["zip", "unzip", "sqlcmd", "bcp", "isql"], with: With::Password },
    Short { letter: b'a', programs: &["redis-cli", "redis-benchmark", "valkey-cli"], with: With::Password },
    Short {
        letter: b'w',
        programs: &["ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "wmic"],
        with: With::Password,
    },
    Short { letter: b'u', programs: &[], with: With::Login(b':') },
    Short { letter: b'u', programs: &["lftp"], with: With::Login(b',') },
    Short { letter: b'U', programs: &["smbclient", "rpcclient", "net"], with: With::Login(b'%') },
    Short { letter: b'U', programs: &["curl"], with: With::Login(b':') },
];

/// Programs whose `-p` needs the password in the same word; apart from it, `-p` asks, or means a port.
const GLUED: &[&str] = &["mysql", "mysqldump", "mysqladmin", "mariadb", "mysqlimport", "mysqlsh", "7z", "7za"];

/// Long options with `user:password`.
const LOGINS: &[&str] = &["user", "proxy-user", "creds"];

/// An option of one letter.
pub(crate) struct Short {
    pub(crate) letter: u8,
    /// In which commands it counts; in all of them if there are none.
    pub(crate) programs: &'static [&'static str],
    pub(crate) with: With,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum With {
    Password,
    /// A user, this byte and a password.
    Login(u8),
}

/// The range of the secret that belongs to the option at `at`.
pub(super) fn option_value(text: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    if !is_boundary(bytes, at) || at > 0 && matches!(bytes[at - 1], b'-' | b'.' | b'/') {
        return None;
    }
    match bytes.get(at + 1)? {
        b'-' => long(text, at + 2).or_else(|| single(text, at + 2)),
        letter if letter.is_ascii_alphabetic() => short(text, at).or_else(|| single(text, at + 1)),
        _ => None,
    }
}

/// `--password X`, `--user a:b`
fn long(text: &str, start: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let end = run_end(bytes, start, |byte| in_name(byte) && byte != b'.');
    let name = &text[start..end];
    if LOGINS.contains(&name) {
        let gap = if bytes.get(end) == Some(&b'=') { end + 1 } else { next_word(bytes, end)? };
        return login(text, gap, b':');
    }
    None
}

/// `--token X`, also `-token X`.
fn single(text: &str, start: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let end = run_end(bytes, start, |byte| in_name(byte) && byte != b'.');
    let name = &text[start..end];
    if name.len() < 4 || Name::of(name) != Name::Secret {
        return None;
    }
    let value = Value::behind(bytes, next_word(bytes, end)?, Bond::Tight);
    let found = value.text(text);
    // An option or the next command follows: it had no value.
    let is_value = !found.starts_with('-') && is_secret(found, Bond::Tight, name);
    is_value.then_some((value.start, value.end))
}

/// Where the next word begins: behind blanks, or behind a quote, a comma and blanks in a list.
fn next_word(bytes: &[u8], end: usize) -> Option<usize> {
    let behind = run_end(bytes, end, |byte| matches!(byte, b'"' | b'\'' | b'\\'));
    let comma = if bytes.get(behind) == Some(&b',') { behind + 1 } else { behind };
    let start = run_end(bytes, comma, |byte| matches!(byte, b' ' | b'\t'));
    (start > end && (start > comma || comma > behind)).then_some(start)
}

fn short(text: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let letter = bytes[at + 1];
    let rows = OPTIONS.iter().filter(|row| row.letter == letter);
    let behind = at + 2;
    let glued = !matches!(bytes.get(behind)?, b' ' | b'\t' | b'"' | b'\'' | b'\\' | b'\n');
    rows.into_iter().find_map(|row| {
        let program = if row.programs.is_empty() { Some("") } else { program_before(text, at, row.programs) };
        let program = program?;
        let start = if glued { behind } else { next_word(bytes, behind)? };
        if let With::Login(between) = row.with {
            return login(text, start, between);
        }
        // `-p` alone asks for the password; `-p80:80` is a port; `-pedantic` is an option.
        let needs_glue = GLUED.contains(&program);
        let value = Value::behind(bytes, start, Bond::Tight);
        let found = value.text(text);
        let is_port = !found.is_empty() && found.bytes().all(|byte| byte.is_ascii_digit() || b":-./".contains(&byte));
        let is_login = ["sshpass", "mongo", "mongosh"].contains(&program) || needs_glue || !has_word(text, at, "run");
        let fits = glued == needs_glue || program == "sshpass" || (glued && !needs_glue && program != "docker");
        let is_value = fits && is_login && !(is_port && program != "sshpass") && !found.starts_with('-');
        (is_value && is_secret(found, Bond::Tight, "password")).then_some((value.start, value.end))
    })
}

/// The password of `user:password` at `start`; not that of two numbers, which are ids.
fn login(text: &str, start: usize, between: u8) -> Option<(usize, usize)> {
    let value = Value::behind(text.as_bytes(), start, Bond::Tight);
    let found = value.text(text);
    let at = found.bytes().position(|byte| byte == between)?;
    let (user, password) = (&found[..at], &found[at + 1..]);
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.@+\\".contains(&byte));
    let is_login = is_name && !password.starts_with("//") && !(is_number(user) && is_number(password));
    (is_login && is_secret(password, Bond::Tight, "password")).then_some((value.start + at + 1, value.end))
}

/// The command that `at` is part of.
fn command_before(text: &str, at: usize) -> &str {
    const NEAR: usize = 400;
    let mut from = at.saturating_sub(NEAR);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let near = &text[from..at];
    let start = near.rfind(['\n', ';', '|', '&']).map_or(0, |end| end + 1);
    &near[start..]
}

fn words(command: &str) -> impl Iterator<Item = &str> {
    command
        .split(|c: char| c.is_whitespace() || "\"'`,[]()\\".contains(c))
        .map(|word| word.rsplit('/').next().unwrap_or(word))
}

fn program_before(text: &str, at: usize, programs: &[&'static str]) -> Option<&'static str> {
    let command = command_before(text, at);
    words(command).find_map(|word| programs.iter().find(|program| **program == word).copied())
}

fn has_word(text: &str, at: usize, wanted: &str) -> bool {
    words(command_before(text, at)).any(|word| word == wanted)
}
