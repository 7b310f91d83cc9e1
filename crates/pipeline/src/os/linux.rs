//! Processes from `/proc`.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::MemfdFlags;
use rustix::process::{
    PidfdFlags, WaitId, WaitIdOptions, kill_process, pidfd_open, pidfd_send_signal, set_child_subreaper, waitid,
};

use super::unix::{pid, signal_of};
use super::{EndSignal, Process};

/// Descendants that left the group are found, too.
pub(crate) const LISTS_PROCESSES: bool = true;

/// How long a process may spend in exec before it is judged as it is, and how often to look.
const LONGEST_EXEC: Duration = Duration::from_secs(1);
const EXEC_NAP: Duration = Duration::from_millis(1);

/// The usual upper bound.
const USUAL_ENVIRONMENT: usize = 128 << 10;

/// From now on orphans among our descendants become our children.
pub(crate) fn adopt_orphans() {
    let _ = set_child_subreaper(Some(rustix::process::getpid()));
}

pub(super) fn nameless_file(_: &Path) -> io::Result<File> {
    Ok(rustix::fs::memfd_create("stead-input", MemfdFlags::CLOEXEC)?.into())
}

/// Refers to one process forever, even if its id is reused.
pub(crate) type Handle = OwnedFd;

/// A handle that refers to this process forever and becomes ready when it ends; `None` on kernels without pidfd.
pub(crate) fn handle(number: u32) -> Option<Handle> {
    pidfd_open(pid(number).ok()?, PidfdFlags::empty()).ok()
}

/// Looks a process up.
pub(crate) fn process(pid: u32) -> Option<Process> {
    read_stat(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// The fields after a process's name, which may contain anything, so they are counted from its closing parenthesis.
fn stat_fields(stat: &[u8]) -> Option<impl Iterator<Item = &str>> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    Some(std::str::from_utf8(stat.get(name_end + 1..)?).ok()?.split_ascii_whitespace())
}

fn read_stat(pid: u32, stat: &[u8]) -> Option<Process> {
    let mut fields = stat_fields(stat)?;
    let is_zombie = matches!(fields.next()?, "Z" | "X");
    let mut number = || fields.next()?.parse().ok();
    let (parent, group, session) = (number()?, number()?, number()?);
    let start = fields.nth(15)?.parse().ok()?;
    Some(Process { pid, parent, group, session, start, is_zombie })
}

/// The ids of all processes.
pub(crate) fn processes() -> Vec<u32> {
    numbers("/proc")
}

fn numbers(dir: &str) -> Vec<u32> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The ids of a process's children, including those that have ended.
pub(crate) fn children(pid: u32) -> Vec<u32> {
    static LISTED: OnceLock<bool> = OnceLock::new();
    let listed = *LISTED.get_or_init(|| {
        let own = std::process::id();
        Path::new(&format!("/proc/{own}/task/{own}/children")).exists()
    });
    if !listed {
        // A kernel without such lists.
        let all = processes().into_iter().filter_map(process);
        return all.filter(|process| process.parent == pid).map(|process| process.pid).collect();
    }
    let tasks = numbers(&format!("/proc/{pid}/task"));
    let lists = tasks.iter().filter_map(|task| fs::read_to_string(format!("/proc/{pid}/task/{task}/children")).ok());
    lists
        .flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// The environment a process was started with, as `NAME=value` with a zero byte after each. Empty if it has ended.
pub(crate) fn environment(pid: u32) -> Vec<u8> {
    let since = Instant::now();
    let mut seemed_empty = false;
    loop {
        let Ok(environment) = read_environment(pid) else { return Vec::new() };
        if !environment.is_empty() || since.elapsed() > LONGEST_EXEC {
            return environment;
        }
        let stat = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
        // A process that has ended has none, nor have kernel threads.
        if read_stat(pid, &stat).is_none_or(|process| process.is_zombie) || is_kernels(&stat) {
            return environment;
        }
        // Where it starts and ends: absent during exec, and for a moment equal.
        let bounds = stat_fields(&stat).and_then(|mut fields| Some((fields.nth(47)?, fields.next()?)));
        let seems_empty = bounds.is_none_or(|(start, end)| start != "0" && start == end);
        if seems_empty && seemed_empty {
            return environment;
        }
        seemed_empty = seems_empty;
        thread::sleep(EXEC_NAP);
    }
}

/// Returns true if this is a kernel thread. A missing session does not tell: in a process namespace that is how every
/// process looks whose session began outside.
fn is_kernels(stat: &[u8]) -> bool {
    const KERNEL_THREAD: u64 = 0x0020_0000;
    let flags = stat_fields(stat).and_then(|mut fields| fields.nth(6)?.parse().ok());
    flags.is_some_and(|flags: u64| flags & KERNEL_THREAD != 0)
}

/// In one read, as far as it fits: between two reads the process may call exec, and the first half would be stale.
fn read_environment(pid: u32) -> io::Result<Vec<u8>> {
    let mut file = File::open(format!("/proc/{pid}/environ"))?;
    let mut environment = vec![0; USUAL_ENVIRONMENT];
    let length = file.read(&mut environment)?;
    environment.truncate(length);
    if length == USUAL_ENVIRONMENT {
        file.read_to_end(&mut environment)?;
    }
    Ok(environment)
}

/// The folder a process works in.
pub(crate) fn work_dir(pid: u32) -> Option<std::path::PathBuf> {
    fs::read_link(format!("/proc/{pid}/cwd")).ok()
}

/// What a process was called with.
pub(crate) fn command_line(pid: u32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).trim_end_matches('\0').replace('\0', " ")
}

/// Signals exactly this process: by its handle, else its start time is checked again before the id is used.
pub(crate) fn send_signal(target: &Process, handle: Option<&Handle>, signal: EndSignal) {
    if let Some(handle) = handle {
        let _ = pidfd_send_signal(handle, signal_of(signal));
    } else if is_same(target)
        && let Ok(pid) = pid(target.pid)
    {
        let _ = kill_process(pid, signal_of(signal));
    }
}

/// Returns true if the id still refers to the same process.
pub(crate) fn is_same(target: &Process) -> bool {
    process(target.pid).is_some_and(|now| now.start == target.start)
}

/// Reaps an adopted child that has ended.
pub(crate) fn collect(target: &Process) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
    match handle(target.pid) {
        Some(handle) if is_same(target) => drop(waitid(WaitId::PidFd(handle.as_fd()), options)),
        Some(_) => {}
        None => {
            if let Ok(pid) = pid(target.pid) {
                let _ = waitid(WaitId::Pid(pid), options);
            }
        }
    }
}

/// Identifies this boot of the system.
pub(crate) fn boot_id() -> Option<String> {
    first_line("/proc/sys/kernel/random/boot_id")
}

pub(crate) fn host() -> Option<String> {
    first_line("/proc/sys/kernel/hostname")
}

fn first_line(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Returns true if this program was started with a signal ignored.
pub(super) fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    u32::try_from(signal - 1).ok().and_then(|bit| mask.checked_shr(bit)).is_some_and(|bits| bits & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_forge_the_fields_behind_it() {
        let stat = b"42 (a) Z 1 1) S 7 8 9 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 12345 0 0\n";
        let expected = Process { pid: 42, parent: 7, group: 8, session: 9, start: 12345, is_zombie: false };
        assert_eq!(read_stat(42, stat), Some(expected));
        for torn in [&b""[..], b"42 (a", b"42 (a)", b"42 (a) S 1 2", b"42 (a) S x y z"] {
            assert_eq!(read_stat(42, torn), None);
        }
    }

    #[test]
    fn threads_of_the_kernel_are_told_from_processes_of_other_sessions() {
        assert!(is_kernels(b"2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 12 0 0\n"));
        assert!(!is_kernels(b"42 (agent) S 7 0 0 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 12345 0 0\n"));
        assert!(!is_kernels(&fs::read("/proc/self/stat").unwrap()) && !is_kernels(b""));
    }

    #[test]
    fn this_process_is_seen() {
        let own = process(std::process::id()).unwrap();
        assert!(own.start > 0 && !own.is_zombie && is_same(&own));
        assert!(processes().contains(&own.pid) && children(own.parent).contains(&own.pid));
        assert!(boot_id().is_some_and(|id| id.len() == 36));
    }

    #[test]
    fn an_environment_is_read_even_in_the_midst_of_an_exec() {
        let again = r#"exec sh -c "$0" "$0""#;
        let mut command = std::process::Command::new("sh");
        command.args(["-c", again, again]).env_clear().env("PATH", std::env::var_os("PATH").unwrap()).env("MARK", "x");
        super::super::unix::lead_session(&mut command);
        // Other tests of this process end what is left below it, and may take this one for theirs.
        let blank = std::iter::repeat_with(|| {
            let mut child = command.spawn().unwrap();
            let blank = (0..3000).filter(|_| !environment(child.id()).windows(6).any(|part| part == b"MARK=x")).count();
            let was_there = child.kill().is_ok();
            (was_there && child.wait().is_ok()).then_some(blank)
        });
        let blank = blank.take(5).flatten().next();
        assert_eq!(blank, Some(0));
    }

    #[test]
    fn an_empty_environment_is_one() {
        let mut command = std::process::Command::new("/bin/sleep");
        command.arg("600").env_clear();
        super::super::unix::lead_session(&mut command);
        let mut child = command.spawn().unwrap();
        let looks = std::array::from_fn::<_, 20, _>(|_| {
            let since = Instant::now();
            assert!(environment(child.id()).is_empty());
            since.elapsed()
        });
        // Other tests of this process may have ended it.
        let _ = child.kill();
        let _ = child.wait();
        // On a busy machine a look may take long for other reasons.
        assert!(looks.iter().any(|look| *look < LONGEST_EXEC), "{looks:?}");
    }
}
