//! A packet as a prompt within a budget. Intent, constraints and the next prompt are kept; the rest is added by
//! usefulness until the budget is spent, and omissions are named.

use stead_model::BYTES_PER_TOKEN;

use super::{FileState, Pickup};
use crate::packet::Heading;
use crate::prompt_log::head;

/// How much room the names of omitted parts may take.
const NAMES: usize = 300;

/// How much of a purpose is repeated; a person may have written a long one.
const PURPOSE: usize = 300;

const MARK: &str = "\n… (cut)";

/// A rendered prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    pub text: String,
    /// The parts that did not fit, in whole or in part.
    pub left_out: Vec<String>,
}

struct Part {
    title: String,
    text: String,
}

impl Part {
    fn rendered(&self, text: &str) -> String {
        format!("\n## {}\n\n{text}\n", self.title)
    }
}

impl Pickup {
    /// Renders the packet for a reader with room for this many tokens.
    pub fn brief(&self, max_tokens: usize) -> Brief {
        let budget = max_tokens * BYTES_PER_TOKEN;
        let head = self.head();
        let (kept, optional) = self.parts();
        // The line that names the omissions needs room too.
        let titles = optional.iter().chain(&kept).map(|part| part.title.len() + 12).sum::<usize>();
        let reserve = 60 + self.id.len() + titles.min(NAMES);
        let mut room = budget.saturating_sub(head.len() + reserve);
        let mut left_out = Vec::new();
        let mut text = head;
        for (index, part) in kept.iter().enumerate() {
            // What is left is shared among the remaining parts, the last of which is the next prompt.
            let share = room / (kept.len() - index);
            let whole = part.rendered(&part.text);
            let rest: usize = kept[index + 1..].iter().map(|part| part.rendered(&part.text).len()).sum();
            let rendered = if whole.len() + rest <= room || whole.len() <= share {
                whole
            } else {
                left_out.push(format!("{} (in part)", part.title));
                let most = share.max(room.saturating_sub(rest));
                shortened(part, most)
            };
            room = room.saturating_sub(rendered.len());
            text.push_str(&rendered);
        }
        for part in &optional {
            let whole = part.rendered(&part.text);
            if whole.len() <= room {
                room -= whole.len();
                text.push_str(&whole);
                continue;
            }
            let cut = shortened(part, room);
            if cut.len() > part.rendered("").len() + 80 {
                room = 0;
                text.push_str(&cut);
                left_out.push(format!("{} (in part)", part.title));
            } else {
                left_out.push(part.title.clone());
            }
        }
        if !left_out.is_empty() {
            text.push_str(&format!(
                "\nOmitted to fit the budget: {}. `stead packet show {}` prints everything.\n",
                some_of(&left_out),
                self.id
            ));
        }
        Brief { text: limited(text, budget), left_out }
    }

    fn head(&self) -> String {
        let packet = &self.packet;
        let by = match (packet.get("source"), packet.get("session_id")) {
            (Some(source), Some(session)) => format!(", written by {source} session `{session}`"),
            (Some(source), None) if source != "unknown" => format!(", written by {source}"),
            _ => String::new(),
        };
        let mut text = format!("# Pickup: {}\n\n", head(packet.purpose(), PURPOSE).0);
        let status = packet.get("status").unwrap_or("unknown");
        text.push_str(&format!("Packet `{}` ({status}){by}.\n", self.id));
        if let Some(before) = packet.continues() {
            text.push_str(&format!("It continues `{before}`.\n"));
        }
        text.push_str(&format!("Staleness: {}\n", self.staleness().name()));
        for factor in &self.factors {
            text.push_str(&format!("- {}: {} ({})\n", factor.name, factor.detail, factor.staleness.name()));
        }
        if self.staleness() >= super::Staleness::Stale {
            text.push_str("Check its claims against the files before you rely on them.\n");
        }
        text
    }

    /// The parts that are always kept, and the others by usefulness.
    fn parts(&self) -> (Vec<Part>, Vec<Part>) {
        let section = |heading: Heading| {
            self.packet.section(heading).map(|text| Part { title: heading.name().to_owned(), text: text.to_owned() })
        };
        let kept = [Heading::Intent, Heading::Constraints, Heading::NextPrompt].into_iter().filter_map(section);
        let mut optional: Vec<Part> = Vec::new();
        optional.extend(self.file_part());
        let by_use = [Heading::Decisions, Heading::Validators, Heading::OpenQuestions, Heading::Plan];
        optional.extend(by_use.into_iter().filter_map(section));
        optional.extend([Heading::Context, Heading::Notes].into_iter().filter_map(section));
        let own = self.packet.other_sections();
        optional.extend(own.into_iter().map(|(title, text)| Part { title: title.to_owned(), text: text.to_owned() }));
        (kept.collect(), optional)
    }

    fn file_part(&self) -> Option<Part> {
        if self.files.is_empty() {
            return None;
        }
        let line = |file: &super::FileReport| {
            let to = match &file.state {
                FileState::Moved { to } => format!(" to `{to}`"),
                _ => String::new(),
            };
            format!("- `{}` {}{to} ({})", file.path, file.state.name(), file.list.title().to_lowercase())
        };
        let text = self.files.iter().map(line).collect::<Vec<_>>().join("\n");
        Some(Part { title: Heading::RelevantFiles.name().to_owned(), text })
    }
}

/// A part cut at the end of a line, or of a character if its first line is already too long.
fn shortened(part: &Part, most: usize) -> String {
    let frame = part.rendered("").len() + MARK.len();
    let Some(room) = most.checked_sub(frame).filter(|room| *room > 0) else { return String::new() };
    let end = part.text.floor_char_boundary(room.min(part.text.len()));
    let cut = &part.text[..end];
    let cut = cut.rfind('\n').filter(|line| *line > end / 2).map_or(cut, |line| &cut[..line]);
    part.rendered(&format!("{}{MARK}", cut.trim_end()))
}

/// The first names of a list, in bounded room.
fn some_of(names: &[String]) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        if text.len() + name.len() > NAMES - 40 {
            return format!("{text}{} more", names.len() - index);
        }
        text.push_str(name);
        text.push_str(if index + 1 < names.len() { ", " } else { "" });
    }
    text
}

/// The last resort: a budget smaller than the frame.
fn limited(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Packet;
    use crate::pickup::{Factor, Staleness};

    fn pickup(sizes: [usize; 4]) -> Pickup {
        let fill = |word: &str, size: usize| format!("{word} ").repeat(size);
        let text = format!(
            "---\npurpose: p\nstatus: draft\n---\n## Intent\n{}\n## Constraints\n{}\n## Decisions\nchosen\n\
            ## Next Prompt (Draft)\n{}\n## Notes\n{}\n## Mine\nown words\n",
            fill("intent", sizes[0]),
            fill("constraint", sizes[1]),
            fill("next", sizes[2]),
            fill("note", sizes[3])
        );
        let factors = vec![Factor { name: "age", staleness: Staleness::Stale, detail: "old".into() }];
        Pickup { id: "id".into(), packet: Packet::parse(text).unwrap(), files: Vec::new(), factors }
    }

    #[test]
    fn everything_is_there_while_it_fits() {
        let brief = pickup([1, 1, 1, 1]).brief(2_000);
        let expected = "# Pickup: p\n\nPacket `id` (draft).\nStaleness: stale\n- age: old (stale)\n\
            Check its claims against the files before you rely on them.\n\n## Intent\n\nintent\n\n## Constraints\n\n\
            constraint\n\n## Next Prompt (Draft)\n\nnext\n\n## Decisions\n\nchosen\n\n## Notes\n\nnote\n\n## Mine\n\nown words\n";
        assert_eq!(brief, Brief { text: expected.into(), left_out: Vec::new() });
    }

    #[test]
    fn the_least_useful_goes_first() {
        let brief = pickup([20, 5, 40, 2_000_000]).brief(400);
        for kept in ["intent intent", "constraint constraint", "next ".repeat(40).trim_end(), "chosen"] {
            assert!(brief.text.contains(kept), "{kept}: {}", brief.text);
        }
        assert_eq!(brief.left_out, ["Notes (in part)", "Mine"]);
        assert!(brief.text.ends_with(
            "Omitted to fit the budget: Notes (in part), Mine. `stead packet show id` prints everything.\n"
        ));
    }

    proptest! {
        #[test]
        fn the_budget_holds(sizes in any::<[u16; 4]>(), tokens in 1_usize..3_000) {
            let brief = pickup(sizes.map(usize::from)).brief(tokens);
            prop_assert!(brief.text.len() <= tokens * BYTES_PER_TOKEN);
            if tokens >= 300 {
                for (size, kept) in sizes.into_iter().zip(["intent", "constraint", "next"]) {
                    prop_assert!(size == 0 || brief.text.contains(kept), "{kept} is missing");
                }
            }
        }
    }
}
