//! What is wrong with a packet's front matter. A value that cannot be read must not be taken for an empty one: the next
//! change would overwrite it.

use std::collections::BTreeMap;

use stead_model::{nearest, unix_millis};

use super::{FileList, Packet, Status};

/// A value that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeadProblem {
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) message: String,
}

/// The keys of lists.
pub(super) const LISTS: [&str; 3] = [FileList::Confirmed.key(), FileList::Suggested.key(), "validators"];

/// The keys of timestamps.
pub(super) const MOMENTS: [&str; 2] = ["created_at", "updated_at"];

/// Lists the values that cannot be read. Missing ones are not among them.
pub(crate) fn problems(packet: &Packet) -> Vec<HeadProblem> {
    let document = packet.document();
    let mut found = Vec::new();
    let mut add = |key: &str, message: String| {
        found.push(HeadProblem { line: document.line_of(key).unwrap_or(1), message });
    };
    for key in MOMENTS {
        if let Some(value) = packet.get(key).filter(|value| unix_millis(value).is_none()) {
            add(key, format!("`{key}` is not an ISO 8601 timestamp: `{value}`"));
        }
    }
    if let Some(status) = packet.get("status").filter(|status| Status::from_name(status).is_none()) {
        let meant = nearest(status, Status::ALL.map(Status::name));
        let meant = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
        add("status", format!("`status` is `{status}`, not one of `draft active done blocked`{meant}"));
    }
    if let Some(most) = packet.get("loop_max_iterations").filter(|most| most.parse::<u32>().is_err()) {
        add("loop_max_iterations", format!("`loop_max_iterations` is not a number: `{most}`"));
    }
    for key in LISTS {
        match packet.get(key).map(serde_json::from_str::<Vec<String>>) {
            Some(Err(error)) => add(key, format!("`{key}` is not a JSON list of strings ({error})")),
            None if !document.block(key).is_empty() => {
                add(key, format!("`{key}` is a list over several lines; it must be a JSON list on one line"));
            }
            _ => {}
        }
    }
    if let Some(hashes) = packet.get("file_hashes")
        && serde_json::from_str::<BTreeMap<String, String>>(hashes).is_err()
    {
        add("file_hashes", "`file_hashes` is not a JSON object of paths and hashes".to_owned());
    }
    found.sort_by_key(|problem| problem.line);
    found
}
