//! Network connections.

use crate::walk::Walk;
use crate::walk::program::brief;

use crate::programs::table::{Given, Program, is_remote};

/// Reports whether a program connects to a host, and to which.
pub(crate) fn note(walk: &mut Walk<'_>, name: &str, argv: &[String]) {
    let Some(program) = Program::of_call(name, argv) else { return };
    let Some(kind) = program.field("network") else { return };
    let given = Given::read(&program, argv);
    if given.has("help") {
        return;
    }
    let words = given.words.get(program.verbs..).unwrap_or_default();
    let found = match kind {
        "host" => words.first().and_then(|word| host(word, Loose::Yes)),
        "url" => {
            let urls = words.iter().copied().chain(given.values("url")).filter(|word| !word.starts_with(['@', '{']));
            urls.filter_map(|word| host(word, Loose::Yes)).next()
        }
        "remote" => match words.iter().find(|word| is_remote(word)) {
            Some(word) => host(word, Loose::Yes),
            None => return,
        },
        _ => words.iter().filter(|word| word.contains(':')).find_map(|word| host(word, Loose::No)),
    };
    if program.is("downloads") {
        walk.prints_download = true;
        walk.download_host.clone_from(&found);
    }
    walk.calls_out(name, found, &brief(argv));
}

/// Whether a bare name is taken for a host.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loose {
    Yes,
    No,
}

/// Reads the host out of an address that a program names.
pub(crate) fn host_of(address: &str) -> Option<String> {
    host(address, Loose::No)
}

/// Reads the host out of an address: `scheme://user@host:port/…`, `user@host:path`, `host/…`.
fn host(word: &str, loose: Loose) -> Option<String> {
    let (rest, sure) = match word.split_once("://") {
        Some((_, rest)) => (rest, true),
        None => (word, word.contains('@')),
    };
    if !sure && loose == Loose::No {
        return None;
    }
    let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let rest = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let name = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, _)) => name,
        None => rest.split(':').next().unwrap_or_default(),
    };
    let valid = |c: char| c.is_ascii_alphanumeric() || "-._:".contains(c);
    (!name.is_empty() && name.chars().all(valid)).then(|| name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_found() {
        assert_eq!(host("https://user:pw@Example.com:8080/a?b", Loose::No).as_deref(), Some("example.com"));
        assert_eq!(host("git@github.com:a/b.git", Loose::No).as_deref(), Some("github.com"));
        assert_eq!(host("example.com/x", Loose::Yes).as_deref(), Some("example.com"));
        assert_eq!(host("http://[::1]:80/", Loose::No).as_deref(), Some("::1"));
        assert_eq!(host("main", Loose::No), None);
        assert_eq!(host("https://$x/", Loose::No), None);
    }
}
