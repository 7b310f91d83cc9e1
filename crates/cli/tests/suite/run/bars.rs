//! What a terminal shows while a run works.

use super::{CONTINUE, bounded, with_stage};
use crate::world::at_terminal_of;

/// The window becomes narrower while the agent works.
#[test]
fn bars_survive_a_narrowed_window() {
    let agent = format!("touch agent; while [ ! -e narrow ]; do sleep 0.05; done; sleep 1; {CONTINUE}");
    let world = with_stage(&bounded(1), &agent);
    let narrow = "while [ ! -e agent ]; do sleep 0.05; done; sleep 0.6; stty cols 40 < /dev/tty; touch narrow";
    let run = format!("TERM=xterm {} run stage chore it", env!("CARGO_BIN_EXE_stead"));
    let run = at_terminal_of(&world, &format!("stty cols 100 rows 24; ({narrow}) & {run}"));
    let frames: Vec<&str> = run.stdout.split("\u{1b}[J").filter(|frame| frame.contains("> chore")).collect();
    let (wide, small): (Vec<_>, Vec<_>) = frames.into_iter().partition(|frame| frame.contains("[          ] 0/1"));
    assert!(wide.iter().any(|frame| frame.contains("it  ") && frame.contains("iteration 1, ")), "{run}");
    // Two lines, of which the terminal has wrapped the second.
    assert!(small.first().is_some_and(|frame| frame.contains("\u{1b}[3A")), "{run}");
    for line in small.iter().flat_map(|frame| frame.split("\u{1b}[K\n")) {
        let text = line.rsplit("\u{1b}[3A").next().and_then(|text| text.rsplit("\u{1b}[2A").next());
        assert!(text.unwrap_or_default().chars().count() < 40, "{line:?}");
    }
}
