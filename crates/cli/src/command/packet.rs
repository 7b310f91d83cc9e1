use std::process::Command;

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use stead_context::{
    ContextError, Heading, Listing, Packet, PacketFinding, PacketKind, Shelf, Status, chain, fix_packet, lint_packet,
};
use stead_hook::SessionState;
use stead_model::{FileId, Severity};
use stead_store::{Durability, Edited, Exact, StoreError, amend, read_capped, secrets_in};

use crate::answer;
use crate::cli::{Exit, one_of};
use crate::error::CliError;
use crate::git::Git;
use crate::project::{Project, env, now};
use crate::trusting::{as_data, trusted};
use crate::ui::Ui;

/// Manage packets: what one session left for the next
#[derive(Args)]
#[command(after_help = "Examples:\n  stead packet list\n  stead packet activate latest\n  stead packet lint")]
pub(crate) struct PacketArgs {
    #[command(subcommand)]
    command: PacketCommand,
}

#[derive(Subcommand)]
enum PacketCommand {
    List(ListArgs),
    Open(OpenArgs),
    Show(ShowArgs),
    /// Set a packet's status to active
    #[command(after_help = "Example:\n  stead packet activate latest")]
    Activate(MoveArgs),
    /// Set a packet's status to done
    #[command(after_help = "Example:\n  stead packet done latest")]
    Done(MoveArgs),
    /// Set a packet's status to blocked
    #[command(after_help = "Example:\n  stead packet block latest")]
    Block(MoveArgs),
    Share(ShareArgs),
    Lint(LintArgs),
}

/// List packets, the most recently changed first
#[derive(Args)]
#[command(after_help = "Example:\n  stead packet list --status active")]
struct ListArgs {
    /// Only packets with this status
    #[arg(long, value_parser = one_of(Status::ALL, Status::name))]
    status: Option<Status>,
    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

/// Print the path of a packet's file, or open it
#[derive(Args)]
#[command(after_help = "Examples:\n  stead packet open latest\n  stead packet open latest --edit")]
struct OpenArgs {
    /// The packet: `latest`, its id, or a unique part of it
    id: String,
    /// Open it in `$VISUAL` or `$EDITOR`
    #[arg(long, conflicts_with = "json")]
    edit: bool,
    /// Print the path as JSON
    #[arg(long)]
    json: bool,
}

/// Print a whole packet
#[derive(Args)]
#[command(after_help = "Example:\n  stead packet show latest --json")]
struct ShowArgs {
    /// The packet: `latest`, its id, or a unique part of it
    id: String,
    /// Print front matter and sections as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct MoveArgs {
    /// The packet: `latest`, its id, or a unique part of it
    id: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Let git track a packet, which is private to this checkout otherwise
///
/// Stages the file although it is ignored; your next commit shares it. A packet with a secret is refused.
#[derive(Args)]
#[command(after_help = "Example:\n  stead packet share latest && git commit -m 'Hand over the login'")]
struct ShareArgs {
    /// The packet: `latest`, its id, or a unique part of it
    id: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Check packets; exits with 1 if one has errors
#[derive(Args)]
#[command(after_help = "Examples:\n  stead packet lint latest\n  stead packet lint --fix")]
struct LintArgs {
    /// The packets; all by default
    ids: Vec<String>,
    /// Repair what is certain: the notation of lists and dates, the id, lists that differ from their section, missing
    /// sections
    #[arg(long)]
    fix: bool,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: PacketArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let shelf = Shelf::new(&project.context());
    match args.command {
        PacketCommand::List(args) => list(&args, &shelf, ui),
        PacketCommand::Open(args) => return open(&args, &shelf, ui),
        PacketCommand::Show(args) => show(&args, &shelf, &project, ui)?,
        PacketCommand::Activate(args) => set(&args, Status::Active, &shelf, ui)?,
        PacketCommand::Done(args) => set(&args, Status::Done, &shelf, ui)?,
        PacketCommand::Block(args) => set(&args, Status::Blocked, &shelf, ui)?,
        PacketCommand::Share(args) => share(&args, &project, &shelf, ui)?,
        PacketCommand::Lint(args) => return lint(&args, &shelf, ui),
    }
    Ok(Exit::Done)
}

fn list(args: &ListArgs, shelf: &Shelf, ui: &mut Ui) {
    let mut all = shelf.list();
    all.retain(|listing| args.status.is_none() || listing.head.as_ref().is_ok_and(|head| head.status() == args.status));
    if args.json {
        ui.json(answer::PACKET_LIST, &Value::Array(all.iter().map(listing_as_json).collect()));
        return;
    }
    if all.is_empty() {
        match args.status {
            Some(status) => ui.note(format!("no packet is {status}")),
            None => ui.note("no packets yet; write one with `stead handoff \"<purpose>\"`"),
        }
    }
    let width = all.iter().map(|listing| listing.id.chars().count()).max().unwrap_or(0);
    for Listing { id, head, .. } in &all {
        match head {
            Ok(head) => {
                let (status, updated) = (head.get("status").unwrap_or("?"), head.get("updated_at").unwrap_or("?"));
                let kind = match head.kind() {
                    PacketKind::Handoff => "",
                    PacketKind::Snapshot => " (snapshot)",
                };
                ui.line(format!("{id:width$}  {status:<8}  {updated}  {}{kind}", head.purpose()));
            }
            Err(error) => ui.line(format!("{id:width$}  unreadable  {error}")),
        }
    }
}

fn listing_as_json(listing: &Listing) -> Value {
    let path = listing.path.to_string_lossy();
    match &listing.head {
        Ok(head) => json!({
            "id": listing.id,
            "path": path,
            "status": head.get("status"),
            "kind": head.kind().name(),
            "purpose": head.purpose(),
            "created_at": head.get("created_at"),
            "updated_at": head.get("updated_at"),
            "source": head.get("source"),
            "continues": head.continues(),
        }),
        Err(error) => json!({"id": listing.id, "path": path, "status": null, "problem": error.to_string()}),
    }
}

fn open(args: &OpenArgs, shelf: &Shelf, ui: &mut Ui) -> Result<Exit, CliError> {
    let path = shelf.path(&shelf.find(&args.id)?);
    if args.json {
        ui.json(answer::PACKET_PATH, &json!({"path": path.to_string_lossy()}));
    } else if args.edit {
        let editor = env("VISUAL").or_else(|| env("EDITOR")).filter(|editor| !editor.is_empty());
        let Some(editor) = editor else {
            return Err(CliError::user("no editor is set").hinted("set `VISUAL` or `EDITOR`"));
        };
        // The variable may contain options, so a shell parses it.
        let status = Command::new("sh").args(["-c", "exec $0 \"$1\""]).arg(&editor).arg(&path).status();
        let status = status.map_err(|source| {
            CliError::user(format!("could not start `{}`", editor.to_string_lossy())).because(source)
        })?;
        return Ok(if status.success() { Exit::Done } else { Exit::Failed });
    } else {
        ui.line(path.to_string_lossy());
    }
    Ok(Exit::Done)
}

fn show(args: &ShowArgs, shelf: &Shelf, project: &Project, ui: &mut Ui) -> Result<(), CliError> {
    let id = shelf.find(&args.id)?;
    let packet = shelf.read(&id)?;
    let is_trusted = trusted(project).trusts_packet_file(&shelf.path(&id));
    if args.json {
        let mut told = packet_as_json(&id, &packet);
        told["trusted"] = is_trusted.into();
        told["transcript_path"] = transcript(project, &packet).into();
        ui.json(answer::PACKET, &told);
    } else if is_trusted {
        ui.raw(packet.as_str());
    } else {
        ui.raw(as_data("packet", packet.as_str()));
    }
    Ok(())
}

/// The transcript of the session that wrote a packet, if it ran on this machine: a packet names no path of it.
fn transcript(project: &Project, packet: &Packet) -> Option<String> {
    let session = FileId::check(packet.document().get("session_id")?).ok()?;
    SessionState::read(&project.indexes(), &session).ok()??.transcript
}

fn packet_as_json(id: &str, packet: &Packet) -> Value {
    let document = packet.document();
    // JSON values of the front matter are kept as such, anything else as a string.
    let value = |key: &str| {
        let text = document.get(key).unwrap_or_default();
        let structured = text.starts_with(['[', '{']) || text == "null";
        structured.then(|| serde_json::from_str(text).ok()).flatten().unwrap_or_else(|| Value::String(text.to_owned()))
    };
    let head: serde_json::Map<_, _> = document.keys().map(|key| (key.to_owned(), value(key))).collect();
    let mut sections: serde_json::Map<_, _> = Heading::ALL
        .into_iter()
        .filter_map(|heading| Some((heading.name().to_owned(), packet.section(heading)?.into())))
        .collect();
    sections.extend(packet.other_sections().into_iter().map(|(title, text)| (title.to_owned(), text.into())));
    json!({"id": id, "head": head, "sections": sections})
}

fn set(args: &MoveArgs, status: Status, shelf: &Shelf, ui: &mut Ui) -> Result<(), CliError> {
    let id = shelf.find(&args.id)?;
    let edited = shelf.edit(&id, |packet| {
        if packet.status() != Some(status) {
            packet.set_status(status, &now());
        }
        Ok(())
    })?;
    let changed = edited == Edited::Changed;
    if args.json {
        ui.json(answer::PACKET_STATUS, &json!({"id": id, "status": status.name(), "changed": changed}));
    } else {
        let already = if changed { "" } else { " already" };
        ui.line(format!("{id} is {status}{already}"));
    }
    Ok(())
}

fn share(args: &ShareArgs, project: &Project, shelf: &Shelf, ui: &mut Ui) -> Result<(), CliError> {
    let id = shelf.find(&args.id)?;
    let path = shelf.path(&id);
    let text = String::from_utf8_lossy(&read_capped(&path, Packet::LIMIT)?.unwrap_or_default()).into_owned();
    if let [line, ..] = secrets_in(&text).as_slice() {
        return Err(CliError::user(format!("`{id}` has a secret in line {line}; it was not shared"))
            .hinted(format!("remove it, then run `stead packet share {id}` again")));
    }
    Git { root: project.root() }.stage(&path).map_err(|why| {
        CliError::user(format!("git could not stage `{id}`: {why}"))
            .hinted("packets are shared by git; commit the file yourself if you use another system")
    })?;
    let shown = project.short(&path);
    if args.json {
        ui.json(answer::PACKET_SHARE, &json!({"id": id, "path": shown, "staged": true}));
    } else {
        ui.line(format!("staged {}; commit it to share it", shown.display()));
    }
    Ok(())
}

fn lint(args: &LintArgs, shelf: &Shelf, ui: &mut Ui) -> Result<Exit, CliError> {
    let ids = match args.ids.as_slice() {
        [] => shelf.ids(),
        named => named.iter().map(|id| shelf.find(id)).collect::<Result<_, _>>()?,
    };
    let mut told = Vec::new();
    let mut worst = None;
    for id in ids {
        let path = shelf.path(&id);
        for done in if args.fix { repair(shelf, &id)? } else { Vec::new() } {
            if args.json {
                told.push(json!({"id": id, "line": null, "severity": "fixed", "message": done}));
            } else {
                ui.line(format!("{}: fixed: {done}", path.display()));
            }
        }
        for finding in judge(shelf, &id)? {
            let PacketFinding { severity, line, message } = &finding;
            worst = worst.max(Some(*severity));
            if args.json {
                told.push(json!({"id": id, "line": line, "severity": severity.name(), "message": message}));
            } else {
                ui.line(format!("{}:{line}: {}: {message}", path.display(), severity.name()));
            }
        }
    }
    if args.json {
        ui.json(answer::PACKET_LINT, &Value::Array(told));
    } else if worst.is_none() {
        ui.line("no findings");
    }
    Ok(if worst == Some(Severity::Error) { Exit::Failed } else { Exit::Done })
}

/// Repairs a packet, and returns what was done.
fn repair(shelf: &Shelf, id: &str) -> Result<Vec<String>, CliError> {
    let mut done = Vec::new();
    amend(&shelf.path(id), Packet::LIMIT, Durability::Synced, |old| {
        let text = old.and_then(|bytes| String::from_utf8(bytes).ok());
        let fixed = text.and_then(|text| Some(fix_packet(&text, id)?).filter(|fixed| fixed.text != text));
        Ok::<_, StoreError>(fixed.map(|fixed| {
            done = fixed.done;
            Exact::Edited.owned(fixed.text)
        }))
    })?;
    Ok(done)
}

fn judge(shelf: &Shelf, id: &str) -> Result<Vec<PacketFinding>, CliError> {
    let error = |message: String| PacketFinding { severity: Severity::Error, line: 1, message };
    let bytes = read_capped(&shelf.path(id), Packet::LIMIT)?.unwrap_or_default();
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(bad) => {
            let at = bad.utf8_error().valid_up_to();
            return Ok(vec![error(format!("not valid UTF-8 at byte {at}"))]);
        }
    };
    let mut findings = lint_packet(&text, id);
    if let Err(cycle @ (ContextError::ChainCycle { .. } | ContextError::ChainTooLong { .. })) = chain(shelf, id) {
        findings.push(error(cycle.to_string()));
    }
    Ok(findings)
}
