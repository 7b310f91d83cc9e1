//! The state of the work: session, git, test runs, files that were read, and the agent's last words.

use super::{Observed, minute, quotation};
use crate::handoff::Handoff;
use crate::{GitWork, TestRun};

/// How many commands are listed with how their tests ended.
const RUNS: usize = 12;

pub(super) fn context(handoff: &Handoff<'_>, facts: &Observed) -> String {
    let mut lines = Vec::new();
    if let Some(session) = handoff.session {
        lines.push(format!("- Session: {} `{session}`", handoff.source.unwrap_or("unknown")));
    }
    git(handoff, &mut lines);
    work(&handoff.work, &mut lines);
    runs(&handoff.runs, &mut lines);
    if !facts.read_most.is_empty() {
        let read: Vec<String> = facts.read_most.iter().map(|(path, times)| format!("`{path}` ({times})")).collect();
        lines.push(format!("- Read most, without a change (hooks): {}", read.join(", ")));
    }
    if let Some(before) = &handoff.continues {
        lines.push(format!("- Continues packet `{before}`"));
    }
    if let Some(answer) = &facts.turn.answer {
        let at = if answer.ts.is_empty() { "from the transcript".to_owned() } else { minute(&answer.ts) };
        lines.push(format!("\nThe agent's last answer, {at}:\n{}", quotation(&answer.text).trim_end()));
    }
    lines.join("\n")
}

fn git(handoff: &Handoff<'_>, lines: &mut Vec<String>) {
    let Some(git) = &handoff.git else { return };
    let branch = git.branch.as_deref().unwrap_or("(detached)");
    let commit = git.commit.as_deref().map_or("no commit yet", |commit| commit.get(..12).unwrap_or(commit));
    lines.push(format!("- Git: branch `{branch}` at `{commit}`, {}", git.dirty()));
    lines.extend(git.first.iter().map(|file| format!("  - `{file}`")));
    let more = (git.changed + git.untracked).saturating_sub(git.first.len());
    if more > 0 {
        lines.push(format!("  - and {more} more"));
    }
}

fn work(work: &GitWork, lines: &mut Vec<String>) {
    if !work.commits.is_empty() {
        lines.push("- Commits of this session (git reflog), newest first:".to_owned());
        lines.extend(work.commits.iter().map(|commit| {
            let place = commit.branch.as_ref().map(|branch| format!(" (on `{branch}`)")).unwrap_or_default();
            format!("  - `{}` {}{place}", commit.id, commit.subject)
        }));
        if work.more_commits > 0 {
            lines.push(format!("  - and {} more", work.more_commits));
        }
    }
    if !work.files.is_empty() {
        let count = work.files.len() + work.more_files;
        let what = if work.commits.is_empty() { "Not committed" } else { "Changed, committed or not" };
        let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        lines.push(format!("- {what} (git diff): {files}, +{} −{}", work.added, work.deleted));
        lines.extend(work.files.iter().map(|file| match file.lines {
            Some((added, deleted)) => format!("  - `{}` +{added} −{deleted}", file.path),
            None => format!("  - `{}` (binary)", file.path),
        }));
        if work.more_files > 0 {
            lines.push(format!("  - and {} more", work.more_files));
        }
    }
}

/// How the tests and builds of the session ended: each command once, by its last run, the latest last.
fn runs(runs: &[TestRun], lines: &mut Vec<String>) {
    let mut last: Vec<(&TestRun, usize, usize)> = Vec::new();
    for run in runs.iter().rev() {
        let failed = usize::from(run.passed == Some(false));
        match last.iter_mut().find(|(known, ..)| known.command == run.command) {
            Some((_, times, failures)) => {
                *times += 1;
                *failures += failed;
            }
            None => last.push((run, 1, failed)),
        }
    }
    if last.is_empty() {
        return;
    }
    let more = last.len().saturating_sub(RUNS);
    last.truncate(RUNS);
    lines.push("- Tests and builds of this session (evidence), by their last run:".to_owned());
    for (run, times, failures) in last.into_iter().rev() {
        let how = match run.passed {
            Some(true) => "passed",
            Some(false) => "FAILED",
            None => "unknown result",
        };
        let summary = if run.summary.is_empty() { String::new() } else { format!(": {}", run.summary) };
        let times = if times > 1 { format!(", {times} runs, {failures} failed") } else { String::new() };
        lines.push(format!("  - {how} `{}`{summary} ({}{times}, `{}`)", run.command, minute(&run.at), run.id));
    }
    if more > 0 {
        lines.push(format!("  - and {more} other commands before"));
    }
}
