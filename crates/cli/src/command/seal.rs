//! What nobody may weaken unseen, and what became of attempts.

use std::str::from_utf8;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stead_hook::{SealOutcome, SealedProject, Tampering};
use stead_install::text_diff;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::require_person;
use crate::project::Project;
use crate::seal;
use crate::ui::{Ui, counted};

/// How many changes the log shows by default.
const SHOWN: usize = 20;

/// Show and decide about changes that weaken Stead
///
/// Stead seals its hook lines, config, guards, intents, the proof fields of features and the ends of its logs. After
/// every tool call it looks whether one of them became weaker. What a call changed is put back; what git checked out, or
/// somebody changed beside a call, stays, but the sealed version is in force until you accept the change.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead seal status\n  stead seal diff t-3f2a91bc\n  stead seal accept t-3f2a91bc\n  stead seal log --json"
)]
pub(crate) struct SealArgs {
    #[command(subcommand)]
    command: SealCommand,
}

#[derive(Subcommand)]
enum SealCommand {
    /// Show what is sealed and what waits for you
    #[command(after_help = "Example:\n  stead seal status")]
    Status(Form),
    /// Accept a change; only a person at a terminal may do this
    ///
    /// A change that waits becomes the sealed version. A file that was put back is replaced by the changed one.
    #[command(after_help = "Example:\n  stead seal accept t-3f2a91bc")]
    Accept(Which),
    /// List changes that weakened something, newest last
    #[command(after_help = "Example:\n  stead seal log --all")]
    Log(LogArgs),
    /// Show how a changed file differs from the sealed one
    #[command(after_help = "Example:\n  stead seal diff t-3f2a91bc")]
    Diff(Which),
}

#[derive(Args)]
struct Form {
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct LogArgs {
    /// Show all of them
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    form: Form,
}

#[derive(Args)]
struct Which {
    /// The change, as `stead seal status` and `stead seal log` name it
    #[arg(value_name = "ID")]
    id: String,
    #[command(flatten)]
    form: Form,
}

pub(crate) fn run(args: SealArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    let no_state =
        || CliError::user("there is no state folder outside the project").hinted("set HOME or XDG_STATE_HOME");
    let done = seal::with(&project, |sealed| match &args.command {
        SealCommand::Status(form) => Ok(status(sealed, form, ui)),
        SealCommand::Log(args) => Ok(log(sealed, args, ui)),
        SealCommand::Diff(which) => diff(sealed, which, ui),
        SealCommand::Accept(which) => {
            require_person("accept a change that weakens Stead", &project, ui)?;
            accept(sealed, which, ui)
        }
    });
    done.ok_or_else(no_state)?
}

fn status(sealed: &SealedProject<'_>, form: &Form, ui: &mut Ui) -> Exit {
    let (files, pending) = (sealed.files(), sealed.pending());
    if form.json {
        let files: Vec<Value> =
            files.iter().map(|file| json!({"path": file.path, "kind": file.kind, "pending": file.pending})).collect();
        ui.json(answer::SEAL, &json!({"path": sealed.dir(), "pending": answer::records(&pending), "items": files}));
        return Exit::Done;
    }
    ui.line(format!("{} sealed", counted(files.len(), "file")));
    if pending.is_empty() {
        ui.line("nothing waits for you");
    }
    for change in &pending {
        ui.line(format!("{}: {}", change.shown(), change.why));
        ui.line(format!("  `{0} seal diff {1}` shows it, `{0} seal accept {1}` accepts it", ui.program(), change.id));
    }
    Exit::Done
}

fn log(sealed: &SealedProject<'_>, args: &LogArgs, ui: &mut Ui) -> Exit {
    let all = sealed.log();
    let skipped = if args.all { 0 } else { all.len().saturating_sub(SHOWN) };
    if args.form.json {
        ui.json(answer::SEAL_LOG, &answer::records(all.get(skipped..).unwrap_or_default()));
        return Exit::Done;
    }
    if all.is_empty() {
        ui.line("nothing was weakened so far");
    }
    for change in all.iter().skip(skipped) {
        ui.line(format!("{}  {}  {}: {}", change.ts, change.id, change.shown(), change.why));
        for call in &change.calls {
            let tool = call.tool.as_deref().unwrap_or("a call");
            let session = call.session.as_deref().unwrap_or("unknown session");
            ui.line(format!("  during {tool} of {} {session}", call.harness));
        }
    }
    if skipped > 0 {
        ui.note(format!("{skipped} earlier; `{} seal log --all` shows all", ui.program()));
    }
    Exit::Done
}

fn find(sealed: &SealedProject<'_>, id: &str) -> Result<Tampering, CliError> {
    let all = sealed.log();
    let found: Vec<&Tampering> = all.iter().filter(|change| change.id.starts_with(id)).collect();
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => Err(CliError::not_found(format!("no change `{id}`")).hinted("`stead seal log` lists them")),
        _ => Err(CliError::user(format!("`{id}` names several changes")).hinted("give more of the id")),
    }
}

fn diff(sealed: &SealedProject<'_>, which: &Which, ui: &mut Ui) -> Result<Exit, CliError> {
    let change = find(sealed, &which.id)?;
    let (was, is) = sealed.texts(&change);
    let text = |bytes: Option<&[u8]>| bytes.and_then(|bytes| from_utf8(bytes).ok()).map(str::to_owned);
    let (was, is) = (text(was.as_deref()), text(is.as_deref()));
    let shown = text_diff(&change.path, was.as_deref(), is.as_deref());
    match which.form.json {
        true => ui.json(answer::SEAL_DIFF, &json!({"change": answer::record(&change), "diff": shown})),
        false if shown.is_empty() => ui.line("the texts are equal, or no longer kept"),
        false => ui.raw(shown),
    }
    Ok(Exit::Done)
}

fn accept(sealed: &SealedProject<'_>, which: &Which, ui: &mut Ui) -> Result<Exit, CliError> {
    let change = find(sealed, &which.id)?;
    if matches!(change.outcome, SealOutcome::TakenOver | SealOutcome::Accepted | SealOutcome::Lost) {
        return Err(CliError::user(format!("`{}` does not wait for anybody: {}", change.id, change.shown())));
    }
    if change.is_of_values() {
        return Err(CliError::user(format!("only what keeps Stead's hooks running was put back in `{}`", change.path))
            .hinted("change it there yourself while no agent works; it applies at once"));
    }
    if !sealed.accept(&change)? {
        return Err(CliError::user(format!("`{}` has changed again since", change.path))
            .hinted("`stead seal status` shows what waits now"));
    }
    match which.form.json {
        true => ui.json(answer::SEAL_ACCEPT, &json!({"accepted": change.id, "path": change.path})),
        false => ui.line(format!("accepted; `{}` applies as it is now", change.path)),
    }
    Ok(Exit::Done)
}
