//! What a person sees while a run is in progress: bars on a terminal, plain lines if the output is piped, nothing for
//! machines. It only observes.

mod bars;
mod board;
mod scene;
mod text;

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use stead_model::{unix_millis, visible};
use stead_pipeline::{EventLine, Observer, Plan};

use crate::project::now;
use crate::ui::{is_engine_log, stamp};

use bars::Bars;
use board::Board;
pub(crate) use board::spent;
pub(crate) use text::{columns, cut, elapsed, one_line};

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Silent,
    Lines,
    /// Lines with their time, for a log.
    Log,
    Bars,
}

impl Manner {
    /// Bars need a viewer and a terminal that can move its cursor.
    pub(crate) fn for_people() -> Self {
        if is_engine_log() {
            return Self::Log;
        }
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if std::io::stderr().is_terminal() && !dumb { Self::Bars } else { Self::Lines }
    }
}

/// Observes a run and shows it on standard error.
pub(crate) struct Progress {
    board: Mutex<Board>,
    bars: Option<Bars>,
    manner: Manner,
    hushed: AtomicBool,
}

impl Progress {
    /// `before` is how long earlier engines worked on the run, in seconds.
    pub(crate) fn new(plan: &Plan, manner: Manner, before: f64) -> Self {
        let board = Board::new(&plan.run, plan.nodes.iter().map(|node| node.id.clone()), before);
        let bars = (manner == Manner::Bars).then(|| Bars::new(board.clone()));
        Self { board: Mutex::new(board), bars, manner, hushed: AtomicBool::new(false) }
    }

    /// While muted, lines are not printed; bars still move.
    pub(crate) fn hush(&self, hushed: bool) {
        self.hushed.store(hushed, Ordering::SeqCst);
    }

    /// Prints a message that is not an event, above the bars if there are any.
    pub(crate) fn say(&self, text: &str) {
        match (&self.bars, self.manner) {
            (_, Manner::Silent) => {}
            (Some(bars), _) => bars.say(&visible(text)),
            (None, manner) => {
                let stamp = if manner == Manner::Log { stamp(&now()) } else { String::new() };
                let _ = writeln!(std::io::stderr().lock(), "{stamp}{}", visible(text));
            }
        }
    }

    /// Removes the bars before the answer is printed.
    pub(crate) fn finish(&self) {
        if let Some(bars) = &self.bars {
            bars.clear();
        }
    }
}

impl Observer for Progress {
    fn event(&self, line: &EventLine) {
        let (event, ts) = (&line.event, &line.ts);
        if self.manner == Manner::Silent {
            return;
        }
        let mut board = self.board.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let line = board.take(event, unix_millis(ts).unwrap_or_default());
        match &self.bars {
            Some(bars) => bars.show(&board, event, line.as_deref()),
            None => {
                if let Some(line) = line.filter(|_| !self.hushed.load(Ordering::SeqCst)) {
                    let stamp = if self.manner == Manner::Log { stamp(ts) } else { String::new() };
                    let _ = writeln!(std::io::stderr().lock(), "{stamp}{line}");
                }
            }
        }
    }
}
