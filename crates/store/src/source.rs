use std::fs;
use std::path::{Path, PathBuf};

/// A log of one writer: this machine's, or one of others beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub path: PathBuf,
    /// The name of another writer; `None` for this machine.
    pub peer: Option<String>,
}

impl Source {
    /// The logs of others in a folder: its `.jsonl` files, by name.
    pub fn peers(folder: &Path) -> Vec<Self> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut peers: Vec<Self> = entries
            .filter_map(|entry| {
                let path = entry.path();
                let name = path.file_stem()?.to_str()?.to_owned();
                (path.extension()? == "jsonl").then_some(Self { path, peer: Some(name) })
            })
            .collect();
        peers.sort_by(|a, b| a.peer.cmp(&b.peer));
        peers
    }
}
