use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use stead_context::{Acknowledgement, Brief, FileState, Heading, Packet, Pickup, Rescan, Shelf, content_hash};
use stead_store::{CheckEnd, Checked, run_check};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::git::Git;
use crate::project::{Project, now_millis};
use crate::speaker::Speaker;
use crate::trusting::{as_data, refusal, trusted};
use crate::ui::Ui;

/// How much of a validator's output is kept, and how much of it goes into a prompt.
const KEPT: usize = 4_000;
const SHOWN: usize = 800;

/// Turn a packet into a prompt, and show how much of it is still valid
///
/// The packet is not changed. Each file it lists is compared with its hash: same, changed, moved or gone. Age, commits,
/// files and branch are rated separately and the worst counts: fresh, aging, stale, very-stale. The session log records
/// that the packet was read.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead pickup latest\n  stead pickup finish-the-parser --verify --max-tokens 1000\n  stead pickup 20261115T194530Z-finish-the-parser --format json"
)]
pub(crate) struct PickupArgs {
    /// The packet: `latest` (neither done nor a snapshot), its id, or a unique part of it
    #[arg(default_value = "latest")]
    id: String,
    /// Also list files that are in the logs but not in the packet
    #[arg(long)]
    hydrate: bool,
    /// Run the packet's validators; exits with 1 if one fails
    #[arg(long)]
    verify: bool,
    /// Time limit of each validator, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Maximum length of the prompt, in tokens of four bytes
    #[arg(long, value_name = "N", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(200..=1_000_000))]
    max_tokens: u32,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Prompt)]
    format: Format,
    /// Same as `--format json`
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Prompt,
    Json,
}

/// A validator that has run.
struct Verified {
    command: String,
    checked: Result<Checked, String>,
}

pub(crate) fn run(args: PickupArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let context = project.context();
    let shelf = Shelf::new(&context);
    let id = shelf.find(&args.id)?;
    let packet = shelf.read(&id)?;
    let hash = content_hash(&shelf.path(&id));
    let git = Git { root: project.root() };
    let rescan = if args.hydrate { Rescan::Yes } else { Rescan::No };
    let now = now_millis();
    let pickup = Pickup::examine(&id, packet, &project.folders(&context), &git, rescan, now)?;
    let speaker = Speaker::calling(&project);
    let is_trusted = trusted(&project).trusts_packet_file(&shelf.path(&id));
    let has_commands = !pickup.packet.validators().is_empty() || pickup.packet.verify().is_some();
    if args.verify && has_commands && !is_trusted {
        return Err(refusal(&[project.short(&shelf.path(&id)).display().to_string()]));
    }
    let verified = if args.verify { verify(&pickup.packet, &project, &speaker, &args, ui) } else { Vec::new() };
    let tail = verification(&verified);
    let max_tokens = (args.max_tokens as usize).saturating_sub(tail.len() / 4).max(100);
    let mut brief = pickup.brief(max_tokens);
    if !is_trusted {
        brief.text = as_data("packet", &brief.text);
    }
    brief.text.push_str(&tail);
    if args.json || args.format == Format::Json {
        let mut told = as_json(&pickup, &shelf, &brief, &verified);
        told["trusted"] = is_trusted.into();
        ui.json(answer::PICKUP, &told);
    } else {
        ui.raw(&brief.text);
    }
    let acknowledgement = Acknowledgement {
        now,
        harness: speaker.harness.as_deref(),
        session: speaker.session.as_deref(),
        packet: &id,
        hash: hash.as_deref(),
        staleness: pickup.staleness(),
    };
    if project.found.is_marked() && project.config.bool("record.sessions") {
        // The reader already has the prompt; a log that cannot be written is no reason to fail.
        if let Err(error) = acknowledgement.record(&project.indexes().join("sessions.jsonl")) {
            ui.warning(format!("the pickup could not be logged: {error}"));
        }
    }
    let red = verified.iter().any(|verified| !verified.is_green());
    Ok(if red { Exit::Failed } else { Exit::Done })
}

fn verify(packet: &Packet, project: &Project, speaker: &Speaker, args: &PickupArgs, ui: &mut Ui) -> Vec<Verified> {
    let mut commands = packet.validators();
    if let Some(verify) = packet.verify().filter(|verify| !commands.iter().any(|command| command == verify)) {
        commands.push(verify.to_owned());
    }
    if commands.is_empty() {
        ui.note("note: the packet has no validators; nothing was run");
    }
    let deadline = Duration::from_secs(args.timeout);
    let run = |command: String| {
        // Anybody may have written the packet; an agent must not use it to run what it may not run itself.
        if let Some(reason) = speaker.refusal(project, &command) {
            return Verified { command, checked: Err(format!("refused: {reason}")) };
        }
        let checked = run_check(&command, project.root(), &[], deadline, KEPT).map_err(|error| error.to_string());
        Verified { command, checked }
    };
    commands.into_iter().map(run).collect()
}

impl Verified {
    fn is_green(&self) -> bool {
        self.checked.as_ref().is_ok_and(Checked::is_green)
    }

    fn end(&self) -> String {
        match &self.checked {
            Ok(Checked { end: CheckEnd::Exit(code), .. }) => format!("exit {code}"),
            Ok(Checked { end: CheckEnd::Signal(signal), .. }) => format!("signal {signal}"),
            Ok(Checked { end: CheckEnd::Deadline, .. }) => "timed out".to_owned(),
            Err(error) => error.clone(),
        }
    }

    fn output(&self) -> &str {
        self.checked.as_ref().map(|checked| checked.tail.trim_end()).unwrap_or_default()
    }
}

/// The results of the validators, for the end of a prompt.
fn verification(verified: &[Verified]) -> String {
    if verified.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n## Verification\n\n");
    for verified in verified {
        if verified.is_green() {
            text.push_str(&format!("- `{}` passed\n", verified.command));
            continue;
        }
        text.push_str(&format!("- `{}` failed: {}\n", verified.command, verified.end()));
        let output = verified.output();
        let start = output.ceil_char_boundary(output.len().saturating_sub(SHOWN));
        output[start..].lines().for_each(|line| text.push_str(&format!("  > {line}\n")));
    }
    text
}

fn as_json(pickup: &Pickup, shelf: &Shelf, brief: &Brief, verified: &[Verified]) -> Value {
    let packet = &pickup.packet;
    let sections = Heading::ALL.into_iter().filter_map(|heading| Some((heading.name(), packet.section(heading)?)));
    let moved = |state: &FileState| match state {
        FileState::Moved { to } => Some(to.clone()),
        _ => None,
    };
    json!({
        "id": pickup.id,
        "path": shelf.path(&pickup.id).to_string_lossy(),
        "status": packet.get("status"),
        "purpose": packet.purpose(),
        "created_at": packet.get("created_at"),
        "updated_at": packet.get("updated_at"),
        "source": packet.get("source"),
        "session": packet.get("session_id"),
        "continues": packet.continues(),
        "staleness": pickup.staleness().name(),
        "factors": pickup.factors.iter().map(|factor| json!({
            "name": factor.name,
            "staleness": factor.staleness.name(),
            "detail": factor.detail,
        })).collect::<Vec<_>>(),
        "files": pickup.files.iter().map(|file| json!({
            "path": file.path,
            "list": file.list.title().to_lowercase(),
            "state": file.state.name(),
            "moved_to": moved(&file.state),
        })).collect::<Vec<_>>(),
        "next_prompt": packet.next_prompt(),
        "validators": packet.validators(),
        "verify": packet.verify(),
        "loop_promise": packet.promise(),
        "loop_max_iterations": packet.max_iterations(),
        "sections": sections.map(|(title, text)| (title.to_owned(), text.into())).collect::<serde_json::Map<_, _>>(),
        "verification": verified.iter().map(|verified| json!({
            "command": verified.command,
            "green": verified.is_green(),
            "end": verified.end(),
            "output": verified.output(),
        })).collect::<Vec<_>>(),
        "prompt": brief.text,
        "left_out": brief.left_out,
    })
}
