use std::path::Path;

use crate::{Config, Durability, StoreError, create, read_capped};

/// Whether git sees packets and loops, so that a commit shares them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    Off,
    On,
}

impl Sharing {
    /// What git ignores in the context folder unless they are shared.
    pub(crate) const IGNORED: &str = "\
# What people and agents said stays in this checkout. `stead packet share ID` shares one packet,
# `context.share = true` in config.toml all of them.
/packets/
/loops/
";

    pub fn of(config: &Config) -> Self {
        if config.bool("context.share") { Self::On } else { Self::Off }
    }
}

/// Makes git ignore packets and loops in a context folder, or see them again. A file that somebody changed is kept.
pub fn keep_ignored(context: &Path, sharing: Sharing) -> Result<(), StoreError> {
    let path = context.join(".gitignore");
    match sharing {
        Sharing::Off => create(&path, Sharing::IGNORED, Durability::Quick).map(drop),
        Sharing::On => match read_capped(&path, Sharing::IGNORED.len()) {
            Ok(Some(bytes)) if bytes == Sharing::IGNORED.as_bytes() => crate::remove(&path),
            _ => Ok(()),
        },
    }
}
