//! Shortens a log while other processes append to it. The long work is done without a lock on what was there at the
//! start; only the lines appended since then are copied under the lock, so no hook waits longer than for another line.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use crate::append::{Waiting, lock, open_locked};
use crate::error::At;
use crate::fault::moment;
use crate::file::{follow, write_beside};
use crate::file_content::Access;
use crate::seal::{Coming, announce};
use crate::{Durability, StoreError, Tail, os};

/// How often to start over if another process replaced the log meanwhile.
const ATTEMPTS: usize = 3;

/// The size of a log in bytes before and after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewritten {
    pub before: u64,
    pub after: u64,
}

/// Replaces a log's lines by what `keep` returns; it gets the lines newest first and returns the whole new text. Lines
/// appended while it works follow that text. On failure the log is unchanged.
pub fn rewrite_log<E: From<StoreError>>(
    path: &Path,
    patience: Duration,
    mut keep: impl FnMut(Tail<Beginning>) -> Result<Vec<u8>, E>,
) -> Result<Rewritten, E> {
    for _ in 0..ATTEMPTS {
        let (log, length) = open_locked(path, patience)?;
        log.unlock().at("unlock", path)?;
        let beginning = Beginning { file: os::open_to_read(path).at("open", path)?, length, at: 0 };
        let kept = keep(Tail::new(beginning, path)?)?;
        if let Some(after) = publish(path, &log, length, &kept, patience)? {
            return Ok(Rewritten { before: length, after });
        }
    }
    Err(StoreError::Locked { path: path.to_owned(), waited_ms: patience.as_millis() }.into())
}

/// Drops the oldest lines of a log that is longer than `most` bytes; half of them stay.
pub fn cut_log(path: &Path, most: u64, patience: Duration) -> Result<(), StoreError> {
    if std::fs::metadata(path).map_or(0, |data| data.len()) <= most {
        return Ok(());
    }
    rewrite_log::<StoreError>(path, patience, |lines| {
        let (mut kept, mut bytes) = (Vec::new(), 0);
        for line in lines {
            let text = line?.text;
            bytes += text.len() as u64 + 1;
            if bytes > most / 2 {
                break;
            }
            kept.push(text);
        }
        Ok(kept.iter().rev().flat_map(|text| [text.as_bytes(), b"\n"].concat()).collect())
    })?;
    Ok(())
}

/// Puts the new log in place. `None` if the old file is no longer the log.
fn publish(path: &Path, log: &File, length: u64, kept: &[u8], patience: Duration) -> Result<Option<u64>, StoreError> {
    let target = follow(path)?;
    let old = log.metadata().at("look at", path)?;
    let mut temporary =
        write_beside(&target, kept, Access::Owner, Durability::Synced, |file| os::take_over(file, &old))?;
    lock(log, path, &mut Waiting::new(patience))?;
    let now = log.metadata().at("look at", path)?;
    if os::is_unlinked(&now) || now.len() < length {
        return Ok(None);
    }
    let mut added = Vec::new();
    let mut reader = log;
    reader.seek(SeekFrom::Start(length)).at("read", path)?;
    reader.read_to_end(&mut added).at("read", path)?;
    let file = temporary.as_file_mut();
    file.write_all(&added).at("write", &target)?;
    file.sync_data().at("sync", &target)?;
    announce(path, Coming::Rewrite(temporary.as_file()));
    moment();
    temporary.persist(&target).map_err(|error| error.error).at("replace", &target)?;
    moment();
    Ok(Some(kept.len() as u64 + added.len() as u64))
}

/// The part of a log that existed when the work started.
#[derive(Debug)]
pub struct Beginning {
    file: File,
    length: u64,
    at: u64,
}

impl Read for Beginning {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.length.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let wanted = buffer.len().min(left);
        let count = self.file.read(&mut buffer[..wanted])?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Beginning {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::End(offset) => SeekFrom::Start(self.length.saturating_add_signed(offset)),
            other => other,
        };
        self.at = self.file.seek(to)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Lines, Redacted, append_line};

    const PATIENCE: Duration = Duration::from_secs(5);

    fn texts(path: &Path) -> Vec<String> {
        Lines::open(path).unwrap().map(|line| line.unwrap().text).collect()
    }

    #[test]
    fn lines_that_come_meanwhile_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for number in 0..100 {
            append_line(&path, Redacted::line(&serde_json::json!({"n": number})), Durability::Quick, PATIENCE).unwrap();
        }
        rewrite_log::<StoreError>(&path, PATIENCE, |lines| {
            let newest = lines.take(1).map(|line| line.unwrap().text + "\n").collect::<String>();
            append_line(&path, "{\"late\":1}", Durability::Quick, PATIENCE).unwrap();
            Ok(newest.into_bytes())
        })
        .unwrap();
        append_line(&path, "{\"after\":1}", Durability::Quick, PATIENCE).unwrap();
        assert_eq!(texts(&path), ["{\"n\":99}", "{\"late\":1}", "{\"after\":1}"]);
    }

    #[test]
    fn writers_and_rewriters_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let all = |lines: Tail<Beginning>| {
            let mut texts: Vec<String> = lines.map(|line| line.map(|line| line.text)).collect::<Result<_, _>>()?;
            texts.reverse();
            Ok::<_, StoreError>(texts.into_iter().map(|text| text + "\n").collect::<String>().into_bytes())
        };
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for number in 0..100 {
                        let line = Redacted::line(&serde_json::json!({"w": writer, "n": number}));
                        append_line(path, line, Durability::Quick, PATIENCE).unwrap();
                    }
                });
            }
            for _ in 0..2 {
                scope.spawn(|| (0..10).for_each(|_| drop(rewrite_log(&path, PATIENCE, all))));
            }
        });
        let mut lines = texts(&path);
        assert_eq!(lines.len(), 400);
        lines.sort();
        lines.dedup();
        assert_eq!(lines.len(), 400);
    }

    #[test]
    fn a_failure_leaves_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        append_line(&path, "{\"n\":1}", Durability::Quick, PATIENCE).unwrap();
        let failed = rewrite_log(&path, PATIENCE, |_| Err(StoreError::NotAFile { path: path.clone() }));
        assert!(failed.is_err());
        assert_eq!(texts(&path), ["{\"n\":1}"]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
