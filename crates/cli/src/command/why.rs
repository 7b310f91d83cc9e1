use clap::Args;
use serde_json::{Value, json};
use stead_ledger::why::{Answer, Class, How, Inquiry};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::git::Git;
use crate::line_source::LineSource;
use crate::project::Project;
use crate::ui::Ui;

/// Explain a line: which intent and session wrote it, when, and in which commit
///
/// The line is found by its content and the syntax around it, wherever it moved since. Without evidence the answer is
/// `unknown`.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead why src/main.rs:42\n  stead why src/main.rs:42 --json")]
pub(crate) struct WhyArgs {
    /// A file and the number of a line in it
    #[arg(value_name = "FILE:LINE")]
    place: String,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: WhyArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let (file, number) = split(&args.place)?;
    let project = Project::find(ui)?;
    project.require_marker()?;
    let source = LineSource::open(&project, &ui.dir()?, file)?;
    let count = source.text.lines().count();
    if number > count {
        let message = format!("`{}` has no line {number}", source.path);
        let hint = if count == 0 { "it is empty".to_owned() } else { format!("its last line is {count}") };
        return Err(CliError::user(message).hinted(hint));
    }
    let git = Git { root: &source.root };
    let origins = git.blame(&source.path, Some(number)).unwrap_or_default();
    let commit = origins.get(&(number - 1)).and_then(|origin| origin.commit.clone());
    let books = source.books(&project)?;
    let inquiry = Inquiry::new(&books, &git, &source.root, &source.path, &source.text, origins);
    let answer = inquiry.answer(number - 1);
    if args.json {
        let mut said = to_json(&answer, commit.as_deref());
        said["schema"] = 1.into();
        said["path"] = source.path.as_str().into();
        said["line"] = number.into();
        ui.json(answer::WHY, &said);
        return Ok(Exit::Done);
    }
    ui.line(format!("{}:{number}  {}", source.path, answer.class.name()));
    tell(&answer, commit.as_deref(), ui);
    Ok(Exit::Done)
}

fn split(place: &str) -> Result<(&str, usize), CliError> {
    let numbered = |text: &'_ str| -> Option<(usize, usize)> {
        let at = text.rfind(':').filter(|at| *at > 0)?;
        Some((at, text.get(at + 1..)?.parse().ok()?))
    };
    let found = numbered(place).map(|(at, number)| {
        // Editors write FILE:LINE:COLUMN.
        let (file, _) = place.split_at(at);
        numbered(file).map_or((file, number), |(at, line)| (file.split_at(at).0, line))
    });
    match found {
        Some((file, number)) if number > 0 => Ok((file, number)),
        Some(_) => Err(CliError::usage("lines are counted from 1").hinted("write `FILE:LINE`, as in `src/main.rs:42`")),
        None => {
            let message = format!("`{place}` does not name a line");
            Err(CliError::usage(message).hinted("write `FILE:LINE`, as in `src/main.rs:42`"))
        }
    }
}

/// The fields of an answer; those that are not known are null.
pub(crate) fn to_json(answer: &Answer, commit: Option<&str>) -> Value {
    let record = answer.held.as_ref().map(|held| &held.record);
    let note = record.and_then(|record| record.stead());
    json!({
        "class": answer.class.name(),
        "intent": record.and_then(|record| record.intent()),
        "session": record.and_then(|record| record.session()),
        "recorded_at": record.map(|record| &record.timestamp),
        "mutation_class": record.map(|record| record.class().name()),
        "commit": commit,
        "harness": note.and_then(|note| note.harness.as_deref()),
        "agent": note.and_then(|note| note.agent.as_deref()),
        "record": record.map(|record| &record.id),
        "writer": answer.held.as_ref().and_then(|held| held.peer.as_deref()),
        "how": answer.how.name(),
    })
}

fn tell(answer: &Answer, commit: Option<&str>, ui: &mut Ui) {
    if let Some(held) = &answer.held {
        let record = &held.record;
        let note = record.stead();
        let by = note.and_then(|note| note.harness.as_deref()).map(|name| format!(" ({name})")).unwrap_or_default();
        let agent =
            note.and_then(|note| note.agent.as_deref()).map(|id| format!(", sub-agent {id}")).unwrap_or_default();
        let session = record.session().map(|session| format!("{session}{by}{agent}"));
        let rows = [
            ("intent", record.intent().map(str::to_owned)),
            ("session", session),
            ("time", Some(record.timestamp.clone())),
            ("change", Some(record.class().name().to_owned())),
            ("record", Some(record.id.clone())),
            ("writer", held.peer.clone()),
        ];
        for (name, value) in rows {
            if let Some(value) = value {
                ui.line(format!("  {name:<8} {value}"));
            }
        }
    }
    ui.line(format!("  commit   {}", commit.unwrap_or("none yet")));
    let because = match (answer.class, answer.how) {
        (Class::Unknown, _) => "the ledger has no unambiguous evidence for this line",
        (_, How::File) => "the file is as this call left it",
        (_, How::Line) => "this call added the text of the line",
        (_, How::Moved) => "this call added the text of the line; it moved here and is nowhere else",
        (_, How::Range) => "this call wrote it together with the lines around it",
        (_, How::Node) => "this call wrote the syntax around it; only layout or local names changed",
        (_, How::Nothing) => "there is no evidence",
    };
    ui.line(format!("  because  {because}"));
}
