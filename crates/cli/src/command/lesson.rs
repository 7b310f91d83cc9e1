use clap::{Args, Subcommand};
use serde_json::json;
use stead_ledger::lesson::{Added, Entry, LessonKind, NewLesson};

use crate::answer;
use crate::cli::{Exit, one_of};
use crate::error::CliError;
use crate::lessons::{learn_from_runs, lessons};
use crate::project::{Project, now};
use crate::speaker::Speaker;
use crate::ui::Ui;

/// Add, list or drop lessons that later sessions should know
///
/// Lessons are in `AGENT.md` beside the intents, which belongs to you: entries are added and removed one at a time, and
/// the rest of the file is not touched. Stead adds some by itself: a test, build or linter that failed and later passed,
/// failures that stayed when a session ended, and what `stead note decision` records.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead lesson add --kind pitfall \"the cache is not thread-safe\"\n  stead lesson list\n  stead lesson drop L-3f2a9c10"
)]
pub(crate) struct LessonArgs {
    #[command(subcommand)]
    command: LessonCommand,
}

#[derive(Subcommand)]
enum LessonCommand {
    Add(AddArgs),
    List(ListArgs),
    Drop(DropArgs),
}

/// Add a lesson; one that is there already is counted instead
#[derive(Args)]
#[command(after_help = "Example:\n  stead lesson add --kind style \"errors are lower-case\"")]
struct AddArgs {
    /// The lesson, in one or two sentences
    #[arg(required = true)]
    text: Vec<String>,
    /// What it is about
    #[arg(long, value_name = "KIND", default_value = LessonKind::Lesson.name(), value_parser = one_of(LessonKind::ALL, LessonKind::name))]
    kind: LessonKind,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// List the lessons, the most needed first
#[derive(Args)]
#[command(after_help = "Example:\n  stead lesson list --kind pitfall")]
struct ListArgs {
    /// Only this kind
    #[arg(long, value_name = "KIND", value_parser = one_of(LessonKind::ALL, LessonKind::name))]
    kind: Option<LessonKind>,
    /// Print the lessons as JSON
    #[arg(long)]
    json: bool,
}

/// Remove a lesson
#[derive(Args)]
#[command(after_help = "Example:\n  stead lesson drop L-3f2a9c10")]
struct DropArgs {
    /// Its id, or the beginning of it
    id: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: LessonArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    match args.command {
        LessonCommand::Add(args) => add(&args, &project, ui),
        LessonCommand::List(args) => list(&args, &project, ui),
        LessonCommand::Drop(args) => drop_one(&args, &project, ui),
    }
}

fn add(args: &AddArgs, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    let session = Speaker::calling(project).session;
    let new = NewLesson { kind: args.kind, text: args.text.join(" "), of: None, session };
    let Added { id, is_known, displaced, redacted } = lessons(project).add(&new, &now())?;
    if args.json {
        ui.json(
            answer::LESSON_ADD,
            &json!({"id": id, "known": is_known, "displaced": displaced, "redacted": redacted}),
        );
        return Ok(Exit::Done);
    }
    let covered = if redacted > 0 { format!(", {redacted} redacted") } else { String::new() };
    ui.line(format!("{} {id}{covered}", if is_known { "already known:" } else { "added" }));
    for id in displaced {
        ui.note(format!("removed {id}: the lessons were over `context.lesson_tokens`, and it was used least"));
    }
    Ok(Exit::Done)
}

fn list(args: &ListArgs, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    learn_from_runs(project, ui);
    let lessons = lessons(project);
    let found = lessons.by_use()?.into_iter().filter(|(entry, _)| args.kind.is_none_or(|kind| entry.kind == kind));
    if args.json {
        let found: Vec<_> = found.map(|(entry, uses)| as_json(&entry, uses)).collect();
        ui.json(answer::LESSON_LIST, &json!({"path": lessons.path(), "items": found}));
        return Ok(Exit::Done);
    }
    let found: Vec<_> = found.collect();
    if found.is_empty() {
        ui.note("no lessons yet; add one with `stead lesson add \"<text>\"`");
    }
    for (entry, _) in found {
        ui.line(format!("{}  {:<8}  {}", entry.id, entry.kind.name(), entry.text));
    }
    Ok(Exit::Done)
}

fn as_json(entry: &Entry, uses: u64) -> serde_json::Value {
    let Entry { id, kind, date, text, .. } = entry;
    json!({"id": id, "kind": kind.name(), "recorded_at": date, "text": text, "use_count": uses, "edited": !entry.is_unedited()})
}

fn drop_one(args: &DropArgs, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    let entry = lessons(project).drop_one(&args.id, &now())?;
    if args.json {
        ui.json(answer::LESSON_REMOVAL, &json!({"id": entry.id, "kind": entry.kind.name(), "text": entry.text}));
    } else {
        ui.line(format!("removed {}: {}", entry.id, entry.text));
    }
    Ok(Exit::Done)
}
