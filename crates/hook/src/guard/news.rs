//! Reports what guards did recently. See [`super::tally`] for the counting.

use std::path::Path;

use stead_context::BriefingPart;
use stead_model::rfc3339;

use super::tally::{Since, guard_tally, tell_tally};

/// How far back the news goes.
const DAYS: i64 = 7;
const LINES: usize = 3_000;

/// How many lines of one turn are read.
const TURN: usize = 500;

/// The report of the last days in one sentence, such as for `stead status`; `None` if there is nothing to report.
pub fn guard_news(indexes: &Path, now_millis: i64) -> Option<String> {
    let moment = rfc3339(now_millis - DAYS * 24 * 3600 * 1000);
    let since = Since { lines: LINES, moment: &moment, turn_of: None };
    tell_tally(&guard_tally(&indexes.join("sessions.jsonl"), since))
}

/// The report as a part of the briefing.
pub(crate) fn briefing_part(indexes: &Path, now_millis: i64) -> Option<BriefingPart> {
    let news = guard_news(indexes, now_millis)?;
    let text = format!("In the last {DAYS} days, {news}.");
    Some(BriefingPart { title: "Guards".to_owned(), text, more: Some("stead guard stats".to_owned()) })
}

/// The report of the ending turn, for the person.
pub(crate) fn of_turn(indexes: &Path, session: &str) -> Option<String> {
    let since = Since { lines: TURN, moment: "", turn_of: Some(session) };
    let news = tell_tally(&guard_tally(&indexes.join("sessions.jsonl"), since))?;
    Some(format!("Stead: in this turn, {news}. `stead guard stats` shows details."))
}
