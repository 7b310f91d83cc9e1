use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use stead_evidence::{Digest, DigestOptions, Severity, digest};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::project::Project;
use crate::speaker::Speaker;
use crate::ui::Ui;

/// How much is read from disk at once.
const BLOCK: usize = 1024 * 1024;

/// Show the few lines of a log that matter, within a token budget
///
/// Shows errors, warnings and crashes with the lines around them, and the first and last lines; lines that differ only
/// in numbers are shown once with their count. The log is read once, in bounded memory, however long it is. `stead log` is
/// another command: it shows what agents called.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead logs server.log\n  stead logs build.log --tokens 400\n  stead logs app.log --grep 'user=4[0-9]+'\n  journalctl -u app | stead logs -"
)]
pub(crate) struct LogsArgs {
    /// The log, or `-` for standard input
    file: PathBuf,
    /// Approximate maximum length of the output, in tokens
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(50..=100_000))]
    tokens: u32,
    /// Only consider lines that match this regular expression
    #[arg(long, value_name = "RE")]
    grep: Option<String>,
    /// Print what was found as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: LogsArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let options = DigestOptions { grep: args.grep.as_deref() };
    let found = if args.file.as_os_str() == "-" && ui.has_stdin() {
        digest(BufReader::with_capacity(BLOCK, io::stdin().lock()), Path::new("standard input"), &options)?
    } else {
        let dir = ui.dir()?;
        let path = dir.join(&args.file);
        let project = Project::find(ui)?;
        if let Some(why) = Speaker::calling(&project).refusal_to_read(&project, &dir, &args.file) {
            return Err(CliError::refused(format!("agents may not read `{}`: {why}", args.file.display())));
        }
        digest(open(&path, &args.file)?, &args.file, &options)?
    };
    let asked = found.groups.is_empty() && args.grep.is_some();
    if args.json {
        ui.json(answer::LOGS, &as_json(&found));
    } else {
        ui.raw(found.render(args.tokens as usize));
    }
    Ok(if asked { Exit::Failed } else { Exit::Done })
}

fn open(path: &Path, named: &Path) -> Result<impl BufRead + use<>, CliError> {
    let unread = |source| CliError::user(format!("could not read `{}`", named.display())).because(source);
    if path.is_dir() {
        return Err(CliError::user(format!("`{}` is a folder", named.display())).hinted("name a file in it"));
    }
    Ok(BufReader::with_capacity(BLOCK, File::open(path).map_err(unread)?))
}

fn as_json(found: &Digest) -> serde_json::Value {
    let lines = |lines: &mut dyn Iterator<Item = &(u64, String)>| {
        lines.map(|(number, text)| json!({"line": number, "text": text})).collect::<Vec<_>>()
    };
    json!({
        "line_count": found.lines,
        "byte_count": found.bytes,
        "fatal_count": found.count(Severity::Fatal),
        "error_count": found.count(Severity::Error),
        "warning_count": found.count(Severity::Warning),
        "dropped_count": found.dropped,
        "groups": found.groups.iter().map(|group| json!({
            "severity": group.severity.name(),
            "count": group.count,
            "first": group.first,
            "last": group.last,
            "lines": lines(&mut group.lines.iter()),
        })).collect::<Vec<_>>(),
        "head": lines(&mut found.head.iter()),
        "tail": lines(&mut found.tail.iter()),
    })
}
