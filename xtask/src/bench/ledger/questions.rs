//! Questions about lines: `stead why` and `stead blame` in a project whose ledger has 100,000 lines, and git's own blame.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::json;

use super::super::contestant::{self, Answer, Contestant};
use super::super::ground::{Ground, Project};
use super::super::measured::{Measured, find};
use super::super::report::Target;
use crate::program;

const START: &str = "stead --version";
const WHY: &str = "stead why, 100,000 ledger lines";
const BLAME: &str = "stead blame, 5,000 lines";
const GIT: &str = "git blame, 5,000 lines";

const RECORDS: usize = 100_000;
const LINES: usize = 5_000;

/// The most that a question may cost beyond the start of the process, in milliseconds of CPU time, git included.
const MOST_WHY: f64 = 50.0;
const MOST_BLAME: f64 = 200.0;

/// The programs to measure. The last line of the ledger is not in its index.
pub(super) fn contestants(ground: &Ground, project: &Project) -> Result<Vec<Contestant>> {
    let folder = &project.folder;
    let git = |words: &str| program::run(Command::new("git").arg("-C").arg(folder).args(words.split(' ')));
    let line = |number: usize| format!("let value_{number} = compute({number});\n");
    let half: String = (0..LINES / 2).map(line).collect();
    let whole: String = (0..LINES).map(line).collect();
    let file = folder.join("asked.rs");
    fs::write(&file, &half)?;
    git("add asked.rs")?;
    git("-c user.name=x -c user.email=x@example.invalid commit -qm half")?;
    write_ledger(&folder.join(".agent/intents"))?;
    let run = |words: &[&str], input: String| -> Result<()> {
        let probe = contestant::stead(ground, START, project, Answer::Silence);
        let mut child = Command::new(&ground.stead)
            .args(words)
            .env_clear()
            .envs(probe.env)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()?;
        std::io::Write::write_all(&mut child.stdin.take().context("no input")?, input.as_bytes())?;
        child.wait()?;
        Ok(())
    };
    // Builds the index.
    run(&["why", "asked.rs:1"], String::new())?;
    let mut call = json!({
        "session_id": "bench", "cwd": folder, "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_use_id": "asked", "tool_input": {"file_path": file, "content": ""},
    });
    run(&["hook", "claude", "PreToolUse"], call.to_string())?;
    fs::write(&file, &whole)?;
    call["hook_event_name"] = "PostToolUse".into();
    call["tool_response"] = json!({"type": "update", "originalFile": half});
    run(&["hook", "claude", "PostToolUse"], call.to_string())?;
    git("-c user.name=x -c user.email=x@example.invalid commit -qam whole")?;
    let ask = |name: &str, args: &[&str]| Contestant {
        args: args.iter().map(OsString::from).collect(),
        log: None,
        counted: false,
        ..contestant::stead(ground, name, project, Answer::Talk)
    };
    let place = format!("asked.rs:{}", LINES - 7);
    Ok(vec![
        ask(START, &["--version"]),
        ask(WHY, &["why", &place]),
        ask(BLAME, &["blame", "asked.rs"]),
        Contestant { program: "/usr/bin/git".into(), ..ask(GIT, &["blame", "asked.rs"]) },
    ])
}

pub(super) fn targets(all: &[Measured]) -> Vec<Target> {
    let cost = |name: &str| find(all, name).map_or(f64::NAN, |one| one.cpu.median / 1_000.0);
    let target = |(name, most): (&str, f64)| {
        let figure = cost(name) - cost(START);
        Target {
            says: format!("{name}: {figure:.2} ms of CPU time beyond the start (at most {most} ms)"),
            figure,
            most,
        }
    };
    [(WHY, MOST_WHY), (BLAME, MOST_BLAME)].map(target).into()
}

/// Writes a ledger of calls that each added 20 lines to a file.
fn write_ledger(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut hash = |length: usize| {
        const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let mut text = String::with_capacity(length);
        for at in 0..length {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            // The last of eleven digits has only four bits.
            let digit = (random >> 20) as usize & if at % 11 == 10 { 60 } else { 63 };
            text.push(char::from(DIGITS[digit]));
        }
        text
    };
    let mut text = String::new();
    for number in 0..RECORDS {
        let lines = hash(20 * 11);
        writeln!(
            text,
            r#"{{"version":"0.1.0","id":"00000000-0000-4000-8000-{number:012}","timestamp":"2026-11-15T19:45:30.123Z","tool":{{"name":"claude"}},"files":[{{"path":"src/file_{number}.rs","conversations":[{{"contributor":{{"type":"ai"}},"ranges":[{{"start_line":1,"end_line":20}}],"related":[{{"type":"specification","url":"intent:INT-1"}}]}}]}}],"metadata":{{"dev.stead":{{"v":1,"session":"s-{}","harness":"claude","intent":"INT-1","class":"UNKNOWN","how":"language","phase":"final","files":[{{"path":"src/file_{number}.rs","op":"add","lines":"{lines}"}}],"seq":{number}}}}}}}"#,
            number % 50
        )?;
    }
    fs::write(folder.join("agent_trace.jsonl"), &text)?;
    let head = format!(r#"{{"seq":{RECORDS},"hash":"{}","length":{}}}"#, "0".repeat(64), text.len());
    fs::write(folder.join("agent_trace.head"), head).context("cannot write the head")
}
