//! The patterns by which a feature names its files: `*` and `?` within a name, `**` for any number of folders, `{a,b}`,
//! and `!` in front to take files out again. A folder means everything below it.

/// A feature's files as patterns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patterns {
    wanted: Vec<Pattern>,
    unwanted: Vec<Pattern>,
}

/// One pattern, cut at its slashes.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    parts: Vec<String>,
}

/// So many spellings of one pattern with braces are looked at.
const SPELLINGS: usize = 64;

impl Patterns {
    /// Without any wanted pattern everything is wanted.
    pub(crate) fn new(patterns: &[String]) -> Self {
        let mut all = Self::default();
        for pattern in patterns {
            let (list, text) = match pattern.strip_prefix('!') {
                Some(rest) => (&mut all.unwanted, rest),
                None => (&mut all.wanted, pattern.as_str()),
            };
            list.extend(spellings(text).iter().map(|text| Pattern::new(text)));
        }
        if all.wanted.is_empty() {
            all.wanted.push(Pattern { parts: vec!["**".into()] });
        }
        all
    }

    pub(crate) fn wanted(&self) -> &[Pattern] {
        &self.wanted
    }

    /// Says whether a path below the root is one of the files.
    pub(crate) fn holds(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        let any = |list: &[Pattern]| list.iter().any(|pattern| pattern.holds(&parts));
        any(&self.wanted) && !any(&self.unwanted)
    }
}

impl Pattern {
    fn new(text: &str) -> Self {
        let mut parts: Vec<String> = Vec::new();
        for part in text.replace('\\', "/").split('/') {
            match part {
                "" | "." => {}
                // Nothing outside of the project is a feature's file.
                ".." => drop(parts.pop()),
                // Repeated stars say nothing new and would cost time.
                "**" if parts.last().is_some_and(|last| last == "**") => {}
                part => parts.push(part.to_owned()),
            }
        }
        Self { parts }
    }

    /// The leading parts without any sign: the folder, or the file, where the search begins.
    pub(crate) fn base(&self) -> String {
        let plain = self.parts.iter().take_while(|part| !part.contains(['*', '?']));
        plain.map(String::as_str).collect::<Vec<_>>().join("/")
    }

    /// Says whether the pattern names one path without any sign.
    pub(crate) fn is_plain(&self) -> bool {
        !self.parts.iter().any(|part| part.contains(['*', '?']))
    }

    /// What is below a matched folder matches too.
    fn holds(&self, path: &[&str]) -> bool {
        // Which prefixes of the path the parts so far can have eaten.
        let mut reached = vec![false; path.len() + 1];
        reached[0] = true;
        for part in &self.parts {
            let mut next = vec![false; path.len() + 1];
            if part == "**" {
                let mut open = false;
                for at in 0..=path.len() {
                    open |= reached[at];
                    next[at] = open;
                }
            } else {
                for at in 0..path.len() {
                    next[at + 1] = reached[at] && name_fits(part, path[at]);
                }
            }
            reached = next;
        }
        reached.into_iter().any(|reached| reached)
    }
}

/// Matches one name, in time that grows with the product of both lengths at most.
fn name_fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut from, mut star, mut resume) = (0, 0, None, 0);
    while at < name.len() {
        match pattern.get(from) {
            Some('*') => {
                star = Some(from);
                resume = at;
                from += 1;
            }
            Some(sign) if *sign == '?' || *sign == name[at] => {
                at += 1;
                from += 1;
            }
            _ => match star {
                Some(star) => {
                    resume += 1;
                    at = resume;
                    from = star + 1;
                }
                None => return false,
            },
        }
    }
    pattern[from..].iter().all(|sign| *sign == '*')
}

/// Spells out the first braces, and so on. A pattern that would grow without bound stays as it is.
fn spellings(text: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        let braces = text.find('{').and_then(|start| Some((start, start + text[start..].find('}')?)));
        match braces {
            Some((start, end)) if open.len() + done.len() < SPELLINGS => {
                let inner = text[start + 1..end].rsplit(',').map(str::to_owned).collect::<Vec<_>>();
                open.extend(inner.iter().map(|one| format!("{}{one}{}", &text[..start], &text[end + 1..])));
            }
            _ => done.push(text),
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(patterns: &[&str], path: &str, expected: bool) {
        let patterns: Vec<String> = patterns.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(Patterns::new(&patterns).holds(path), expected, "{patterns:?} {path}");
    }

    #[test]
    fn patterns_name_files() {
        check(&["src/a.rs"], "src/a.rs", true);
        check(&["./src//a.rs"], "src/a.rs", true);
        check(&["src/a.rs"], "src/b.rs", false);
        check(&["src"], "src/deep/a.rs", true);
        check(&["src/"], "srcs/a.rs", false);
        check(&["src/*.rs"], "src/a.rs", true);
        check(&["src/*.rs"], "src/deep/a.rs", false);
        check(&["src/**/*.rs"], "src/a.rs", true);
        check(&["src/**/*.rs"], "src/x/y/a.rs", true);
        check(&["src/**"], "src/x/y", true);
        check(&["**/test_*.py"], "a/b/test_x.py", true);
        check(&["**/test_?.py"], "test_xy.py", false);
        check(&["*.{rs,toml}"], "a.toml", true);
        check(&["*.{rs,toml}"], "a.json", false);
        check(&["src/**", "!src/gen/**"], "src/gen/a.rs", false);
        check(&["!src/gen"], "src/gen/a.rs", false);
        check(&[], "anything/at/all", true);
        check(&["!x"], "y", true);
        check(&["../up"], "up", true);
    }

    #[test]
    fn braces_do_not_explode() {
        assert!(spellings(&"{a,b}".repeat(40)).len() <= 2 * SPELLINGS);
        assert_eq!(spellings("{a"), ["{a"]);
    }

    proptest! {
        #[test]
        fn every_path_holds_itself(parts in prop::collection::vec("[a-z.]{1,4}", 1..5)) {
            prop_assume!(!parts.iter().any(|part| part.chars().all(|c| c == '.')));
            let path = parts.join("/");
            prop_assert!(Patterns::new(std::slice::from_ref(&path)).holds(&path));
        }

        #[test]
        fn any_text_is_some_pattern(text in ".{0,60}", path in "[a-z/]{1,40}") {
            let _ = Patterns::new(&[text]).holds(&path);
        }
    }
}
