//! A stage in several parallel branches: the `parallel` block.

use std::ops::Range;

use stead_client::Harness;
use stead_context::slug;
use stead_model::nearest;
use stead_yaml::{Entry, Value};

use super::provider::{provider, provider_name};
use super::reading::{Reading, find, place};
use crate::lint::Code;
use crate::{Branch, Join, Provider};

#[derive(Clone, Debug, PartialEq)]
pub struct Fan {
    pub at: Range<usize>,
    pub branches: Vec<(Branch, Option<Provider>)>,
    pub join: Join,
    pub max_parallel: Option<u32>,
    pub worktree: bool,
}

const KEYS: [&str; 5] = ["over", "providers", "join", "max_parallel", "worktree"];
const JOINS: &str = "all, first or `{quorum: n}`";
/// The maximum number of branches.
const MOST: usize = 256;

pub(crate) fn fan(reading: &mut Reading, entry: &Entry) -> Option<Fan> {
    let entries = reading.map(entry)?;
    for part in entries.iter().filter(|part| !KEYS.contains(&part.key.as_str())) {
        reading.unknown(part, &KEYS);
    }
    let branches = match (find(entries, "over"), find(entries, "providers")) {
        (Some(over), None) => over_items(reading, over)?,
        (None, Some(providers)) => over_providers(reading, providers)?,
        (Some(_), Some(second)) => {
            let message = "`over` and `providers` cannot be combined";
            reading.findings.error(Code::P011, &second.key_at, message).hint("choose one of them");
            return None;
        }
        (None, None) => {
            let finding =
                reading.findings.error(Code::P011, &entry.key_at, "`parallel` has neither `over` nor `providers`");
            finding.hint("add `over: [..]` or `providers: [..]`");
            return None;
        }
    };
    if branches.is_empty() || branches.len() > MOST {
        let message = format!("`parallel` takes 1 to {MOST} branches, not {}", branches.len());
        let hint = if branches.is_empty() { "add at least one" } else { "split it into several stages" };
        reading.findings.error(Code::P011, &entry.key_at, message).hint(hint);
        return None;
    }
    let join = find(entries, "join").map_or(Some(Join::All), |part| join(reading, part, branches.len()))?;
    Some(Fan {
        at: entry.key_at.clone(),
        branches,
        join,
        max_parallel: find(entries, "max_parallel").and_then(|part| reading.count(part)),
        worktree: find(entries, "worktree").is_some_and(|part| reading.flag(part)),
    })
}

fn over_items(reading: &mut Reading, entry: &Entry) -> Option<Vec<(Branch, Option<Provider>)>> {
    let mut names = Vec::new();
    let items = reading.placed_texts(entry)?;
    for (place, (item, at)) in items.iter().enumerate() {
        if let Some(first) = items[..place].iter().position(|(earlier, _)| earlier == item) {
            let message = format!("item {} of `over` repeats item {}", place + 1, first + 1);
            reading
                .findings
                .warning(Code::P011, at, message)
                .hint("remove it, unless two agents should try the same item");
        }
    }
    let branches = items.into_iter().enumerate().map(|(place, (item, _))| {
        let name = free_name(&mut names, &branch_name(&item, place));
        (Branch { name, item: Some(item) }, None)
    });
    Some(branches.collect())
}

/// The item's letters and digits, as far as they are valid in a file name on every system; else its position in the
/// list.
fn branch_name(item: &str, place: usize) -> String {
    if item.contains(|c: char| c.is_ascii_alphanumeric()) { slug(item) } else { format!("item-{}", place + 1) }
}

fn over_providers(reading: &mut Reading, entry: &Entry) -> Option<Vec<(Branch, Option<Provider>)>> {
    let Value::List(items) = &entry.value.value else {
        let hint = format!("write `providers: [{}]`", Harness::NAMES[..2].join(", "));
        reading.wrong(&place(entry), "`providers` must be a list").hint(hint);
        return None;
    };
    let mut names = Vec::new();
    let mut branches = Vec::new();
    for item in items {
        let at = if item.at.is_empty() { entry.key_at.clone() } else { item.at.clone() };
        let provider = provider(reading, item, &at)?;
        let name = free_name(&mut names, &slug(provider_name(&provider)));
        branches.push((Branch { name, item: None }, Some(provider)));
    }
    Some(branches)
}

/// Builds a branch name that is valid in a file name and not used by an earlier branch.
fn free_name(taken: &mut Vec<String>, wanted: &str) -> String {
    let numbered = (2..).map(|number| format!("{wanted}-{number}"));
    let name = std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !taken.contains(name));
    let name = name.unwrap_or_else(|| wanted.to_owned());
    taken.push(name.clone());
    name
}

fn join(reading: &mut Reading, entry: &Entry, branches: usize) -> Option<Join> {
    let Value::Map(entries) = &entry.value.value else {
        return match entry.value.scalar().as_deref() {
            Some("all") => Some(Join::All),
            Some("first") => Some(Join::First),
            typed => {
                let finding = reading.invalid(entry, JOINS);
                match typed.and_then(|typed| nearest(typed, ["all", "first", "quorum"])) {
                    Some("quorum") => {
                        finding.hint("write `join: {quorum: n}`, with the number of branches that must succeed")
                    }
                    Some(near) => finding.hint(format!("did you mean `{near}`?")),
                    None => {}
                }
                None
            }
        };
    };
    let count = match entries.as_slice() {
        [only] if only.key == "quorum" => reading.count(only)?,
        _ => {
            reading.wrong(&entry.key_at, format!("`join` must be {JOINS}")).hint("write `join: {quorum: 2}`");
            return None;
        }
    };
    if count as usize > branches {
        let message = format!("a quorum of {count} is impossible with {branches} branches");
        reading.findings.error(Code::P011, &entry.key_at, message).hint(format!("use at most {branches}"));
        return None;
    }
    Some(Join::Quorum { count })
}
