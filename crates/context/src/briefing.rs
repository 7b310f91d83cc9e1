//! The briefing for a new session: the most useful first, within a budget. The caller gathers the parts and decides
//! what matters; nothing here reads a file that grows.

mod part;

pub use part::{UNTRUSTED, fenced};
use stead_model::{BYTES_PER_TOKEN, Capped};

const HEAD: &str = "Stead: state of this project.\n";

/// One part of the briefing; the most useful comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BriefingPart {
    pub title: String,
    pub text: String,
    /// The command that shows all of it.
    pub more: Option<String>,
}

/// Assembles the briefing within a budget. The last part is cut first, at a line end. `None` if there is nothing to say
/// or no room for it.
pub fn briefing(parts: &[BriefingPart], tokens: usize) -> Option<String> {
    let most = tokens.saturating_mul(BYTES_PER_TOKEN).min(Capped::LIMIT);
    let mut text = String::from(HEAD);
    for part in parts.iter().filter(|part| !part.text.trim().is_empty()) {
        text.push_str(&fitted(part, most.saturating_sub(text.len())));
    }
    (text.len() > HEAD.len()).then(|| text.trim_end().to_owned())
}

/// A part as far as it fits: whole, or its first lines and how to see the rest; empty if not even one line fits.
fn fitted(part: &BriefingPart, room: usize) -> String {
    let more = part.more.as_ref().map(|command| format!("(`{command}` shows all of it)\n")).unwrap_or_default();
    let whole = format!("\n## {}\n{}\n{more}", part.title, part.text.trim());
    if whole.len() <= room {
        return whole;
    }
    let mut shown = format!("\n## {}\n", part.title);
    let cut = format!("…\n{more}");
    let head = shown.len();
    for line in part.text.trim().split_inclusive('\n') {
        if shown.len() + line.len() + cut.len() + 1 > room {
            break;
        }
        shown.push_str(line);
    }
    if shown.len() == head {
        return String::new();
    }
    if !shown.ends_with('\n') {
        shown.push('\n');
    }
    shown + &cut
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(title: &str, text: &str) -> BriefingPart {
        BriefingPart { title: title.into(), text: text.into(), more: Some("stead x".into()) }
    }

    #[track_caller]
    fn check(parts: &[BriefingPart], tokens: usize, expected: Option<&str>) {
        assert_eq!(briefing(parts, tokens).as_deref(), expected);
    }

    #[test]
    fn nothing_to_say_is_not_said() {
        check(&[], 1_500, None);
        check(&[part("Role", " \n")], 1_500, None);
        check(&[part("Role", "tester")], 0, None);
    }

    #[test]
    fn what_comes_last_is_cut_first() {
        let parts = [part("Role", "tester"), part("Notes", "one\ntwo\nthree")];
        let head = "Stead: state of this project.\n\n## Role\ntester\n(`stead x` shows all of it)\n\n## Notes\n";
        check(&parts, 1_500, Some(&format!("{head}one\ntwo\nthree\n(`stead x` shows all of it)")));
        check(&parts, 31, Some(&format!("{head}one\n…\n(`stead x` shows all of it)")));
        check(&parts, 27, Some(head.trim_end().trim_end_matches("\n\n## Notes")));
    }

    proptest! {
        #[test]
        fn the_budget_holds(texts in prop::collection::vec("(\\PC{0,40}\n){0,9}", 0..5), tokens in 0usize..400) {
            let parts: Vec<_> = texts.iter().map(|text| part("Title", text)).collect();
            if let Some(text) = briefing(&parts, tokens) {
                prop_assert!(text.len() <= tokens * 4);
            }
        }
    }
}
