//! What git reports about the project, parsed from its output. It never runs git; the caller does, once per question.

/// Branch, commit, and what is not committed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitFacts {
    /// `None` on a detached head.
    pub branch: Option<String>,
    /// `None` before the first commit.
    pub commit: Option<String>,
    pub changed: usize,
    pub untracked: usize,
    /// The first files that are not committed, as git marks them: `M path`, `? path`.
    pub first: Vec<String>,
}

impl GitFacts {
    /// The arguments for git. [`GitFacts::parse`] reads the output.
    pub const QUESTION: &[&str] =
        &["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal", "--", "."];

    const FIRST: usize = 12;

    /// Parses the output of `git status --porcelain=v2 --branch -z`.
    pub fn parse(answer: &[u8]) -> Self {
        let mut facts = Self::default();
        let mut records = answer.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        while let Some(record) = records.next() {
            if let Some(header) = record.strip_prefix("# branch.") {
                match header.split_once(' ') {
                    Some(("oid", commit)) if commit != "(initial)" => facts.commit = Some(commit.to_owned()),
                    Some(("head", branch)) if branch != "(detached)" => facts.branch = Some(branch.to_owned()),
                    _ => {}
                }
                continue;
            }
            // How many fields precede the path, which may contain blanks.
            let (kind, fields) = match record.as_bytes().first() {
                Some(b'1') => ('M', 8),
                Some(b'2') => ('R', 9),
                Some(b'u') => ('U', 10),
                Some(b'?') => ('?', 1),
                _ => continue,
            };
            let Some(path) = record.splitn(fields + 1, ' ').nth(fields) else { continue };
            let kind = match (kind, record.get(2..4)) {
                ('M', Some(state)) if state.contains('D') => 'D',
                ('M', Some(state)) if state.contains('A') => 'A',
                _ => kind,
            };
            if kind == '?' {
                facts.untracked += 1;
            } else {
                facts.changed += 1;
            }
            if kind == 'R' {
                // A rename has its old path in a separate record.
                records.next();
            }
            if facts.first.len() < Self::FIRST {
                facts.first.push(format!("{kind} {path}"));
            }
        }
        facts
    }

    /// Summarises what is not committed.
    pub fn dirty(&self) -> String {
        match (self.changed, self.untracked) {
            (0, 0) => "clean".to_owned(),
            (changed, 0) => format!("{changed} changed"),
            (0, untracked) => format!("{untracked} untracked"),
            (changed, untracked) => format!("{changed} changed, {untracked} untracked"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_is_read() {
        let answer = "# branch.oid abc\0# branch.head main\0# branch.ab +1 -0\0\
            1 .M N... 100644 100644 100644 a a src/a b.rs\0\
            1 D. N... 100644 000000 000000 a a gone.rs\0\
            2 R. N... 100644 100644 100644 a a R100 new.rs\0old.rs\0? extra\0";
        let facts = GitFacts::parse(answer.as_bytes());
        assert_eq!((facts.branch.as_deref(), facts.commit.as_deref()), (Some("main"), Some("abc")));
        assert_eq!(facts.first, ["M src/a b.rs", "D gone.rs", "R new.rs", "? extra"]);
        assert_eq!(facts.dirty(), "3 changed, 1 untracked");
    }

    #[test]
    fn a_new_repository_has_no_commit() {
        let facts = GitFacts::parse(b"# branch.oid (initial)\0# branch.head (detached)\0");
        assert_eq!((facts.dirty().as_str(), facts), ("clean", GitFacts::default()));
        assert_eq!(GitFacts::parse(b"\xff\0nonsense\0 1\0"), GitFacts::default());
    }
}
