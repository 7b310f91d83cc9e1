//! What a person sees of Stead in a client's window.

use stead_model::{Capped, EventKind, Level, Verdict};

use crate::client::{Heard, Powers, WarnBy};

/// The maximum length of a line for the person, in bytes: about three lines of a narrow window.
const LINE: usize = 240;

/// What a client's window shows of an answer by itself, as seen in an interactive session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Of the reason of a denied call, and of a denied shell command.
    pub denied: Shown,
    pub denied_shell: Shown,
    /// It shows a line for the person beside the prompt with which a turn goes on. Otherwise the prompt is all.
    pub notes_held_stops: bool,
    /// It shows the person what a hook gives the model to read.
    pub shows_context: bool,
    /// What it does not show, as sentences without their subject; `doctor` tells them.
    pub hides: &'static [&'static str],
}

/// How much of a reason a window shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    Whole,
    FirstLine,
    Nothing,
}

impl Window {
    /// It shows every reason, and has no place for a line beside one.
    pub const PLAIN: Self = Self {
        denied: Shown::Whole,
        denied_shell: Shown::Whole,
        notes_held_stops: false,
        shows_context: false,
        hides: &[],
    };

    /// Decides what the person is shown of a verdict that was expressed for the client: nothing that the window shows
    /// anyway, and nothing where it shows no line of ours.
    pub(crate) fn choose(&self, verdict: &mut Verdict, heard: &Heard<'_>, powers: Powers) {
        if verdict.level == Level::Allow && verdict.notices.is_empty() {
            return;
        }
        let is_stop = matches!(heard.kind, EventKind::Stop | EventKind::SubagentStop);
        let is_denied = verdict.level > Level::Warn;
        if !powers.warn.reaches_person() || (is_denied && !(is_stop && self.notes_held_stops)) {
            verdict.notices.clear();
        }
        let reason = verdict.reason_text();
        let own = match (powers.warn, verdict.level) {
            (WarnBy::Context | WarnBy::Nothing, _) | (_, Level::Allow | Level::Ask) => None,
            (WarnBy::Notice, Level::Warn) => Some(reason),
            (WarnBy::Both, Level::Warn) => Some(line(&format!("Stead warns: {}", first(&reason)))),
            (_, Level::Deny) if is_stop => None,
            (_, Level::Deny) => match if heard.is_shell { self.denied_shell } else { self.denied } {
                Shown::Whole => None,
                Shown::FirstLine => reason.split_once('\n').map(|(_, rest)| line(&format!("Stead: {rest}"))),
                Shown::Nothing => Some(line(&format!("Stead blocked a call: {}", first(&reason)))),
            },
        };
        if let Some(own) = own {
            verdict.notices.insert(0, Capped::new(own));
        }
    }
}

/// The first line of a reason, which stands alone.
pub fn first(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// A text as one line that fits into a window.
fn line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.len() > LINE {
        true => format!("{}…", line[..line.floor_char_boundary(LINE)].trim_end()),
        false => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Window = Window { denied_shell: Shown::FirstLine, ..Window::PLAIN };

    #[track_caller]
    fn check(window: Window, is_shell: bool, powers: Powers, verdict: Verdict, expected: Option<&str>) {
        let heard = Heard { kind: EventKind::BeforeTool, native: "", is_shell };
        let mut verdict = verdict;
        window.choose(&mut verdict, &heard, powers);
        assert_eq!(verdict.notice_text().as_deref(), expected);
    }

    #[test]
    fn a_person_reads_what_the_window_does_not_show_anyway() {
        let shown = Powers::DENY_CONTEXT.shown();
        let warn = || Verdict::warn("g", "careful\nand more");
        check(WINDOW, false, shown, warn(), Some("Stead warns: careful"));
        check(WINDOW, false, Powers::NOTICE, warn(), Some("careful\nand more"));
        check(WINDOW, false, Powers::CONTEXT, warn().noticed("x"), None);
        check(WINDOW, false, shown, Verdict::allow().noticed("x"), Some("x"));
        check(WINDOW, false, Powers::DENY, Verdict::allow().noticed("x"), None);
        let deny = || Verdict::deny("g", "no\nInstead: ask.").noticed("x");
        check(WINDOW, false, shown, deny(), None);
        check(WINDOW, true, shown, deny(), Some("Stead: Instead: ask."));
        check(WINDOW, true, shown, Verdict::deny("g", "no"), None);
        check(Window::PLAIN, true, shown, deny(), None);
        let blind = Window { denied: Shown::Nothing, ..Window::PLAIN };
        check(blind, false, Powers::DENY_NOTICE, deny(), Some("Stead blocked a call: no"));
        check(blind, false, Powers::DENY, deny(), None);
    }

    #[test]
    fn a_held_stop_is_noted_where_the_window_has_a_place_for_it() {
        let heard = Heard { kind: EventKind::Stop, native: "", is_shell: false };
        for (notes_held_stops, expected) in [(true, Some("2 of 6".to_owned())), (false, None)] {
            let mut verdict = Verdict::deny("g", "go on\nwith it").noticed("2 of 6");
            Window { notes_held_stops, ..Window::PLAIN }.choose(&mut verdict, &heard, Powers::DENY_NOTICE);
            assert_eq!(verdict.notice_text(), expected);
        }
    }

    #[test]
    fn lines_are_short() {
        assert_eq!(line(" a\n b  c"), "a b c");
        assert!(line(&"é ".repeat(200)).len() <= LINE + 3);
    }
}
