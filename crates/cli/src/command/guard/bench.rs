use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use stead_guard::{Bench, BenchCase, BenchCaseError, Expected};

use crate::answer;
use crate::cli::{Exit, one_of};
use crate::error::CliError;
use crate::ui::Ui;

/// The longest line of a corpus.
const LONGEST: u64 = 1024 * 1024;

/// Measure the packs of Stead against a corpus of commands
///
/// Each line of the file is a JSON object: `{"command": "rm -rf /", "expected": "block"}`, with `"category"` and `"id"`
/// if you like. `expected` is `block` or `allow`; other common words are understood. Every command is judged in a
/// made-up project: nothing is run, no other file is read, nothing is fetched.
///
/// For each pack, prints how many commands it caught and how many it stopped that should pass (false). A missed command
/// counts for the pack that its category names, else only in the total.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead guard bench corpus.jsonl\n  stead guard bench corpus.jsonl --pack cloud --pack database\n  stead guard bench corpus.jsonl --show missed\n\nA corpus:\n  {\"command\": \"terraform destroy\", \"expected\": \"block\", \"category\": \"cloud\"}\n  {\"command\": \"terraform plan\", \"expected\": \"allow\"}"
)]
pub(super) struct BenchArgs {
    /// The corpus: JSON lines
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Measure only this pack; can be repeated
    #[arg(long = "pack", value_name = "ID", value_parser = one_of(Bench::packs(), |id| id))]
    packs: Vec<&'static str>,
    /// Also list the commands that were missed, or stopped although they should pass
    #[arg(long, value_name = "WHICH", value_parser = ["missed", "false", "all"])]
    show: Option<String>,
    /// Print the counts as JSON
    #[arg(long)]
    json: bool,
}

/// The counts of one pack, one category, or all.
#[derive(Clone, Copy, Default)]
struct Count {
    caught: usize,
    missed: usize,
    wrong: usize,
}

/// A command that was judged otherwise than expected.
struct Difference {
    line: usize,
    case: BenchCase,
    guards: Vec<String>,
}

pub(super) fn run(args: &BenchArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let packs: Vec<&'static str> = if args.packs.is_empty() { Bench::packs().collect() } else { args.packs.clone() };
    let bench = Bench::new(&packs);
    let mut counts: BTreeMap<&str, Count> = packs.iter().map(|id| (*id, Count::default())).collect();
    let (mut total, mut cases) = (Count::default(), 0);
    let mut differences = Vec::new();
    let shown = |kind: &str| args.show.as_deref().is_some_and(|which| which == kind || which == "all");
    each_case(&args.file, |line, case| {
        cases += 1;
        let hits = bench.judge(&case.command);
        for (id, _) in &hits {
            let count = counts.entry(id).or_default();
            match case.expected {
                Expected::Block => count.caught += 1,
                Expected::Allow => count.wrong += 1,
            }
        }
        let is_different = match (case.expected, hits.is_empty()) {
            (Expected::Block, false) => {
                total.caught += 1;
                false
            }
            (Expected::Block, true) => {
                total.missed += 1;
                if let Some(count) = case.category.as_deref().and_then(|category| counts.get_mut(category)) {
                    count.missed += 1;
                }
                shown("missed")
            }
            (Expected::Allow, false) => {
                total.wrong += 1;
                shown("false")
            }
            (Expected::Allow, true) => false,
        };
        if is_different {
            let guards = hits.iter().map(|(_, guard)| (*guard).to_owned()).collect();
            differences.push(Difference { line, case, guards });
        }
    })?;
    match args.json {
        true => ui.json(
            answer::GUARD_BENCH,
            &json!({
                "path": args.file,
                "cases": cases,
                "packs": counts.iter().map(|(id, count)| {
                    let mut shown = as_json(*count);
                    shown["pack"] = json!(id);
                    shown
                }).collect::<Vec<_>>(),
                "total": as_json(total),
                "differences": differences.iter().map(|found| json!({
                    "line": found.line, "id": found.case.id, "command": found.case.command,
                    "category": found.case.category, "guards": found.guards,
                })).collect::<Vec<_>>(),
            }),
        ),
        false => tell(&counts, total, cases, &differences, ui),
    }
    Ok(Exit::Done)
}

fn as_json(count: Count) -> serde_json::Value {
    json!({"caught": count.caught, "missed": count.missed, "false": count.wrong})
}

fn tell(counts: &BTreeMap<&str, Count>, total: Count, cases: usize, differences: &[Difference], ui: &mut Ui) {
    let width = counts.keys().map(|id| id.len()).max().unwrap_or(0).max("total".len());
    ui.line(format!("{:width$}  {:>7}  {:>7}  {:>7}", "pack", "caught", "missed", "false"));
    for (id, count) in counts.iter().map(|(id, count)| (*id, *count)).chain([("total", total)]) {
        ui.line(format!("{id:width$}  {:>7}  {:>7}  {:>7}", count.caught, count.missed, count.wrong));
    }
    let commands = if cases == 1 { "command" } else { "commands" };
    ui.line(format!("\n{cases} {commands}; one that several packs caught counts once in the total"));
    for found in differences {
        let what = match found.guards.is_empty() {
            true => "missed".to_owned(),
            false => format!("false ({})", found.guards.join(", ")),
        };
        let id = found.case.id.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
        ui.line(format!("line {}{id}: {what}: {}", found.line, found.case.command.replace('\n', " ")));
    }
}

/// Reads a corpus line by line, so that its size does not matter.
fn each_case(file: &PathBuf, mut see: impl FnMut(usize, BenchCase)) -> Result<(), CliError> {
    let name = file.display();
    let failed = |error: std::io::Error| CliError::user(format!("cannot read `{name}`: {error}"));
    let mut reader = BufReader::new(File::open(file).map_err(failed)?);
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if reader.by_ref().take(LONGEST).read_until(b'\n', &mut line).map_err(failed)? == 0 {
            break;
        }
        let wrong = |problem: &str| CliError::user(format!("{name}:{number}: {problem}"));
        if line.len() as u64 == LONGEST && !line.ends_with(b"\n") {
            return Err(wrong("the line is longer than 1 MiB"));
        }
        let text = std::str::from_utf8(&line).map_err(|_| wrong("the line is not UTF-8"))?;
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            continue;
        }
        let case = BenchCase::parse(text).map_err(|error| {
            let hint = match &error {
                BenchCaseError::Expected(_) => {
                    format!("expected one of {}", BenchCase::words().collect::<Vec<_>>().join(", "))
                }
                _ => r#"write it as {"command": "rm -rf /", "expected": "block"}"#.to_owned(),
            };
            wrong(&error.to_string()).hinted(hint)
        })?;
        see(number, case);
    }
    Ok(())
}
