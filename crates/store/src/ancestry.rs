use crate::os;

/// More generations than any real process has.
const LIMIT: usize = 64;

/// A process, as far as the system reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    pub id: u32,
    /// The arguments it was started with.
    pub words: Vec<String>,
    /// The names of its non-empty environment variables.
    pub variables: Vec<String>,
    /// The process that leads its session; 0 if that one is not visible from here, as in a sandbox.
    pub session: Option<u32>,
    /// The controlling terminal of its session.
    pub terminal: Option<u64>,
}

/// This process and its ancestors, nearest first; only this process if the system does not report them.
pub fn ancestry() -> Vec<Process> {
    let mut line = Vec::new();
    let mut next = Some(std::process::id());
    while let Some(id) = next.filter(|id| *id > 0 && line.len() < LIMIT) {
        let (process, parent) = os::process(id);
        line.push(process);
        next = parent;
    }
    line
}

/// The process that started this one, as far as the system reports it. It changes when that one ends.
pub fn parent_id() -> Option<u32> {
    os::parent_id()
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_knows_who_started_it() {
        let line = super::ancestry();
        assert_eq!(line[0].id, std::process::id());
        assert_eq!(Some(line[1].id), super::parent_id());
        let parent = std::fs::read(format!("/proc/{}/cmdline", line[1].id)).unwrap();
        let first = String::from_utf8_lossy(parent.split(|byte| *byte == 0).next().unwrap()).into_owned();
        assert_eq!(line[1].words.first(), Some(&first));
        assert!(line[0].variables.iter().any(|name| name == "PATH"), "{line:?}");
        assert!(line[0].session.is_some());
        // The fallback for systems without `/proc`.
        if std::path::Path::new("/bin/ps").exists() {
            let (process, parent) = crate::os::by_ps(line[0].id);
            assert_eq!((parent, process.words.is_empty()), (Some(line[1].id), false), "{process:?}");
        }
    }
}
