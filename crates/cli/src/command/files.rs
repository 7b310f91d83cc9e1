use clap::{Args, Subcommand};
use serde_json::json;
use stead_context::{
    Choice, ContextError, Repository, Scope, Shelf, compact_relevant_files, content_hash, record_choice, relevant_files,
};
use stead_model::nearest;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::git::Git;
use crate::project::{Project, now, now_millis, project_path};
use crate::speaker::Speaker;
use crate::ui::Ui;

/// How many files are shown.
const SHOWN: usize = 200;

/// Show and choose the files that matter for the work
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  stead files\n  stead files confirm src/parser.rs\n  stead files drop notes.txt --packet latest"
)]
pub(crate) struct FilesArgs {
    #[command(subcommand)]
    command: Option<FilesCommand>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Subcommand)]
enum FilesCommand {
    List(ListArgs),
    /// Mark files as relevant; with `--packet`, in that packet too
    #[command(after_help = "Example:\n  stead files confirm src/parser.rs --packet latest")]
    Confirm(ChooseArgs),
    /// Mark files as not relevant; with `--packet`, in that packet
    #[command(after_help = "Example:\n  stead files drop notes.txt")]
    Drop(ChooseArgs),
    Compact(CompactArgs),
}

/// List the files that a session touched or people named, the most relevant first
#[derive(Args)]
#[command(after_help = "Example:\n  stead files list --json")]
struct ListArgs {
    /// The session; by default the calling one or the last one seen
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// All sessions of the last day
    #[arg(long, conflicts_with = "session")]
    all: bool,
    /// Print the files as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct ChooseArgs {
    /// The files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Change the lists of this packet
    #[arg(long, value_name = "ID")]
    packet: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Shorten the log: one line per file and session
#[derive(Args)]
#[command(after_help = "Example:\n  stead files compact")]
struct CompactArgs {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: FilesArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    match args.command.unwrap_or(FilesCommand::List(args.list)) {
        FilesCommand::List(args) => list(&args, &project, ui)?,
        FilesCommand::Confirm(args) => choose(&args, Choice::Confirm, &project, ui)?,
        FilesCommand::Drop(args) => choose(&args, Choice::Drop, &project, ui)?,
        FilesCommand::Compact(args) => {
            project.require_marker()?;
            let done = compact_relevant_files(&log(&project))?;
            match args.json {
                true => {
                    ui.json(answer::FILE_COMPACTION, &json!({"bytes_before": done.before, "bytes_after": done.after}))
                }
                false => ui.line(format!("{} bytes before, {} after", done.before, done.after)),
            }
        }
    }
    Ok(Exit::Done)
}

fn log(project: &Project) -> std::path::PathBuf {
    project.indexes().join("relevant-files.jsonl")
}

fn list(args: &ListArgs, project: &Project, ui: &mut Ui) -> Result<(), CliError> {
    let speaker = if args.all { Speaker::default() } else { Speaker::meant(project, args.session.as_deref()) };
    let mut files = relevant_files(&log(project), &Scope { session: speaker.session.as_deref(), now: now_millis() })?;
    files.truncate(SHOWN);
    let paths: Vec<String> = files.iter().filter(|file| !file.confirmed).map(|file| file.path.clone()).collect();
    let ignored = if paths.is_empty() { Vec::new() } else { Git { root: project.root() }.ignored(&paths) };
    files.retain(|file| file.confirmed || !ignored.contains(&file.path));
    let gone = |path: &str| !project.root().join(path).is_file();
    if args.json {
        let shown = files.iter().map(|file| {
            json!({
                "path": file.path,
                "confirmed": file.confirmed,
                "gone": gone(&file.path),
                "score": (file.score * 1000.0).round() / 1000.0,
                "touch_count": file.touches,
                "action": file.action,
                "last_used_at": file.last,
            })
        });
        ui.json(answer::FILE_LIST, &json!({"session": speaker.session, "items": shown.collect::<Vec<_>>()}));
        return Ok(());
    }
    if files.is_empty() {
        ui.note("no relevant files yet; `stead files confirm PATH` names one");
    }
    for file in &files {
        let list = if file.confirmed { "confirmed" } else { "suggested" };
        let gone = if gone(&file.path) { " (gone)" } else { "" };
        ui.line(format!("{list}  {:<8}  {}{gone}", file.action, file.path));
    }
    Ok(())
}

fn choose(args: &ChooseArgs, choice: Choice, project: &Project, ui: &mut Ui) -> Result<(), CliError> {
    project.require_marker()?;
    let dir = ui.dir()?;
    let shelf = Shelf::new(&project.context());
    let packet = args.packet.as_deref().map(|id| shelf.find(id)).transpose()?;
    let paths = args.paths.iter().map(|path| project_path(project, &dir, path)).collect::<Result<Vec<_>, _>>()?;
    for path in &paths {
        check(path, choice, packet.as_deref(), &shelf, project)?;
    }
    let now = now();
    if let Some(id) = &packet {
        shelf.edit(id, |packet| {
            for path in &paths {
                match choice {
                    Choice::Confirm => packet.confirm(path, content_hash(&project.root().join(path)).as_deref(), &now),
                    Choice::Drop => {
                        packet.drop_file(path, &now);
                    }
                }
            }
            Ok(())
        })?;
    }
    let speaker = Speaker::calling(project);
    for path in &paths {
        record_choice(&log(project), path, choice, packet.as_deref(), speaker.session.as_deref(), &now)?;
    }
    if args.json {
        ui.json(answer::FILE_CHANGE, &json!({"paths": paths, "choice": choice.name(), "packet": packet}));
        return Ok(());
    }
    let place = packet.map(|id| format!(" in {id}")).unwrap_or_default();
    let did = if choice == Choice::Confirm { "confirmed" } else { "dropped" };
    paths.iter().for_each(|path| ui.line(format!("{did} {path}{place}")));
    Ok(())
}

/// A confirmed file must exist; a dropped one must be on the list it is dropped from.
fn check(path: &str, choice: Choice, packet: Option<&str>, shelf: &Shelf, project: &Project) -> Result<(), CliError> {
    let known = || {
        let files = relevant_files(&log(project), &Scope { session: None, now: now_millis() }).unwrap_or_default();
        let mine = Speaker::meant(project, None).session;
        let more = relevant_files(&log(project), &Scope { session: mine.as_deref(), now: now_millis() });
        files.into_iter().chain(more.unwrap_or_default()).map(|file| file.path).collect::<Vec<_>>()
    };
    let near = |known: &[String]| nearest(path, known.iter().map(String::as_str)).map(str::to_owned);
    let path = path.to_owned();
    match (choice, packet) {
        (Choice::Confirm, _) if project.root().join(&path).is_file() => Ok(()),
        (Choice::Drop, Some(id)) => {
            let packet = shelf.read(id)?;
            let listed: Vec<String> = packet.confirmed().into_iter().chain(packet.suggested()).collect();
            if listed.contains(&path) {
                return Ok(());
            }
            Err(ContextError::NotInPacket { nearest: near(&listed), path, id: id.to_owned() }.into())
        }
        (Choice::Confirm, _) | (Choice::Drop, None) => {
            let known = known();
            if choice == Choice::Drop && known.contains(&path) {
                return Ok(());
            }
            Err(ContextError::UnknownFile { nearest: near(&known), path }.into())
        }
    }
}
