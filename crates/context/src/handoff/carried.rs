//! What the packets of a chain still have to say: decisions, constraints and failed attempts, each with where it is from
//! and how old it is.

use stead_model::unix_millis;

use crate::ContextError;
use crate::packet::{Heading, NOTHING, Packet, Shelf};
use crate::pickup::ago;

/// How many items of one kind are carried on; the newest packets come first.
const MOST: usize = 300;

/// What marks an item that comes from an earlier packet. One that is marked already comes from the packet it names.
const MARK: &str = "(from packet `";

/// The items that are carried on, each as the lines of a list.
#[derive(Debug, Default)]
pub(super) struct Carried {
    pub(super) decisions: Vec<String>,
    pub(super) constraints: Vec<String>,
    pub(super) failed: Vec<String>,
    /// Packets of which nothing was taken over, and why.
    pub(super) omitted: Vec<String>,
}

/// Collects the items of the packets of a chain, the nearest first.
pub(super) fn carried(shelf: &Shelf, chain: &[String], is_trusted: &dyn Fn(&str) -> bool, now: i64) -> Carried {
    let mut all = Carried::default();
    let mut readable: Vec<(&String, Packet)> = Vec::new();
    for id in chain {
        match shelf.read(id) {
            Ok(_) if !is_trusted(id) => {
                all.omitted.push(format!("packet `{id}` came with the repository and is not trusted"));
            }
            Ok(packet) => readable.push((id, packet)),
            Err(ContextError::UnknownId { .. }) => all.omitted.push(format!("packet `{id}` of the chain is missing")),
            Err(error) => all.omitted.push(error.to_string()),
        }
    }
    for (id, packet) in &readable {
        let age = packet.get("created_at").and_then(unix_millis).map(|created| ago(now - created));
        let mark = format!("{MARK}{id}`, {})", age.as_deref().unwrap_or("age unknown"));
        let is_known = |item: &str| {
            // The packet that it names is in the chain, too, and says it first-hand.
            let origin = item.rsplit_once(MARK).and_then(|(_, rest)| rest.split('`').next());
            origin.is_some_and(|origin| readable.iter().any(|(known, _)| *known == origin))
        };
        let add = |list: &mut Vec<String>, heading: Heading, is_wanted: fn(&str) -> bool| {
            let items = items(packet.section(heading).unwrap_or_default());
            for item in items.into_iter().filter(|item| is_wanted(item) && !is_known(item)) {
                let marked = if item.contains(MARK) { item.clone() } else { format!("{item} {mark}") };
                if list.len() < MOST && !list.iter().any(|known| words(known) == words(&marked)) {
                    list.push(marked);
                }
            }
        };
        add(&mut all.decisions, Heading::Decisions, |_| true);
        add(&mut all.constraints, Heading::Constraints, |_| true);
        add(&mut all.failed, Heading::Notes, |item| item.trim_start_matches(['-', '*', ' ']).starts_with("Failed"));
    }
    all
}

/// What an item says, without where it is from.
pub(super) fn words(item: &str) -> &str {
    let item = item.split(MARK).next().unwrap_or(item);
    let item = item.trim_start_matches(['-', '*', '+', '>', ' ']).trim_end();
    // A source such as `(prompt 3, …)` differs from packet to packet.
    item.rsplit_once(" (prompt ").map_or(item, |(words, _)| words)
}

/// Returns true if a text has an item that says the same.
pub(super) fn says(text: &str, item: &str) -> bool {
    items(text).iter().any(|known| words(known) == words(item))
}

/// The items of a section: list items and quotations with their continuation lines, and paragraphs.
fn items(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        let starts = line.starts_with(['-', '*', '+', '>']) || line.starts_with(|c: char| c.is_ascii_digit());
        match line.trim() {
            "" => is_open = false,
            // Labels and placeholders say nothing by themselves.
            label if !starts && label.ends_with(':') => is_open = false,
            NOTHING => {}
            trimmed => match found.last_mut().filter(|_| is_open && !starts) {
                Some(last) => last.push_str(&format!("\n{}", line.trim_end())),
                None => {
                    let item = if starts { line.trim_end().to_owned() } else { format!("- {trimmed}") };
                    found.push(item);
                    is_open = true;
                }
            },
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const NOW: i64 = 1_794_771_930_123;

    #[test]
    fn items_keep_their_lines() {
        let text = "- one\n  more\n- two\n\nWords of a\nparagraph.\n\nSaid by the person:\n> three\n\nNone recorded.";
        assert_eq!(items(text), ["- one\n  more", "- two", "- Words of a\nparagraph.", "> three"]);
    }

    #[test]
    fn a_chain_carries_each_item_once_with_its_age() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path());
        fs::create_dir(folder.path().join("packets")).unwrap();
        let put = |id: &str, days: i64, body: &str| {
            let created = stead_model::rfc3339(NOW - days * 24 * 3600 * 1000);
            fs::write(shelf.path(id), format!("---\nid: {id}\ncreated_at: {created}\n---\n{body}")).unwrap();
        };
        put(
            "a",
            5,
            "## Decisions\n- keep the API\n## Notes\n- Failed: a cache\n- other\n## Constraints\n> Never push. (prompt 3)\n",
        );
        put(
            "b",
            2,
            "## Decisions\n- use a map\n- keep the API (from packet `a`, 3 days ago)\n- old (from packet `gone`, 9 days ago)\n## Constraints\n> Never push. (prompt 1)\n",
        );
        put("c", 1, "## Decisions\n- evil\n");
        let chain = ["c", "b", "a"].map(str::to_owned);
        let all = carried(&shelf, &chain, &|id| id != "c", NOW);
        assert_eq!(
            all.decisions,
            [
                "- use a map (from packet `b`, 2 days ago)",
                "- old (from packet `gone`, 9 days ago)",
                "- keep the API (from packet `a`, 5 days ago)"
            ]
        );
        assert_eq!(all.constraints, ["> Never push. (prompt 1) (from packet `b`, 2 days ago)"]);
        assert_eq!(all.failed, ["- Failed: a cache (from packet `a`, 5 days ago)"]);
        assert_eq!(all.omitted, ["packet `c` came with the repository and is not trusted"]);
    }
}
