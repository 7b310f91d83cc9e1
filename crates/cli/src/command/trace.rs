//! `stead trace`: the ledger, listed, shown, counted, exported and checked.

mod list;

use std::collections::{BTreeMap, BTreeSet};

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stead_ledger::trace::{Dialect, Ledger, export};

use crate::answer;
use crate::chain_check::ChainCheck;
use crate::cli::{Exit, one_of};
use crate::error::CliError;
use crate::ledger::ledger;
use crate::project::Project;
use crate::ui::{Ui, counted};

use list::Filter;

/// Show, check and export the ledger: which lines agents changed, and why
///
/// Every tool call that changes files leaves one line, with its session, intent and hashes.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead trace log --intent INT-001\n  stead trace show 3f2a\n  stead trace verify\n  stead trace export --format trp1 > trace.jsonl"
)]
pub(crate) struct TraceArgs {
    #[command(subcommand)]
    command: TraceCommand,
}

#[derive(Subcommand)]
enum TraceCommand {
    Log(LogArgs),
    Show(ShowArgs),
    Stats(StatsArgs),
    Export(ExportArgs),
    Verify(VerifyArgs),
}

/// List changes, newest first
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead trace log\n  stead trace log --path src/main.rs --limit 5\n  stead trace log --json"
)]
struct LogArgs {
    #[command(flatten)]
    filter: Filter,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 30)]
    limit: usize,
    /// Print the records as JSON
    #[arg(long)]
    json: bool,
}

/// Print one change
#[derive(Args)]
#[command(after_help = "Example:\n  stead trace show 3f2a")]
struct ShowArgs {
    /// Its id, or a unique prefix of it
    id: String,
    /// Print the record as JSON
    #[arg(long)]
    json: bool,
}

/// Count changes by writer, intent, class and contributor
#[derive(Args)]
#[command(after_help = "Example:\n  stead trace stats --json")]
struct StatsArgs {
    #[command(flatten)]
    filter: Filter,
    /// Print the counts as JSON
    #[arg(long)]
    json: bool,
}

/// Print all changes as JSON lines, oldest first
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead trace export > trace.jsonl\n  stead trace export --format trp1 --intent INT-001"
)]
struct ExportArgs {
    #[command(flatten)]
    filter: Filter,
    /// `agent-trace`: Agent Trace 0.1.0; `trp1`: the older field names
    #[arg(long, value_name = "FORMAT", default_value = "agent-trace", value_parser = one_of(Dialect::ALL, Dialect::name))]
    format: Dialect,
    /// Print one JSON list instead of lines
    #[arg(long)]
    json: bool,
}

/// Check the hash chain of this machine's ledger; exits with 1 if a line was changed, added, moved or removed
#[derive(Args)]
#[command(after_help = "Examples:\n  stead trace verify\n  stead trace verify --json")]
struct VerifyArgs {
    #[command(flatten)]
    check: ChainCheck,
}

pub(crate) fn run(args: TraceArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    let ledger = ledger(&project);
    match args.command {
        TraceCommand::Log(args) => log(&args, &ledger, ui)?,
        TraceCommand::Show(args) => show(&args, &ledger, ui)?,
        TraceCommand::Stats(args) => stats(&args, &ledger, ui)?,
        TraceCommand::Export(args) => write_out(&args, &ledger, ui)?,
        TraceCommand::Verify(args) => return args.check.run("ledger", ledger.chain(), &project, ui),
    }
    Ok(Exit::Done)
}

fn log(args: &LogArgs, ledger: &Ledger, ui: &mut Ui) -> Result<(), CliError> {
    let mut found = Vec::new();
    for source in ledger.sources() {
        let mut left = args.limit;
        list::each_newest(&source, &args.filter, "", |entry| {
            found.push(entry);
            left = left.saturating_sub(1);
            left > 0
        })?;
    }
    found.sort_by(|a, b| b.record.timestamp.cmp(&a.record.timestamp));
    found.truncate(args.limit);
    if args.json {
        ui.json(answer::TRACE_LIST, &found.iter().map(list::as_json).collect::<Vec<Value>>().into());
        return Ok(());
    }
    for line in &found {
        ui.line(list::summary(line));
    }
    if found.is_empty() {
        ui.note("no change is recorded");
    }
    Ok(())
}

fn show(args: &ShowArgs, ledger: &Ledger, ui: &mut Ui) -> Result<(), CliError> {
    let mut found: Vec<list::Entry> = Vec::new();
    for source in ledger.sources() {
        list::each_newest(&source, &Filter::default(), &args.id, |entry| {
            if found.iter().all(|known| known.record.id != entry.record.id) {
                found.push(entry);
            }
            found.len() < 2
        })?;
    }
    let [line] = found.as_slice() else {
        let why = if found.is_empty() { "no change has" } else { "several changes have" };
        return Err(CliError::user(format!("{why} an id that starts with `{}`", args.id))
            .hinted("`stead trace log` lists the ids"));
    };
    if args.json {
        ui.json(answer::TRACE, &list::as_json(line));
        return Ok(());
    }
    list::details(line).iter().for_each(|text| ui.line(text));
    Ok(())
}

fn stats(args: &StatsArgs, ledger: &Ledger, ui: &mut Ui) -> Result<(), CliError> {
    type Name = fn(&list::Entry) -> String;
    let names: [(&str, Name); 5] = [
        ("writer", |line| line.peer.clone().unwrap_or_else(|| "this machine".to_owned())),
        ("intent", |line| line.record.intent().unwrap_or("none").to_owned()),
        ("class", |line| line.record.class().name().to_owned()),
        ("contributor", |line| line.record.contributor().name().to_owned()),
        ("harness", |line| {
            line.record.stead().and_then(|note| note.harness.clone()).unwrap_or_else(|| "none".to_owned())
        }),
    ];
    let (mut changes, mut lines, mut files) = (0, 0, BTreeSet::new());
    let mut counts = names.map(|_| BTreeMap::new());
    for source in ledger.sources() {
        list::each_newest(&source, &args.filter, "", |entry| {
            changes += 1;
            lines = u64::saturating_add(lines, list::changed_lines(&entry.record));
            files.extend(entry.record.paths().map(str::to_owned));
            for ((_, of), counts) in names.iter().zip(&mut counts) {
                *counts.entry(of(&entry)).or_insert(0_usize) += 1;
            }
            true
        })?;
    }
    if args.json {
        let mut out = json!({"change_count": changes, "file_count": files.len(), "line_count": lines});
        names.iter().zip(&counts).for_each(|((name, _), counts)| out[*name] = json!(counts));
        ui.json(answer::TRACE_STATS, &out);
        return Ok(());
    }
    let (changes, files) = (counted(changes, "change"), counted(files.len(), "file"));
    ui.line(format!("{changes} of {files}, {lines} changed lines"));
    for ((name, _), counts) in names.iter().zip(&counts) {
        ui.line(format!("{name}: {}", list::joined(counts)));
    }
    Ok(())
}

fn write_out(args: &ExportArgs, ledger: &Ledger, ui: &mut Ui) -> Result<(), CliError> {
    let mut all = Vec::new();
    for source in ledger.sources() {
        list::each_oldest(&source, &args.filter, |record| {
            // What another tool wrote with names of its own gets a valid id.
            let valid = export(&record, args.format);
            if args.json {
                all.push(valid);
            } else {
                ui.raw(format!("{valid}\n"));
            }
        })?;
    }
    if args.json {
        ui.json(answer::TRACE_EXPORT, &all.into());
    }
    Ok(())
}
