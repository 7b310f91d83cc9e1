use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::Duration;

use serde_json::json;
use stead_pipeline::{EngineError, EventLine, RunEvent, RunFolder, RunLock, start_in_background};
use stead_store::{Tail, create_parents};

use super::RunArgs;
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::run_report::{RunReport, shown};
use crate::run_room::RunRoom;
use crate::ui::Ui;

const PAUSE: Duration = Duration::from_millis(20);

/// A run that another process will work on.
pub(crate) struct Background<'a> {
    pub(crate) room: &'a RunRoom,
    pub(crate) folder: &'a RunFolder,
    pub(crate) json: bool,
    pub(crate) resume: bool,
}

impl Background<'_> {
    /// This program, without its arguments.
    pub(crate) fn command(ui: &Ui) -> Result<Command, CliError> {
        let program = std::env::current_exe()
            .map_err(|source| CliError::internal("cannot tell which program this is").because(source))?;
        let mut command = Command::new(program);
        // The folder is set instead of passing `-C`, so that commands suggested in its log can be typed in the project.
        command.current_dir(ui.dir()?).arg("--log-times");
        for setting in &ui.global.config {
            command.arg("--config").arg(setting);
        }
        Ok(command)
    }

    /// Leaves the run to another process and waits until that process owns the run, or reports why it does not.
    pub(crate) fn start(&self, command: &mut Command, ui: &mut Ui) -> Result<Exit, CliError> {
        let Self { room, folder, .. } = *self;
        // Reported here rather than by a second engine, whose messages would be mixed with the first one's.
        if let Some(held) = held(folder) {
            return Err(held.into());
        }
        let log = folder.path().join("engine.log");
        create_parents(&log)?;
        let before = Before { is_new: !folder.is_begun(), said: log.metadata().map_or(0, |data| data.len()) };
        let mut child = start_in_background(command, &log)
            .map_err(|source| CliError::user("cannot start an engine in the background").because(source))?;
        loop {
            let ended = child.try_wait().ok().flatten();
            // Its first state exists for whoever looks next.
            let is_at_work = folder.is_begun() && folder.state_path().exists();
            if is_at_work && RunLock::holder(folder.path()).is_some_and(|holder| holder.pid == child.id()) {
                tell(self.json, room, folder, &log, &child, ui);
                return Ok(Exit::Done);
            }
            if let Some(status) = ended {
                return self.over(&before, (child.id(), status), ui);
            }
            sleep(PAUSE);
        }
    }
}

/// The run's folder before the engine started.
struct Before {
    is_new: bool,
    /// How long the log was.
    said: u64,
}

/// The error if another engine works on the run.
pub(super) fn held(folder: &RunFolder) -> Option<EngineError> {
    folder.engine().map(|engine| EngineError::held(folder.name(), &engine))
}

/// Returns true if this process was an engine of the run.
fn has_worked(folder: &RunFolder, engine: u32) -> bool {
    let Ok(lines) = Tail::open(&folder.events_path()) else { return false };
    let events = lines.flatten().filter_map(|line| serde_json::from_str::<EventLine>(&line.text).ok());
    // It was the last one, or one of those that tried at the same time.
    let mut engines = events.filter_map(|line| match line.event {
        RunEvent::RunStarted { pid, .. } | RunEvent::RunResumed { pid, .. } => Some(pid),
        _ => None,
    });
    engines.next() == Some(engine) || engines.next() == Some(engine)
}

/// This command, but for the background.
pub(super) fn command(args: &RunArgs, ui: &Ui) -> Result<Command, CliError> {
    let mut command = Background::command(ui)?;
    command.args(["run", args.plan.kind.name(), &args.plan.name, &args.run]);
    if let Some(max) = args.plan.max {
        command.arg("--max").arg(max.to_string());
    }
    let time = args.plan.max_runtime.map(|seconds| seconds.to_string());
    let cost = args.plan.max_cost.map(|cost| cost.to_string());
    for (option, value) in [
        ("--max-runtime", &time),
        ("--max-cost", &cost),
        ("--provider", &args.plan.provider),
        ("--model", &args.plan.model),
        ("--intent", &args.plan.intent),
        ("--packet", &args.packet),
    ] {
        if let Some(value) = value {
            command.arg(option).arg(value);
        }
    }
    for input in &args.plan.inputs {
        command.arg("--input").arg(input);
    }
    for (option, is_set) in [("--resume", args.resume), ("--reload", args.reload)] {
        command.args(is_set.then_some(option));
    }
    Ok(command)
}

fn tell(json: bool, room: &RunRoom, folder: &RunFolder, log: &Path, child: &Child, ui: &mut Ui) {
    let name = folder.name();
    if json {
        ui.json(answer::RUN_STARTED, &json!({"run": name, "pid": child.id(), "path": folder.path(), "log": log}));
        return;
    }
    ui.line(format!("{name} is running in the background (process {})", child.id()));
    let program = ui.program();
    ui.line(format!("  watch  {program} status {name} --watch"));
    ui.line(format!("  output {program} tail {name} --follow"));
    ui.line(format!("  stop   {program} stop {name}"));
    ui.line(format!("  log    {}", shown(&room.project, log).display()));
}

impl Background<'_> {
    /// The engine ended before anybody looked, or did not get that far.
    fn over(&self, before: &Before, (engine, status): (u32, ExitStatus), ui: &mut Ui) -> Result<Exit, CliError> {
        let Self { room, folder, .. } = *self;
        if !has_worked(folder, engine) {
            // Several engines that start at once share the log, so another engine's hold is read from the run itself.
            if let Some(held) = held(folder) {
                return Err(held.into());
            }
            if !self.resume && folder.is_begun() {
                return Err(super::exists(folder, ui));
            }
            let log = folder.path().join("engine.log");
            ui.note(said(&log, before.said).trim_end());
            if before.is_new && !folder.is_begun() {
                let _ = fs::remove_file(log);
                let _ = fs::remove_dir(folder.path());
            }
            return Err(CliError::user(format!("the engine in the background did not start ({status})")));
        }
        let report = RunReport::read(folder, ui)?;
        if self.json {
            ui.json(answer::RUN, &report.json());
        } else {
            report.tell_end(&room.project, ui);
        }
        Ok(report.exit())
    }
}

/// What was added to the log.
fn said(log: &Path, before: u64) -> String {
    let bytes = stead_store::read_file(log).unwrap_or_default();
    let from = usize::try_from(before).unwrap_or(usize::MAX).min(bytes.len());
    let text = String::from_utf8_lossy(&bytes[from..]).into_owned();
    // Whoever reads it here needs no times.
    let plain = |line: &str| match line.split_once("Z ") {
        Some((time, rest)) if time.len() == 19 && time.starts_with(|c: char| c.is_ascii_digit()) => rest.to_owned(),
        _ => line.to_owned(),
    };
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}
