use std::collections::HashSet;

use stead_code::{Hash, LineHash, file_hash};

use crate::trace::{FileOp, Record};

/// What a record can be found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The text of a line that it added.
    Added,
    /// The text of a line that it removed.
    Removed,
    /// The normalised hash of a node.
    Node,
    /// The path before a rename.
    From,
    /// The hash of a file after it.
    After,
    /// The id of the provisional record that it replaces.
    Of,
}

impl Kind {
    pub(super) const ALL: [Self; 6] = [Self::Added, Self::Removed, Self::Node, Self::From, Self::After, Self::Of];
}

/// A hash of a text, spread evenly.
pub(super) fn text_key(text: &str) -> u64 {
    key_of(&file_hash(text.as_bytes()))
}

/// The key of a hash written as `sha256:…`.
pub(super) fn hash_key(text: &str) -> Option<u64> {
    text.parse::<Hash>().ok().map(|hash| key_of(&hash))
}

/// The first bits of a hash.
pub(super) fn key_of(hash: &Hash) -> u64 {
    hash.0.iter().take(8).fold(0, |key, byte| key << 8 | u64::from(*byte))
}

/// Reads the hashes of lines.
pub(super) fn line_keys(text: &str) -> Vec<u64> {
    LineHash::parse_all(text).unwrap_or_default().into_iter().map(|hash| hash.0).collect()
}

/// Everything a record can be found by.
pub(super) fn keys(record: &Record) -> Vec<(Kind, u64)> {
    let mut keys = Vec::new();
    let Some(note) = record.stead() else { return keys };
    keys.extend(note.of.as_deref().map(|of| (Kind::Of, text_key(of))));
    for file in &note.files {
        let kept: HashSet<u64> = line_keys(&file.kept).into_iter().collect();
        let added = line_keys(&file.lines).into_iter().filter(|key| !kept.contains(key));
        keys.extend(added.map(|key| (Kind::Added, key)));
        keys.extend(line_keys(&file.gone).into_iter().map(|key| (Kind::Removed, key)));
        let normal = file.nodes.iter().filter_map(|node| hash_key(node.normal.as_deref()?));
        keys.extend(normal.map(|key| (Kind::Node, key)));
        keys.extend(file.after.as_deref().and_then(hash_key).map(|key| (Kind::After, key)));
        if file.op == FileOp::Rename {
            keys.extend(file.from.as_deref().map(|from| (Kind::From, text_key(from))));
        }
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}
