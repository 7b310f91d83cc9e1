//! What intents and the ledger cost: calls before a tool with many intents, calls after an edit of a file with 200 and with
//! 3,000 lines, many processes that append to one chain at once, and questions about lines.

mod intents;
mod questions;

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::contestant::{self, Answer, Contestant, NO_OP};
use super::ground::{Ground, Keep, Project, fixture};
use super::measured::{self, Measured, find};
use super::report::{Report, Target};
use crate::{prerequisite, program};

pub(super) const ROUNDS: usize = 60;

const SHORT: &str = "after an edit, 200 lines";
const LONG: &str = "after an edit, 3,000 lines";

/// The most that a call may cost, in milliseconds of CPU time.
const MOST_SHORT: f64 = 3.0;
const MOST_LONG: f64 = 15.0;

const WRITERS: usize = 64;
const APPENDS: usize = 2_000;

pub(super) fn measure(rounds: usize) -> Result<Report> {
    prerequisite::ensure(prerequisite::FOR_BENCH)?;
    prerequisite::ensure(prerequisite::FOR_INSTRUCTIONS)?;
    let ground = Ground::prepare()?;
    let project = Project::make(&ground.stead, &ground.folder, "ledger", Keep::Nothing)?;
    let mut contestants = vec![
        contestant::plain(&ground, NO_OP, ground.no_op()?),
        after_edit(&ground, &project, SHORT, 200)?,
        after_edit(&ground, &project, LONG, 3_000)?,
    ];
    let asked = Project::make(&ground.stead, &ground.folder, "asked", Keep::Nothing)?;
    contestants.extend(questions::contestants(&ground, &asked)?);
    let all = measured::race(&ground, &contestants, rounds)?;
    let appended = append_at_once(&ground.folder.join("chain"))?;
    Ok(Report {
        head: format!("{rounds} rounds, interleaved and shuffled; times in microseconds"),
        columns: Measured::COLUMNS.to_vec(),
        rows: all.iter().map(|one| one.row(&all)).collect(),
        targets: intents::targets(&ground)?.into_iter().chain(targets(&all)).chain(questions::targets(&all)).collect(),
        note: Some(appended),
    })
}

fn targets(all: &[Measured]) -> Vec<Target> {
    let target = |(name, most): (&str, f64)| {
        let figure = find(all, name).map_or(f64::NAN, |one| one.cpu.median / 1_000.0);
        Target { says: format!("{name}: {figure:.2} ms of CPU time (at most {most} ms)"), figure, most }
    };
    [(SHORT, MOST_SHORT), (LONG, MOST_LONG)].map(target).into()
}

/// A call that reports the edit of one line in the middle of a file. Each appends a line to the ledger.
fn after_edit(ground: &Ground, project: &Project, name: &str, lines: usize) -> Result<Contestant> {
    let line = |number: usize| match number % 5 {
        0 => format!("pub fn step_{number}(input: &str) -> usize {{\n"),
        1 => format!("    let count = input.len() + {number};\n"),
        2 => "    if count > 10 { return count * 2; }\n".to_owned(),
        3 => "    count\n".to_owned(),
        _ => "}\n".to_owned(),
    };
    let before: String = (0..lines).map(line).collect();
    let middle = lines / 2 / 5 * 5 + 1;
    let (old, new) = (format!("input.len() + {middle};"), format!("input.len() - {middle};"));
    let path = project.folder.join(format!("edited-{lines}.rs"));
    fs::write(&path, before.replacen(&old, &new, 1)).with_context(|| format!("cannot write `{}`", path.display()))?;
    let mut payload = fixture("claude/PostToolUse.Edit")?;
    payload["cwd"] = project.folder.to_string_lossy().into();
    payload["tool_use_id"] = format!("edit-{lines}").into();
    for (report, [file, before_name, after_name]) in [
        ("tool_input", ["file_path", "old_string", "new_string"]),
        ("tool_response", ["filePath", "oldString", "newString"]),
    ] {
        payload[report][file] = path.to_string_lossy().into();
        payload[report][before_name] = old.as_str().into();
        payload[report][after_name] = new.as_str().into();
    }
    payload["tool_response"]["originalFile"] = before.into();
    Ok(Contestant {
        args: ["hook", "claude", "PostToolUse"].map(OsString::from).into(),
        payload: payload.to_string(),
        log: Some(project.folder.join(".agent/intents/agent_trace.jsonl")),
        counted: false,
        ..contestant::stead(ground, name, project, Answer::Silence)
    })
}

/// Lets many processes append to one chain. Fails if a line is lost or the chain is broken.
fn append_at_once(folder: &Path) -> Result<String> {
    let built = program::read(program::cargo().args([
        "build", "--profile", "dist", "--locked", "-p", "stead-store", "--example", "chain", "--message-format", "json",
    ]))?;
    let messages = built.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let program = messages
        .filter(|message| message["target"]["name"] == "chain")
        .find_map(|message| message["executable"].as_str().map(str::to_owned));
    let program = program.context("cargo did not say where it built the example")?;
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let begun = Instant::now();
    let start = |writer: usize| {
        let words =
            ["append".into(), folder.as_os_str().to_owned(), APPENDS.to_string().into(), writer.to_string().into()];
        Command::new(&program).args(words).stdout(Stdio::null()).spawn().context("cannot start a writer")
    };
    let writers = (0..WRITERS).map(start).collect::<Result<Vec<_>>>()?;
    for mut writer in writers {
        if !writer.wait()?.success() {
            bail!("a writer failed");
        }
    }
    let took = begun.elapsed().as_secs_f64();
    program::read(Command::new(&program).arg("verify").arg(folder))?;
    let lines = fs::read_to_string(folder.join("verified"))?;
    if lines != (WRITERS * APPENDS).to_string() {
        bail!("{} lines were appended; the check of the chain says `{lines}`", WRITERS * APPENDS);
    }
    Ok(format!(
        "{WRITERS} processes x {APPENDS} appends: {lines} lines, chain verified, {took:.1} s, {:.0} us each",
        took * 1e6 / (WRITERS * APPENDS) as f64
    ))
}
