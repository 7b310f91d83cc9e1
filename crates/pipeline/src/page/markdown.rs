//! The page for people.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::history::millis;
use super::{Attempt, RunPage};
use crate::ViewStatus;

/// How many attempts the table has; a longer run shows its beginning and its end.
const FIRST: usize = 20;
const LAST: usize = 180;

/// How much of a text goes into a cell.
const CELL: usize = 160;

pub(super) fn render(page: &RunPage, next: &[String]) -> String {
    let mut out = String::new();
    head(page, &mut out);
    trouble(page, next, &mut out);
    stages(page, &mut out);
    attempts(page, &mut out);
    verification(page, &mut out);
    changes(page, &mut out);
    list(
        "Changed when it was resumed",
        page.amendments.iter().map(|(at, words)| format!("{}: {}", clock(at), plain(words))),
        &mut out,
    );
    list("Warnings", page.warnings.iter().map(|(at, words)| format!("{}: {}", clock(at), plain(words))), &mut out);
    out
}

fn head(page: &RunPage, out: &mut String) {
    let what = page.pipeline.as_ref().map_or_else(String::new, |pipeline| format!("pipeline `{pipeline}`, "));
    let completed: u32 = page.stages.iter().map(|stage| stage.iterations).sum();
    let cost = match (page.cost_usd > 0.0, page.cost_unknown) {
        (true, true) => format!(", ${:.2} or more", page.cost_usd),
        (true, false) => format!(", ${:.2}", page.cost_usd),
        (false, true) => ", cost unknown".to_owned(),
        (false, false) => String::new(),
    };
    let _ = writeln!(out, "# Run `{}`: {}\n", page.run, page.status.name());
    let until = page.ended_at.as_ref().map(|end| format!(" to {}", clock(end))).unwrap_or_default();
    let _ = writeln!(
        out,
        "{}{until} (UTC): {what}{}, worked {}{cost}.",
        clock(&page.started_at),
        plural(completed, "iteration"),
        time(page.elapsed_seconds)
    );
    if page.engagements.len() > 1 {
        let _ =
            writeln!(out, "Resumed {}.", plural(u32::try_from(page.engagements.len() - 1).unwrap_or(u32::MAX), "time"));
    }
    let _ = writeln!(out, "\n![What ran when](timeline.svg)");
}

/// What did not work, and what to do about it.
fn trouble(page: &RunPage, next: &[String], out: &mut String) {
    if page.history_lost {
        let _ = writeln!(
            out,
            "\n`events.jsonl` is missing or incomplete: what happened is known only as far as the stages below say."
        );
    }
    let is_fine = matches!(page.status, ViewStatus::Done | ViewStatus::Running);
    if let Some(reason) = page.reason.as_ref().filter(|_| !is_fine) {
        let _ = writeln!(
            out,
            "\n## {}\n\n{}",
            if page.status == ViewStatus::Failed { "What failed" } else { "Why it ended" },
            plain(&line(reason, usize::MAX))
        );
    }
    let failed: Vec<&Attempt> = page.attempts.iter().filter(|attempt| is_failure(page, attempt)).collect();
    if !failed.is_empty() {
        let _ = writeln!(out, "\nAttempts that did not count:\n");
        for attempt in failed {
            let result = match (attempt.result.as_str(), &attempt.ended_at) {
                ("", None) => "its engine was killed",
                (result, _) => result,
            };
            let words =
                [result, attempt.reason.as_str()].into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>();
            let words = plain(&line(&words.join(": "), CELL));
            let _ =
                writeln!(out, "- `{}` {}, {}: {words}", attempt.node, attempt.iteration, clock(&attempt.started_at));
        }
    }
    if !next.is_empty() {
        let _ = writeln!(out, "\nWhat to do next:\n");
        for command in next {
            let _ = writeln!(out, "    {}", line(command, usize::MAX));
        }
    }
}

fn is_failure(page: &RunPage, attempt: &Attempt) -> bool {
    !attempt.counts && (attempt.ended_at.is_some() || !attempt.adopted) && !page.is_running(attempt)
}

fn stages(page: &RunPage, out: &mut String) {
    let _ = writeln!(
        out,
        "\n## Stages\n\n| stage | status | iterations | time | cost | why it ended |\n|---|---|---:|---:|---:|---|"
    );
    for stage in &page.stages {
        let cost = if stage.cost_usd > 0.0 { format!("${:.2}", stage.cost_usd) } else { "–".to_owned() };
        let _ = writeln!(
            out,
            "| `{}` | {} | {}/{} | {} | {cost} | {} |",
            cell(&stage.id),
            stage.status,
            stage.iterations,
            stage.max_iterations,
            time(stage.seconds),
            cell(&stage.why)
        );
    }
}

fn attempts(page: &RunPage, out: &mut String) {
    if page.attempts.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\n## Iterations\n\n| stage | n | started | took | decision | verified | what was done |\n|---|---:|---|---:|---|---|---|"
    );
    let count = page.attempts.len();
    for (number, attempt) in page.attempts.iter().enumerate() {
        if count > FIRST + LAST && number >= FIRST && number < count - LAST {
            if number == FIRST {
                let _ = writeln!(
                    out,
                    "| … | | | | | | {} not shown |",
                    plural(u32::try_from(count - FIRST - LAST).unwrap_or(u32::MAX), "iteration")
                );
            }
            continue;
        }
        let took =
            attempt.ended_at.as_ref().map(|end| time((millis(end) - millis(&attempt.started_at)) as f64 / 1000.0));
        let decision = match (attempt.result.as_str(), attempt.adopted) {
            ("", _) if page.is_running(attempt) => "running".to_owned(),
            ("", _) => "–".to_owned(),
            (result, true) => format!("{result}, adopted"),
            (result, false) => result.to_owned(),
        };
        let green = attempt.verified.iter().filter(|one| one.green).count();
        let verified = match attempt.verified.len() {
            0 => "–".to_owned(),
            all if all == green => "passed".to_owned(),
            all => format!("**{} of {all} failed**", all - green),
        };
        let words = if attempt.summary.is_empty() { &attempt.reason } else { &attempt.summary };
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {decision} | {verified} | {} |",
            cell(&attempt.node),
            attempt.iteration,
            clock(&attempt.started_at),
            took.unwrap_or_else(|| "–".to_owned()),
            cell(words)
        );
    }
}

/// Each command of `verify`, over the whole run.
fn verification(page: &RunPage, out: &mut String) {
    let mut commands: BTreeMap<&str, (u32, u32, bool)> = BTreeMap::new();
    for verdict in page.attempts.iter().flat_map(|attempt| &attempt.verified) {
        let (passed, failed, last) = commands.entry(&verdict.command).or_default();
        *(if verdict.green { passed } else { failed }) += 1;
        *last = verdict.green;
    }
    if commands.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n## Verification\n\n| command | passed | failed | last time |\n|---|---:|---:|---|");
    for (command, (passed, failed, last)) in commands {
        let last = if last { "passed" } else { "**failed**" };
        let _ = writeln!(out, "| {} | {passed} | {failed} | {last} |", code(&line(command, CELL)).replace('|', "\\|"));
    }
}

fn changes(page: &RunPage, out: &mut String) {
    let named = page.files.iter().map(|(file, count)| match count {
        1 => code(file),
        count => format!("{} ({count} iterations)", code(file)),
    });
    list("Files changed, as the agents say", named, out);
    list("Commits while it ran", page.commits.iter().map(|commit| plain(commit)), out);
    let trees = page
        .worktrees
        .iter()
        .map(|(node, path, branch)| format!("{}: branch {} in {}", code(node), code(branch), code(path)));
    list("Worktrees with work that nobody merged", trees, out);
}

fn list(title: &str, items: impl Iterator<Item = String>, out: &mut String) {
    for (number, item) in items.enumerate() {
        if number == 0 {
            let _ = writeln!(out, "\n## {title}\n");
        }
        let _ = writeln!(out, "- {}", line(&item, usize::MAX));
    }
}

/// A text on one line of at most `width` characters.
fn line(text: &str, width: usize) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let text = words.collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(width) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    plain(&line(text, CELL))
}

/// A text that cannot become an image, a link, HTML or another cell. Code in backticks and emphasis stay.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '<' | '[' | ']' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A text as code, whatever it contains.
fn code(text: &str) -> String {
    let text = line(text, usize::MAX);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    // A backtick at the edge needs a space, which is not shown.
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

fn plural(count: u32, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// A time of day with its date, to the second.
fn clock(time: &str) -> String {
    time.get(..19).unwrap_or(time).replace('T', " ")
}

/// A duration as people say it.
pub(super) fn time(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}
