//! A mix of 200 calls as agents make them on a day, in `xtask/fixtures/day.jsonl`; what a client reports after a tool
//! stands behind a call of that kind. Each takes a payload that a client really sent and replaces parts of it with what
//! agents typically type. `bench hook` measures the plainest call, this the typical cost.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::baseline::Counts;
use super::contestant::{self, Answer, Contestant, NO_OP};
use super::ground::{Ground, Keep, Project, fixture};
use super::measured::{Measured, Spread, median};
use super::report::{Column, Report, Row, Target, column};
use super::{callgrind, spawn};
use crate::{prerequisite, repository};

pub(super) const ROUNDS: usize = 10;

/// Below `target/bench`: the counts of each call.
const LIST: &str = "day.tsv";

const MIX: &str = "xtask/fixtures/day.jsonl";

/// What `--day --json` printed before effects were read once per call.
const BEFORE: &str = "xtask/fixtures/day-before-one-reading.json";

/// The kind that has its own target: shell lines that a rule might match.
const SHELL: &str = "shell";
const ALL: &str = "all";

const MOST_MEDIAN: f64 = 450_000.0;
/// The maximum of the sum, as a fraction of the sum before.
const MOST_SUM: f64 = 0.65;

const COLUMNS: [Column; 7] = [
    column("calls", "calls", 0),
    column("instructions p50", "instructions", 0),
    column("instructions, sum", "instructions_sum", 0),
    column("x before", "instructions_ratio", 2),
    column("CPU of one call", "cpu_us", 0),
    column("x no-op", "ratio", 2),
    column("paths resolved again", "resolved_again", 0),
];

/// A line of the mix.
struct Line {
    kind: String,
    /// The recorded payload: a client, and a file of its fixtures.
    call: String,
    /// What is replaced in it.
    set: Value,
    denied: bool,
}

/// A call of the mix, and its counts.
struct Counted {
    kind: String,
    instructions: u64,
    resolved_again: u64,
}

pub(super) fn measure(rounds: usize) -> Result<Report> {
    prerequisite::ensure(prerequisite::FOR_INSTRUCTIONS)?;
    let ground = Ground::prepare()?;
    let mut calls = calls(&ground)?;
    let counted = count(&ground, &calls)?;
    calls.push((NO_OP.to_owned(), contestant::plain(&ground, NO_OP, ground.no_op()?)));
    let contestants: Vec<Contestant> = calls.into_iter().map(|(_, contestant)| contestant).collect();
    let costs = spawn::in_turn(&contestants, rounds)?;
    let mut cpu: Vec<Spread> =
        contestants.iter().zip(&costs).map(|(one, costs)| Measured::of(one, costs).cpu).collect();
    let no_op = cpu.pop().map_or(f64::NAN, |spread| spread.median);
    let micros: Vec<f64> = cpu.iter().map(|spread| spread.median).collect();
    Ok(report(rounds, &counted, &micros, no_op, &before()?))
}

/// What CI checks.
pub(super) fn counts(ground: &Ground) -> Result<Counts> {
    let counted = count(ground, &calls(ground)?)?;
    let all = Summary::of(&counted, &[], ALL);
    Ok([
        ("day, median of shell calls that are not plain".to_owned(), Summary::of(&counted, &[], SHELL).median),
        ("day, sum".to_owned(), all.sum),
        ("day, paths resolved again".to_owned(), all.resolved_again),
    ]
    .into())
}

fn count(ground: &Ground, calls: &[(String, Contestant)]) -> Result<Vec<Counted>> {
    // The first call compiles the caches and starts the session.
    for (_, call) in calls {
        spawn::measure(call)?;
    }
    let count = |(kind, call): &(String, Contestant)| {
        let (instructions, resolved_again) = callgrind::count_with_paths(call, &ground.folder)?;
        Ok(Counted { kind: kind.clone(), instructions, resolved_again })
    };
    let counted: Vec<Counted> = calls.iter().map(count).collect::<Result<_>>()?;
    let mut list = String::from("instructions\tresolved again\tkind\tpayload\n");
    for (one, (_, call)) in counted.iter().zip(calls) {
        let _ = writeln!(list, "{}\t{}\t{}\t{}", one.instructions, one.resolved_again, one.kind, call.payload);
    }
    ground.script(LIST, &list)?;
    Ok(counted)
}

fn calls(ground: &Ground) -> Result<Vec<(String, Contestant)>> {
    let project = Project::make(&ground.stead, &ground.folder, "day", Keep::Nothing)?;
    furnish(&project.folder)?;
    let text = fs::read_to_string(repository::path(MIX)).with_context(|| format!("cannot read `{MIX}`"))?;
    let call = |(index, line): (usize, &str)| {
        let number = index + 1;
        let place = || format!("cannot read line {number} of `{MIX}`");
        let line = Line::parse(line).with_context(place)?;
        let contestant = line.contestant(ground, &project, &format!("day {number}")).with_context(place)?;
        Ok((line.kind, contestant))
    };
    text.lines().enumerate().map(call).collect()
}

impl Line {
    fn parse(text: &str) -> Result<Self> {
        let line: Value = serde_json::from_str(text)?;
        let word = |key: &str| line[key].as_str().map(str::to_owned).with_context(|| format!("it has no `{key}`"));
        let denied = line["denied"].as_bool().unwrap_or_default();
        Ok(Self { kind: word("kind")?, call: word("call")?, set: line["set"].clone(), denied })
    }

    fn contestant(&self, ground: &Ground, project: &Project, name: &str) -> Result<Contestant> {
        let Some((client, file)) = self.call.split_once('/') else { bail!("`{}` names no client", self.call) };
        let mut payload = fixture(&self.call)?;
        merge(&mut payload, &self.set);
        let event = payload["hook_event_name"].as_str().or(file.split('.').next()).unwrap_or_default().to_owned();
        let folder = project.folder.to_string_lossy();
        let home = ground.home();
        let payload = payload.to_string().replace("/home/dev/project", &folder);
        let mut env = contestant::environment(ground, project);
        // Only this client uses the variable; others would conclude that they were started by it.
        env.retain(|(name, _)| client == "claude" || *name != "CLAUDE_PROJECT_DIR");
        Ok(Contestant {
            args: ["hook", client, &event].map(OsString::from).into(),
            env,
            folder: project.folder.clone(),
            payload: payload.replace("/home/dev", &home.to_string_lossy()),
            answer: if self.denied { Answer::Denial } else { Answer::Passes },
            ..contestant::plain(ground, name, ground.stead.clone())
        })
    }
}

/// Merges the members of one object into another, at every depth.
fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (_, Value::Null) => {}
        (into, from) => *into = from.clone(),
    }
}

/// Files as in a typical project; a command that names none of them is cheaper than one that does. There are no
/// features and only the shipped guards: `bench gate` measures more guards.
fn furnish(folder: &Path) -> Result<()> {
    let code = "fn line() {}\n".repeat(40);
    let files = [
        (".env", "TOKEN=none\n"),
        ("Cargo.toml", "[package]\nname = \"demo\"\n"),
        ("Makefile", "all:\n\tcargo build\nclean:\n\trm -rf target/tmp\n"),
        ("README.md", "# Demo\n"),
        ("backend/app.py", "print(1)\n"),
        ("docs/retry.md", "# Retries\n"),
        ("infra/main.tf", "# nothing\n"),
        (
            "package.json",
            "{\"name\": \"demo\", \"version\": \"1.3.0\", \"scripts\": {\"build\": \"tsc -p .\", \"lint\": \"eslint .\"}}\n",
        ),
        ("scripts/release.sh", "#!/bin/sh\ncargo build --release\n"),
        ("src/backoff.rs", &code),
        ("src/client.rs", &code),
        ("src/config.rs", &code),
        ("src/lib.rs", &code),
        ("src/parser/mod.rs", &code),
        ("src/util.rs", &code),
        ("tests/data/items.csv", "id,kind,count\n1,a,3\n"),
        ("tests/retry.rs", &code),
        ("web/src/api.ts", "export const get = () => fetch('/');\n"),
    ];
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    super::ground::settle();
    Ok(())
}

/// The figures of one kind of calls.
#[derive(Default)]
struct Summary {
    calls: usize,
    median: u64,
    sum: u64,
    micros: f64,
    resolved_again: u64,
}

impl Summary {
    fn of(counted: &[Counted], micros: &[f64], kind: &str) -> Self {
        let chosen = counted.iter().enumerate().filter(|(_, one)| kind == ALL || one.kind == kind);
        let mut instructions: Vec<u64> = chosen.clone().map(|(_, one)| one.instructions).collect();
        instructions.sort_unstable();
        Self {
            calls: instructions.len(),
            median: median(&instructions).unwrap_or_default(),
            sum: instructions.iter().sum(),
            micros: chosen.clone().filter_map(|(index, _)| micros.get(index)).sum(),
            resolved_again: chosen.map(|(_, one)| one.resolved_again).sum(),
        }
    }
}

/// The sums of instructions by kind before.
fn before() -> Result<BTreeMap<String, f64>> {
    let text = fs::read_to_string(repository::path(BEFORE)).with_context(|| format!("cannot read `{BEFORE}`"))?;
    let json: Value = serde_json::from_str(&text).with_context(|| format!("cannot read `{BEFORE}`"))?;
    let rows = json["rows"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(rows
        .iter()
        .filter_map(|row| Some((row["name"].as_str()?.to_owned(), row["instructions_sum"].as_f64()?)))
        .collect())
}

fn report(rounds: usize, counted: &[Counted], micros: &[f64], no_op: f64, before: &BTreeMap<String, f64>) -> Report {
    let mut kinds: Vec<&str> = Vec::new();
    for one in counted {
        if !kinds.contains(&one.kind.as_str()) {
            kinds.push(&one.kind);
        }
    }
    kinds.push(ALL);
    let row = |kind: &&str| {
        let summary = Summary::of(counted, micros, kind);
        let each = summary.micros / summary.calls as f64;
        let figures = vec![
            Some(summary.calls as f64),
            Some(summary.median as f64),
            Some(summary.sum as f64),
            before.get(*kind).map(|before| summary.sum as f64 / before),
            Some(each),
            Some(each / no_op),
            Some(summary.resolved_again as f64),
        ];
        Row { name: (*kind).to_owned(), figures }
    };
    let all = Summary::of(counted, micros, ALL);
    let middle = Summary::of(counted, micros, SHELL).median as f64;
    let part = before.get(ALL).map_or(f64::NAN, |before| all.sum as f64 / before);
    Report {
        head: format!("{} calls, {rounds} rounds, shuffled; times in microseconds", counted.len()),
        columns: COLUMNS.to_vec(),
        rows: kinds.iter().map(row).collect(),
        targets: vec![
            Target {
                says: format!("the median shell call that is not plain: {middle} instructions (at most {MOST_MEDIAN})"),
                figure: middle,
                most: MOST_MEDIAN,
            },
            Target {
                says: format!("the sum is {part:.2} of the sum before (at most {MOST_SUM})"),
                figure: part,
                most: MOST_SUM,
            },
            Target {
                says: format!("{} times a path was resolved again within a call (at most 0)", all.resolved_again),
                figure: all.resolved_again as f64,
                most: 0.0,
            },
        ],
        note: Some(format!("each call is in target/bench/{LIST}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mix_has_200_calls_with_recorded_payloads() {
        let text = fs::read_to_string(repository::path(MIX)).unwrap();
        let lines: Vec<Line> = text.lines().map(|line| Line::parse(line).unwrap()).collect();
        assert_eq!(lines.len(), 200);
        for line in &lines {
            assert!(fixture(&line.call).is_ok(), "{}", line.call);
        }
        let shell: Vec<_> = lines.iter().filter(|line| line.kind == SHELL).collect();
        let length = |line: &&Line| line.set.to_string().len();
        assert!(shell.iter().any(|line| length(line) < 60) && shell.iter().any(|line| length(line) > 1500));
    }

    #[test]
    fn members_are_put_in_at_every_depth() {
        let mut payload = serde_json::json!({"tool_input": {"command": "a", "description": "d"}, "cwd": "/"});
        merge(&mut payload, &serde_json::json!({"tool_input": {"command": "b", "more": {"x": 1}}}));
        let expected =
            serde_json::json!({"tool_input": {"command": "b", "description": "d", "more": {"x": 1}}, "cwd": "/"});
        assert_eq!(payload, expected);
        merge(&mut payload, &Value::Null);
        assert_eq!(payload, expected);
    }

    #[test]
    fn kinds_are_summed_and_compared_with_before() {
        let counted =
            |kind: &str, instructions, resolved_again| Counted { kind: kind.into(), instructions, resolved_again };
        let calls = [counted(SHELL, 400_000, 0), counted("read", 100_000, 0), counted(SHELL, 450_000, 0)];
        let before = [(ALL.to_owned(), 1_500_000.0), (SHELL.to_owned(), 1_000_000.0)].into();
        let good = report(1, &calls, &[200.0, 100.0, 300.0], 100.0, &before);
        assert!(good.targets.iter().all(Target::met), "{}", good.table());
        let row = |name: &str| &good.rows.iter().find(|row| row.name == name).unwrap().figures;
        assert_eq!(
            row(SHELL)[..],
            [Some(2.0), Some(450_000.0), Some(850_000.0), Some(0.85), Some(250.0), Some(2.5), Some(0.0)]
        );
        assert_eq!(row("read")[3], None);
        let calls = [counted(SHELL, 450_001, 1), counted("read", 600_000, 0)];
        let bad = report(1, &calls, &[], 100.0, &before);
        assert!(!bad.targets.iter().any(Target::met), "{}", bad.table());
    }
}
