//! The session log for people: what agents called, and what Stead answered.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use stead_hook::{LogFilter, VerdictLine};
use stead_store::Tail;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::log::Log;
use crate::progress::{cut, one_line};
use crate::project::Project;
use crate::ui::Ui;
use crate::verdict::{came_of, find_session};

/// Show what agents called, and what Stead answered
///
/// Lists the last calls by session: time (UTC), verdict, tool, and the command or file. A call that matched a guard is
/// followed by what the guard did and by the id that `stead explain` takes. Secrets are never recorded. `stead logs FILE`
/// is another command: it summarises any log file.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead log\n  stead log --blocked -n 5\n  stead log --session 7c0e --json\n  stead log --watch"
)]
pub(crate) struct LogArgs {
    /// Keep printing calls as they happen, until Ctrl-C; with `--json`, one object per line
    #[arg(long, short)]
    watch: bool,
    /// Only this session; a unique part of its id is enough
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only calls that were denied, or about which a person was asked
    #[arg(long)]
    blocked: bool,
    /// How many calls
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    lines: usize,
    /// Print the calls as JSON, whole
    #[arg(long)]
    json: bool,
}

const PAUSE: Duration = Duration::from_millis(150);

/// How much of a session's id is shown.
const SHORT: usize = 8;

pub(crate) fn run(args: LogArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    let path = project.indexes().join("sessions.jsonl");
    let session = args.session.as_deref().map(|typed| find_session(&project, typed)).transpose()?;
    let filter = LogFilter { session, blocked: args.blocked };
    // What is added from here on is followed: no call is missed or shown twice.
    let end = if args.watch { end_of_last_line(&path) } else { u64::MAX };
    let lines = Tail::open(&path)?.unchecked().flatten().filter(|line| line.offset < end);
    let mut calls: Vec<VerdictLine> = lines.filter_map(|line| filter.parse(&line.text)).take(args.lines).collect();
    calls.reverse();
    if calls.is_empty() {
        ui.note(if args.blocked { "no call was blocked" } else { "no calls yet" });
    }
    by_session(&mut calls);
    let mut screen = Screen { shown: None, json: args.json, root: format!("{}/", project.root().display()) };
    match args.json && !args.watch {
        true => ui.json(answer::LOG, &calls.iter().map(as_json).collect()),
        false => calls.iter().for_each(|call| screen.show(call, ui)),
    }
    if !args.watch {
        return Ok(Exit::Done);
    }
    let mut log = Log::from(&path, end);
    loop {
        let lines = log.lines();
        let is_quiet = lines.is_none();
        lines.iter().flatten().filter_map(|line| filter.parse(line)).for_each(|call| screen.show(&call, ui));
        if is_quiet {
            sleep(PAUSE);
        }
    }
}

/// Where the next line starts. A torn line at the end is read again when it is whole.
fn end_of_last_line(path: &Path) -> u64 {
    let last = Tail::open(path).ok().and_then(|mut lines| lines.next()?.ok());
    last.map_or(0, |line| line.offset + line.text.len() as u64 + 1)
}

/// Puts the calls of a session next to each other, the session that called last at the end.
fn by_session(calls: &mut [VerdictLine]) {
    let last: Vec<Option<String>> = calls.iter().map(|call| call.session.clone()).collect();
    calls.sort_by_key(|call| last.iter().rposition(|session| *session == call.session));
}

/// What was printed last, by which the next call knows whether it needs a header.
struct Screen {
    shown: Option<String>,
    json: bool,
    /// The start of paths in the project, which is not shown.
    root: String,
}

impl Screen {
    fn show(&mut self, call: &VerdictLine, ui: &mut Ui) {
        if self.json {
            // Each line is an answer of its own, with one call.
            return ui.raw(format!("{}\n", answer::LOG.envelope(json!([as_json(call)]))));
        }
        let session = call.session.as_deref().map_or("without an id", |id| id.get(..SHORT).unwrap_or(id));
        let day = call.ts.get(..10).unwrap_or_default();
        let head = format!("{day}  {}, session {session}", call.harness);
        let mut lines = Vec::new();
        if self.shown.as_ref() != Some(&head) {
            lines.extend(self.shown.is_some().then(String::new));
            lines.push(head.clone());
            self.shown = Some(head);
        }
        let time = call.ts.get(11..19).unwrap_or_default();
        let tool = call.tool.as_deref().unwrap_or(&call.event);
        let start = format!("  {time}  {:<5}  {tool:<6}  ", call.verdict);
        lines.push(format!("{start}{}", subject(call).replace(&self.root, "")));
        let found = call.hits.iter().map(|hit| (hit.guard.as_str(), came_of(hit)));
        for (at, (guard, did)) in found.enumerate() {
            let id = if at == 0 { format!("  {}", call.id) } else { String::new() };
            lines.push(format!("{:19}{guard}: {did}{id}", ""));
        }
        let width = ui.columns().unwrap_or(usize::MAX);
        ui.lines(&lines.into_iter().map(|line| cut(line, width)).collect::<Vec<_>>());
    }
}

/// What a call is about: its command, its files, the sub-agent that it starts, else what it does.
fn subject(call: &VerdictLine) -> String {
    let spawned = call.spawns.clone().map(|role| format!("starts {role}"));
    let files = Some(call.paths.join(" ")).filter(|paths| !paths.is_empty());
    let known = call.command.clone().or(files).or(spawned).unwrap_or_else(|| call.effects().join(", "));
    one_line(&known, usize::MAX)
}

fn as_json(call: &VerdictLine) -> Value {
    json!({
        "recorded_at": call.ts, "harness": call.harness, "session": call.session, "agent": call.agent,
        "role": call.role, "event": call.event, "tool": call.tool, "command": call.command, "paths": call.paths,
        "verdict": call.verdict, "reason": call.reason, "hits": call.hits,
        "id": Some(&call.id).filter(|id| !id.is_empty()),
    })
}
