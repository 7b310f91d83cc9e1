use std::io::Write;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use stead_pipeline::RunEvent;
use stead_store::{terminal_columns, terminal_rows};

use super::board::Board;
use super::{scene, text};
use crate::project::now_millis;

/// How often the times are drawn again, and the width of the terminal is looked at.
const TICK: Duration = Duration::from_millis(200);

const TO_LINE_END: &str = "\u{1b}[K";
const TO_SCREEN_END: &str = "\u{1b}[J";

/// If the terminal reports none.
const COLUMNS: usize = 80;
const ROWS: usize = 24;

/// The state of the run, drawn at the bottom of the terminal; permanent lines scroll above it.
pub(super) struct Bars {
    screen: Arc<Mutex<Screen>>,
    over: Option<Sender<()>>,
    ticking: Option<JoinHandle<()>>,
}

/// What is on the terminal now.
struct Screen {
    board: Board,
    /// The lines at the bottom, and how wide the terminal was when they were drawn.
    drawn: Vec<String>,
    columns: usize,
    is_over: bool,
}

impl Bars {
    pub(super) fn new(board: Board) -> Self {
        let screen = Arc::new(Mutex::new(Screen { board, drawn: Vec::new(), columns: 0, is_over: false }));
        let (over, is_over) = mpsc::channel();
        let shared = Arc::clone(&screen);
        let ticking = thread::Builder::new().name("bars".to_owned()).spawn(move || {
            while is_over.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                lock(&shared).draw(&[]);
            }
        });
        Self { screen, over: Some(over), ticking: ticking.ok() }
    }

    pub(super) fn show(&self, board: &Board, event: &RunEvent, line: Option<&str>) {
        let stays = match event {
            RunEvent::Warning { .. }
            | RunEvent::WorktreeKept { .. }
            | RunEvent::RunResumed { .. }
            | RunEvent::PlanAmended { .. }
            | RunEvent::Adopted { .. }
            | RunEvent::Withheld { .. } => true,
            // With one stage the end says it.
            RunEvent::IterationEnded { failure, .. } => failure.is_some() && board.nodes().len() > 1,
            _ => false,
        };
        let mut screen = lock(&self.screen);
        screen.board.clone_from(board);
        let line: Vec<&str> = line.filter(|_| stays).into_iter().collect();
        screen.draw(&line);
    }

    pub(super) fn say(&self, text: &str) {
        lock(&self.screen).draw(&[text]);
    }

    /// Removes what is drawn, for good.
    pub(super) fn clear(&self) {
        let mut screen = lock(&self.screen);
        if !screen.is_over {
            screen.is_over = true;
            screen.draw(&[]);
        }
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.clear();
        drop(self.over.take());
        if let Some(ticking) = self.ticking.take() {
            let _ = ticking.join();
        }
    }
}

impl Screen {
    /// Draws the state again, with these lines above it. Lines are overwritten instead of cleared, because some terminals
    /// keep what is cleared in their history.
    fn draw(&mut self, above: &[&str]) {
        let (columns, rows) = size();
        let lines = match self.is_over {
            true => Vec::new(),
            false => scene::lines(&self.board, now_millis(), columns, rows),
        };
        if above.is_empty() && lines == self.drawn && columns >= self.columns {
            return;
        }
        let mut out = self.up(columns);
        for line in above.iter().copied().chain(lines.iter().map(String::as_str)) {
            out.push_str(line);
            out.push_str(TO_LINE_END);
            out.push('\n');
        }
        // What was wrapped, or is no longer shown.
        out.push_str(TO_SCREEN_END);
        (self.drawn, self.columns) = (lines, columns);
        print(&out);
    }

    /// What moves the cursor to the first of the drawn lines. A terminal that became narrower has wrapped them.
    fn up(&self, columns: usize) -> String {
        let rows: usize = self.drawn.iter().map(|line| text::columns(line).div_ceil(columns.max(1)).max(1)).sum();
        if rows == 0 { String::new() } else { format!("\r\u{1b}[{rows}A") }
    }
}

/// The columns and rows of the terminal.
fn size() -> (usize, usize) {
    let stderr = std::io::stderr();
    let columns = terminal_columns(&stderr).filter(|columns| *columns > 0).unwrap_or(COLUMNS);
    (columns, terminal_rows(&stderr).filter(|rows| *rows > 0).unwrap_or(ROWS))
}

fn print(text: &str) {
    let mut err = std::io::stderr().lock();
    let _ = err.write_all(text.as_bytes());
    let _ = err.flush();
}

fn lock(screen: &Mutex<Screen>) -> MutexGuard<'_, Screen> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}
