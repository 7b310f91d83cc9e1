//! One run has one engine: the lock that a running engine holds, and who holds it.
//!
//! The system's own file lock decides, because it is released when its process ends, however that happens. The file's
//! content is for people, and decides where files cannot be locked.

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::os::{self, EndSignal, Process};

const NAME: &str = "lock";

/// How long to wait for a lock without a living holder: another process may be reading it, or about to write its name.
const PATIENCE: Duration = Duration::from_secs(1);
const NAP: Duration = Duration::from_millis(10);

/// The size limit of the lock file.
const LIMIT: u64 = 64 << 10;

/// A run that belongs to this engine until it is dropped.
#[derive(Debug)]
pub struct RunLock {
    path: PathBuf,
    file: Mutex<File>,
    own: Holder,
    former: Option<Holder>,
}

/// What a run's lock says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Held(Holder),
    /// Its holder is dead.
    Left,
    /// There is none, or it names no process.
    Gone,
}

/// The engine that holds a run: the content of its `lock` file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub schema: u32,
    pub pid: u32,
    /// When that process started, in ticks since boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// When it acquired the run.
    pub since: String,
}

#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("the run is used by process {pid} since {since}", pid = holder.pid, since = holder.since)]
    Held { holder: Holder },
    #[error("the run is used by an unknown process")]
    HeldByStranger,
    #[error("could not acquire the run's lock `{}`", path.display())]
    Io { path: PathBuf, source: io::Error },
}

impl LockError {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Held { .. } => {
                Some("watch it with `stead status`, stop it with `stead stop`, or use another name".into())
            }
            Self::HeldByStranger => Some("try again in a moment".into()),
            Self::Io { path, source } => match source.kind() {
                io::ErrorKind::PermissionDenied => Some("make sure you have write access to that folder".into()),
                io::ErrorKind::StorageFull => Some("free some space on that file system".into()),
                _ => Some(format!("move `{}` aside", path.display())),
            },
        }
    }
}

impl RunLock {
    /// Acquires a run for this process; `folder` is the run's, `now` is recorded. A lock whose holder is dead is taken
    /// over.
    pub fn take(folder: &Path, now: &str) -> Result<Self, LockError> {
        let path = folder.join(NAME);
        let own = Holder::this(now);
        let (file, former) = seize(&path, &own)?;
        Ok(Self { path, file: Mutex::new(file), own, former })
    }

    /// Restores the lock file and its content: agents share the run's folder and can delete both. `true` if there was
    /// something to restore.
    pub fn mind(&self) -> Result<bool, LockError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if !os::is_at(&file, &self.path) {
            *file = seize(&self.path, &self.own)?.0;
            return Ok(true);
        }
        if read(&mut file).as_ref() == Some(&self.own) {
            return Ok(false);
        }
        write(&mut file, &self.own).map_err(|source| LockError::Io { path: self.path.clone(), source })?;
        Ok(true)
    }

    /// The engine that held the run before and did not release it.
    pub fn former(&self) -> Option<&Holder> {
        self.former.as_ref()
    }

    /// Returns who holds a run; `None` if its engine has ended, however it did.
    pub fn holder(folder: &Path) -> Option<Holder> {
        match Self::look(folder) {
            Look::Held(holder) => Some(holder),
            Look::Left | Look::Gone => None,
        }
    }

    /// Reads a run's lock.
    pub(crate) fn look(folder: &Path) -> Look {
        let Ok(mut file) = os::open_to_look(&folder.join(NAME)) else { return Look::Gone };
        match read(&mut file) {
            Some(holder) if holder.lives() => Look::Held(holder),
            // A process that is not visible from here, such as in another container, still holds the file.
            Some(holder) if matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) => Look::Held(holder),
            Some(_) => Look::Left,
            None => Look::Gone,
        }
    }
}

/// Acquires the file for `own`, and returns who had it before.
fn seize(path: &Path, own: &Holder) -> Result<(File, Option<Holder>), LockError> {
    let failed = |source| LockError::Io { path: path.to_owned(), source };
    let begun = Instant::now();
    loop {
        let mut file = os::open_shared(path).map_err(failed)?;
        let is_locked = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => {
                let holder = read(&mut file);
                let is_patient = begun.elapsed() < PATIENCE;
                match holder {
                    Some(holder) if holder.lives() || !is_patient => return Err(LockError::Held { holder }),
                    None if !is_patient => return Err(LockError::HeldByStranger),
                    _ => {}
                }
                thread::sleep(NAP);
                continue;
            }
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(TryLockError::Error(_)) => false,
        };
        // The previous holder may have removed the file between our opening and locking it.
        if !os::is_at(&file, path) {
            continue;
        }
        let former = read(&mut file);
        if let Some(holder) = former.clone()
            && !is_locked
            && holder.lives()
        {
            return Err(LockError::Held { holder });
        }
        write(&mut file, own).map_err(failed)?;
        return Ok((file, former));
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
        if os::is_at(file, &self.path) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Holder {
    const SCHEMA: u32 = 1;

    fn this(now: &str) -> Self {
        let pid = std::process::id();
        let start = os::process(pid).map(|process| process.start);
        Self { schema: Self::SCHEMA, pid, start, boot_id: os::boot_id(), host: os::host(), since: now.to_owned() }
    }

    /// Names a process that is otherwise proven to be a run's engine.
    pub(crate) fn of(process: &Process, since: &str) -> Self {
        let (pid, start) = (process.pid, Some(process.start));
        Self { schema: Self::SCHEMA, pid, start, boot_id: os::boot_id(), host: os::host(), since: since.to_owned() }
    }

    /// Returns true if both are the same process, whenever it acquired the run.
    pub fn is_same(&self, other: &Self) -> bool {
        let own = |holder: &Self| Self { since: String::new(), ..holder.clone() };
        own(self) == own(other)
    }

    /// Asks that process to end in an orderly way; `false` if it is gone. The caller has it from [`RunLock::holder`].
    pub fn ask_to_end(&self) -> bool {
        // The handle is opened first: after that the process id cannot be reused.
        let handle = os::handle(self.pid);
        let process = match os::process(self.pid) {
            Some(process) => Some(process).filter(|process| Some(process.start) == self.start),
            // If processes cannot be inspected, the lock that it holds is the proof.
            None if !os::LISTS_PROCESSES => {
                Some(Process { pid: self.pid, parent: 0, group: 0, session: 0, start: 0, is_zombie: false })
            }
            None => None,
        };
        if let Some(process) = &process {
            os::send_signal(process, handle.as_ref(), EndSignal::Term);
        }
        process.is_some()
    }

    /// Returns true if that process still runs, as far as is visible from here.
    pub fn lives(&self) -> bool {
        self.boot_id == os::boot_id()
            && self.host == os::host()
            && self.start.is_some()
            && os::process(self.pid).is_some_and(|process| !process.is_zombie && Some(process.start) == self.start)
    }
}

/// Only the first line counts: a shorter one may have been written over a longer one.
fn read(file: &mut File) -> Option<Holder> {
    file.rewind().ok()?;
    let mut text = String::new();
    file.take(LIMIT).read_to_string(&mut text).ok()?;
    serde_json::from_str(text.lines().next()?).ok()
}

/// In one piece, so that nobody reads half of it.
fn write(file: &mut File, holder: &Holder) -> io::Result<()> {
    let mut line = serde_json::to_vec(holder)?;
    line.push(b'\n');
    file.rewind()?;
    file.write_all(&line)?;
    file.set_len(line.len() as u64)
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-11-15T20:00:00Z";

    #[test]
    fn a_run_has_one_holder_who_is_named() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(RunLock::holder(dir.path()), None);
        let lock = RunLock::take(dir.path(), NOW).unwrap();
        assert_eq!(lock.former(), None);
        let Err(LockError::Held { holder }) = RunLock::take(dir.path(), NOW) else { panic!("taken twice") };
        assert_eq!((holder.pid, holder.since.as_str()), (std::process::id(), NOW));
        assert_eq!(RunLock::holder(dir.path()), Some(holder));
        drop(lock);
        assert_eq!(RunLock::holder(dir.path()), None);
        assert!(!dir.path().join(NAME).exists());
        drop(RunLock::take(dir.path(), NOW).unwrap());
    }

    /// A lock file that somebody left is no obstacle, whatever it says.
    #[track_caller]
    fn check_left(content: &str, former_pid: Option<u32>) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(NAME), content).unwrap();
        assert_eq!(RunLock::holder(dir.path()), None, "{content}");
        let lock = RunLock::take(dir.path(), NOW).unwrap();
        assert_eq!(lock.former().map(|holder| holder.pid), former_pid, "{content}");
        assert_eq!(RunLock::holder(dir.path()).unwrap().pid, std::process::id());
    }

    #[test]
    fn locks_that_were_left_are_taken_over() {
        let own = Holder::this(NOW);
        let text = |holder: &Holder| serde_json::to_string(holder).unwrap();
        // Its process id was reused, the system was rebooted, or it is another machine's.
        check_left(&text(&Holder { start: own.start.map(|start| start + 1), ..own.clone() }), Some(own.pid));
        check_left(&text(&Holder { boot_id: Some("another".into()), ..own.clone() }), Some(own.pid));
        check_left(&text(&Holder { host: Some("elsewhere".into()), ..own.clone() }), Some(own.pid));
        check_left(&text(&Holder { pid: 4_000_000, ..own.clone() }), Some(4_000_000));
        check_left("", None);
        check_left("not json at all, and much longer than what will be written over it\n\0\0\n", None);
        check_left(&format!("{}\n{}", text(&Holder { pid: 4_000_000, ..own }), "x".repeat(5000)), Some(4_000_000));
    }

    #[test]
    fn a_lock_that_was_taken_away_is_put_back() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(NAME);
        let lock = RunLock::take(dir.path(), NOW).unwrap();
        assert!(!lock.mind().unwrap());
        let harms: [&dyn Fn(); 3] =
            [&|| std::fs::remove_file(&path).unwrap(), &|| std::fs::write(&path, "junk").unwrap(), &|| {
                std::fs::remove_file(&path).unwrap();
                std::fs::write(&path, "somebody else's").unwrap();
            }];
        for harm in harms {
            harm();
            assert_eq!(RunLock::look(dir.path()), Look::Gone);
            assert!(lock.mind().unwrap());
            assert_eq!(RunLock::holder(dir.path()).as_ref(), Some(&lock.own));
            assert!(matches!(RunLock::take(dir.path(), NOW), Err(LockError::Held { .. })));
            assert!(!lock.mind().unwrap());
        }
        drop(lock);
        assert!(!path.exists());
    }

    #[test]
    fn only_the_very_holder_is_asked_to_end() {
        let mut sleeper = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let start = os::process(sleeper.id()).map(|process| process.start);
        let holder = Holder { pid: sleeper.id(), start, ..Holder::this(NOW) };
        assert!(!Holder { start: start.map(|start| start + 1), ..holder.clone() }.ask_to_end());
        assert_eq!(sleeper.try_wait().unwrap(), None);
        assert!(holder.ask_to_end());
        assert_eq!(os::ending_signal(sleeper.wait().unwrap()), Some(15));
        assert!(!holder.ask_to_end());
    }

    #[test]
    fn what_is_written_fits_the_schema() {
        let schema = serde_json::from_str(&stead_store::schema("run-lock").unwrap().text()).unwrap();
        let written = serde_json::to_value(Holder::this(NOW)).unwrap();
        assert!(jsonschema::is_valid(&schema, &written), "{written}");
    }

    #[test]
    fn something_else_in_its_place_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(NAME)).unwrap();
        let error = RunLock::take(dir.path(), NOW).unwrap_err();
        assert!(error.hint().is_some_and(|hint| hint.contains("move")), "{error}");
    }

    #[test]
    fn only_one_of_many_gets_it() {
        let dir = tempfile::tempdir().unwrap();
        let taken = std::sync::atomic::AtomicU32::new(0);
        let taken = &taken;
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let Ok(_lock) = RunLock::take(dir.path(), NOW) else { continue };
                        assert_eq!(taken.fetch_add(1, std::sync::atomic::Ordering::SeqCst), 0);
                        taken.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                    }
                });
            }
        });
    }
}
