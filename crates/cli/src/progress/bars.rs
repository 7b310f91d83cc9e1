use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use stead_pipeline::{NodeStatus, RunEvent};

use super::board::{Board, Seen, Stands};

/// How often the elapsed time is redrawn.
const TICK: Duration = Duration::from_millis(200);

const WIDEST: usize = 24;

/// One bar per stage, drawn at the bottom of the terminal; permanent lines scroll above them.
pub(super) struct Bars {
    all: MultiProgress,
    bars: Vec<ProgressBar>,
}

impl Bars {
    pub(super) fn new(nodes: &[Seen]) -> Self {
        let all = MultiProgress::new();
        let width = nodes.iter().map(|seen| seen.id.chars().count()).max().unwrap_or(0).min(WIDEST);
        let bars = nodes.iter().map(|seen| {
            let bar = all.add(ProgressBar::new(0).with_style(waiting()));
            bar.set_prefix(format!("{:width$}", super::one_line(&seen.id, width)));
            // A bar that never ticked is not drawn.
            bar.tick();
            bar
        });
        Self { bars: bars.collect(), all }
    }

    pub(super) fn show(&self, board: &Board, event: &RunEvent, line: Option<&str>) {
        let stays = matches!(
            event,
            RunEvent::Warning { .. }
                | RunEvent::WorktreeKept { .. }
                | RunEvent::RunResumed { .. }
                | RunEvent::PlanAmended { .. }
        );
        if let Some(line) = line.filter(|_| stays) {
            let _ = self.all.println(line);
        }
        let Some(place) = event.node().and_then(|node| board.place(node)) else { return };
        let (Some(bar), Some(seen)) = (self.bars.get(place), board.nodes().get(place)) else { return };
        bar.set_length(u64::from(seen.most));
        bar.set_position(u64::from(seen.completed));
        match seen.stands {
            Stands::Waits => {}
            Stands::Works => {
                bar.set_message(seen.last.clone());
                if matches!(event, RunEvent::StageStarted { .. }) {
                    bar.set_style(working());
                    bar.reset_elapsed();
                    bar.enable_steady_tick(TICK);
                }
            }
            Stands::Over(status) => {
                let words = if status == NodeStatus::Done {
                    "done".to_owned()
                } else {
                    format!("{}: {}", status.name(), seen.last)
                };
                bar.set_style(working());
                bar.abandon_with_message(words);
            }
        }
    }

    pub(super) fn say(&self, text: &str) {
        let _ = self.all.println(text);
    }

    pub(super) fn clear(&self) {
        let _ = self.all.clear();
    }
}

fn waiting() -> ProgressStyle {
    style("{prefix}  waiting")
}

fn working() -> ProgressStyle {
    style("{prefix} {bar:20} {pos}/{len} {elapsed} {wide_msg}").progress_chars("=> ")
}

/// A template that does not parse shows the plain bar; a test prevents that.
fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_parse() {
        for template in ["{prefix}  waits", "{prefix} {bar:20} {pos}/{len} {elapsed} {wide_msg}"] {
            assert!(ProgressStyle::with_template(template).is_ok(), "{template}");
        }
    }
}
