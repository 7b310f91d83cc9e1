//! Programs that talk to somebody outside, and to whom.

use super::program::brief;
use super::walk::Walk;
use super::writer::operands_after;

/// Programs that always do, with the short flags that take a value.
const TALKING: &[(&str, &str)] = &[
    ("aria2c", "doi"),
    ("aws", ""),
    ("az", ""),
    ("curl", "odXHuAeFTbcDKmrxwCEQtyYz"),
    ("dig", ""),
    ("doctl", ""),
    ("fly", ""),
    ("flyctl", ""),
    ("ftp", ""),
    ("gcloud", ""),
    ("gh", "RXFfH"),
    ("glab", "R"),
    ("gsutil", ""),
    ("helm", ""),
    ("heroku", ""),
    ("host", ""),
    ("http", ""),
    ("https", ""),
    ("kubectl", "nfoc"),
    ("lftp", ""),
    ("mosh", ""),
    ("nc", "wpsX"),
    ("ncat", "wp"),
    ("netlify", ""),
    ("nslookup", ""),
    ("ping", "ciWt"),
    ("sftp", "Pio"),
    ("socat", ""),
    ("ssh", "iopFlLRDJWbcEeImOQSw"),
    ("ssh-copy-id", "ip"),
    ("telnet", ""),
    ("vercel", ""),
    ("websocat", ""),
    ("wget", "OoPUiate"),
    ("whois", ""),
    ("xh", ""),
];

/// Verbs of programs that do now and then.
const VERBS: &[(&str, &[&str])] = &[
    ("apt", &["install", "update", "upgrade", "full-upgrade"]),
    ("apt-get", &["install", "update", "upgrade", "dist-upgrade"]),
    ("apk", &["add", "update"]),
    ("brew", &["install", "update", "upgrade", "fetch", "tap"]),
    ("bun", &["add", "install", "i"]),
    ("bundle", &["install", "update"]),
    ("cargo", &["install", "add", "fetch", "publish", "search", "update", "login"]),
    ("composer", &["install", "require", "update"]),
    ("conda", &["install", "update", "create"]),
    ("dnf", &["install", "update"]),
    ("docker", &["pull", "push", "login", "search"]),
    ("gem", &["install", "push", "update"]),
    ("git", &["clone", "fetch", "pull", "push", "ls-remote", "remote-https"]),
    ("go", &["get", "install", "mod"]),
    ("npm", &["install", "i", "ci", "add", "publish", "update", "login", "audit", "view"]),
    ("pip", &["install", "download"]),
    ("pip3", &["install", "download"]),
    ("pipx", &["install"]),
    ("pnpm", &["install", "i", "add", "publish", "update"]),
    ("podman", &["pull", "push"]),
    ("poetry", &["add", "install", "update", "publish"]),
    ("uv", &["add", "sync", "pip", "publish", "tool"]),
    ("yarn", &["add", "install", "publish", "upgrade"]),
    ("yum", &["install", "update"]),
];

/// Tells if a program talks to somebody.
pub(super) fn note(walk: &mut Walk<'_>, name: &str, argv: &[String]) {
    if walk.report.is_none() {
        return;
    }
    let shown = brief(argv);
    if let Some((_, valued)) = TALKING.iter().find(|(known, _)| *known == name) {
        let words = operands_after(argv, valued);
        let host = match name {
            "ssh" | "mosh" | "sftp" | "ping" | "nc" | "ncat" | "telnet" | "whois" | "host" | "nslookup" | "ftp" => {
                words.first().and_then(|word| host(word, Loose::Yes))
            }
            "curl" | "wget" | "http" | "https" | "xh" => {
                let urls = words.iter().filter(|word| !word.starts_with(['@', '{']));
                urls.filter_map(|word| host(word, Loose::Yes)).next()
            }
            _ => words.iter().find_map(|word| host(word, Loose::No)),
        };
        walk.calls_out(name, host, &shown);
        return;
    }
    let copies = matches!(name, "scp" | "rsync");
    let verbs = VERBS.iter().find(|(known, _)| *known == name).map(|(_, verbs)| *verbs).unwrap_or_default();
    let talks = argv.iter().skip(1).take(4).any(|word| verbs.contains(&word.as_str()));
    let remote = |word: &&String| {
        word.contains("://") || word.contains('@') && word.contains(':') || copies && word.contains(':')
    };
    if talks || copies && argv.iter().skip(1).any(|word| remote(&word)) {
        let named = argv.iter().skip(1).filter(remote).find_map(|word| host(word, Loose::Yes));
        walk.calls_out(name, named, &shown);
    }
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
