use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use stead_client::Harness;
use stead_context::{Contribution, Handoff, Heading, PacketKind, Repository, Shelf};
use stead_hook::session_runs;
use stead_model::suggestion;
use stead_store::{Sharing, keep_ignored};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::git::Git;
use crate::project::{Project, env, now_millis, project_path};
use crate::proof::ground;
use crate::sent::read_document;
use crate::speaker::{KnownBy, Speaker};
use crate::trusting::trusted;
use crate::ui::Ui;

/// Write a packet for the next session
///
/// The packet contains what you send and what Stead recorded: what the person asked for and ruled out, the session's
/// commits and changes, how its tests ended, the files it touched, the agent's last answer and to-do list, notes (`stead
/// note`), refused calls, and how the project is checked. Send a JSON object or Markdown with the packet's headings on
/// standard input or with `--document`; `-` waits for it. JSON keys: intent, context, constraints, decisions, next_prompt,
/// plan, open_questions, notes, failed, files, validators, verify, promise, max_iterations. With `--continues`, the
/// decisions, constraints and failed approaches of the earlier packets are carried on. Secrets are redacted before anything
/// is written.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead handoff \"finish the parser\" --decision \"keep the old API\"\n  stead handoff \"finish the parser\" --document notes.md --confirm src/parser.rs\n  echo '{\"next_prompt\": \"…\"}' | stead handoff \"finish the parser\" --document -"
)]
pub(crate) struct HandoffArgs {
    /// What the next session should do, in a few words
    #[arg(required = true)]
    purpose: Vec<String>,
    /// Read more of the packet from a file, JSON or Markdown; `-` for standard input
    #[arg(long, value_name = "FILE")]
    document: Option<PathBuf>,
    /// The current state of the work
    #[arg(long, value_name = "TEXT")]
    context: Vec<String>,
    /// A constraint; can be repeated
    #[arg(long, value_name = "TEXT")]
    constraint: Vec<String>,
    /// A decision; can be repeated
    #[arg(long, value_name = "TEXT")]
    decision: Vec<String>,
    /// The prompt that the next session starts with
    #[arg(long, value_name = "TEXT")]
    next_prompt: Option<String>,
    /// A remaining step; can be repeated
    #[arg(long, value_name = "TEXT")]
    plan: Vec<String>,
    /// An open question; can be repeated
    #[arg(long, value_name = "TEXT")]
    question: Vec<String>,
    /// An approach that failed; can be repeated
    #[arg(long, value_name = "TEXT")]
    failed: Vec<String>,
    /// Anything else; can be repeated
    #[arg(long, value_name = "TEXT")]
    note: Vec<String>,
    /// A file that matters; can be repeated
    #[arg(long, value_name = "FILE")]
    confirm: Vec<String>,
    /// A command that checks the work; can be repeated, the first one is the packet's `verify`
    #[arg(long, value_name = "COMMAND")]
    validator: Vec<String>,
    /// What a loop's agent says when it is done, e.g. `DONE|BLOCKED`
    #[arg(long, value_name = "TEXT")]
    promise: Option<String>,
    /// Maximum iterations of a loop
    #[arg(long, value_name = "N")]
    max_iterations: Option<u32>,
    /// The packet that this one continues
    #[arg(long, value_name = "ID")]
    continues: Option<String>,
    /// The session to hand over; by default the calling one or the last one seen
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The program that hands over, if it cannot be detected: a client's name, `factory` or `unknown`
    #[arg(long, value_name = "NAME", value_parser = source)]
    source: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

fn source(name: &str) -> Result<String, String> {
    match name {
        "factory" | "unknown" => Ok(name.to_owned()),
        _ if Harness::from_name(name).is_some() => Ok(name.to_owned()),
        _ => {
            let names = Harness::ALL.into_iter().map(Harness::name);
            Err(suggestion(name, names.chain(["factory", "unknown"])))
        }
    }
}

pub(crate) fn run(args: HandoffArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    let mut sent = match read_document(args.document.as_deref())? {
        Some(text) => Contribution::parse(&text)?,
        None => Contribution::default(),
    };
    args.add_to(&mut sent);
    let dir = ui.dir()?;
    let confirm = args.confirm.iter().map(|path| project_path(&project, &dir, path)).collect::<Result<Vec<_>, _>>()?;
    let speaker = Speaker::meant(&project, args.session.as_deref());
    let git = Git { root: project.root() };
    let facts = git.facts();
    let has_git = facts.is_some();
    let context = project.context();
    let shelf = Shelf::new(&context);
    let trusted = trusted(&project);
    let home = env("HOME").map(PathBuf::from);
    keep_ignored(&context, Sharing::of(&project.config))?;
    let made = Handoff {
        place: project.folders(&context),
        purpose: &args.purpose.join(" "),
        now: now_millis(),
        source: args.source.as_deref().or(speaker.harness.as_deref()),
        session: speaker.session.as_deref(),
        home: home.as_deref(),
        git: facts,
        work: speaker.started_at.as_deref().filter(|_| has_git).map(|since| git.work(since)).unwrap_or_default(),
        runs: session_runs(&ground(&project), speaker.session.as_deref()),
        last_answer: speaker.last_answer(),
        kind: PacketKind::Handoff,
        is_trusted: &|id| trusted.trusts_packet_file(&shelf.path(id)),
        ignored: &|paths| if has_git { git.ignored(paths) } else { Vec::new() },
        sent,
        promise: args.promise.as_deref(),
        max_iterations: args.max_iterations,
        validators: args.validator.clone(),
        confirm,
        continues: args.continues.clone(),
    }
    .make()?;
    for warning in &made.warnings {
        ui.warning(warning);
    }
    if args.json {
        ui.json(
            answer::HANDOFF,
            &json!({
                "id": made.id,
                "path": made.path.to_string_lossy(),
                "session": speaker.session,
                "confirmed": made.confirmed,
                "suggested": made.suggested,
                "redacted": made.redacted,
                "warnings": made.warnings,
            }),
        );
        return Ok(Exit::Done);
    }
    if let (KnownBy::Recency, Some(session)) = (speaker.known_by, &speaker.session) {
        ui.note(format!("note: using session `{session}`, the last one seen; choose another with `--session`"));
    }
    ui.line(format!("packet   {}", made.id));
    ui.line(format!("file     {}", project.short(&made.path).display()));
    ui.line(format!("lists    {} confirmed, {} suggested", made.confirmed.len(), made.suggested.len()));
    if made.redacted > 0 {
        ui.line(format!("redacted {}", made.redacted));
    }
    ui.line(format!("next     stead pickup {}", made.id));
    project.warn(ui);
    Ok(Exit::Done)
}

impl HandoffArgs {
    /// Command-line values are added after the document's, except the next prompt, of which there is only one.
    fn add_to(&self, sent: &mut Contribution) {
        let list = |items: &[String], before: &str| {
            items
                .iter()
                .map(|item| format!("- {before}{}", item.trim().replace('\n', "\n  ")))
                .collect::<Vec<_>>()
                .join("\n")
        };
        sent.add(Heading::Context, &self.context.join("\n\n"));
        sent.add(Heading::Constraints, &list(&self.constraint, ""));
        sent.add(Heading::Decisions, &list(&self.decision, ""));
        sent.add(Heading::Plan, &list(&self.plan, ""));
        sent.add(Heading::OpenQuestions, &list(&self.question, ""));
        sent.add(Heading::Notes, &list(&self.failed, "Failed: "));
        sent.add(Heading::Notes, &list(&self.note, ""));
        if let Some(prompt) = &self.next_prompt {
            sent.sections.remove(&Heading::NextPrompt);
            sent.add(Heading::NextPrompt, prompt);
        }
    }
}
