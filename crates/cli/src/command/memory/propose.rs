use clap::Args;
use serde_json::{Value, json};
use stead_guard::State;
use stead_hook::Appeal;
use stead_install::{agent_definitions, text_diff};
use stead_memory::{DraftRequest, Extraction, Pattern, Proposal, ProposalKind, Proposals, Proposes, draft_guard_of};

use crate::answer;
use crate::cli::Exit;
use crate::command::guard::accept::accept;
use crate::error::CliError;
use crate::guards::Guards;
use crate::here::Here;
use crate::patterns::{HistoryProgress, extraction, find_pattern, graph, history};
use crate::person::agent_near;
use crate::project::{Project, now};
use crate::speaker::Speaker;
use crate::ui::Ui;

/// Draft what a pattern leads to, and try it on the recorded history
///
/// A guard is drafted over effects, with its incidents as tests, and judged against every recorded call. One that does not
/// stop its own incidents, or stops more allowed calls than the limit, is refused. What is proposed applies only after
/// `stead guard accept ID`, which agents may not run.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead memory propose p-1f2e3d4c\n  stead memory propose p-1f2e3d4c --accept\n  stead memory propose p-1f2e3d4c --limit 2 --json"
)]
pub(super) struct ProposeArgs {
    /// The pattern, from `stead memory patterns`
    #[arg(value_name = "ID")]
    id: String,
    /// How many allowed calls the guard may have stopped
    #[arg(long, value_name = "N", default_value_t = 0)]
    limit: usize,
    /// Accept it at once; an agent only makes the proposal
    #[arg(long)]
    accept: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ProposeArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    let guards = Guards::load(&project)?;
    let mut progress = HistoryProgress::new();
    let found = extraction(&project, &guards, &mut |reading| progress.show(reading, ui))?;
    let pattern = find_pattern(&found, &args.id)?;
    let is_agent = Speaker::calling(&project).session.is_some() || agent_near(&project).is_some();
    let mut proposal = Proposal {
        id: pattern.id.clone(),
        ts: now(),
        by: if is_agent { Appeal::AGENT } else { Appeal::PERSON }.to_owned(),
        summary: pattern.summary.clone(),
        evidence: pattern.evidence.clone(),
        ..Proposal::default()
    };
    match pattern.proposes {
        Proposes::Guard => draft(&mut proposal, pattern, &found, args.limit, &guards, &project, &mut progress, ui)?,
        Proposes::Mode => next_mode(&mut proposal, pattern, &guards)?,
        Proposes::Lesson => lesson(&mut proposal, pattern, ui)?,
    }
    drop(progress);
    let path = Proposals::of(&graph(&project)).write(&proposal)?;
    if args.accept && !is_agent {
        return accept(&proposal, &project, args.json, ui).map(|()| Exit::Done);
    }
    if args.json {
        ui.json(answer::MEMORY_PROPOSAL, &as_json(&proposal, &project.short(&path).display().to_string()));
        return Ok(Exit::Done);
    }
    tell(&proposal, ui);
    if args.accept {
        ui.note("note: this is only a proposal, because agents may not accept it");
    }
    ui.line(format!("Next, a person: stead guard accept {}", proposal.id));
    Ok(Exit::Done)
}

#[expect(clippy::too_many_arguments, reason = "each is a different thing")]
fn draft(
    proposal: &mut Proposal,
    pattern: &Pattern,
    found: &Extraction,
    limit: usize,
    guards: &Guards,
    project: &Project,
    progress: &mut HistoryProgress,
    ui: &mut Ui,
) -> Result<(), CliError> {
    let taken: Vec<String> = guards.list.iter().map(|guard| guard.id.clone()).collect();
    let request = DraftRequest {
        history: &history(project),
        pattern,
        marks: &found.marks,
        rooms: &guards.rooms,
        sources: &guards.sources,
        taken: &taken,
        limit,
    };
    let draft = draft_guard_of(&request, &mut |reading| progress.show(reading, ui))?;
    proposal.kind = ProposalKind::Guard;
    proposal.guard = draft.id;
    proposal.text = draft.text;
    proposal.back_test = Some(draft.back_test);
    Ok(())
}

/// The next mode of the guard that a pattern is about.
fn next_mode(proposal: &mut Proposal, pattern: &Pattern, guards: &Guards) -> Result<(), CliError> {
    let id = pattern.guard.as_deref().unwrap_or_default();
    let guard = guards.find(id)?;
    let Some(mode) = guard.mode.promoted().filter(|_| guard.state == State::Active) else {
        return Err(CliError::user(format!("`{id}` is in mode `{}` already", guard.mode.name())));
    };
    proposal.kind = ProposalKind::Mode;
    // The guards of a file share a mode.
    proposal.guard = id.split('.').next().unwrap_or(id).to_owned();
    proposal.mode = mode.name().to_owned();
    proposal.text = format!("stead guard promote {}", proposal.guard);
    Ok(())
}

/// What later sessions should know; if it is always the same role, a line in the definition of that agent.
fn lesson(proposal: &mut Proposal, pattern: &Pattern, ui: &Ui) -> Result<(), CliError> {
    let right = pattern.incidents.iter().rev().map(|incident| incident.text.what_was_correct.trim());
    let right = right.into_iter().find(|text| !text.is_empty());
    let text = match right {
        Some(right) => format!("{}. Instead: {right}", pattern.summary),
        None => format!("{}. Do it differently, or ask the person first", pattern.summary),
    };
    proposal.kind = ProposalKind::Lesson;
    proposal.text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let here = Here::find(ui)?;
    let definitions = agent_definitions(&here.site());
    let is_of = |path: &std::path::Path, role: &str| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.strip_prefix(role).is_some_and(|rest| rest.starts_with('.'))
    };
    let definition = pattern.role.as_deref().and_then(|role| definitions.iter().find(|one| is_of(&one.path, role)));
    if let Some(definition) = definition {
        proposal.kind = ProposalKind::Agent;
        proposal.line = format!("- {}", proposal.text);
        let file = definition.path.strip_prefix(here.project.root()).unwrap_or(&definition.path);
        proposal.file = file.to_string_lossy().into_owned();
        let after = proposal.added_to(&definition.text);
        proposal.text = text_diff(&proposal.file, Some(&definition.text), Some(&after));
    }
    Ok(())
}

fn tell(proposal: &Proposal, ui: &mut Ui) {
    ui.line(format!("{}: {}", proposal.id, proposal.summary));
    match proposal.kind {
        ProposalKind::Guard => {
            ui.line(format!("proposes the guard `{}`, in mode `shadow`:\n", proposal.guard));
            ui.raw(&proposal.text);
            if let Some(result) = &proposal.back_test {
                ui.line(format!("\nBack-test: {}.", result.summary()));
            }
        }
        ProposalKind::Mode => ui.line(format!("proposes mode `{}` for `{}`", proposal.mode, proposal.guard)),
        ProposalKind::Agent => {
            ui.line(format!("proposes a change of {}:\n", proposal.file));
            ui.raw(&proposal.text);
        }
        ProposalKind::Lesson | ProposalKind::Unknown => ui.line(format!("proposes a lesson: {}", proposal.text)),
    }
}

fn as_json(proposal: &Proposal, file: &str) -> Value {
    let mut shown = json!({
        "pattern": proposal.id,
        "kind": proposal.kind.name(),
        "summary": proposal.summary,
        "evidence": proposal.evidence,
        "proposal": file,
    });
    match proposal.kind {
        ProposalKind::Guard => {
            shown["id"] = json!(proposal.guard);
            shown["guard"] = json!(proposal.text);
        }
        ProposalKind::Mode => {
            shown["id"] = json!(proposal.guard);
            shown["mode"] = json!(proposal.mode);
        }
        ProposalKind::Agent => {
            shown["path"] = json!(proposal.file);
            shown["diff"] = json!(proposal.text);
        }
        ProposalKind::Lesson | ProposalKind::Unknown => shown["lesson"] = json!(proposal.text),
    }
    if let (Some(Value::Object(result)), Some(shown)) =
        (proposal.back_test.as_ref().map(|test| json!(test)), shown.as_object_mut())
    {
        shown.extend(result);
    }
    shown
}
