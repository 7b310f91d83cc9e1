//! What a session committed and changed, from git's own records. It never runs git; the caller passes a function that does.

use std::collections::HashSet;

/// How many commits and files are listed.
const COMMITS: usize = 30;
const FILES: usize = 25;

/// The tree of no files, for a session that made the first commit.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// The commits of a session, and what it changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitWork {
    /// Newest first.
    pub commits: Vec<Commit>,
    /// How many more there are.
    pub more_commits: usize,
    /// The most changed first.
    pub files: Vec<FileChange>,
    pub more_files: usize,
    pub added: u64,
    pub deleted: u64,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    pub id: String,
    pub subject: String,
}

/// How many lines of a file were added and deleted; `None` for a binary file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    pub path: String,
    pub lines: Option<(u64, u64)>,
}

impl GitWork {
    /// Asks git about the time since the session started. Of the commits since then, those count that this checkout made:
    /// its reflog has them.
    pub fn gather(since: &str, ask: &dyn Fn(&[&str]) -> Option<Vec<u8>>) -> Self {
        let since = format!("--since={since}");
        let made = ask(&["log", "-g", &since, "--format=%H%x09%gs", "HEAD", "--"]).map(|answer| made(&answer));
        let log = ask(&["log", &since, "--max-count=500", "--format=%H%x09%h%x09%s", "HEAD", "--"]);
        let all = log.map(|answer| String::from_utf8_lossy(&answer).into_owned()).unwrap_or_default();
        let own: Vec<(&str, &str, &str)> = all
            .lines()
            .filter_map(|line| {
                let mut fields = line.splitn(3, '\t');
                Some((fields.next()?, fields.next()?, fields.next()?))
            })
            .filter(|(id, ..)| made.as_ref().is_none_or(|made| made.contains(*id)))
            .collect();
        let parent = own.last().map(|(id, ..)| format!("{id}^"));
        let is_known = |rev: &String| ask(&["rev-parse", "--verify", "--quiet", rev]).is_some();
        let base = match parent {
            Some(parent) if is_known(&parent) => parent,
            Some(_) => EMPTY_TREE.to_owned(),
            None => "HEAD".to_owned(),
        };
        let diff = ["diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", &base, "--", ".", ":(exclude).agent"];
        let mut work = Self::of_numstat(&ask(&diff).unwrap_or_default());
        work.more_commits = own.len().saturating_sub(COMMITS);
        let commit =
            |(_, id, subject): &(&str, &str, &str)| Commit { id: (*id).to_owned(), subject: (*subject).to_owned() };
        work.commits = own.iter().take(COMMITS).map(commit).collect();
        work
    }

    fn of_numstat(answer: &[u8]) -> Self {
        let mut work = Self::default();
        for record in answer.split(|byte| *byte == 0).map(String::from_utf8_lossy) {
            let mut fields = record.splitn(3, '\t');
            let (Some(added), Some(deleted), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
                continue;
            };
            let lines = added.parse::<u64>().ok().zip(deleted.parse::<u64>().ok());
            let (more, less) = lines.unwrap_or_default();
            work.added += more;
            work.deleted += less;
            work.files.push(FileChange { path: path.to_owned(), lines });
        }
        work.files.sort_by_key(|file| std::cmp::Reverse(file.lines.map_or(0, |(added, deleted)| added + deleted)));
        work.more_files = work.files.len().saturating_sub(FILES);
        work.files.truncate(FILES);
        work
    }
}

/// The commits that a reflog says were made here, and not fetched, checked out or reset to.
fn made(reflog: &[u8]) -> HashSet<String> {
    let text = String::from_utf8_lossy(reflog);
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    let is_made = |what: &str| {
        ["commit", "cherry-pick", "revert", "rebase", "am", "merge"].iter().any(|verb| what.starts_with(verb))
    };
    lines.filter(|(_, what)| is_made(what)).map(|(id, _)| id.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commits_that_were_made_here_count() {
        let ask = |words: &[&str]| -> Option<Vec<u8>> {
            Some(match words {
                ["log", "-g", ..] => {
                    b"c3\tcommit: three\nc2\tpull: Fast-forward\nc1\tcommit (amend): one\nc0\tcommit: gone\n".to_vec()
                }
                ["log", ..] => b"c3\tc3s\tthree\tx\nc2\tc2s\ttwo\nc1\tc1s\tone\n".to_vec(),
                ["rev-parse", .., "c1^"] => Vec::new(),
                ["diff", .., "c1^", "--", ".", ":(exclude).agent"] => {
                    b"1\t2\tsmall\0-\t-\tpicture\x003\t9\tlarge name\0".to_vec()
                }
                other => panic!("{other:?}"),
            })
        };
        let work = GitWork::gather("t", &ask);
        let shown: Vec<_> = work.commits.iter().map(|commit| (commit.id.as_str(), commit.subject.as_str())).collect();
        assert_eq!(shown, [("c3s", "three\tx"), ("c1s", "one")]);
        let files: Vec<_> = work.files.iter().map(|file| (file.path.as_str(), file.lines)).collect();
        assert_eq!(files, [("large name", Some((3, 9))), ("small", Some((1, 2))), ("picture", None)]);
        assert_eq!((work.added, work.deleted), (4, 11));
    }

    #[test]
    fn no_repository_is_no_work() {
        assert_eq!(GitWork::gather("t", &|_| None), GitWork::default());
    }
}
