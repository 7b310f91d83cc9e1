use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::os;

/// Starts an engine that outlives its terminal: in its own session, without input, with all its output appended to
/// `log`.
pub fn start_in_background(command: &mut Command, log: &Path) -> io::Result<Child> {
    let log = os::open_log(log)?;
    os::lead_session(command);
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_background_process_leads_its_session_and_speaks_to_its_log() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("engine.log");
        std::fs::write(&log, "before\n").unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2; cat; cut -d' ' -f6 /proc/$$/stat"]);
        let mut child = start_in_background(&mut command, &log).unwrap();
        let pid = child.id();
        assert!(child.wait().unwrap().success());
        let text = std::fs::read_to_string(&log).unwrap();
        let session = text.strip_prefix("before\nout\nerr\n").map(str::trim);
        assert_eq!(session, Some(pid.to_string().as_str()), "{text}");
    }
}
