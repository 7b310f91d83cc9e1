//! What the machine allows a test to do, and tests that it does not allow.

use std::fs::OpenOptions;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Names the file in which `cargo xtask test` finds the tests that were skipped.
const SKIPPED: &str = "STEAD_SKIPPED_TESTS";

/// Says that the machine does not allow the running test, and why. `cargo xtask test` counts it in its last line;
/// whoever runs the test by itself sees it fail for that reason.
#[track_caller]
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let line = format!("{reason}\t{}\n", thread.name().unwrap_or_default());
    let Some(path) = std::env::var_os(SKIPPED) else { panic!("{reason}") };
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    // One write, because tests run side by side.
    file.write_all(line.as_bytes()).unwrap();
}

/// Says whether a process may have mounts of its own. Otherwise the running test is skipped.
#[track_caller]
pub fn allows_own_mounts() -> bool {
    static ALLOWED: OnceLock<bool> = OnceLock::new();
    let allowed = *ALLOWED.get_or_init(|| {
        let mut probe = own_mounts(Command::new("unshare"));
        probe.args(["mount", "-t", "tmpfs", "none", "/tmp"]).stdout(Stdio::null()).stderr(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    });
    if !allowed {
        skip("user namespaces with mounts are not allowed here");
    }
    allowed
}

/// Gives a command of `unshare` mounts of its own; the program to run follows.
pub(crate) fn own_mounts(mut unshare: Command) -> Command {
    unshare.args(["--user", "--map-root-user", "--mount"]);
    unshare
}

/// Runs one test of the calling program again, with a small file system of its own at the folder that `variable` names.
///
/// Without such a thing on this machine the test is skipped.
#[track_caller]
pub fn again_in_small_mount(test: &str, options: &str, variable: &str) {
    if !allows_own_mounts() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = r#"mount -t tmpfs -o "$1" none "$2" && exec "$3" --exact "$4" --nocapture"#;
    let output = own_mounts(Command::new("unshare"))
        .args(["sh", "-c", script, "sh", options])
        .arg(folder.path())
        .arg(std::env::current_exe().unwrap())
        .arg(test)
        .env(variable, folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    // A name that matches no test would pass as well, so the count is checked.
    assert!(output.status.success() && said.contains("1 passed"), "{}\n{said}\n{complained}", output.status);
}

/// Makes programs that are started from now on hear Ctrl-C, also where this one was started without it (`nohup`, a
/// shell's background job).
///
/// A signal that is ignored stays ignored in every program that is started; one that is handled does not.
#[cfg(unix)]
pub fn let_children_be_interrupted() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT};
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    for signal in [SIGHUP, SIGINT, SIGQUIT] {
        if ignored & (1 << (signal - 1)) != 0 {
            // The flag is read by nobody, so this process still ignores the signal.
            signal_hook::flag::register(signal, std::sync::Arc::default()).unwrap();
        }
    }
}

#[cfg(not(unix))]
pub fn let_children_be_interrupted() {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    const WITHOUT_SIGINT: &str = "STEAD_TEST_WITHOUT_SIGINT";

    #[test]
    fn children_are_interrupted_although_this_program_ignores_it() {
        const NAME: &str = "machine::tests::children_are_interrupted_although_this_program_ignores_it";
        let survives = || {
            let output = Command::new("sh").args(["-c", "kill -s INT $$; echo survived"]).output().unwrap();
            output.stdout == b"survived\n"
        };
        if std::env::var_os(WITHOUT_SIGINT).is_some() {
            assert!(survives(), "the signal should be ignored at first");
            let_children_be_interrupted();
            assert!(!survives());
            return;
        }
        let script = "trap '' INT; exec \"$0\" --exact \"$1\" --nocapture";
        let program = std::env::current_exe().unwrap();
        let output = Command::new("sh").args(["-c", script]).arg(program).arg(NAME).env(WITHOUT_SIGINT, "1").output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
    }
}
