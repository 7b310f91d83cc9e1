use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use super::ground::{Ground, Project};
use super::spawn;
use crate::program;

/// A program to measure, with its arguments, input and environment.
#[derive(Clone)]
pub(super) struct Contestant {
    pub(super) name: String,
    pub(super) program: PathBuf,
    pub(super) args: Vec<OsString>,
    /// The whole environment; nothing is inherited.
    pub(super) env: Vec<(&'static str, OsString)>,
    pub(super) folder: PathBuf,
    pub(super) payload: String,
    pub(super) answer: Answer,
    /// A file that must be one line longer after each call.
    pub(super) log: Option<PathBuf>,
    /// Instructions are counted too.
    pub(super) counted: bool,
    /// Files that a call changes, as they must be before each.
    pub(super) restore: Vec<(PathBuf, String)>,
}

/// What a call must answer; any other answer is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Silence,
    Denial,
    /// Anything but a denial.
    Passes,
    /// The agent is kept working.
    Hold,
    /// Text for a person.
    Talk,
}

/// The reference.
pub(super) const NO_OP: &str = "static no-op";
/// The call that the targets apply to.
pub(super) const HOOK: &str = "stead hook";
/// The same with long files.
pub(super) const MILLION: &str = "stead hook, a million lines";
const DENIED: &str = "stead hook, denied";

const PYTHON: &str = include_str!("rival.py");
const BASH: &str = include_str!("rival.sh");

/// All programs to measure.
pub(super) fn all(ground: &Ground) -> Result<Vec<Contestant>> {
    let million = ground.million()?;
    let rules = ground.rules()?;
    let log = |name: &str| ground.folder.join(format!("{name}.jsonl"));
    let python = PathBuf::from(
        // The program on PATH may be a version manager's wrapper, which would be measured too.
        program::read(Command::new("python3").args(["-c", "import sys; print(sys.executable)"]))?.trim(),
    );
    let (python_log, bash_log) = (log("python"), log("bash"));
    Ok(vec![
        Contestant { counted: true, ..plain(ground, NO_OP, ground.no_op()?) },
        plain(ground, "/bin/true", "/bin/true".into()),
        hook_call(ground),
        stead(ground, DENIED, &ground.project, Answer::Denial),
        stead(ground, MILLION, &million, Answer::Silence),
        Contestant {
            args: vec![ground.script("rival.py", PYTHON)?.into(), rules.clone().into(), python_log.clone().into()],
            log: Some(python_log),
            ..plain(ground, "python hook", python)
        },
        Contestant {
            args: vec![ground.script("rival.sh", BASH)?.into(), rules.into(), bash_log.clone().into()],
            log: Some(bash_log),
            ..plain(ground, "bash + jq hook", "/bin/bash".into())
        },
    ])
}

/// The call that the targets apply to: a harmless command before it runs.
pub(super) fn hook_call(ground: &Ground) -> Contestant {
    stead(ground, HOOK, &ground.project, Answer::Silence)
}

pub(super) fn stead(ground: &Ground, name: &str, project: &Project, answer: Answer) -> Contestant {
    let command = match answer {
        Answer::Silence | Answer::Passes | Answer::Hold | Answer::Talk => "echo hello",
        Answer::Denial => "rm -rf .agent/guards",
    };
    Contestant {
        args: ["hook", "claude", "PreToolUse"].map(OsString::from).into(),
        env: environment(ground, project),
        folder: project.folder.clone(),
        payload: project.payload(command),
        answer,
        log: Some(project.session_log()),
        counted: true,
        ..plain(ground, name, ground.stead.clone())
    }
}

pub(super) fn plain(ground: &Ground, name: &str, program: PathBuf) -> Contestant {
    Contestant {
        name: name.to_owned(),
        program,
        args: Vec::new(),
        env: environment(ground, &ground.project),
        folder: ground.project.folder.clone(),
        payload: ground.project.payload("echo hello"),
        answer: Answer::Silence,
        log: None,
        counted: false,
        restore: Vec::new(),
    }
}

/// Small and constant, because every process copies and searches its environment.
pub(super) fn environment(ground: &Ground, project: &Project) -> Vec<(&'static str, OsString)> {
    vec![
        ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
        ("HOME", ground.home().into()),
        ("LANG", "C.UTF-8".into()),
        ("CLAUDE_PROJECT_DIR", project.folder.clone().into()),
    ]
}

impl Contestant {
    /// The same call, started by another program.
    pub(super) fn under(&self, program: &str, options: &[String]) -> Self {
        let mut args: Vec<OsString> = options.iter().map(OsString::from).collect();
        args.push(self.program.clone().into());
        args.extend(self.args.iter().cloned());
        let program = program::find(program).unwrap_or_else(|| program.into());
        Self { program, args, ..self.clone() }
    }

    /// Calls it twice, to warm up and to check that it works.
    pub(super) fn prove(&self) -> Result<()> {
        spawn::measure(self)?;
        let before = self.log_size();
        spawn::measure(self)?;
        if self.log.is_some() && self.log_size() <= before {
            bail!("nothing was appended to `{}`", self.log.clone().unwrap_or_default().display());
        }
        Ok(())
    }

    fn log_size(&self) -> u64 {
        self.log.as_ref().and_then(|log| log.metadata().ok()).map_or(0, |metadata| metadata.len())
    }
}
