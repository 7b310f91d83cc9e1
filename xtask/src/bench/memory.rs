//! What search over a million traces costs: indexing them, cold queries for rare and for very common words, and by
//! meaning; beside FTS5 with its own ranking, and grep or ripgrep over the log. A small project, for comparison.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::contestant::{Answer, Contestant};
use super::measured::{Measured, find};
use super::report::{Report, Row, Target, column};
use super::spawn::{self, Cost};
use crate::metadata::Metadata;
use crate::program;

pub(super) const ROUNDS: usize = 15;

const TRACES: usize = 1_000_000;
const FEW: usize = 100;

/// Ranks of words by their frequency.
const RARE: [&str; 2] = ["3000", "7000"];
const COMMON: [&str; 3] = ["0", "1", "2"];

const SELECTIVE: &str = "stead, two rare words";
const FREQUENT: &str = "stead, three very common words";
const MEANING: &str = "stead, meaning";
const SMALL: &str = "stead, 100 traces";
const FTS5_RARE: &str = "FTS5 as it comes, two rare words";
const FTS5_COMMON: &str = "FTS5 as it comes, three very common words";
const GREP_RARE: &str = "grep, two rare words";

/// How many traces are looked at to check how frequent words are, and in how many of them they must be.
const SAMPLE: usize = 20_000;
const LEAST_COMMON: f64 = 0.5;
const MOST_RARE: f64 = 0.01;

/// The most that a cold query may cost, in milliseconds of CPU time.
const MOST: [(&str, f64); 4] = [(SELECTIVE, 15.0), (FREQUENT, 60.0), (MEANING, 60.0), (SMALL, 5.0)];

/// The least number of traces that are indexed per second of CPU time, and the most memory, in MB.
const LEAST_INDEXED: f64 = 50_000.0;
const MOST_MEMORY: f64 = 200.0;

pub(super) fn measure(rounds: usize) -> Result<Report> {
    let bench = Bench::prepare()?;
    let (many, few) = (bench.folder.join("many"), bench.folder.join("few"));
    bench.generate(&many, TRACES)?;
    bench.generate(&few, FEW)?;
    eprintln!("indexing {TRACES} traces");
    bench.forget(&many)?;
    let index = bench.run(&["index", &text(&many)])?;
    eprintln!("embedding, with a stand-in for the model");
    bench.run(&["vectors", &text(&many)])?;
    eprintln!("indexing with FTS5");
    let fts5 = bench.run(&["fts5-index", &text(&many)])?;
    let (rare, common) = (bench.words(&RARE)?, bench.words(&COMMON)?);
    check_frequencies(&many, &rare, &common)?;
    let log = many.join("traces.jsonl");
    let grep = program::find("rg").unwrap_or_else(|| "/bin/grep".into());
    let alternatives = rare.replace(' ', "|");
    let contestants = [
        bench.ask(SELECTIVE, &["query", &text(&many), &rare]),
        bench.ask(FREQUENT, &["query", &text(&many), &common]),
        bench.ask(MEANING, &["meaning", &text(&many), "zzz"]),
        bench.ask(SMALL, &["query", &text(&few), &common]),
        bench.ask(FTS5_RARE, &["fts5-query", &text(&many), &rare]),
        bench.ask(FTS5_COMMON, &["fts5-query", &text(&many), &common]),
        Contestant {
            program: grep,
            answer: Answer::Talk,
            ..bench.ask(GREP_RARE, &["-c", "-i", "-E", &alternatives, &text(&log)])
        },
    ];
    for one in &contestants {
        bench.prove(one)?;
    }
    let costs = spawn::in_turn(&contestants, rounds)?;
    let all: Vec<Measured> = contestants.iter().zip(&costs).map(|(one, costs)| Measured::of(one, costs)).collect();
    let memory = costs.iter().flatten().chain([&index]).map(|cost| cost.memory).max().unwrap_or_default();
    Ok(report(rounds, &all, index, fts5, memory as f64 / 1e6))
}

/// Fails unless the common words are common and the rare ones rare: otherwise the figures are about something else.
fn check_frequencies(dir: &Path, rare: &str, common: &str) -> Result<()> {
    let lines: Vec<String> =
        BufReader::new(File::open(dir.join("traces.jsonl"))?).lines().take(SAMPLE).collect::<Result<_, _>>()?;
    let share = |word: &str| {
        let has = |line: &&String| line.split(|c: char| !c.is_alphanumeric()).any(|one| one == word);
        lines.iter().filter(has).count() as f64 / lines.len() as f64
    };
    for word in common.split(' ') {
        ensure!(share(word) > LEAST_COMMON, "`{word}` is in {:.4} of the traces only", share(word));
    }
    for word in rare.split(' ') {
        ensure!(share(word) < MOST_RARE, "`{word}` is in {:.4} of the traces", share(word));
    }
    Ok(())
}

fn report(rounds: usize, all: &[Measured], index: Cost, fts5: Cost, memory: f64) -> Report {
    let base = find(all, SELECTIVE).map_or(f64::NAN, |one| one.cpu.median);
    let row = |one: &Measured| Row {
        name: one.name.clone(),
        figures: [one.cpu.median / 1e3, one.cpu.least / 1e3, one.wall.median / 1e3, one.cpu.median / base]
            .map(Some)
            .into(),
    };
    let indexed = TRACES as f64 / index.cpu.as_secs_f64();
    let mut targets: Vec<Target> = MOST
        .into_iter()
        .map(|(name, most)| {
            let figure = find(all, name).map_or(f64::NAN, |one| one.cpu.median / 1e3);
            Target { says: format!("{name}: {figure:.2} ms of CPU time (at most {most} ms)"), figure, most }
        })
        .collect();
    targets.push(Target {
        says: format!("{indexed:.0} traces indexed per second of CPU time (at least {LEAST_INDEXED:.0})"),
        figure: LEAST_INDEXED / indexed,
        most: 1.0,
    });
    targets.push(Target {
        says: format!("{memory:.0} MB of memory (at most {MOST_MEMORY:.0})"),
        figure: memory,
        most: MOST_MEMORY,
    });
    Report {
        head: format!("{TRACES} traces, cold processes, {rounds} rounds, interleaved; times in milliseconds"),
        columns: vec![
            column("CPU p50", "cpu_ms", 2),
            column("CPU min", "cpu_ms_min", 2),
            column("wall p50", "wall_ms", 2),
            column("x two rare words", "ratio", 2),
        ],
        rows: all.iter().map(row).collect(),
        targets,
        note: Some(format!(
            "indexing: {:.1} s of CPU time, with FTS5 as it comes {:.1} s",
            index.cpu.as_secs_f64(),
            fts5.cpu.as_secs_f64()
        )),
    }
}

struct Bench {
    program: PathBuf,
    folder: PathBuf,
}

impl Bench {
    fn prepare() -> Result<Self> {
        let target = PathBuf::from(Metadata::load()?.target_directory);
        let mut cargo = program::cargo();
        cargo.args(["build", "--profile", "dist", "--locked", "-p", "stead-memory", "--example", "search"]);
        program::run(&mut cargo)?;
        let program = target.join(program::host()?).join("dist/examples/search");
        let folder = target.join("bench/memory");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
        Ok(Self { program, folder })
    }

    /// Generates traces once, because it takes a while.
    fn generate(&self, dir: &Path, count: usize) -> Result<()> {
        if !dir.join("generated").exists() {
            self.run(&["generate", &text(dir), &count.to_string()])?;
            fs::write(dir.join("generated"), "")?;
        }
        Ok(())
    }

    /// Removes what is built from the traces.
    fn forget(&self, dir: &Path) -> Result<()> {
        let _ = fs::remove_file(dir.join("fts5.sqlite"));
        match dir.join("cache") {
            cache if cache.exists() => Ok(fs::remove_dir_all(cache)?),
            _ => Ok(()),
        }
    }

    fn words(&self, ranks: &[&str]) -> Result<String> {
        let dir = text(&self.folder);
        self.run(&[&["words", &dir], ranks].concat())?;
        Ok(fs::read_to_string(self.folder.join("answer"))?)
    }

    /// Calls it once, to warm up and to check that it finds something.
    fn prove(&self, one: &Contestant) -> Result<()> {
        let output = Command::new(&one.program).args(&one.args).stderr(Stdio::null()).output()?;
        let answer = match (one.answer, one.args.get(1)) {
            (Answer::Silence, Some(dir)) => fs::read_to_string(Path::new(dir).join("answer"))?,
            _ => String::from_utf8_lossy(&output.stdout).into_owned(),
        };
        let is_empty = answer.contains("\"items\":[]") || ["", "0", "[]"].contains(&answer.trim());
        ensure!(output.status.success() && !is_empty, "`{}` found nothing: `{answer}`", one.name);
        Ok(())
    }

    fn run(&self, words: &[&str]) -> Result<Cost> {
        let mut command = Command::new(&self.program);
        command.args(words).stdin(Stdio::null()).stdout(Stdio::null());
        let (code, cost) = spawn::reap(command.spawn().context("cannot start the example")?)?;
        ensure!(code == Some(0), "`{}` ended with code {code:?}", words.join(" "));
        Ok(cost)
    }

    fn ask(&self, name: &str, words: &[&str]) -> Contestant {
        Contestant {
            name: name.to_owned(),
            program: self.program.clone(),
            args: words.iter().map(OsString::from).collect(),
            env: vec![("LANG", "C.UTF-8".into())],
            folder: self.folder.clone(),
            payload: String::new(),
            answer: Answer::Silence,
            log: None,
            counted: false,
            restore: Vec::new(),
        }
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
