use clap::Args;
use serde_json::json;
use stead_ledger::Selection;
use stead_memory::{
    Anchor, Stored, Submission, TraceContext, TraceEvent, TraceId, TraceKind, TraceSource, anchor, split_anchor,
};
use stead_model::FileId;

use super::Here;
use crate::answer;
use crate::cli::{Exit, one_of};
use crate::error::CliError;
use crate::line_source::place;
use crate::person::agent_near;
use crate::project::now;
use crate::session::calling_session;
use crate::ui::Ui;

/// Store a trace
///
/// Refused are passing states ("build succeeded"), what the code shows anyway, and reflections that would fit any
/// failure. The same trace within a day is folded into the first. Secrets are redacted.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead memory store --type correction --what \"edited schema.rs\" --correct \"edit schema.sql\" --why \"it is generated\" --file schema.sql\n  stead memory store --type decision --what \"keep the v1 API\" --why \"two clients need it\" --topic api-versions"
)]
pub(crate) struct StoreArgs {
    /// What it is: a correction, violation, decision, approval or reflection
    #[arg(long = "type", value_name = "TYPE", value_parser = one_of(KINDS, TraceKind::name))]
    kind: TraceKind,
    /// What happened
    #[arg(long, value_name = "TEXT")]
    what: String,
    /// What is correct
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    correct: String,
    /// The reason
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    why: String,
    /// A file that it is about, also as `FILE:LINE` or `FILE:NAME`; can be repeated
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<String>,
    /// A trace that this one replaces; can be repeated
    #[arg(long, value_name = "ID")]
    supersedes: Vec<String>,
    /// A name for the subject; a newer trace with the same topic replaces the older one
    #[arg(long, value_name = "KEY")]
    topic: Option<String>,
    /// The feature that it belongs to
    #[arg(long, value_name = "ID")]
    feature: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

const KINDS: [TraceKind; 5] =
    [TraceKind::Correction, TraceKind::Violation, TraceKind::Decision, TraceKind::Approval, TraceKind::Reflection];

pub(super) fn run(args: StoreArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let anchors = args.files.iter().map(|typed| anchor_of(typed, here, ui)).collect::<Result<Vec<Anchor>, _>>()?;
    let supersedes = replaced(&args.supersedes, here)?;
    let mut context = context(here);
    context.feature = args.feature;
    let source = match context.by.as_deref() {
        Some("person") => TraceSource::UserCorrection,
        _ => TraceSource::AutoDetected,
    };
    let event = TraceEvent { what_happened: args.what, what_was_correct: args.correct, why: args.why };
    let (timestamp, kind, topic) = (now(), args.kind, args.topic);
    let submission = Submission { timestamp, kind, source, context, event, anchors, supersedes, topic };
    let stored = here.memory.store(submission)?;
    if args.json {
        ui.json(answer::MEMORY_STORE, &json!({"id": stored.id(), "folded": matches!(stored, Stored::Folded(_))}));
        return Ok(Exit::Done);
    }
    ui.line(match &stored {
        Stored::New(id) => format!("stored {id}"),
        Stored::Folded(id) => format!("folded into {id}"),
    });
    Ok(Exit::Done)
}

/// Who is calling, and what that session works on.
fn context(here: &Here) -> TraceContext {
    let calling = calling_session(&here.project);
    let is_agent = calling.is_some() || agent_near(&here.project).is_some();
    let mut context =
        TraceContext { by: Some(if is_agent { "agent" } else { "person" }.to_owned()), ..TraceContext::default() };
    if let Some(binding) = calling {
        let session = FileId::check(&binding.session).ok();
        let selected = session.and_then(|id| Selection::read(&here.project.indexes(), &id, binding.agent.as_deref()));
        context.intent = selected.map(|selected| selected.intent);
        context.agent = binding.role.or(binding.agent);
        context.harness = Some(binding.harness);
        context.session = Some(binding.session);
        context.call = binding.call;
    }
    context
}

fn anchor_of(typed: &str, here: &Here, ui: &Ui) -> Result<Anchor, CliError> {
    let dir = ui.dir()?;
    let (path, inside) = split_anchor(typed, &|path| dir.join(path).is_file());
    let (root, path) = place(&here.project, &dir, path)?;
    Ok(anchor(&root, &path, inside)?)
}

/// The ids of the traces that are replaced; a beginning of one is enough.
fn replaced(typed: &[String], here: &Here) -> Result<Vec<TraceId>, CliError> {
    if typed.is_empty() {
        return Ok(Vec::new());
    }
    let traces = here.memory.traces()?;
    typed.iter().map(|typed| Ok(traces.find(typed)?.trace.id.clone())).collect()
}
