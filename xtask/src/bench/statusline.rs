//! What a status line costs, compared with a program that does nothing: in a new project and in one with long logs. The last
//! calls are always new to it.

use std::ffi::OsString;
use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use super::contestant::{self, Answer, Contestant, NO_OP};
use super::ground::{Ground, Project};
use super::hook::MOST_RATIO;
use super::measured::{self, Measured};
use super::report::{Report, Target};
use crate::{prerequisite, repository};

pub(super) const ROUNDS: usize = 300;

const LINE: &str = "stead statusline";
const MILLION: &str = "stead statusline, a million lines";

/// The maximum cost with a million lines, as a multiple of the cost in an empty project.
const MOST_GROWTH: f64 = 1.05;

pub(super) fn measure(rounds: usize) -> Result<Report> {
    prerequisite::ensure(prerequisite::FOR_BENCH)?;
    let ground = Ground::prepare()?;
    let million = ground.million()?;
    let contestants = [
        Contestant { counted: true, ..contestant::plain(&ground, NO_OP, ground.no_op()?) },
        line(&ground, LINE, &ground.project)?,
        line(&ground, MILLION, &million)?,
    ];
    let all = measured::race(&ground, &contestants, rounds)?;
    let ratio = measured::ratio(&all, LINE, NO_OP);
    let growth = measured::ratio(&all, MILLION, LINE).median;
    Ok(Report {
        head: format!("{rounds} rounds, interleaved and shuffled; times in microseconds"),
        columns: Measured::COLUMNS.to_vec(),
        rows: all.iter().map(|one| one.row(&all)).collect(),
        targets: vec![
            Target::times_no_op(ratio, MOST_RATIO),
            Target {
                says: format!("with a million lines {growth:.2}x the time (at most {MOST_GROWTH}x)"),
                figure: growth,
                most: MOST_GROWTH,
            },
        ],
        note: None,
    })
}

/// The line for the session of a project's calls, with what a client really sends.
pub(super) fn line(ground: &Ground, name: &str, project: &Project) -> Result<Contestant> {
    contestant::stead(ground, name, project, Answer::Silence).prove()?;
    let path = repository::path("crates/client/fixtures/claude/status-line.jsonl");
    let recorded = fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let mut payload: Value = serde_json::from_str(recorded.lines().last().unwrap_or_default())?;
    let call: Value = serde_json::from_str(&project.payload("echo hello"))?;
    payload["session_id"] = call["session_id"].clone();
    for folder in ["/cwd", "/workspace/current_dir", "/workspace/project_dir"] {
        *payload.pointer_mut(folder).context("the payload names its folder")? = call["cwd"].clone();
    }
    let call = contestant::stead(ground, name, project, Answer::Talk);
    let args = ["statusline", "claude"].map(OsString::from).into();
    Ok(Contestant { args, payload: payload.to_string(), log: None, ..call })
}
