//! Finds the packet or loop that a person means.

use stead_model::nearest;

use crate::ContextError;

/// How many candidates are named.
const LISTED: usize = 5;

/// Finds the id that was typed: in full, or by a part that only one id has. `ids` are newest first.
pub fn find_id(kind: &'static str, ids: &[String], typed: &str) -> Result<String, ContextError> {
    let typed = typed.trim().trim_end_matches(".md");
    if let Some(id) = ids.iter().find(|id| *id == typed) {
        return Ok(id.clone());
    }
    let named: Vec<&String> = ids.iter().filter(|id| slug_of(id) == typed).collect();
    let parts: Vec<&String> = match named.is_empty() && !typed.is_empty() {
        true => ids.iter().filter(|id| id.contains(typed)).collect(),
        false => named,
    };
    match parts.as_slice() {
        [only] => Ok((*only).clone()),
        [_, _, ..] => Err(ContextError::AmbiguousId {
            kind,
            id: typed.to_owned(),
            count: parts.len(),
            newest: parts.iter().take(LISTED).map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", "),
        }),
        [] => {
            let names = ids.iter().flat_map(|id| [id.as_str(), slug_of(id)]);
            let near = nearest(typed, names).and_then(|near| ids.iter().find(|id| id.ends_with(near)));
            Err(ContextError::UnknownId { kind, id: typed.to_owned(), nearest: near.cloned() })
        }
    }
}

/// An id without its timestamp.
fn slug_of(id: &str) -> &str {
    id.split_once('-').map_or(id, |(_, slug)| slug)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_by_what_people_type() {
        let ids = ["20260103T000000Z-fix-add-again", "20260102T000000Z-fix-sub", "20260101T000000Z-fix-add"];
        let ids = ids.map(str::to_owned);
        let check = |typed: &str, expected: &str| {
            let found = find_id("packet", &ids, typed);
            let found = found.unwrap_or_else(|error| format!("{error}; {}", error.hint().unwrap_or_default()));
            assert_eq!(found, expected, "{typed}");
        };
        check("20260101T000000Z-fix-add", "20260101T000000Z-fix-add");
        check(" 20260102T000000Z-fix-sub.md ", "20260102T000000Z-fix-sub");
        check("20260102", "20260102T000000Z-fix-sub");
        check("again", "20260103T000000Z-fix-add-again");
        check("x-su", "20260102T000000Z-fix-sub");
        // A whole name counts before a part of another one.
        check("fix-add", "20260101T000000Z-fix-add");
        let all = ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
        check("fix", &format!("`fix` matches 3 packets: {all}; type more of the one that is meant"));
        check("fix-sup", "there is no packet `fix-sup`; did you mean `20260102T000000Z-fix-sub`?");
        check("../x", "there is no packet `../x`; `stead packet list` lists them");
        check("", "there is no packet ``; `stead packet list` lists them");
    }
}
