use crate::os;

/// More generations than any real process has.
const LIMIT: usize = 64;

/// The command lines of the processes above this one, nearest first; empty where the system does not tell.
pub fn ancestors() -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    let mut process = os::parent_of(std::process::id());
    while let Some(id) = process.filter(|id| *id > 0 && lines.len() < LIMIT) {
        lines.push(os::command_line(id));
        process = os::parent_of(id);
    }
    lines
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_knows_who_started_it() {
        let above = super::ancestors();
        assert!(!above.is_empty());
        let parent = std::fs::read(format!("/proc/{}/cmdline", std::os::unix::process::parent_id())).unwrap();
        let first = String::from_utf8_lossy(parent.split(|byte| *byte == 0).next().unwrap()).into_owned();
        assert_eq!(above[0].first(), Some(&first));
    }
}
