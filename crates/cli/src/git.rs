//! Runs git for the project's rooms: one call per question, read-only, no answer outside a repository.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use stead_context::{GitFacts, GitWork, Relation, Repository};
use stead_install::Exclude;
use stead_ledger::why::{Ancestry, History, Origin};

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

    /// What was committed and changed here since a time. Nothing outside a repository.
    pub(crate) fn work(&self, since: &str) -> GitWork {
        GitWork::gather(since, &|args| self.ask(args))
    }

    /// Stages a file, even an ignored one; otherwise what git said.
    pub(crate) fn stage(&self, path: &Path) -> Result<(), String> {
        let mut git = self.command(&["add", "--force", "--"]);
        let ran = git.arg(path).stderr(Stdio::piped()).output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&ran.stderr).lines().next().unwrap_or("it failed").to_owned();
        if ran.status.success() { Ok(()) } else { Err(said.trim_start_matches("fatal: ").to_owned()) }
    }

    /// The file of patterns that only this clone ignores. `None` outside a repository.
    pub(crate) fn exclude(&self) -> Option<Exclude> {
        let answer = |args: &[&str]| {
            let answer = String::from_utf8(self.ask(args)?).ok()?;
            Some(answer.trim_end_matches('\n').to_owned())
        };
        let file = answer(&["rev-parse", "--git-path", "info/exclude"])?;
        Some(Exclude { file: self.root.join(file), prefix: answer(&["rev-parse", "--show-prefix"])? })
    }

    /// The tracked files at or below these paths.
    pub(crate) fn tracked_below(&self, paths: &[String]) -> Vec<String> {
        let mut args = vec!["--literal-pathspecs", "ls-files", "-z", "--"];
        args.extend(paths.iter().map(String::as_str));
        records(&self.ask(&args).unwrap_or_default()).collect()
    }

    /// A worktree in this folder with changes that are not committed.
    pub(crate) fn unsaved_worktree_below(&self, folder: &Path) -> Option<PathBuf> {
        let listed = self.ask(&["worktree", "list", "--porcelain", "-z"])?;
        let paths = records(&listed).filter_map(|line| line.strip_prefix("worktree ").map(PathBuf::from));
        let real = folder.canonicalize().ok()?;
        let mut inside = paths.filter(|path| path.starts_with(folder) || path.starts_with(&real));
        inside.find(|root| Git { root }.ask(&["status", "--porcelain"]).is_some_and(|said| !said.is_empty()))
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

impl Git<'_> {
    /// Which commit each line of a file is from, or one line, counted from 1. The answer counts lines from 0; `None` if
    /// git does not know the file.
    pub(crate) fn blame(&self, path: &str, line: Option<usize>) -> Option<HashMap<usize, Origin>> {
        let range = line.map(|line| format!("-L{line},{line}"));
        let mut args = vec!["-c", "blame.ignoreRevsFile=", "blame", "--porcelain"];
        args.extend(range.as_deref());
        args.extend(["--", path]);
        let answer = self.ask(&args)?;
        Some(origins(&String::from_utf8_lossy(&answer), &self.prefix()))
    }

    /// The path of the root in its repository, with a slash at the end; empty for the repository's own root.
    fn prefix(&self) -> String {
        let top = self.root.ancestors().find(|folder| folder.join(".git").exists());
        let below =
            top.and_then(|top| self.root.strip_prefix(top).ok()).map(|below| below.to_string_lossy().into_owned());
        below.filter(|below| !below.is_empty()).map(|below| format!("{below}/")).unwrap_or_default()
    }
}

/// How many commits are looked at to find an ancestor.
const ANCESTORS: &str = "--max-count=5000";

/// How many bytes of files are searched for other copies of a line.
const SEARCHED: u64 = 256 * 1024 * 1024;

impl History for Git<'_> {
    fn ancestry(&self, revisions: &[&str]) -> Option<Ancestry> {
        // They come from files that anybody may write.
        let is_id = |id: &&&str| (40..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let ids: Vec<&str> = revisions.iter().filter(is_id).copied().collect();
        let mut args = vec!["rev-list", "--parents", "--ignore-missing", ANCESTORS];
        args.extend(&ids);
        args.push("--");
        (!ids.is_empty())
            .then(|| self.ask(&args))
            .flatten()
            .map(|answer| Ancestry::parse(&String::from_utf8_lossy(&answer)))
    }

    fn occurrences(&self, texts: &[&str]) -> Option<Vec<(String, String)>> {
        let texts: HashSet<&str> = texts.iter().copied().collect();
        let own = ":(exclude).agent";
        let answer = self.ask(&["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ".", own])?;
        let (mut found, mut left) = (Vec::new(), SEARCHED);
        for path in records(&answer).collect::<BTreeSet<_>>() {
            let file = self.root.join(&path);
            // Files that are gone, links and submodules have no lines.
            let Some(data) = file.symlink_metadata().ok().filter(|data| data.is_file()) else { continue };
            left = left.checked_sub(data.len())?;
            let bytes = fs::read(&file).ok()?;
            let text = String::from_utf8_lossy(&bytes);
            let lines = text.lines().map(str::trim).filter(|line| texts.contains(line));
            found.extend(lines.map(|line| (path.clone(), line.to_owned())));
        }
        Some(found)
    }
}

/// Reads what `git blame --porcelain` prints.
fn origins(text: &str, prefix: &str) -> HashMap<usize, Origin> {
    let mut origins = HashMap::new();
    let mut commits: HashMap<&str, Origin> = HashMap::new();
    let mut current: Option<(&str, usize)> = None;
    for line in text.lines() {
        let Some((commit, number)) = current else {
            let mut words = line.split(' ');
            let number = words.clone().nth(2).and_then(|number| number.parse::<usize>().ok());
            current = words.next().zip(number.and_then(|number| number.checked_sub(1)));
            if let Some((commit, _)) = current {
                let is_made = commit.bytes().any(|byte| byte != b'0');
                let made = || Origin { commit: is_made.then(|| commit.to_owned()), ..Origin::default() };
                commits.entry(commit).or_insert_with(made);
            }
            continue;
        };
        let Some(origin) = commits.get_mut(commit) else { continue };
        if line.starts_with('\t') {
            origins.insert(number, origin.clone());
            current = None;
        } else if let Some(time) = line.strip_prefix("committer-time ") {
            origin.time = time.parse().unwrap_or(0);
        } else if let Some(path) = line.strip_prefix("filename ") {
            origin.path = path.strip_prefix(prefix).filter(|_| origin.commit.is_some()).map(str::to_owned);
        }
    }
    origins
}

fn records(answer: &[u8]) -> impl Iterator<Item = String> {
    let records = answer.split(|byte| *byte == 0).filter(|record| !record.is_empty());
    records.map(|record| String::from_utf8_lossy(record).into_owned())
}
