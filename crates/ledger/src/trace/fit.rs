use stead_store::LINE_LIMIT;

use super::record::{FileNote, Record};

/// Leaves room for the link.
const LIMIT: usize = LINE_LIMIT - 1024;

/// Shortens a record that is too long for a line, as little as possible: first the hashes of lines and nodes of the
/// files with the most of them, then whole files from the end, then ranges.
pub(super) fn fit(record: &mut Record) {
    while let Some(excess) = excess(record)
        && drop_hashes(record, excess)
    {}
    while excess(record).is_some() && record.files.len() > 1 {
        let kept = record.files.len() / 2;
        if let Some(note) = &mut record.metadata.stead {
            note.more += (note.files.len() - kept) as u64;
            note.files.truncate(kept);
            note.out_of_scope.truncate(kept);
        }
        record.files.truncate(kept);
    }
    if excess(record).is_some() {
        let talks = record.files.iter_mut().flat_map(|file| &mut file.conversations);
        talks.for_each(|talk| talk.ranges.truncate(1_000));
    }
}

/// How many bytes are too many.
fn excess(record: &Record) -> Option<usize> {
    let length = serde_json::to_string(record).map_or(0, |text| text.len());
    length.checked_sub(LIMIT).filter(|excess| *excess > 0)
}

/// Removes the hashes of the files with the most of them; `false` if none has any.
fn drop_hashes(record: &mut Record, excess: usize) -> bool {
    let weight = |file: &FileNote| {
        file.lines.len() + file.kept.len() + file.again.len() + file.gone.len() + file.nodes.len() * 250
    };
    let mut files: Vec<&mut FileNote> = record.metadata.stead.iter_mut().flat_map(|note| &mut note.files).collect();
    files.sort_by_key(|file| std::cmp::Reverse(weight(file)));
    let mut dropped = 0;
    for file in files {
        if dropped >= excess || weight(file) == 0 {
            break;
        }
        dropped += weight(file);
        for hashes in [&mut file.lines, &mut file.kept, &mut file.again, &mut file.gone] {
            hashes.clear();
        }
        file.nodes.clear();
    }
    dropped > 0
}
