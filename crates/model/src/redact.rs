//! Takes secrets out of a text before it is written down. It knows how keys look, not what they open, so it errs on
//! the side of covering too much.

use std::borrow::Cow;

/// What stands in a secret's place.
const COVER: &str = "[redacted]";

/// How known keys begin.
const PREFIXES: &[&str] = &[
    "sk-", "sk_", "pk_", "rk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "AKIA", "ASIA",
    "AIza", "ya29.", "eyJ", "npm_", "pypi-", "hf_", "dop_v1_", "shpat_",
];

/// Names whose value is a secret, whatever it looks like.
const NAMES: &[&str] = &["password", "passwd", "secret", "token", "apikey", "api_key", "api-key", "access_key", "auth"];

/// Covers every word that looks like a secret.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut done = 0;
    let mut start = 0;
    for word in text.split_inclusive(is_end) {
        let next = start + word.len();
        if let Some(safe) = covered(word) {
            out.push_str(&text[done..start]);
            out.push_str(&safe);
            done = next;
        }
        start = next;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Says whether a word ends there.
fn is_end(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | ',' | ';' | '(' | ')' | '<' | '>') || c.is_whitespace()
}

fn covered(word: &str) -> Option<String> {
    let core = word.trim_end_matches(is_end);
    let end = &word[core.len()..];
    if let Some(at) = core.bytes().position(|byte| matches!(byte, b'=' | b':')) {
        // user:password@host in an address
        if let Some((scheme, rest)) = core.split_once("://")
            && let Some((login, host)) = rest.split_once('@')
            && login.contains(':')
        {
            return Some(format!("{scheme}://{COVER}@{host}{end}"));
        }
        let (name, value) = (&core[..at], &core[at + 1..]);
        if !value.is_empty() {
            let lower = name.to_ascii_lowercase();
            if NAMES.iter().any(|secret| lower.contains(secret)) || is_key(value) {
                return Some(format!("{name}{}{COVER}{end}", &core[at..=at]));
            }
        }
    }
    is_key(core).then(|| format!("{COVER}{end}"))
}

fn is_key(word: &str) -> bool {
    if word.len() < 12 {
        return false;
    }
    if PREFIXES.iter().any(|prefix| word.starts_with(prefix)) {
        return true;
    }
    // Long and mixed without a break. Lower-case hex is left: it is mostly commit ids. Words joined by hyphens are names.
    let is_plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'=' | b'_' | b'-'));
    is_plain
        && word.split(['-', '_']).any(|run| {
            let has = |test: fn(&u8) -> bool| run.bytes().any(|byte| test(&byte));
            run.len() >= 24 && has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(redact(text), expected);
    }

    #[test]
    fn secrets_are_covered() {
        check("export API_TOKEN=abc && run", "export API_TOKEN=[redacted] && run");
        check(
            "curl -H 'Authorization: x' -u me --password=hunter2",
            "curl -H 'Authorization: x' -u me --password=[redacted]",
        );
        check("key sk-ant-abcdefgh12345678.", "key [redacted]");
        check("psql postgres://me:pw@db/x", "psql postgres://[redacted]@db/x");
        check("`AbCdEf0123456789AbCdEf0123456789`", "`[redacted]`");
    }

    #[test]
    fn ordinary_text_is_untouched() {
        for text in [
            "Stead stopped `rm -rf .agent`: `.agent/config.toml` lies below it",
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "00000000-0000-0000-0000-000000000001",
            "https://example.invalid/path?q=1",
            "src/main.rs:10",
            "loop `20261115T214129Z-prove-that-add-adds`",
        ] {
            assert!(matches!(redact(text), Cow::Borrowed(_)), "{text}");
        }
    }
}
