//! The limits of a walk: steps, and how much is kept of what is printed and piped.

use crate::walk::variable::VARIABLES;
use crate::walk::{Stop, Upstream, Walk, expand};

/// The maximum number of simple commands of one call.
const STEPS: usize = 20_000;
/// Steps after which loops are no longer walked value by value.
const PATIENCE: usize = 500;
/// The most text that is kept of what flows through a pipe.
const UPSTREAM: usize = 64 * 1024;
/// The most that is kept of what is printed: as much as a command may be long.
const PRINTED: usize = crate::command::LIMIT;

impl Walk<'_> {
    /// Counts steps, so that no command takes too long.
    pub(crate) fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps > STEPS { Err(Stop) } else { Ok(()) }
    }

    /// Returns true if the walk may go on at all.
    pub(super) fn has_strength(&self) -> bool {
        self.steps < STEPS && self.work < expand::WORK && self.variables.len() < VARIABLES
    }

    /// Returns true if loops are no longer walked value by value.
    pub(super) fn is_tired(&self) -> bool {
        self.steps > PATIENCE
    }

    /// Adds to what is printed; `None` if that is unknown.
    pub(crate) fn print(&mut self, text: Option<String>) {
        self.spilled |= !join_text(&mut self.printed, text);
    }

    /// Gives up if output is used that was too long to keep.
    pub(crate) fn mind_spill(&mut self, taken: &Upstream) {
        if std::mem::take(&mut self.spilled) && taken.output.is_none() {
            self.give_up();
        }
    }

    /// Keeps the words of a command for whatever runs what it prints.
    pub(super) fn note(&mut self, text: &str) {
        if self.heard && self.upstream.text.len() + text.len() < UPSTREAM {
            self.upstream.text.push(' ');
            self.upstream.text.push_str(text);
        }
    }
}

/// Adds text; returns true if there was room for it.
pub(super) fn join_text(text: &mut Option<String>, more: Option<String>) -> bool {
    let (before, more) = match (text.take(), more) {
        (Some(before), Some(more)) => (before, more),
        _ => return true,
    };
    let room = before.len() + more.len() <= PRINTED;
    *text = room.then(|| before + &more);
    room
}
