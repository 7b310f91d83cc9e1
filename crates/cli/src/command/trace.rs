//! `stead trace`: the ledger, listed, shown, counted, exported and checked.

mod list;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stead_ledger::trace::{Dialect, Ledger, Record, export};

use crate::cli::{Exit, one_of};
use crate::error::CliError;
use crate::ledger::ledger;
use crate::person::require_person;
use crate::project::Project;
use crate::ui::{Ui, counted};

use list::{Filter, matching};

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
    /// Take the present state as the right one, for a person who knows why it differs
    #[arg(long)]
    accept: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
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
        TraceCommand::Verify(args) => return verify(&args, &ledger, &project, ui),
    }
    Ok(Exit::Done)
}

fn log(args: &LogArgs, ledger: &Ledger, ui: &mut Ui) -> Result<(), CliError> {
    let mut found = matching(ledger, &args.filter)?;
    found.sort_by(|a, b| b.record.timestamp.cmp(&a.record.timestamp));
    found.truncate(args.limit);
    if args.json {
        ui.json(&found.iter().map(list::as_json).collect::<Vec<Value>>().into());
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
    let mut found = matching(ledger, &Filter::default())?;
    found.retain(|line| line.record.id.starts_with(&args.id));
    found.dedup_by(|a, b| a.record.id == b.record.id);
    let [line] = found.as_slice() else {
        let why = if found.is_empty() { "no change has" } else { "several changes have" };
        return Err(CliError::user(format!("{why} an id that starts with `{}`", args.id))
            .hinted("`stead trace log` lists the ids"));
    };
    if args.json {
        ui.json(&list::as_json(line));
        return Ok(());
    }
    list::details(line).iter().for_each(|text| ui.line(text));
    Ok(())
}

fn stats(args: &StatsArgs, ledger: &Ledger, ui: &mut Ui) -> Result<(), CliError> {
    let found = matching(ledger, &args.filter)?;
    type Count = fn(&list::Entry) -> String;
    let names: [(&str, Count); 5] = [
        ("writer", |line| line.peer.clone().unwrap_or_else(|| "this machine".to_owned())),
        ("intent", |line| line.record.intent().unwrap_or("none").to_owned()),
        ("class", |line| line.record.class().name().to_owned()),
        ("contributor", |line| line.record.contributor().name().to_owned()),
        ("harness", |line| {
            line.record.stead().and_then(|note| note.harness.clone()).unwrap_or_else(|| "none".to_owned())
        }),
    ];
    let lines: u64 = found.iter().map(|line| list::changed_lines(&line.record)).sum();
    let files: std::collections::BTreeSet<&str> = found.iter().flat_map(|line| line.record.paths()).collect();
    let mut out = json!({"changes": found.len(), "files": files.len(), "lines": lines});
    if !args.json {
        let (changes, files) = (counted(found.len(), "change"), counted(files.len(), "file"));
        ui.line(format!("{changes} of {files}, {lines} changed lines"));
    }
    for (name, of) in names {
        let mut counts = std::collections::BTreeMap::new();
        found.iter().for_each(|line| *counts.entry(of(line)).or_insert(0_usize) += 1);
        if !args.json {
            ui.line(format!("{name}: {}", list::joined(&counts)));
        }
        out[name] = json!(counts);
    }
    if args.json {
        ui.json(&out);
    }
    Ok(())
}

fn write_out(args: &ExportArgs, ledger: &Ledger, ui: &mut Ui) -> Result<(), CliError> {
    let found = matching(ledger, &args.filter)?;
    // What another tool wrote with names of its own gets a valid id.
    let valid = |record: &Record| export(record, args.format);
    if args.json {
        ui.json(&found.iter().map(|line| valid(&line.record)).collect::<Vec<Value>>().into());
        return Ok(());
    }
    for line in &found {
        ui.raw(format!("{}\n", valid(&line.record)));
    }
    Ok(())
}

fn verify(args: &VerifyArgs, ledger: &Ledger, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    if args.accept {
        require_person("accept a changed ledger", project, ui)?;
        ledger.chain().accept()?;
    }
    let found = ledger.verify()?;
    let is_good = found.flaws.is_empty();
    if args.json {
        let flaw = |flaw: &stead_store::Flaw| json!({"line": flaw.line, "kind": flaw.kind.name(), "count": flaw.count});
        ui.json(&json!({
            "ok": is_good,
            "path": ledger.path(),
            "lines": found.lines,
            "flaws": found.flaws.iter().map(flaw).collect::<Vec<_>>(),
            "torn": found.torn,
        }));
    } else {
        found.flaws.iter().for_each(|flaw| ui.line(flaw.to_string()));
        found.torn.iter().for_each(|line| ui.note(format!("note: line {line} was not finished by its writer")));
        if is_good {
            ui.line(format!("{} verified", counted(found.lines, "line")));
        }
    }
    Ok(if is_good { Exit::Done } else { Exit::Failed })
}
