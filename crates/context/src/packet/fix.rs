//! Repairs what is certain in a packet: values whose meaning is clear but whose form is not the one that tools read. What
//! a person has to decide is left as it is.

use stead_model::unix_millis;

use super::head::{LISTS, MOMENTS};
use super::{FileList, Heading, Listed, NOTHING, Packet, Status, item_text, sections};

/// A repaired packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    pub text: String,
    /// What was done, in words.
    pub done: Vec<String>,
}

/// Repairs the packet with this id, as far as that is certain. `None` if its front matter has no form at all.
pub fn fix(text: &str, id: &str) -> Option<Fixed> {
    let mut packet = Packet::parse(text).ok()?;
    let mut done = Vec::new();
    if packet.get("id") != Some(id) {
        packet.document.set("id", id);
        done.push(format!("`id` is the file name `{id}`"));
    }
    if let Some(status) = packet.get("status").filter(|status| Status::from_name(status).is_none())
        && let Some(meant) = Status::from_name(&status.trim_matches(['`', '*', '.', ',']).trim().to_lowercase())
    {
        packet.document.set("status", meant.name());
        done.push(format!("`status` is `{meant}`"));
    }
    for key in MOMENTS {
        moment(&mut packet, key, id, &mut done);
    }
    for key in LISTS {
        list(&mut packet, key, &mut done);
    }
    // The two forms of a list are brought together only if both can be read.
    if super::problems(&packet).is_empty() {
        for list in FileList::ALL {
            let shown = packet.files(list);
            let known = packet.list(list.key());
            for path in shown {
                let before = packet.document.clone();
                packet.change_list(list, &path, Listed::Present);
                if packet.document != before {
                    let place =
                        if known.contains(&path) { format!("### {}", list.title()) } else { list.key().to_owned() };
                    done.push(format!("added `{path}` to `{place}`"));
                }
            }
        }
    }
    missing_sections(&mut packet, &mut done);
    Some(Fixed { text: packet.as_str().to_owned(), done })
}

/// A date without a time is its midnight; a creation time that cannot be read is in the name that Stead gave the file.
fn moment(packet: &mut Packet, key: &str, id: &str, done: &mut Vec<String>) {
    let value = packet.get(key).unwrap_or_default();
    if unix_millis(value).is_some() {
        return;
    }
    let midnight = format!("{value}T00:00:00Z");
    let certain = match unix_millis(&midnight) {
        Some(_) if !value.contains(['T', ' ']) => Some(midnight),
        _ if key == "created_at" => of_name(id),
        _ => packet
            .get("created_at")
            .filter(|created| value.is_empty() && unix_millis(created).is_some())
            .map(str::to_owned),
    };
    if let Some(moment) = certain {
        packet.document.set(key, &moment);
        done.push(format!("`{key}` is `{moment}`"));
    }
}

/// The time at the start of a packet's name, `20261115T194530Z`.
fn of_name(id: &str) -> Option<String> {
    let stamp = id.get(..16).filter(|stamp| stamp.ends_with('Z') && stamp.as_bytes()[8] == b'T')?;
    let part = |from: usize, to: usize| &stamp[from..to];
    let (day, time) = ([part(0, 4), part(4, 6), part(6, 8)], [part(9, 11), part(11, 13), part(13, 15)]);
    let moment = format!("{}T{}Z", day.join("-"), time.join(":"));
    unix_millis(&moment).is_some().then_some(moment)
}

/// A list in another notation: over several lines, without quotes, or one value alone.
fn list(packet: &mut Packet, key: &str, done: &mut Vec<String>) {
    let items: Vec<String> = match packet.get(key) {
        Some(value) if serde_json::from_str::<Vec<String>>(value).is_ok() => return,
        Some(value) => {
            let inner = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
            if inner.is_none() && value.contains(['[', ']', '{', '}', ',']) {
                return;
            }
            match inner.map_or_else(|| Some(vec![value.to_owned()]), flow_items) {
                Some(items) => items,
                None => return,
            }
        }
        None => {
            let block = packet.document.block(key);
            let items: Vec<String> = block.iter().filter_map(|line| item_text(line)).map(bare).collect();
            if items.is_empty() || items.len() != block.len() {
                return;
            }
            items
        }
    };
    packet.document.replace_block(key, &serde_json::to_string(&items).unwrap_or_default());
    done.push(format!("`{key}` is a JSON list"));
}

/// The items between brackets, with single, double or no quotes; `None` if it is not certain where they end.
fn flow_items(inner: &str) -> Option<Vec<String>> {
    let mut items = Vec::new();
    let mut rest = inner.trim();
    while !rest.is_empty() {
        let (item, after) = match rest.chars().next().filter(|first| matches!(first, '"' | '\'')) {
            Some(quote) => rest[1..].split_once(quote)?,
            None => rest.split_at(rest.find(',').unwrap_or(rest.len())),
        };
        if item.contains(['[', ']', '{', '}', '\\']) || item.trim().is_empty() {
            return None;
        }
        items.push(item.trim().to_owned());
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(more) => more.trim_start(),
            None if after.is_empty() => after,
            None => return None,
        };
    }
    Some(items)
}

fn bare(item: &str) -> String {
    let item = item.trim();
    let inner = ['"', '\'', '`'].iter().find_map(|quote| item.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.unwrap_or(item).to_owned()
}

/// Adds the empty sections that are missing, where they belong. The next prompt is not one of them: it must say something.
fn missing_sections(packet: &mut Packet, done: &mut Vec<String>) {
    for heading in Heading::ALL.into_iter().filter(|heading| *heading != Heading::NextPrompt) {
        let body = packet.document.body();
        let known: Vec<(Heading, usize)> = sections(body)
            .into_iter()
            .filter(|section| section.level == 2)
            .filter_map(|section| Some((Heading::recognise(section.title)?, section.heading.start)))
            .collect();
        if known.is_empty() || known.iter().any(|(other, _)| *other == heading) || super::unclosed_fence(body).is_some()
        {
            continue;
        }
        let at = known.iter().find(|(other, _)| *other > heading).map_or(body.len(), |(_, start)| *start);
        let end = if body.contains("\r\n") { "\r\n" } else { "\n" };
        let before = if body[..at].is_empty() || body[..at].ends_with('\n') { "" } else { end };
        let new = format!("{}{before}## {}{end}{end}{NOTHING}{end}{end}{}", &body[..at], heading.name(), &body[at..]);
        packet.document.set_body(&new);
        done.push(format!("added `## {}`", heading.name()));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::packet::lint;

    const ID: &str = "20261115T194530Z-fix-add";

    fn with(lines: &str) -> String {
        let moments = MOMENTS.iter().filter(|key| !lines.contains(*key));
        let moments: String = moments.map(|key| format!("{key}: 2026-11-16T00:00:00Z\n")).collect();
        format!("---\nid: {ID}\n{moments}{lines}---\n")
    }

    #[track_caller]
    fn check(lines: &str, expected: &str, done: &[&str]) {
        let fixed = fix(&with(lines), ID).unwrap();
        assert_eq!(fixed.text, with(expected), "{lines}");
        assert_eq!(fixed.done, done);
    }

    #[test]
    fn what_is_certain_is_repaired() {
        check("status: Active\n", "status: active\n", &["`status` is `active`"]);
        check(
            "created_at: 2026-11-15\n",
            "created_at: 2026-11-15T00:00:00Z\n",
            &["`created_at` is `2026-11-15T00:00:00Z`"],
        );
        let text = format!("---\nid: {ID}\n---\n");
        assert_eq!(fix(&text, ID).unwrap().done.len(), 2, "both moments are in the name");
        check(
            "created_at: last Monday\n",
            "created_at: 2026-11-15T19:45:30Z\n",
            &["`created_at` is `2026-11-15T19:45:30Z`"],
        );
        let list = &["`validators` is a JSON list"];
        check(
            "validators: [cargo test, 'npm test', \"x\"]\n",
            "validators: [\"cargo test\",\"npm test\",\"x\"]\n",
            list,
        );
        check("validators: cargo test\n", "validators: [\"cargo test\"]\n", list);
        check(
            "validators:\n  - cargo test\n  - \"x y\"\nmine: 1\n",
            "validators: [\"cargo test\",\"x y\"]\nmine: 1\n",
            list,
        );
    }

    #[test]
    fn what_a_person_must_decide_stays() {
        for lines in [
            "status: activ\n",
            "status: in progress\n",
            "updated_at: yesterday\n",
            "validators: [a, [b]]\n",
            "validators: [\"a\" \"b\"]\n",
            "validators: {a}\n",
            "validators:\n  - a\n  words\n",
            "file_hashes: x\n",
        ] {
            check(lines, lines, &[]);
        }
        assert_eq!(fix("no head", ID), None);
    }

    #[test]
    fn lists_and_sections_are_brought_together() {
        let text = "---\nid: other\ncreated_at: 2026-11-15T19:45:30Z\nupdated_at: 2026-11-15T19:45:30Z\nstatus: draft\npurpose: p\n\
             relevant_files_confirmed: [\"a.rs\"]\n---\n## Intent\nx\n## Relevant Files\n### Confirmed\n- `b.rs:12` why\n\
             ### Suggested\nNone recorded.\n## Next Prompt (Draft)\ngo\n";
        let fixed = fix(text, ID).unwrap();
        let errors = lint(&fixed.text, ID);
        assert_eq!(errors, [], "{}", fixed.text);
        let packet = Packet::parse(fixed.text.clone()).unwrap();
        assert_eq!(packet.list("relevant_files_confirmed"), ["a.rs", "b.rs"]);
        assert!(fixed.text.contains("- `b.rs:12` why\n- `a.rs`\n"), "{}", fixed.text);
        assert_eq!(fix(&fixed.text, ID).unwrap(), Fixed { text: fixed.text, done: Vec::new() });
    }

    proptest! {
        #[test]
        fn a_repair_is_done_once_and_keeps_the_lines(
            head in "((status|created_at|validators|x): [^\r\n]{0,16}\n){0,4}",
            body in "(?s)([#`\n -]|.){0,60}",
        ) {
            let text = format!("---\n{head}---\n{body}");
            if let Some(fixed) = fix(&text, ID) {
                let again = fix(&fixed.text, ID).unwrap();
                prop_assert_eq!(again.text, fixed.text.clone());
                for line in body.lines().filter(|line| !line.trim().is_empty() && line.trim() != NOTHING) {
                    prop_assert!(fixed.text.contains(line.trim_end_matches('\r')), "{line:?}");
                }
            }
        }
    }
}
