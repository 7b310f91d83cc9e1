use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::super::contestant::{Answer, Contestant, NO_OP, environment, plain};
use super::super::ground::{Ground, Keep, Project, fixture};

pub(super) const EMPTY: &str = "stead stop, empty transcript";
pub(super) const SHORT: &str = "stead stop, one turn";
pub(super) const LONG: &str = "stead stop, 200 MB transcript";
pub(super) const BASH_SHORT: &str = "bash + jq stop, one turn";
pub(super) const BASH_LONG: &str = "bash + jq stop, 200 MB transcript";

const BASH: &str = include_str!("rival_stop.sh");

const TRANSCRIPT: u64 = 200_000_000;

/// How the loop is started; the hook sees the same words that the program gets.
const START: [&str; 7] = ["loop", "start", "Make every test pass", "--promise", "DONE", "--max-iterations", "0"];

/// Everyone who takes part. The client is taken not to send the last message, so each must find it in the transcript.
pub(super) fn contestants(ground: &Ground) -> Result<Vec<Contestant>> {
    let project = Project::make(&ground.stead, &ground.folder, "stop", Keep::Nothing)?;
    let transcripts = ground.folder.join("transcripts");
    fs::create_dir_all(&transcripts)?;
    let (empty, short, long) =
        (transcripts.join("empty.jsonl"), transcripts.join("short.jsonl"), transcripts.join("long.jsonl"));
    write_transcript(&empty, 0)?;
    write_transcript(&short, 1)?;
    write_transcript(&long, TRANSCRIPT)?;
    let restore = start_loop(ground, &project)?;
    let log = project.folder.join(".agent/context/indexes/loop-log.jsonl");
    let stead = |name, transcript: &Path, answer| -> Result<Contestant> {
        Ok(Contestant {
            args: ["hook", "claude", "Stop"].map(Into::into).into(),
            env: environment(ground, &project),
            folder: project.folder.clone(),
            payload: payload(&project, transcript)?,
            answer,
            log: Some(log.clone()),
            restore: restore.clone(),
            ..plain(ground, name, ground.stead.clone())
        })
    };
    let script = ground.script("rival_stop.sh", BASH)?;
    let state = ground.folder.join("rival-loop.md");
    let bash = |name, transcript: &Path| -> Result<Contestant> {
        Ok(Contestant {
            args: vec![script.clone().into(), state.clone().into()],
            payload: payload(&project, transcript)?,
            answer: Answer::Hold,
            restore: vec![(state.clone(), RIVAL_STATE.to_owned())],
            ..plain(ground, name, "/bin/bash".into())
        })
    };
    Ok(vec![
        plain(ground, NO_OP, ground.no_op()?),
        // What was said cannot be read, so a loop that waits for a promise lets go.
        stead(EMPTY, &empty, Answer::Silence)?,
        stead(SHORT, &short, Answer::Hold)?,
        stead(LONG, &long, Answer::Hold)?,
        bash(BASH_SHORT, &short)?,
        bash(BASH_LONG, &long)?,
    ])
}

const RIVAL_STATE: &str =
    "---\niteration: 1\nmax_iterations: 0\ncompletion_promise: DONE\n---\n\nMake every test pass\n";

/// The recorded stop with another transcript and without the message.
fn payload(project: &Project, transcript: &Path) -> Result<String> {
    let mut stop = fixture("claude/Stop")?;
    stop["cwd"] = project.folder.to_string_lossy().into();
    stop["transcript_path"] = transcript.to_string_lossy().into();
    if let Some(members) = stop.as_object_mut() {
        members.remove("last_assistant_message");
    }
    Ok(stop.to_string())
}

/// Starts a loop as an agent would, and gives the files as they are then.
fn start_loop(ground: &Ground, project: &Project) -> Result<Vec<(PathBuf, String)>> {
    let words: Vec<String> = START.iter().map(|word| format!("'{word}'")).collect();
    let call = project.payload(&format!("stead {}", words.join(" ")));
    run(ground, project, &["hook", "claude", "PreToolUse"], &call)?;
    run(ground, project, &START, "")?;
    let context = project.folder.join(".agent/context");
    let mut files = vec![context.join("indexes/active-loop.json")];
    files.extend(fs::read_dir(context.join("loops"))?.flatten().map(|entry| entry.path()));
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        Ok((path, text))
    };
    let files: Vec<(PathBuf, String)> = files.into_iter().map(read).collect::<Result<_>>()?;
    match files.iter().any(|(_, text)| text.contains("\nsession: 00000000-")) {
        true => Ok(files),
        false => bail!("the loop belongs to nobody"),
    }
}

fn run(ground: &Ground, project: &Project, args: &[&str], input: &str) -> Result<()> {
    let mut command = Command::new(&ground.stead);
    command.args(args).current_dir(&project.folder).env_clear().envs(environment(ground, project));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(input.as_bytes())?;
    }
    match child.wait()?.success() {
        true => Ok(()),
        false => bail!("`stead {}` failed", args.join(" ")),
    }
}

/// Writes turns until the transcript has so many bytes; made once, as it takes a while.
fn write_transcript(path: &Path, least: u64) -> Result<()> {
    if path.metadata().is_ok_and(|metadata| metadata.len() >= least && least > 0) {
        return Ok(());
    }
    let file = fs::File::create(path).with_context(|| format!("cannot write `{}`", path.display()))?;
    let mut writer = BufWriter::with_capacity(1 << 20, file);
    let (mut written, mut turn) = (0, 0_u64);
    while written < least {
        for line in turn_lines(turn) {
            written += line.len() as u64;
            writer.write_all(line.as_bytes())?;
        }
        turn += 1;
    }
    writer.flush().with_context(|| format!("cannot write `{}`", path.display()))
}

/// One turn as Claude Code writes it: a prompt, a call, its result, an answer.
fn turn_lines(turn: u64) -> [String; 4] {
    let line = |kind: &str, content: Value| {
        let line = json!({
            "parentUuid": null, "isSidechain": false, "sessionId": "00000000-0000-0000-0000-000000000001",
            "type": kind, "message": {"role": kind, "content": content}, "uuid": format!("{turn:032x}"),
            "timestamp": "2026-11-15T19:45:30.123Z",
        });
        format!("{line}\n")
    };
    let output = "test parser::reads_a_line ... ok\n".repeat(60);
    [
        line("user", json!(format!("Go on with step {turn}"))),
        line("assistant", json!([{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "cargo test"}}])),
        line("user", json!([{"type": "tool_result", "tool_use_id": "t", "content": output}])),
        line("assistant", json!([{"type": "text", "text": format!("Step {turn} is done, two are left.")}])),
    ]
}
