use clap::Args;
use serde_json::json;
use stead_guard::protection::GATE;
use stead_hook::{Appeal, Did, HitLine, INTENT_GATE, LogFilter, Override, STALE_FILE, VerdictLine};
use stead_store::Lines;

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::Guards;
use crate::project::{Project, now_millis};
use crate::ui::Ui;
use crate::verdict::{came_of, find_session, find_verdict};

/// Explain why a call was blocked: which guard, what it matched, and what to do instead
///
/// Without an id, the last call that was blocked is explained. `stead log --blocked` lists them.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead explain\n  stead explain --session 7c0e\n  stead explain v-7k2m9qd4")]
pub(crate) struct ExplainArgs {
    /// The verdict's id, in brackets at the end of a denial
    #[arg(value_name = "VERDICT")]
    id: Option<String>,
    /// The last call of this session that was blocked; a unique part of its id is enough
    #[arg(long, value_name = "ID", conflicts_with = "id")]
    session: Option<String>,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: ExplainArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let verdict = match &args.id {
        Some(id) => find_verdict(&project, id)?,
        None => last_blocked(&project, args.session.as_deref(), ui)?,
    };
    let guards = Guards::load(&project)?;
    let overrides = Override::in_force(&project.indexes(), now_millis());
    let holds = |hit: &HitLine| overrides.iter().find(|one| one.guard == hit.guard && one.about == hit.about);
    let appeals = appeals(&project, &verdict.id)?;
    if args.json {
        let hits: Vec<_> = verdict
            .hits
            .iter()
            .map(|hit| {
                let mut said = json!(hit);
                said["guard_path"] = json!(guards.file_of(&hit.guard));
                said["changed_since"] = json!(guards.changed_since(&hit.guard, &hit.version));
                said["expires_at"] = json!(holds(hit).map(|one| &one.until));
                said
            })
            .collect();
        ui.json(
            answer::EXPLAIN,
            &answer::record(json!({
                "id": verdict.id, "ts": verdict.ts, "verdict": verdict.verdict, "harness": verdict.harness,
                "session": verdict.session, "agent": verdict.agent, "role": verdict.role, "event": verdict.event,
                "tool": verdict.tool, "reason": verdict.reason, "effects": verdict.effects(), "hits": hits,
                "appeals": answer::records(&appeals),
            })),
        );
        return Ok(Exit::Done);
    }
    tell(&verdict, &guards, ui);
    for hit in &verdict.hits {
        if let Some(one) = holds(hit) {
            ui.line(format!("\nA person allowed this despite `{}` until {}: {}", one.guard, one.until, one.reason));
        }
    }
    for appeal in appeals {
        let who = if appeal.by == Appeal::AGENT { "An agent" } else { "A person" };
        let did = if appeal.upheld { "called it wrong" } else { "appealed" };
        ui.line(format!("\n{who} {did} at {}: {}", appeal.ts, appeal.text.replace('\n', " ")));
    }
    Ok(Exit::Done)
}

/// The last verdict that blocked a call, of the project or of a session.
fn last_blocked(project: &Project, session: Option<&str>, ui: &mut Ui) -> Result<VerdictLine, CliError> {
    let session = session.map(|typed| find_session(project, typed)).transpose()?;
    let whose = session.as_ref().map_or("this project".to_owned(), |session| format!("session `{session}`"));
    let filter = LogFilter { session, blocked: true };
    let mut blocked = VerdictLine::newest(&project.indexes().join("sessions.jsonl"), filter)?;
    let last = blocked.find(|line| !line.id.is_empty());
    let last = last.ok_or_else(|| {
        CliError::not_found(format!("no call of {whose} was blocked")).hinted("`stead log` shows the last calls")
    })?;
    ui.note(format!("note: {} is the last call of {whose} that was blocked", last.id));
    Ok(last)
}

/// The appeals against a verdict, oldest first.
fn appeals(project: &Project, verdict: &str) -> Result<Vec<Appeal>, CliError> {
    let mut found = Vec::new();
    for line in Lines::open(&Appeal::path(&project.indexes()))? {
        let appeal = serde_json::from_str::<Appeal>(&line?.text).ok();
        found.extend(appeal.filter(|appeal| appeal.verdict == verdict));
    }
    Ok(found)
}

fn tell(verdict: &VerdictLine, guards: &Guards, ui: &mut Ui) {
    let tool = verdict.tool.as_deref().map(|tool| format!(" of {tool}")).unwrap_or_default();
    ui.line(format!("{}  {}  {}{tool} at {}", verdict.id, verdict.verdict, verdict.event, verdict.ts));
    let session = verdict.session.as_deref().unwrap_or("unknown");
    let agent = match (&verdict.agent, &verdict.role) {
        (Some(agent), Some(role)) => format!(", sub-agent {agent} ({role})"),
        (Some(agent), None) => format!(", sub-agent {agent}"),
        (None, Some(role)) => format!(", a {role}"),
        (None, None) => String::new(),
    };
    ui.line(format!("  by       {}, session {session}{agent}", verdict.harness));
    let effects = verdict.effects();
    if !effects.is_empty() {
        ui.line(format!("  effects  {}", effects.join(", ")));
    }
    for hit in &verdict.hits {
        let mode = if hit.mode.is_empty() { String::new() } else { format!(" ({})", hit.mode) };
        ui.line(format!("\n{}{mode}: {}", hit.guard, came_of(hit)));
        if let Some(file) = guards.file_of(&hit.guard) {
            let changed = if guards.changed_since(&hit.guard, &hit.version) { " (changed since)" } else { "" };
            ui.line(format!("  file     {file}{changed}"));
        }
        if !hit.part.is_empty() {
            ui.line(format!("  about    {}", hit.part.replace('\n', " ")));
        }
        if !hit.say.is_empty() {
            ui.line(format!("  says     {}", hit.say.replace('\n', "\n           ")));
        }
    }
    let stopped = |hit: &HitLine| matches!(hit.did, Did::Denied | Did::Asked);
    if verdict.hits.iter().any(|hit| stopped(hit) && hit.guard == GATE) {
        ui.line("\nAgents may not weaken Stead. A person can do this in a terminal.");
    } else if verdict.hits.iter().any(|hit| stopped(hit) && hit.guard == STALE_FILE) {
        ui.line("\nThe agent has to read the file again. A person can set `gate.stale_files`.");
    } else if verdict.hits.iter().any(|hit| stopped(hit) && hit.guard == INTENT_GATE) {
        ui.line("\nAn agent: stead intent select ID, or stead intent request \"why\" --scope PATTERN");
        ui.line("A person: stead intent add, widen or confirm; stead config set intents.mode warn");
    } else if verdict.hits.iter().any(stopped) {
        ui.line(format!("\nWrong? An agent: stead appeal {} \"why\"", verdict.id));
        ui.line(format!("       A person: stead allow {} --reason \"why\"", verdict.id));
    }
}
