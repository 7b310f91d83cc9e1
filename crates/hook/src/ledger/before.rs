//! The text of a file before a call, if it can be proven.

use stead_client::{Original, original};
use stead_ledger::trace::{Side, TraceCache};
use stead_model::{Action, Change, Replacement, clean};

use super::stamps::{ABSENT, Fields};
use super::target::Named;
use crate::request::Request;

/// The file before the call: what the client reports, the edit undone, or the text that the ledger last saw. Each must
/// have the size that was noted before the call.
pub(super) fn side(request: &Request<'_>, file: &Named, stamp: Option<&str>, after: &Side, cache: &TraceCache) -> Side {
    if stamp == Some(ABSENT) {
        return Side::Absent;
    }
    let size = stamp.and_then(Fields::of).map(|fields| fields.size);
    let fits = |bytes: &Vec<u8>| size.is_none_or(|size| bytes.len() as u64 == size);
    let replacements = own_change(request, file);
    if let Some(is_only) = replacements.as_ref().map(|(_, is_only)| *is_only)
        && is_only
    {
        match original(request.event) {
            Some(Original::Absent) if stamp.is_none() => return Side::Absent,
            Some(Original::Text(text)) => {
                if let Some(bytes) = with_line_ends(text, size).filter(fits) {
                    return Side::Bytes(bytes);
                }
            }
            _ => {}
        }
    }
    if let (Some((Some(edits), _)), Side::Bytes(after)) = (&replacements, after)
        && let Some(bytes) = undone(after, edits).filter(fits)
    {
        return Side::Bytes(bytes);
    }
    let sight = cache.sight(&file.inside).filter(|sight| stamp == Some(&sight.stamp));
    match sight {
        Some(sight) => match cache.blob(&sight.hash) {
            Some(bytes) => Side::Bytes(bytes),
            None => Side::Unknown { hash: Some(sight.hash) },
        },
        None if stamp.is_some() => Side::Unknown { hash: None },
        None => Side::Unseen,
    }
}

/// How a file tool changes a file: its replacements, if it edits, and whether the call changes nothing else.
fn own_change<'a>(request: &'a Request<'_>, file: &Named) -> Option<(Option<Vec<&'a Replacement<'a>>>, bool)> {
    let Some(Action::Change(changes)) = request.event.call.as_ref().map(|call| &call.action) else { return None };
    let is_own = |path: &str| clean(&request.location.cwd.join(path)) == file.path;
    let own: Vec<&Change<'_>> =
        changes.iter().filter(|change| is_own(&change.path)).map(|change| &change.change).collect();
    let mut edits = Vec::new();
    for change in &own {
        match change {
            Change::Edit(parts) if !parts.is_empty() => edits.extend(parts),
            _ => return Some((None, changes.len() == own.len())),
        }
    }
    Some((Some(edits).filter(|edits| !edits.is_empty()), changes.len() == own.len()))
}

/// Undoes replacements, the last first. Only if each new text occurs exactly once is it certain where it was put.
fn undone(after: &[u8], edits: &[&Replacement<'_>]) -> Option<Vec<u8>> {
    let mut text = std::str::from_utf8(after).ok()?.to_owned();
    // Clients read files with LF.
    let has_crlf = text.contains("\r\n");
    if has_crlf {
        text = text.replace("\r\n", "\n");
    }
    for edit in edits.iter().rev() {
        let at = only(&text, &edit.new)?;
        text.replace_range(at..at + edit.new.len(), &edit.old);
        // The text before must have been unambiguous as well, else the tool would have changed another place.
        if only(&text, &edit.old) != Some(at) {
            return None;
        }
    }
    Some(if has_crlf { text.replace('\n', "\r\n") } else { text }.into_bytes())
}

/// Where a text occurs, if it does so exactly once; overlaps count.
fn only(text: &str, part: &str) -> Option<usize> {
    let at = text.find(part).filter(|_| !part.is_empty())?;
    let next = at + text[at..].chars().next().map_or(1, char::len_utf8);
    (!text[next..].contains(part)).then_some(at)
}

/// The bytes of a text that a client reports with LF, although the file may have CRLF.
fn with_line_ends(text: String, size: Option<u64>) -> Option<Vec<u8>> {
    let feeds = text.bytes().filter(|byte| *byte == b'\n').count();
    match size {
        Some(size) if size != text.len() as u64 && size == (text.len() + feeds) as u64 && !text.contains('\r') => {
            Some(text.replace('\n', "\r\n").into_bytes())
        }
        _ => Some(text.into_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(after: &str, edits: &[(&str, &str)], expected: Option<&str>) {
        let edits: Vec<Replacement<'_>> =
            edits.iter().map(|(old, new)| Replacement { old: (*old).into(), new: (*new).into(), all: false }).collect();
        let found = undone(after.as_bytes(), &edits.iter().collect::<Vec<_>>());
        assert_eq!(found.as_deref(), expected.map(str::as_bytes), "{after:?}");
    }

    #[test]
    fn an_edit_is_undone_only_where_it_is_certain() {
        check("one\nthree\n", &[("two", "three")], Some("one\ntwo\n"));
        check("a b\n", &[("x", "a"), ("y", "b")], Some("x y\n"));
        check("bb\n", &[("a", "b")], None);
        check("aaa\n", &[("x", "aa")], None);
        check("one\n", &[("two\n", "")], None);
        check("one\n", &[("x", "two")], None);
        check("x two\n", &[("x", "two")], None);
        check("one\r\nthree\r\n", &[("one\ntwo", "one\nthree")], Some("one\r\ntwo\r\n"));
    }
}
