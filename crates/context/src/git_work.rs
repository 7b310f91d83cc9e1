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
    /// The branch it is on, if that is not the one that is checked out.
    pub branch: Option<String>,
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
        let log = |places: &[&str]| {
            let words = ["log", &since, "--max-count=500", "--format=%H%x09%h%x09%S%x09%s"];
            let answer = ask(&[&words, places, &["--"]].concat());
            let text = answer.map(|answer| String::from_utf8_lossy(&answer).into_owned()).unwrap_or_default();
            own(&text, made.as_ref())
        };
        let here = log(&["HEAD"]);
        let parent = here.last().map(|(id, _)| format!("{id}^"));
        let is_known = |rev: &String| ask(&["rev-parse", "--verify", "--quiet", rev]).is_some();
        let base = match parent {
            Some(parent) if is_known(&parent) => parent,
            Some(_) => EMPTY_TREE.to_owned(),
            None => "HEAD".to_owned(),
        };
        let diff = ["diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", &base, "--", ".", ":(exclude).agent"];
        let mut work = Self::of_numstat(&ask(&diff).unwrap_or_default());
        // A session may have committed on another branch, too.
        let elsewhere = if made.is_some() { log(&["--branches", "--not", "HEAD"]) } else { Vec::new() };
        work.commits = here.into_iter().chain(elsewhere).map(|(_, commit)| commit).collect();
        work.more_commits = work.commits.len().saturating_sub(COMMITS);
        work.commits.truncate(COMMITS);
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

/// The commits of a log that were made here, with their full ids.
fn own(log: &str, made: Option<&HashSet<String>>) -> Vec<(String, Commit)> {
    let commit = |line: &str| {
        let mut fields = line.splitn(4, '\t').map(str::to_owned);
        let (whole, id, source, subject) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        // Versions of git differ in how they write it.
        let branch = source.strip_prefix("refs/heads/").unwrap_or(&source);
        let branch = Some(branch.to_owned()).filter(|branch| branch != "HEAD");
        Some((whole, Commit { id, subject, branch }))
    };
    log.lines().filter_map(commit).filter(|(id, _)| made.is_none_or(|made| made.contains(id))).collect()
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
                    b"c3\tcommit: three\nc2\tpull: Fast-forward\nc1\tcommit (amend): one\nc0\tcommit: gone\nc9\tcommit: nine\n".to_vec()
                }
                ["log", .., "HEAD", "--"] if !words.contains(&"--not") => {
                    b"c3\tc3s\tHEAD\tthree\tx\nc2\tc2s\tHEAD\ttwo\nc1\tc1s\tHEAD\tone\n".to_vec()
                }
                ["log", .., "--branches", "--not", "HEAD", "--"] => {
                    b"c9\tc9s\tside\tnine\nc8\tc8s\trefs/heads/side\tfetched\n".to_vec()
                }
                ["rev-parse", .., "c1^"] => Vec::new(),
                ["diff", .., "c1^", "--", ".", ":(exclude).agent"] => {
                    b"1\t2\tsmall\0-\t-\tpicture\x003\t9\tlarge name\0".to_vec()
                }
                other => panic!("{other:?}"),
            })
        };
        let work = GitWork::gather("t", &ask);
        let shown: Vec<_> = work
            .commits
            .iter()
            .map(|commit| (commit.id.as_str(), commit.subject.as_str(), commit.branch.as_deref()))
            .collect();
        assert_eq!(shown, [("c3s", "three\tx", None), ("c1s", "one", None), ("c9s", "nine", Some("side"))]);
        let files: Vec<_> = work.files.iter().map(|file| (file.path.as_str(), file.lines)).collect();
        assert_eq!(files, [("large name", Some((3, 9))), ("small", Some((1, 2))), ("picture", None)]);
        assert_eq!((work.added, work.deleted), (4, 11));
    }

    #[test]
    fn no_repository_is_no_work() {
        assert_eq!(GitWork::gather("t", &|_| None), GitWork::default());
    }
}
