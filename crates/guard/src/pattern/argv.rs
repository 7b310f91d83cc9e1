//! Patterns over a command's words, after all wrappers are removed.
//!
//! `git push --force|-f !--dry-run`: the program, then words in order (the first one right after the program's own
//! options), flags anywhere, `|` for alternatives, `!` for what must not occur, `*` inside a word.

use super::flag::{same, takes_value};
use super::name::meets;

/// One command pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgvPattern<'a> {
    program: &'a str,
    words: Vec<&'a str>,
    flags: Vec<&'a str>,
    not: Vec<&'a str>,
}

impl<'a> ArgvPattern<'a> {
    /// Parses a pattern; `None` if it names no program.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let mut parts = split(text);
        let program = parts.next()?;
        let mut pattern = Self { program, words: Vec::new(), flags: Vec::new(), not: Vec::new() };
        for part in parts {
            match part.strip_prefix('!') {
                Some(not) if !not.is_empty() => pattern.not.push(not),
                _ if part.starts_with('-') && part.len() > 1 => pattern.flags.push(part),
                _ => pattern.words.push(part),
            }
        }
        Some(pattern)
    }

    pub(crate) fn program(&self) -> &'a str {
        self.program
    }

    pub(crate) fn meets(&self, argv: &[String]) -> bool {
        let Some((program, rest)) = argv.split_first() else { return false };
        let name = base_name(program);
        if !self.program.split('|').any(|wanted| meets(wanted, name)) {
            return false;
        }
        let mut call = Call::read(name, rest);
        if !self.words_fit(&call.words) {
            return false;
        }
        if self.flags.is_empty() && self.not.is_empty() {
            return true;
        }
        call.same = same(name, call.words.first().copied().unwrap_or_default());
        self.flags.iter().all(|wanted| call.has_flag(wanted))
            && !self.not.iter().any(|unwanted| {
                if unwanted.starts_with('-') {
                    call.has_flag(unwanted)
                } else {
                    call.words.iter().any(|word| either(unwanted, word))
                }
            })
    }

    fn words_fit(&self, words: &[&str]) -> bool {
        let Some((first, more)) = self.words.split_first() else { return true };
        let Some((word, mut rest)) = words.split_first() else { return false };
        if !either(first, word) {
            return false;
        }
        more.iter().all(|wanted| match rest.iter().position(|word| either(wanted, word)) {
            Some(at) => {
                rest = &rest[at + 1..];
                true
            }
            None => false,
        })
    }
}

/// A command's words, by kind.
struct Call<'a> {
    /// Without flags and the values of the program's own options.
    words: Vec<&'a str>,
    /// All words before `--`.
    all: &'a [String],
    /// Flags of this program that have several spellings.
    same: Vec<Vec<&'static str>>,
}

impl<'a> Call<'a> {
    fn read(name: &str, rest: &'a [String]) -> Self {
        let end = rest.iter().position(|word| word == "--").unwrap_or(rest.len());
        let mut words = Vec::new();
        let mut at = 0;
        while at < end {
            let word = rest[at].as_str();
            if word.starts_with('-') && word.len() > 1 {
                // Only before the sub-command do these belong to the program itself.
                at += usize::from(words.is_empty() && takes_value(name, word));
            } else if !(words.is_empty() && word.starts_with('+')) {
                // `cargo +nightly` names a toolchain.
                words.push(word);
            }
            at += 1;
        }
        words.extend(rest.iter().skip(end + 1).map(String::as_str));
        Self { words, all: &rest[..end], same: Vec::new() }
    }

    fn has_flag(&self, wanted: &str) -> bool {
        let mut named = None;
        wanted.split('|').any(|one| match (named, one.split_once('=')) {
            // `-X=POST|PUT` are two values of one flag.
            (Some(name), None) if !one.starts_with('-') => {
                self.spellings(name).iter().any(|spelt| self.has_value(spelt, one))
            }
            (_, pair) => {
                named = pair.map(|(name, _)| name);
                self.has_one(one)
            }
        })
    }

    fn has_one(&self, wanted: &str) -> bool {
        if let Some((name, value)) = wanted.split_once('=') {
            return self.spellings(name).iter().any(|name| self.has_value(name, value));
        }
        let letters = wanted.trim_start_matches('-');
        if wanted.starts_with("--") || letters.chars().count() == 0 {
            return self.spellings(wanted).iter().any(|one| self.is_given(one));
        }
        // Short ones may be combined, and long ones of some programs have one dash.
        self.all.iter().any(|word| bare(word) == wanted)
            || letters.len() <= COMBINED
                && letters
                    .chars()
                    .all(|letter| self.spellings(&format!("-{letter}")).iter().any(|one| self.is_given(one)))
    }

    /// Every spelling of a flag of this program.
    fn spellings<'w>(&self, wanted: &'w str) -> Vec<&'w str> {
        let same = self.same.iter().find(|same| same.contains(&wanted));
        same.map_or_else(|| vec![wanted], Clone::clone)
    }

    /// Says whether one spelling is there: a long flag, which may be cut short where it has other spellings, or a letter.
    fn is_given(&self, one: &str) -> bool {
        match one.strip_prefix('-').filter(|rest| !rest.starts_with('-')) {
            Some(letter) => self.all.iter().any(|word| {
                word.strip_prefix('-').is_some_and(|cluster| {
                    !cluster.starts_with('-') && cluster.chars().all(char::is_alphanumeric) && cluster.contains(letter)
                })
            }),
            None => {
                let known = self.same.iter().any(|same| same.contains(&one));
                self.all
                    .iter()
                    .map(|word| bare(word))
                    .any(|word| meets(one, word) || (known && word.len() >= SHORTENED && one.starts_with(word)))
            }
        }
    }

    fn has_value(&self, name: &str, value: &str) -> bool {
        let is_letter = name.len() == 2 && !name.starts_with("--");
        self.all.iter().enumerate().any(|(at, word)| match word.split_once('=') {
            Some((given, text)) => given == name && meets(value, text),
            None if word == name => self.all.get(at + 1).is_some_and(|next| meets(value, next)),
            // `-XPOST`
            None => is_letter && word.strip_prefix(name).is_some_and(|text| meets(value, text)),
        })
    }
}

/// The most letters after one dash that are several flags, not the name of one.
const COMBINED: usize = 4;

/// The shortest accepted abbreviation of a long flag.
const SHORTENED: usize = 5;

/// A flag without its value.
fn bare(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

fn either(wanted: &str, word: &str) -> bool {
    wanted.split('|').any(|one| meets(one, word))
}

fn base_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    match name.len().checked_sub(4) {
        Some(at) if name.is_char_boundary(at) && name[at..].eq_ignore_ascii_case(".exe") => &name[..at],
        _ => name,
    }
}

/// Splits a pattern at white space; quotes keep a word together.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text.trim_start();
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (word, next) = match first {
            '\'' | '"' => {
                let inner = &rest[1..];
                match inner.find(first) {
                    Some(end) => (&inner[..end], &inner[end + 1..]),
                    None => (inner, ""),
                }
            }
            _ => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        rest = next.trim_start();
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, command: &str, expected: bool) {
        let argv: Vec<String> = split(command).map(str::to_owned).collect();
        let read = ArgvPattern::parse(pattern).expect("a program");
        assert_eq!(read.meets(&argv), expected, "{pattern} / {command}");
    }

    #[test]
    fn words_stand_in_order() {
        check("git push", "git push", true);
        check("git push", "git push origin main", true);
        check("git push", "/usr/bin/git push", true);
        check("git push", "git.exe push", true);
        check("git push", "git -C sub push", true);
        check("git push", "git -c a.b=c --no-pager push", true);
        check("git push", "git log push", false);
        check("git push", "git stash push", false);
        check("git push", "git", false);
        check("git push origin main", "git push -u origin main", true);
        check("git push main", "git push origin main", true);
        check("gh pr create", "gh -R a/b pr create --fill", true);
        check("gh pr create", "gh pr list", false);
        check("gh|hub pr", "hub pr", true);
        check("cargo publish", "cargo +nightly publish", true);
        check("npm run test|build", "npm run build", true);
        check("cargo *", "cargo test", true);
        check("rm", "rm", true);
        check("rm", "rmdir x", false);
        check("python*", "python3.12 x.py", true);
        check("git commit", "git commit -m 'git push'", true);
        check("git push", "git commit -m push", false);
        check("npm publish", "npm --tag x publish", true);
        check("npm publish", "npm --tag=x publish", true);
        check("npm publish", "npm --silent publish", true);
        check("npm publish", "npm --no-audit publish", true);
        check("npm publish", "npm --prefix a -w b publish", true);
        check("npm publish", "npm --silent run publish", false);
        check("npm publish", "npm run publish", false);
        check("npm publish", "npm --tag publish view", false);
    }

    #[test]
    fn flags_stand_anywhere() {
        check("git push --force|-f", "git push origin main --force", true);
        check("git push --force|-f", "git push -f", true);
        check("git push --force|-f", "git push -uf origin", true);
        check("git push --force|-f", "git push --force-with-lease", false);
        check("git push --force*", "git push --force-with-lease=main", true);
        check("git push --force|-f !--dry-run", "git push -f --dry-run", false);
        check("rm -rf", "rm -r -f x", true);
        check("rm -rf", "rm -fr x", true);
        check("rm -rf", "rm -f x", false);
        check("rm -rf", "rm -Rf x", true);
        check("rm -rf", "rm -fR x", true);
        check("rm -rf", "rm --recursive --force x", true);
        check("rm -rf", "rm --force -r x", true);
        check("rm -rf", "rm --recursive x", false);
        check("rm --recursive --force", "rm -rf x", true);
        check("rm -rf", "rm --recur --force x", true);
        check("rm -rf", "rm -x --interactive x", false);
        check("cp -r", "cp -R a b", true);
        check("git push --force", "git push -f", true);
        check("git push -f", "git push --force", true);
        check("git push -f", "git push --force-with-lease", false);
        check("git push !-n", "git push --dry-run", false);
        check("git commit --no-verify", "git commit -anm x", true);
        check("git commit --no-verify", "git commit -am 'no-verify'", false);
        check("git log -n", "git log --dry-run", false);
        check("curl -X=POST|PUT", "curl -XPOST x", true);
        check("curl -X=POST", "curl --request POST x", true);
        check("curl -X=POST", "curl --request=GET x", false);
        check("rm -rf", "rm -- -rf", false);
        check("terraform apply -auto-approve", "terraform apply -auto-approve", true);
        check("kubectl --context=prod* delete", "kubectl --context prod-eu delete pod x", true);
        check("kubectl --context=prod* delete", "kubectl --context=dev delete pod x", false);
        check("npm publish !--dry-run", "npm publish", true);
        check("git checkout !main", "git checkout main", false);
    }
}
