use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::super::ground;
use crate::program;

/// How often the agent looks at the engine that started it.
pub(super) const EVERY: u64 = 1_000;

/// An agent that does nothing but what an engine asks of every agent: it writes its status and its output. Now and then
/// it notes what the process that started it has used up, and once, when told so, it fails.
const SOURCE: &str = r#"
use std::fs;
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

const FOLDER: &str = "{folder}";

fn main() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
    let iteration: u64 = std::env::var("STEAD_ITERATION").unwrap().parse().unwrap();
    if iteration == 1 || iteration % {every} == 0 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", std::os::unix::process::parent_id())).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        let ticks = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        let mut marks = fs::OpenOptions::new().append(true).create(true).open(format!("{FOLDER}/marks")).unwrap();
        writeln!(marks, "{iteration} {ticks} {now}").unwrap();
        if fs::read_to_string(format!("{FOLDER}/fail")).is_ok_and(|at| at.trim() == iteration.to_string()) {
            fs::remove_file(format!("{FOLDER}/fail")).unwrap();
            std::process::exit(1);
        }
    }
    fs::write(std::env::var("STEAD_OUTPUT").unwrap(), "nothing\n").unwrap();
    let status = "{\"decision\":\"continue\",\"reason\":\"nothing\",\"summary\":\"nothing was done\"}\n";
    fs::write(std::env::var("STEAD_STATUS").unwrap(), status).unwrap();
}
"#;

/// The built agent, and the folder in which it leaves its marks.
pub(super) struct Agent {
    pub(super) program: PathBuf,
    folder: PathBuf,
}

/// What the agent saw at the start of one iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) iteration: u64,
    /// What the engine had used up by then.
    pub(super) cpu: Duration,
    /// Since 1970.
    pub(super) at: Duration,
}

impl Agent {
    pub(super) fn build(folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        let source = folder.join("agent.rs");
        let program = folder.join("agent");
        let text = SOURCE
            .replace("{folder}", &folder.display().to_string().escape_default().to_string())
            .replace("{every}", &EVERY.to_string());
        fs::write(&source, text).with_context(|| format!("cannot write `{}`", source.display()))?;
        program::run(ground::static_rustc(&mut Command::new("rustc")).arg("-o").arg(&program).arg(&source))?;
        Ok(Self { program, folder: folder.to_owned() })
    }

    /// Forgets what earlier runs left.
    pub(super) fn forget(&self) {
        for name in ["marks", "fail"] {
            let _ = fs::remove_file(self.folder.join(name));
        }
    }

    /// Makes the agent fail once, at that iteration.
    pub(super) fn fail_at(&self, iteration: u64) -> Result<()> {
        fs::write(self.folder.join("fail"), iteration.to_string()).context("cannot tell the agent to fail")
    }

    pub(super) fn marks(&self) -> Vec<Mark> {
        marks(&fs::read_to_string(self.folder.join("marks")).unwrap_or_default())
    }
}

fn marks(text: &str) -> Vec<Mark> {
    let mark = |line: &str| {
        let mut numbers = line.split_whitespace().map(|number| number.parse::<u64>().ok());
        let (iteration, ticks, nanos) = (numbers.next()??, numbers.next()??, numbers.next()??);
        Some(Mark { iteration, cpu: Duration::from_millis(ticks * 10), at: Duration::from_nanos(nanos) })
    };
    text.lines().filter_map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_read() {
        let expected = Mark { iteration: 1000, cpu: Duration::from_millis(1230), at: Duration::from_nanos(77) };
        assert_eq!(marks("1000 123 77\n\ngarbage\n2000 9\n"), [expected]);
    }
}
