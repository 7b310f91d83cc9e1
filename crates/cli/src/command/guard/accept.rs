use clap::Args;
use serde_json::json;
use stead_guard::{Mode, set_mode};
use stead_ledger::lesson::{LessonKind, NewLesson};
use stead_memory::{Proposal, ProposalKind, Proposals};
use stead_store::{Durability, Exact, read_capped, replace};

use super::mode::{Step, Which, fresh_path, refuse_broken, step, write};
use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::guards::Guards;
use crate::lessons::lessons;
use crate::patterns::graph;
use crate::person::{Whose, refuse_agents};
use crate::project::{Project, now};
use crate::ui::Ui;

/// The largest definition of an agent.
const DEFINITION: usize = 1024 * 1024;

/// Accept a proposal that came from repeated mistakes; agents may not do this
///
/// `stead memory propose PATTERN` makes a proposal: a new guard, the next mode of an existing one, a lesson, or a line in
/// an agent's definition. A new guard starts in mode `shadow`. Without an id, the proposals are listed.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead guard accept\n  stead guard accept p-1f2e3d4c")]
pub(super) struct AcceptArgs {
    /// The pattern, or the proposed guard
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &AcceptArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let project = Project::find(ui)?;
    project.require_marker()?;
    let proposals = Proposals::of(&graph(&project));
    let Some(id) = &args.id else {
        list(&proposals.list(), args.json, ui);
        return Ok(Exit::Done);
    };
    refuse_agents("accept a proposal", Whose::Project, &project)?;
    let proposal = proposals.find(id.trim())?;
    accept(&proposal, &project, args.json, ui)?;
    Ok(Exit::Done)
}

fn list(proposals: &[Proposal], json: bool, ui: &mut Ui) {
    if json {
        ui.json(answer::PROPOSAL_LIST, &answer::records(proposals));
        return;
    }
    for proposal in proposals {
        ui.line(format!("{}  {:<6}  {} (by the {})", proposal.id, proposal.kind.name(), proposal.summary, proposal.by));
    }
    if proposals.is_empty() {
        ui.line("No proposals. `stead memory patterns` lists what could become one.");
    }
}

/// Does what a proposal says.
pub(in crate::command) fn accept(
    proposal: &Proposal,
    project: &Project,
    json: bool,
    ui: &mut Ui,
) -> Result<(), CliError> {
    match proposal.kind {
        ProposalKind::Guard => accept_guard(proposal, project, json, ui)?,
        ProposalKind::Mode => {
            step(&Which { id: proposal.guard.clone(), json }, Step::Up, ui)?;
        }
        ProposalKind::Lesson => {
            let of = Some(proposal.id.clone());
            let new = NewLesson { kind: LessonKind::Pitfall, text: proposal.text.clone(), of, session: None };
            let added = lessons(project).add(&new, &now())?;
            match json {
                true => ui.json(answer::PROPOSAL_DECISION, &json!({"lesson": added.id, "known": added.is_known})),
                false => ui.line(format!("added lesson {}", added.id)),
            }
        }
        ProposalKind::Agent => accept_definition(proposal, project, json, ui)?,
        ProposalKind::Unknown => {
            let error = CliError::user(format!("`{}` proposes something that this version does not know", proposal.id));
            return Err(error.hinted(format!("`stead memory propose {}` makes it again", proposal.id)));
        }
    }
    Proposals::of(&graph(project)).remove(proposal);
    Ok(())
}

fn accept_guard(proposal: &Proposal, project: &Project, json: bool, ui: &mut Ui) -> Result<(), CliError> {
    let guards = Guards::load(project)?;
    let id = &proposal.guard;
    let path = fresh_path(id, false, project)?;
    if path.exists() || guards.find(id).is_ok() {
        return Err(CliError::user(format!("there is already a guard `{id}`"))
            .hinted(format!("`stead memory propose {}` drafts one with a free id", proposal.id)));
    }
    // Whatever the file says, a guard starts in shadow mode.
    let text = set_mode(&proposal.text, Mode::Shadow);
    refuse_broken("this draft", id, &text, &guards)?;
    write(id, &path, (None, &text), "accept", &proposal.summary, &proposal.evidence, project)?;
    let file = project.short(&path).display().to_string();
    match json {
        true => ui.json(answer::GUARD_ACCEPT, &json!({"id": id, "mode": Mode::Shadow.name(), "path": file})),
        false => {
            ui.line(format!("created {file} in mode `shadow`; it applies from the next call on"));
            ui.line(format!("Next: work for a while, then `stead guard review {id}` and `stead guard promote {id}`"));
        }
    }
    Ok(())
}

fn accept_definition(proposal: &Proposal, project: &Project, json: bool, ui: &mut Ui) -> Result<(), CliError> {
    let path = project.root().join(&proposal.file);
    let text = read_capped(&path, DEFINITION)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let text = text.ok_or_else(|| CliError::not_found(format!("there is no file `{}`", proposal.file)))?;
    replace(&path, Exact::Edited.owned(proposal.added_to(&text)), Durability::Synced)?;
    match json {
        true => ui.json(answer::PROPOSAL_DECISION, &json!({"path": proposal.file, "line": proposal.line})),
        false => ui.line(format!("added a line to {}", proposal.file)),
    }
    Ok(())
}
