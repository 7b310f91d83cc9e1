//! One spawn as a client does it: start, write the payload, read the whole answer, wait.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::contestant::{Answer, Contestant};

/// What one spawn cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cost {
    /// User and system time of the child, by the kernel's accounting.
    pub(super) cpu: Duration,
    pub(super) wall: Duration,
    /// Page faults that needed no disk.
    pub(super) faults: u64,
    /// The part of the time that the child's own children used.
    pub(super) children: Duration,
    /// The most memory that it had at a time, in bytes.
    pub(super) memory: u64,
}

/// Spawns the program, checks its answer and returns its cost.
pub(super) fn measure(contestant: &Contestant) -> Result<Cost> {
    stand_in(&contestant.folder)?;
    for (path, text) in &contestant.restore {
        fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    let mut command = Command::new(&contestant.program);
    command.args(&contestant.args).env_clear().envs(contestant.env.iter().cloned());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let start = Instant::now();
    let mut child = command.spawn().with_context(|| format!("cannot start `{}`", contestant.program.display()))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read may close the pipe.
        let _ = stdin.write_all(contestant.payload.as_bytes());
    }
    let mut answer = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_string(&mut answer).context("cannot read the answer")?;
    }
    let (code, mut cost) = reap(child)?;
    cost.wall = start.elapsed();
    let as_expected = match contestant.answer {
        Answer::Silence => answer.is_empty(),
        Answer::Denial => answer.contains("\"deny\""),
        Answer::Passes => !answer.contains("\"deny\"") && !answer.contains("\"block\""),
        Answer::Hold => answer.contains("\"block\""),
        Answer::Talk => !answer.is_empty(),
    };
    if code != Some(0) || !as_expected {
        bail!("`{}` ended with code {code:?} and answered `{answer}`", contestant.name);
    }
    Ok(cost)
}

/// Spawns every program once per round, each round in another order.
pub(super) fn in_turn(contestants: &[Contestant], rounds: usize) -> Result<Vec<Vec<Cost>>> {
    let mut costs = vec![Vec::with_capacity(rounds); contestants.len()];
    let mut order: Vec<_> = (0..contestants.len()).collect();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for round in 0..rounds {
        dice.shuffle(&mut order);
        for &index in &order {
            costs[index].push(measure(&contestants[index])?);
        }
        if (round + 1) % 50 == 0 {
            eprintln!("round {} of {rounds}", round + 1);
        }
    }
    Ok(costs)
}

/// xorshift64: enough to shuffle seven programs.
struct Dice(u64);

impl Dice {
    fn shuffle(&mut self, order: &mut [usize]) {
        for last in (1..order.len()).rev() {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            let other = usize::try_from(self.0 % (last as u64 + 1)).unwrap_or(0);
            order.swap(last, other);
        }
    }
}

/// Changes the folder of this process, so that the child inherits it. Otherwise a static std would fork, whose page
/// faults would count for the child.
fn stand_in(folder: &Path) -> Result<()> {
    if std::env::current_dir().is_ok_and(|current| current == folder) {
        return Ok(());
    }
    std::env::set_current_dir(folder).with_context(|| format!("cannot enter `{}`", folder.display()))
}

/// Waits for the child and returns its resource usage, which std's `wait` drops.
#[cfg(unix)]
#[expect(unsafe_code, reason = "std has no wait that tells the child's resource usage")]
pub(super) fn reap(child: Child) -> Result<(Option<i32>, Cost)> {
    let pid = libc::pid_t::try_from(child.id())?;
    let own = own_time(pid);
    let mut status = 0;
    // SAFETY: an all-zero `rusage` is a valid value of a struct of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to locals that live through the call; the child is ours and nobody else waits for it.
    let waited = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) };
    if waited != pid {
        bail!("cannot wait for process {pid}: {}", std::io::Error::last_os_error());
    }
    let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
    let cpu = duration(usage.ru_utime) + duration(usage.ru_stime);
    let children = own.map_or(Duration::ZERO, |own| cpu.saturating_sub(own));
    Ok((
        code,
        Cost {
            cpu,
            wall: Duration::ZERO,
            faults: u64::try_from(usage.ru_minflt)?,
            children,
            memory: u64::try_from(usage.ru_maxrss)? * 1024,
        },
    ))
}

/// The time that the ended child used itself, without its children. The kernel reports it only before the child is
/// waited for; `None` if it is not available.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "std has no way to see that a child ended without taking its account")]
fn own_time(pid: libc::pid_t) -> Option<Duration> {
    // SAFETY: an all-zero `siginfo_t` is a valid value of a struct of integers.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let id = libc::id_t::try_from(pid).ok()?;
    // SAFETY: the pointer is to a local that lives through the call; the child is ours and stays to be waited for.
    let ended = unsafe { libc::waitid(libc::P_PID, id, &raw mut info, libc::WEXITED | libc::WNOWAIT) };
    let nanos = fs::read_to_string(format!("/proc/{pid}/schedstat")).ok()?;
    let nanos: u64 = nanos.split_whitespace().next()?.parse().ok()?;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    (ended == 0).then(|| Duration::from_nanos(nanos).max(all_threads(&stat).unwrap_or_default()))
}

/// The time of all threads, which the kernel reports only in hundredths of a second; finer values are only for the
/// first thread.
#[cfg(target_os = "linux")]
fn all_threads(stat: &str) -> Option<Duration> {
    // The name in parentheses may contain anything.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks()? + ticks()?) * 10))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn own_time(_: libc::pid_t) -> Option<Duration> {
    None
}

#[cfg(unix)]
fn duration(time: libc::timeval) -> Duration {
    let micros = time.tv_sec * 1_000_000 + libc::time_t::from(time.tv_usec);
    Duration::from_micros(micros.unsigned_abs())
}

#[cfg(not(unix))]
pub(super) fn reap(_child: Child) -> Result<(Option<i32>, Cost)> {
    bail!("this system does not tell what a child process cost")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn shell(script: &str, answer: Answer) -> Contestant {
        Contestant {
            name: "shell".to_owned(),
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
            env: Vec::new(),
            folder: std::env::current_dir().unwrap(),
            payload: "hello".into(),
            answer,
            log: None,
            counted: false,
            restore: Vec::new(),
        }
    }

    #[test]
    fn a_spawn_is_accounted_to_the_child() {
        let idle = measure(&shell("read line; test \"$line\" = hello", Answer::Silence)).unwrap();
        let busy = measure(&shell("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done", Answer::Silence)).unwrap();
        assert!(busy.cpu > idle.cpu * 2, "{busy:?} {idle:?}");
        assert!(busy.wall >= busy.cpu / 2 && idle.faults > 0, "{busy:?} {idle:?}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_time_of_a_childs_children_is_told_apart() {
        let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        let own = measure(&shell(busy, Answer::Silence)).unwrap();
        let lent = measure(&shell(&format!("sh -c '{busy}'; true"), Answer::Silence)).unwrap();
        assert!(own.children < own.cpu / 3, "{own:?}");
        assert!(lent.children > lent.cpu / 2, "{lent:?}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_time_of_all_threads_is_found() {
        let stat = "7 (a ) b) Z 1 1 1 0 -1 4 100 0 0 0 12 3 40 50 20 0 1 0 99\n";
        assert_eq!(all_threads(stat), Some(Duration::from_millis(150)));
        assert_eq!(all_threads("7 (a"), None);
    }

    #[test]
    fn a_program_that_does_something_else_is_not_measured() {
        assert!(measure(&shell("echo '\"deny\"'", Answer::Denial)).is_ok());
        assert!(measure(&shell("echo talk", Answer::Silence)).is_err());
        assert!(measure(&shell(":", Answer::Denial)).is_err());
        assert!(measure(&shell("exit 3", Answer::Silence)).is_err());
        assert!(measure(&shell("kill -9 $$", Answer::Silence)).is_err());
    }

    #[test]
    fn shuffling_keeps_everyone_and_changes_the_order() {
        let mut dice = Dice(1);
        let mut order: Vec<_> = (0..7).collect();
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..50 {
            dice.shuffle(&mut order);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4, 5, 6]);
            seen.insert(order[0]);
        }
        assert_eq!(seen.len(), 7);
    }
}
