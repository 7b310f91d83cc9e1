//! Which projects a person trusts as a whole: `trust.folders` and `trust.remotes` in their own settings.

use std::path::{Path, PathBuf};

use super::Env;
use crate::{Config, UserDirs, os};

/// The person's settings about trust. No other layer counts.
#[derive(Debug, Default)]
pub(super) struct TrustSettings {
    folders: Vec<(String, PathBuf)>,
    remotes: Vec<String>,
}

impl TrustSettings {
    pub(super) fn of(env: Env<'_>) -> Self {
        // Neither a project nor a variable may trust anything.
        let lasting = |name: &str| if name.starts_with("STEAD_") { None } else { env(name) };
        // Every session asks, and most people have no such file.
        if !UserDirs::from_env(&lasting).is_some_and(|dirs| dirs.config.join("config.toml").exists()) {
            return Self::default();
        }
        let (config, _) = Config::load(None, &lasting, &[]);
        let home = env("HOME").or_else(|| env("USERPROFILE")).map(PathBuf::from);
        let place = |folder: &str| -> Option<(String, PathBuf)> {
            let path = match folder.strip_prefix('~') {
                Some(rest) => home.as_ref()?.join(rest.trim_start_matches('/')),
                None => PathBuf::from(folder),
            };
            path.is_absolute().then(|| (folder.to_owned(), os::real_path(&path).unwrap_or(path)))
        };
        Self {
            folders: config.list("trust.folders").iter().filter_map(|folder| place(folder)).collect(),
            remotes: config.list("trust.remotes"),
        }
    }

    /// The setting that trusts a project, in words.
    pub(super) fn trusts(&self, root: &Path, remotes: &[String]) -> Option<String> {
        if self.folders.is_empty() && self.remotes.is_empty() {
            return None;
        }
        let real = os::real_path(root).unwrap_or_else(|_| root.to_owned());
        let folder = self.folders.iter().find(|(_, folder)| real.starts_with(folder));
        if let Some((name, _)) = folder {
            return Some(format!("`trust.folders` contains `{name}`"));
        }
        // A repository with several remotes may have got its content from any of them.
        let fitting = |url: &String| self.remotes.iter().find(|pattern| fits(pattern, url));
        let first = remotes.first().and_then(fitting)?;
        remotes.iter().all(|url| fitting(url).is_some()).then(|| format!("`trust.remotes` contains `{first}`"))
    }
}

/// Returns true if an address matches a pattern such as `github.com/acme/*`, in which `*` stands for any text. The
/// different spellings of an address (`https://`, `ssh://`, `git@host:path`, a final `.git`) are the same.
fn fits(pattern: &str, url: &str) -> bool {
    let pattern = plain(pattern);
    !pattern.is_empty() && glob(pattern.as_bytes(), plain(url).as_bytes())
}

/// An address as `host/path`, without user, scheme and ending.
fn plain(url: &str) -> String {
    let url = url.trim();
    let (is_scheme, rest) = match url.split_once("://") {
        Some((_, rest)) => (true, rest),
        None => (false, url),
    };
    let host_end = rest.find('/').unwrap_or(rest.len());
    let rest = match rest[..host_end].rfind('@') {
        Some(at) => &rest[at + 1..],
        None => rest,
    };
    // `host:path`, as ssh spells it.
    let rest = match rest.split_once(':') {
        Some((host, path)) if !is_scheme && !host.contains('/') => format!("{host}/{}", path.trim_start_matches('/')),
        _ => rest.to_owned(),
    };
    let (host, path) = rest.split_once('/').unwrap_or((&rest, ""));
    let path = path.trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    if path.is_empty() { host.to_lowercase() } else { format!("{}/{path}", host.to_lowercase()) }
}

fn glob(pattern: &[u8], text: &[u8]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some((b'*', rest)) => (0..=text.len()).any(|at| glob(rest, &text[at..])),
        Some((first, rest)) => text.first() == Some(first) && glob(rest, &text[1..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_address_is_the_same() {
        let check =
            |pattern: &str, url: &str, expected: bool| assert_eq!(fits(pattern, url), expected, "{pattern} {url}");
        for url in [
            "https://github.com/acme/tool.git",
            "https://token@GitHub.com/acme/tool",
            "git@github.com:acme/tool.git",
            "ssh://git@github.com/acme/tool/",
            "github.com:acme/tool",
        ] {
            check("github.com/acme/*", url, true);
            check("https://github.com/acme/tool", url, true);
            check("git@github.com:acme/*", url, true);
            check("github.com/acme", url, false);
            check("github.com/other/*", url, false);
        }
        check("github.com/acme/*", "https://evil.example/github.com/acme/tool", false);
        check("github.com/acme/*", "https://github.com@evil.example/acme/tool", false);
        check("github.com/acme/*", "https://evil.example/?github.com/acme/tool", false);
        check("github.com/acme/*", "https://github.com.evil.example/acme/tool", false);
        check("github.com/acme/*", "/srv/github.com/acme/tool", false);
        check("", "github.com/acme/tool", false);
    }
}
