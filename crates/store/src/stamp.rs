use std::fs::Metadata;
use std::time::Duration;

use crate::os;

/// What changes when a file changes; reading the file is not needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStamp {
    /// Size, inode and times as one word without white space.
    pub text: String,
    /// When anything about the file last changed, since 1970. Where the system keeps it, it cannot be set.
    pub changed: Duration,
}

/// Reads the stamp of a file.
pub fn file_stamp(data: &Metadata) -> FileStamp {
    let os::Stamp { number, modified, changed } = os::stamp(data);
    let text = format!("{:x}.{number:x}.{modified:x}.{changed:x}", data.len());
    FileStamp { text, changed: Duration::from_nanos(u64::try_from(changed).unwrap_or(u64::MAX)) }
}
