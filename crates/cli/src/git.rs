//! Runs git for the project's rooms: one call per question, read-only, no answer outside a repository.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use stead_context::{GitFacts, Relation, Repository};

/// What a pipe holds without a reader on every system.
const PIPE: usize = 16 * 1024;

pub(crate) struct Git<'a> {
    pub(crate) root: &'a Path,
}

impl Git<'_> {
    /// Branch, commit and uncommitted changes. `None` outside a repository.
    pub(crate) fn facts(&self) -> Option<GitFacts> {
        self.ask(GitFacts::QUESTION).map(|answer| GitFacts::parse(&answer))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut git = Command::new("git");
        git.arg("-C").arg(self.root).args(args);
        git.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
        git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        git
    }

    fn ask(&self, args: &[&str]) -> Option<Vec<u8>> {
        let Output { status, stdout, .. } = self.command(args).output().ok()?;
        status.success().then_some(stdout)
    }
}

impl Repository for Git<'_> {
    fn branch(&self) -> Option<String> {
        let answer = self.ask(&["symbolic-ref", "--short", "-q", "HEAD"])?;
        Some(String::from_utf8_lossy(&answer).trim().to_owned()).filter(|name| !name.is_empty())
    }

    fn relation(&self, commit: &str) -> Option<Relation> {
        // The commit comes from a file that anybody may edit; git must not take it for an option.
        let is_id = (4..=64).contains(&commit.len()) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        let range = format!("{commit}...HEAD");
        let answer = is_id.then(|| self.ask(&["rev-list", "--left-right", "--count", &range, "--"])).flatten();
        let Some(answer) = answer else {
            return self.ask(&["rev-parse", "--git-dir"]).map(|_| Relation::Unknown);
        };
        let text = String::from_utf8_lossy(&answer);
        let mut counts = text.split_whitespace().map_while(|count| count.parse().ok());
        match (counts.next()?, counts.next()?) {
            (0, count) => Some(Relation::Behind(count)),
            (only_there, only_here) => Some(Relation::Diverged { only_there, only_here }),
        }
    }

    fn tracked(&self) -> Vec<(String, String)> {
        let answer = self.ask(&["ls-files", "-s", "-z"]).unwrap_or_default();
        records(&answer)
            .filter_map(|record| {
                let (facts, path) = record.split_once('\t')?;
                Some((facts.split(' ').nth(1)?.to_owned(), path.to_owned()))
            })
            .collect()
    }

    fn untracked(&self) -> Vec<String> {
        let answer = self.ask(&["ls-files", "-o", "--exclude-standard", "-z"]).unwrap_or_default();
        records(&answer).collect()
    }

    fn ignored(&self, paths: &[String]) -> Vec<String> {
        let mut ignored = Vec::new();
        let mut rest = paths;
        while !rest.is_empty() {
            let mut question = Vec::new();
            while let Some((path, more)) = rest.split_first()
                && (question.is_empty() || question.len() + path.len() < PIPE)
            {
                question.extend_from_slice(path.as_bytes());
                question.push(0);
                rest = more;
            }
            ignored.extend(self.ignored_of(&question).unwrap_or_default());
        }
        ignored
    }
}

impl Git<'_> {
    /// Asks about paths that fit into a pipe: written before git starts, they need no writer thread, and git may exit
    /// early without breaking the pipe.
    fn ignored_of(&self, question: &[u8]) -> std::io::Result<Vec<String>> {
        let (reader, mut writer) = std::io::pipe()?;
        writer.write_all(question)?;
        drop(writer);
        // Exit 1 means that none is ignored.
        let output = self.command(&["check-ignore", "-z", "--stdin"]).stdin(reader).output()?;
        Ok(records(&output.stdout).collect())
    }
}

fn records(answer: &[u8]) -> impl Iterator<Item = String> {
    let records = answer.split(|byte| *byte == 0).filter(|record| !record.is_empty());
    records.map(|record| String::from_utf8_lossy(record).into_owned())
}
