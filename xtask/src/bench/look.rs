//! What a look costs in a project of years: `stead status`, `stead log` and `stead explain` where every log has a million
//! lines, beside what people would use instead; and completions, which a shell waits for.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::json;

use super::contestant::{self, Answer, Contestant, NO_OP};
use super::ground::{Ground, Keep, MILLION, Project};
use super::measured::{self, Measured, find};
use super::report::{Report, Target};
use crate::{prerequisite, program};

pub(super) const ROUNDS: usize = 30;

const STATUS: &str = "stead status";
const LOG: &str = "stead log";
const BLOCKED: &str = "stead log --blocked";
const SESSION: &str = "stead log --session";
const EXPLAIN: &str = "stead explain";
const COMPLETIONS: &str = "stead completions bash";
const TAIL: &str = "tail -n 20 | jq";
const GREP: &str = "grep deny | tail -n 20";
const JQ: &str = "jq over the last 100,000 lines";

/// The most that each may cost, in milliseconds of CPU time.
const MOST: [(&str, f64); 6] =
    [(STATUS, 50.0), (LOG, 50.0), (BLOCKED, 50.0), (SESSION, 50.0), (EXPLAIN, 50.0), (COMPLETIONS, 20.0)];

/// How many runs and sessions there are.
const RUNS: usize = 200;
const SESSIONS: u64 = 2_000;

/// A stage whose agent is a shell.
const STAGE: &str = "name: chore\ndescription: A run\ntermination: {type: fixed}\nguardrails: {max_iterations: 1}\n\
    provider:\n  command: [\"sh\", \"-c\", \"echo '{\\\"decision\\\":\\\"stop\\\",\\\"reason\\\":\\\"r\\\",\\\"summary\\\":\\\"s\\\"}' > $STEAD_STATUS\"]\n";

/// How many calls were made today.
const TODAY: u64 = 5_000;

pub(super) fn measure(rounds: usize) -> Result<Report> {
    prerequisite::ensure(prerequisite::FOR_BENCH)?;
    let ground = Ground::prepare()?;
    let project = grown(&ground).context("cannot generate the project")?;
    let ask = |name: &str, words: &str| Contestant {
        args: words.split(' ').map(OsString::from).collect(),
        log: None,
        counted: false,
        ..contestant::stead(&ground, name, &project, Answer::Talk)
    };
    let log = project.session_log().display().to_string();
    let shell = |name: &str, line: &str| Contestant {
        args: vec!["-c".into(), line.into()],
        answer: Answer::Talk,
        ..contestant::plain(&ground, name, "/bin/sh".into())
    };
    let select = "jq -c 'select(.verdict == \"deny\") | [.ts, .tool, .command]'";
    let contestants = [
        contestant::plain(&ground, NO_OP, ground.no_op()?),
        ask(STATUS, "status"),
        ask(LOG, "log"),
        ask(BLOCKED, "log --blocked"),
        ask(SESSION, &format!("log --session {}", session(SESSIONS - 1))),
        ask(EXPLAIN, "explain"),
        ask(COMPLETIONS, "completions bash"),
        shell(TAIL, &format!("tail -n 20 '{log}' | jq -c '[.ts, .tool, .verdict, .command]'")),
        shell(GREP, &format!("grep '\"verdict\":\"deny\"' '{log}' | tail -n 20")),
        shell(JQ, &format!("tail -n 100000 '{log}' | {select} | tail -n 20")),
    ];
    let all = measured::race(&ground, &contestants, rounds)?;
    let target = |(name, most): (&str, f64)| {
        let figure = find(&all, name).map_or(f64::NAN, |one| one.cpu.median / 1_000.0);
        Target { says: format!("{name}: {figure:.1} ms of CPU time (at most {most} ms)"), figure, most }
    };
    Ok(Report {
        head: format!("a million lines in each log, {rounds} rounds, interleaved and shuffled; times in microseconds"),
        columns: Measured::COLUMNS.to_vec(),
        rows: all.iter().map(|one| one.row(&all)).collect(),
        targets: MOST.into_iter().map(target).collect(),
        note: None,
    })
}

/// A project with a million lines in each log, generated once, because it takes a while.
fn grown(ground: &Ground) -> Result<Project> {
    let is_new = !ground.folder.join("look/generated").exists();
    let keep = if is_new { Keep::Nothing } else { Keep::Files };
    let project = Project::make(&ground.stead, &ground.folder, "look", keep)?;
    if is_new {
        let stead = |words: &[&str]| {
            let mut command = Command::new(&ground.stead);
            command.args(words).current_dir(&project.folder).env("HOME", ground.home());
            program::read(&mut command)
        };
        stead(&["init", "--harness", "claude", "--guards", "--yes"])?;
        stead(&["handoff", "finish the login page"])?;
        contestant::stead(ground, "a call", &project, Answer::Silence).prove()?;
        let indexes = project.folder.join(".agent/context/indexes");
        let named = ["prompts.jsonl", "relevant-files.jsonl"].map(|name| indexes.join(name));
        for path in project.growing()?.into_iter().chain(named) {
            super::ground::fill(&path)?;
        }
        sessions(&project)?;
        let stage = project.folder.join(".agent/stages/chore");
        fs::create_dir_all(&stage)?;
        fs::write(stage.join("stage.yaml"), STAGE)?;
        fs::write(stage.join("prompt.md"), "Read ${CTX}, note in ${PROGRESS}, write ${OUTPUT} and ${STATUS}.\n")?;
        stead(&["run", "stage", "chore", "run-0"])?;
        let runs = project.folder.join(".agent/runs");
        (1..RUNS).try_for_each(|number| copy_run(&runs, number))?;
        super::ground::fill(&runs.join("run-0/events.jsonl"))?;
        super::ground::settle();
        fs::write(project.folder.join("generated"), "")?;
    }
    Ok(project)
}

fn session(number: u64) -> String {
    format!("{number:08x}-0000-4000-8000-000000000000")
}

/// The session log: calls of today at its end, one of two hundred denied, and the sessions' own files.
fn sessions(project: &Project) -> Result<()> {
    let now = program::read(Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%S.000Z"]))?;
    let folder = project.folder.join(".agent/context/indexes/sessions");
    fs::create_dir_all(&folder)?;
    let mut writer = BufWriter::with_capacity(1 << 20, File::create(project.session_log())?);
    for number in 0..MILLION {
        let session = session(number * SESSIONS / MILLION);
        let ts = if number < MILLION - TODAY { "2026-01-01T00:00:00.000Z" } else { now.trim() };
        let mut line = json!({"v": 1, "ts": ts, "harness": "claude", "session": session, "event": "before-tool",
            "native": "PreToolUse", "tool": "Bash", "call": format!("toolu_{number:012}"), "action": "run",
            "command": format!("cargo test --package part-{} -- --nocapture 2>&1 | tail -40", number % 97), "verdict": "allow",
            "effects": {"v": 1, "coverage": "full", "list": [{"run": ["cargo", "test", "--package", "part"], "part": "cargo test"}]}});
        if number % 200 == 7 {
            line["verdict"] = "deny".into();
            line["id"] = format!("v-{number:08}").into();
            line["hits"] =
                json!([{"guard": "infra", "mode": "enforce", "would": "deny", "did": "denied", "say": "ask first"}]);
        }
        writeln!(writer, "{line}")?;
        if number % (MILLION / SESSIONS) == 0 {
            let state = json!({"schema": 1, "harness": "claude", "session": session, "root": project.folder,
                "cwd": project.folder, "started_at": ts, "last_seen": ts});
            fs::write(folder.join(format!("{session}.json")), state.to_string())?;
        }
    }
    Ok(writer.flush()?)
}

fn copy_run(runs: &Path, number: usize) -> Result<()> {
    let (from, to): (PathBuf, PathBuf) = (runs.join("run-0"), runs.join(format!("run-{number}")));
    program::run(Command::new("cp").arg("-a").arg(from).arg(&to))?;
    for name in ["state.json", "plan.json"] {
        let path = to.join(name);
        let text = fs::read_to_string(&path)?.replace("run-0", &format!("run-{number}"));
        fs::write(path, text)?;
    }
    Ok(())
}
