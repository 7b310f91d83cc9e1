//! What a question about a long feature list costs: `stead feature next` and `list --ready` with 10,000 features.

use std::ffi::OsString;
use std::fs;

use anyhow::Result;
use serde_json::{Value, json};

use super::contestant::{self, Answer, Contestant, NO_OP};
use super::ground::{Ground, Keep, Project};
use super::measured::{self, Measured, find};
use super::report::{Report, Target};
use crate::prerequisite;

pub(super) const ROUNDS: usize = 60;

const START: &str = "stead --version";
const NEXT: &str = "stead feature next, 10,000 features";
const LIST: &str = "stead feature list --ready, 10,000 features";
const SHORT_LIST: &str = "stead feature list --ready, 1,000 features";

const FEATURES: usize = 10_000;
const FEW: usize = 1_000;

/// How much more a list may cost that is ten times as long: a little more than linear, for what the cache does not hold.
const MOST_GROWTH: f64 = 13.0;

/// The most that `next` may cost beyond the start of the process, in milliseconds of CPU time.
const MOST_NEXT: f64 = 10.0;

pub(super) fn measure(rounds: usize) -> Result<Report> {
    prerequisite::ensure(prerequisite::FOR_BENCH)?;
    let ground = Ground::prepare()?;
    let make = |name: &str, count: usize| -> Result<Project> {
        let project = Project::make(&ground.stead, &ground.folder, name, Keep::Nothing)?;
        let folder = project.folder.join(".agent/features");
        fs::create_dir_all(&folder)?;
        let features: Vec<Value> = (0..count).map(|at| feature(at, count)).collect();
        let list = json!({"schema": "stead.feature-list/1", "features": features});
        fs::write(folder.join("feature-list.json"), serde_json::to_string_pretty(&list)?)?;
        Ok(project)
    };
    let (long, short) = (make("feature", FEATURES)?, make("few-features", FEW)?);
    let ask = |name: &str, project: &Project, words: &str| Contestant {
        args: words.split(' ').map(OsString::from).collect(),
        log: None,
        counted: false,
        ..contestant::stead(&ground, name, project, Answer::Talk)
    };
    let contestants = [
        contestant::plain(&ground, NO_OP, ground.no_op()?),
        ask(START, &long, "--version"),
        ask(NEXT, &long, "feature next"),
        ask(LIST, &long, "feature list --ready"),
        ask(SHORT_LIST, &short, "feature list --ready"),
    ];
    let all = measured::race(&ground, &contestants, rounds)?;
    Ok(Report {
        head: format!("{rounds} rounds, interleaved and shuffled; times in microseconds"),
        columns: Measured::COLUMNS.to_vec(),
        rows: all.iter().map(|one| one.row(&all)).collect(),
        targets: targets(&all),
        note: None,
    })
}

fn targets(all: &[Measured]) -> Vec<Target> {
    let cost = |name: &str| find(all, name).map_or(f64::NAN, |one| one.cpu.median / 1_000.0);
    let beyond = |name: &str| cost(name) - cost(START);
    let next = beyond(NEXT);
    let says = format!("{NEXT}: {next:.2} ms of CPU time beyond the start (at most {MOST_NEXT} ms)");
    let growth = beyond(LIST) / beyond(SHORT_LIST).max(0.1);
    let linear = format!("{LIST}: {growth:.1}x of what 1,000 cost beyond the start (at most {MOST_GROWTH}x)");
    vec![Target { says, figure: next, most: MOST_NEXT }, Target { says: linear, figure: growth, most: MOST_GROWTH }]
}

/// A feature of ordinary size; the first half is tested.
fn feature(at: usize, count: usize) -> Value {
    let is_tested = at < count / 2;
    let needs: Vec<String> = (at > 0).then(|| format!("F-{:05}", at / 2)).into_iter().collect();
    json!({
        "id": format!("F-{at:05}"),
        "title": format!("Feature number {at} of the project"),
        "description": "What it is about, in a sentence that says enough for an agent to start with it.",
        "steps": ["do this first", "then do that", "look at the result"],
        "priority": at % 5,
        "depends_on": needs,
        "files": [format!("src/part_{at}/**")],
        "verifiers": [format!("cargo test part_{at}")],
        "status": if is_tested { "tested" } else { "pending" },
        "tested": is_tested,
    })
}
