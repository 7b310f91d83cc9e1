//! A stage in several branches at once: the `parallel` block.

use std::ops::Range;

use stead_context::slug;

use super::reading::{Reading, find, place};
use super::worker::{provider, provider_name};
use super::yaml::{Entry, Value};
use crate::lint::Code;
use crate::{Branch, Join, Provider};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fan {
    pub(crate) at: Range<usize>,
    pub(crate) branches: Vec<(Branch, Option<Provider>)>,
    pub(crate) join: Join,
    pub(crate) max_parallel: Option<u32>,
    pub(crate) worktree: bool,
}

const KEYS: [&str; 5] = ["over", "providers", "join", "max_parallel", "worktree"];
/// More at once than anybody can pay for.
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
            let finding = reading.findings.error(Code::P011, &entry.key_at, "`parallel` does not say over what");
            finding.hint("add `over: [..]` or `providers: [..]`");
            return None;
        }
    };
    if branches.is_empty() || branches.len() > MOST {
        let message = format!("a stage is fanned out to 1 up to {MOST} branches, not {}", branches.len());
        reading.findings.error(Code::P011, &entry.key_at, message);
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
    let branches = items.into_iter().map(|(item, _)| {
        let name = free_name(&mut names, &slug(&item));
        (Branch { name, item: Some(item) }, None)
    });
    Some(branches.collect())
}

fn over_providers(reading: &mut Reading, entry: &Entry) -> Option<Vec<(Branch, Option<Provider>)>> {
    let Value::List(items) = &entry.value.value else {
        reading.wrong(&place(entry), "`providers` must be a list");
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

/// Makes a branch's name: fit for a file, and not taken by an earlier branch.
fn free_name(taken: &mut Vec<String>, wanted: &str) -> String {
    let numbered = (2..).map(|number| format!("{wanted}-{number}"));
    let name = std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !taken.contains(name));
    let name = name.unwrap_or_else(|| wanted.to_owned());
    taken.push(name.clone());
    name
}

fn join(reading: &mut Reading, entry: &Entry, branches: usize) -> Option<Join> {
    let Value::Map(entries) = &entry.value.value else {
        return reading.choice(entry, &[("all", Join::All), ("first", Join::First)]);
    };
    let count = match entries.as_slice() {
        [only] if only.key == "quorum" => reading.count(only)?,
        _ => {
            reading.wrong(&entry.key_at, "`join` must be all, first or `{quorum: n}`");
            return None;
        }
    };
    if count as usize > branches {
        let message = format!("a quorum of {count} cannot come from {branches} branches");
        reading.findings.error(Code::P011, &entry.key_at, message).hint(format!("ask for at most {branches}"));
        return None;
    }
    Some(Join::Quorum { count })
}
