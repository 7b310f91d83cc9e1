//! The lines at the bottom of a terminal while a run works: the run, then what is running, then the rest. Pure.

use stead_pipeline::NodeStatus;
use stead_pipeline::orchestrate::OrchestratePlan;

use super::board::{Board, Seen, Stands};
use super::text::{columns as columns_of, cut, elapsed, one_line};

const WIDEST: usize = 24;
const BAR: u32 = 10;

/// What is drawn on a terminal of this size.
pub(super) fn lines(board: &Board, now: i64, columns: usize, rows: usize) -> Vec<String> {
    // The last column stays empty: some terminals wrap a full line.
    let fit = |text: String| one_line_kept(&text, columns.saturating_sub(1).max(1));
    let mut lines = vec![fit(head(board, now))];
    let width = board.nodes().iter().map(|seen| columns_of(&seen.id)).max().unwrap_or(0).min(WIDEST);
    let is_running = |seen: &&Seen| seen.stands == Stands::Works;
    let in_trouble = |seen: &&Seen| matches!(seen.stands, Stands::Over(status) if status != NodeStatus::Done && status != NodeStatus::Skipped);
    let shown: Vec<String> = board
        .nodes()
        .iter()
        .filter(is_running)
        .map(|seen| running(seen, now, width, columns))
        .chain(board.nodes().iter().filter(in_trouble).map(|seen| ended(seen, width)))
        .collect();
    let rest = rest(board);
    // The line with the rest, and one row for the cursor.
    let room = rows.saturating_sub(3).max(1);
    let left_out = shown.len().saturating_sub(room);
    lines.extend(shown.into_iter().take(room).map(fit));
    let more = (left_out > 0).then(|| format!("and {left_out} more"));
    let rest = [more, rest].into_iter().flatten().collect::<Vec<_>>().join("; ");
    if !rest.is_empty() {
        lines.push(fit(format!("  {rest}")));
    }
    lines
}

/// The run as a whole.
fn head(board: &Board, now: i64) -> String {
    let count = |wanted: fn(Stands) -> bool| board.nodes().iter().filter(|seen| wanted(seen.stands)).count();
    let done = count(|stands| matches!(stands, Stands::Over(_)));
    let stages = match board.nodes().len() {
        1 => String::new(),
        all => format!("  {done} of {all} ended, {} running", count(|stands| stands == Stands::Works)),
    };
    let cost = if board.cost() > 0.0 { format!("  ${:.2}", board.cost()) } else { String::new() };
    format!("{}  {}{stages}{cost}", board.run(), elapsed(board.elapsed(now)))
}

fn running(seen: &Seen, now: i64, width: usize, columns: usize) -> String {
    let id = one_line(&seen.id, width);
    let age = seen.since.map(|since| elapsed((now - since) as f64 / 1000.0)).unwrap_or_default();
    let most = seen.most.max(1);
    let bar = match seen.most {
        OrchestratePlan::ITERATIONS => String::new(),
        // A narrow terminal has no room for it.
        _ if columns < 60 => format!(" {}/{}", seen.completed, seen.most),
        _ => {
            let full = (u64::from(seen.completed) * u64::from(BAR) / u64::from(most)) as usize;
            format!(" [{:<10}] {}/{}", "=".repeat(full), seen.completed, seen.most)
        }
    };
    let at = match (&seen.waiting, seen.iteration) {
        (Some(until), _) => format!("  waiting for quota until {until}"),
        (None, 0) => String::new(),
        (None, iteration) => format!("  iteration {iteration}, {age}"),
    };
    let last = if seen.last.is_empty() { String::new() } else { format!("  last: {}", seen.last) };
    format!("> {id:width$}{bar}{at}{last}")
}

fn ended(seen: &Seen, width: usize) -> String {
    let Stands::Over(status) = seen.stands else { return String::new() };
    let id = one_line(&seen.id, width);
    format!("! {id:width$} {} after {}", status.name(), seen.completed)
}

/// What has ended well, and what has not started.
fn rest(board: &Board) -> Option<String> {
    let named = |name: &str, wanted: fn(Stands) -> bool| {
        let ids: Vec<&str> =
            board.nodes().iter().filter(|seen| wanted(seen.stands)).map(|seen| seen.id.as_str()).collect();
        (!ids.is_empty()).then(|| format!("{name}: {}", ids.join(", ")))
    };
    let done = named("done", |stands| matches!(stands, Stands::Over(NodeStatus::Done | NodeStatus::Skipped)));
    let parts: Vec<String> = [named("next", |stands| stands == Stands::Waits), done].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Cuts a line without touching its spaces.
fn one_line_kept(text: &str, width: usize) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    cut(text, width)
}

#[cfg(test)]
mod tests {
    use stead_pipeline::{ErrorKind, RunEvent};

    use super::*;

    fn ended_iteration(node: &str, failure: Option<ErrorKind>, reason: String) -> RunEvent {
        RunEvent::IterationEnded {
            node: node.into(),
            iteration: 2,
            decision: None,
            blocked_on: None,
            failure,
            reason,
            summary: String::new(),
            consecutive_stops: 0,
            seconds: 1.0,
            cost_usd: Some(0.25),
            session: None,
            left_behind: 0,
        }
    }

    fn board() -> Board {
        let mut board = Board::new("night", ["ideas", "look.speed", "look.words", "sum"].map(str::to_owned), 3600.0);
        let stage = |node: &str, max_iterations| RunEvent::StageStarted {
            node: node.into(),
            stage: node.into(),
            iteration: 1,
            max_iterations,
            provider: "x".into(),
            worktree_base: None,
        };
        let ended = |node: &str, status| RunEvent::StageEnded {
            node: node.into(),
            status,
            iterations: 2,
            seconds: 3.0,
            cost_usd: 1.5,
            why: "why".into(),
        };
        let started =
            |node: &str, iteration| RunEvent::IterationStarted { node: node.into(), iteration, max_iterations: 4 };
        let failed = ended_iteration("look.words", Some(ErrorKind::Exit), "code 7".into());
        let resumed = RunEvent::RunResumed { status: stead_pipeline::RunStatus::Failed, survivors: 0, pid: 1 };
        for (at, event) in [
            (0, resumed),
            (0, stage("ideas", 2)),
            (1_000, ended("ideas", NodeStatus::Done)),
            (1_000, stage("look.speed", 4)),
            (1_000, stage("look.words", 4)),
            (61_000, started("look.speed", 3)),
            (62_000, failed),
            (63_000, ended("look.words", NodeStatus::Failed)),
        ] {
            board.take(&event, at);
        }
        board
    }

    #[test]
    fn what_runs_comes_first_with_the_age_of_its_iteration() {
        let expected = [
            "night  1 h 3 min  2 of 4 ended, 1 running  $3.00",
            "> look.speed [=====     ] 2/4  iteration 3, 2 min 0 s",
            "! look.words failed after 2",
            "  next: sum; done: ideas",
        ];
        assert_eq!(lines(&board(), 181_000, 80, 24), expected);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for columns in [1, 2, 10, 20, 40, 59, 60, 79, 80, 200] {
            let mut board = board();
            let reason = "すべてのテストが通りました 🎉".to_owned();
            board.take(&ended_iteration("look.speed", None, reason), 62_000);
            for line in lines(&board, 181_000, columns, 24) {
                assert!(columns_of(&line) < columns.max(2), "{columns}: {line:?}");
            }
        }
    }

    #[test]
    fn a_low_terminal_is_not_overrun() {
        let mut many = Board::new("wide", (0..50).map(|number| format!("branch-{number}")), 0.0);
        for number in 0..50 {
            let node = format!("branch-{number}");
            many.take(&RunEvent::IterationStarted { node, iteration: 1, max_iterations: 2 }, 0);
        }
        let lines = lines(&many, 1_000, 80, 10);
        assert_eq!(lines.len(), 9, "{lines:#?}");
        assert!(lines[8].contains("and 43 more"), "{lines:#?}");
    }
}
