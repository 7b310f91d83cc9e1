use clap::{Args, Subcommand};
use serde_json::json;
use stead_context::{Note, NoteKind, Scope, notes};
use stead_ledger::lesson::{LessonKind, NewLesson};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::lessons::lessons;
use crate::project::{Project, now, now_millis};
use crate::speaker::Speaker;
use crate::ui::Ui;

/// Record a note for the next session; packets repeat it
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead note decision \"keep the old API\"\n  stead note failed \"caching the parser made it slower\"\n  stead note list --json"
)]
pub(crate) struct NoteArgs {
    #[command(subcommand)]
    command: NoteCommand,
}

#[derive(Subcommand)]
enum NoteCommand {
    /// Record a decision
    #[command(after_help = "Example:\n  stead note decision \"keep the old API\"")]
    Decision(TextArgs),
    /// Record an open question
    #[command(after_help = "Example:\n  stead note question \"may old clients be dropped?\"")]
    Question(TextArgs),
    /// Record an approach that failed
    #[command(after_help = "Example:\n  stead note failed \"caching the parser made it slower\"")]
    Failed(TextArgs),
    List(ListArgs),
}

#[derive(Args)]
struct TextArgs {
    /// The note
    #[arg(required = true)]
    text: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// List the notes of a session, and those without a session from the last day
#[derive(Args)]
#[command(after_help = "Example:\n  stead note list --session 7c0e")]
struct ListArgs {
    /// The session; by default the calling one or the last one seen
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print the notes as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: NoteArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    match args.command {
        NoteCommand::Decision(text) => add(NoteKind::Decision, &text, &project, ui),
        NoteCommand::Question(text) => add(NoteKind::Question, &text, &project, ui),
        NoteCommand::Failed(text) => add(NoteKind::Failed, &text, &project, ui),
        NoteCommand::List(args) => list(&args, &project, ui),
    }
}

fn add(kind: NoteKind, args: &TextArgs, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    project.require_marker()?;
    let Speaker { harness, session, .. } = Speaker::calling(project);
    let note = Note { v: 1, ts: now(), kind, text: args.text.join(" "), harness, session };
    let (session, text) = (note.session.clone(), note.text.clone());
    let redacted = note.record(&project.indexes().join(Note::FILE))?;
    let mut lesson = None;
    if kind == NoteKind::Decision && project.config.bool("record.lessons") {
        let new = NewLesson { kind: LessonKind::Decision, text, of: None, session: session.clone() };
        match lessons(project).add(&new, &now()) {
            Ok(added) => lesson = Some(added.id),
            Err(error) => ui.warning(format!("the decision was not added to the lessons: {error}")),
        }
    }
    if args.json {
        ui.json(
            answer::NOTE,
            &json!({"kind": kind.name(), "session": session, "redacted": redacted, "lesson": lesson}),
        );
        return Ok(Exit::Done);
    }
    let whose = session.map(|session| format!(" of session `{session}`")).unwrap_or_default();
    let covered = if redacted > 0 { format!(", {redacted} redacted") } else { String::new() };
    ui.line(format!("recorded a {}{whose}{covered}", label(kind)));
    Ok(Exit::Done)
}

fn list(args: &ListArgs, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
    let speaker = Speaker::meant(project, args.session.as_deref());
    let scope = Scope { session: speaker.session.as_deref(), now: now_millis() };
    let found = notes(&project.indexes().join(Note::FILE), &scope)?;
    if args.json {
        ui.json(answer::NOTE_LIST, &json!({"session": speaker.session, "items": answer::records(&found)}));
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        ui.note("no notes yet; record one with `stead note decision|question|failed \"<text>\"`");
    }
    for note in found {
        ui.line(format!("{:<8}  {}", note.kind.name(), note.text.replace('\n', " ")));
    }
    Ok(Exit::Done)
}

fn label(kind: NoteKind) -> &'static str {
    match kind {
        NoteKind::Decision => "decision",
        NoteKind::Question => "question",
        NoteKind::Failed => "failure",
    }
}
