use std::time::Duration;

use clap::Args;
use stead_evidence::{Leaned, Recorded, Source, Verify};
use stead_feature::{Agent, Document, Event, Rules, SessionState};
use stead_hook::command_effects;
use stead_pipeline::orchestrate::{Reported, report_failed, report_passed};
use stead_store::Checked;

use super::Here;
use crate::cli::Exit;
use crate::error::CliError;
use crate::lessons::learn_from_runs;
use crate::person::agent_near;
use crate::project::{env, now, now_millis, user_dirs};
use crate::proof::{ground, is_supervised, refuse_verifier, who, written};
use crate::session::calling_session;
use crate::ui::Ui;

/// How many lines of a failed verifier's output are shown.
const SHOWN: usize = 20;

/// The roles whose word about a test counts.
const TESTERS: &[&str] = &["tester-agent", "tester"];

/// Report what became of a feature
///
/// `--implemented` hands it to the tester. `--passed` runs its verifiers: it becomes tested if they prove it, and counts
/// as failed if one fails. After the first failure it is coded again, after the second it is blocked. Only a tester or a
/// person reports a test.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead feature report login --implemented --files src/login.rs\n  stead feature report login --passed\n  stead feature report login --failed --summary 'the second test hangs'"
)]
pub(super) struct ReportArgs {
    id: String,
    /// It is written and can be tested
    #[arg(long, required_unless_present_any = ["passed", "failed"], conflicts_with_all = ["passed", "failed"])]
    implemented: bool,
    /// Files that were changed for it
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "implemented")]
    files: Vec<String>,
    /// The test passed
    #[arg(long, conflicts_with = "failed")]
    passed: bool,
    /// The test failed
    #[arg(long)]
    failed: bool,
    /// What was seen
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// Time limit of each verifier, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
    /// Print the feature as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &ReportArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    if args.implemented {
        let event = Event::Implemented { feature: args.id.clone(), files_changed: args.files.clone() };
        return here.apply(&event, args.json, ui);
    }
    let feature = Document::require(&here.room)?.feature(&args.id)?;
    require_tester(here, &args.id)?;
    let ground = ground(&here.project);
    let verify = Verify {
        ground: &ground,
        config: user_dirs().ok().map(|dirs| dirs.config),
        who: who(&here.project),
        source: Source::Verify,
        supervised: is_supervised(&here.project),
        timeout: Duration::from_secs(args.timeout),
        effects: &|command| command_effects(&ground, &env, command),
        wrote: &|who, paths| written(&here.project, who, paths),
        now: &now,
        runner: None,
    };
    let rules = Rules::default();
    let reported = match args.passed {
        true => {
            if env(Verify::WITHIN).is_some() {
                return Err(CliError::user("a verifier may not report").hinted("call the command itself"));
            }
            let mut commands = feature.verifiers.iter();
            commands.try_for_each(|command| refuse_verifier(&here.project, Some(&feature), command))?;
            let mut told = |command: &str, recorded: &Recorded, checked: &Checked| {
                if !args.json {
                    tell(command, recorded, checked, ui);
                }
            };
            let reported = report_passed(&verify, &feature, &now_millis, &rules, &mut told)?;
            learn_from_runs(&here.project, ui);
            reported
        }
        false => {
            let summary = args.summary.clone().unwrap_or_else(|| "the tester reported a failure".to_owned());
            report_failed(&verify, &feature, summary, Vec::new(), &now_millis, &rules)?
        }
    };
    match reported {
        Reported::Unproven { why, next } => {
            Err(CliError::user(format!("`{}` {why}", args.id)).hinted(format!("`{next}` proves it")))
        }
        Reported::Passed { .. } => here.tell(&args.id, args.json, ui),
        Reported::Failed { summary } => {
            if args.passed && !args.json {
                ui.note(format!("recorded as failed: {summary}"));
            }
            here.tell(&args.id, args.json, ui)?;
            Ok(if args.passed { Exit::Failed } else { Exit::Done })
        }
    }
}

/// Fails for an agent that is not a tester. If the client does not say which agent is calling, or has no sub-agents, the
/// role counts that the current command object gives.
fn require_tester(here: &Here, feature: &str) -> Result<(), CliError> {
    let session = calling_session(&here.project);
    let Some(sign) =
        session.as_ref().map(|session| session.session.clone()).or(agent_near(&here.project).map(|sign| sign.why))
    else {
        return Ok(());
    };
    let role = session.and_then(|session| session.role);
    let is_tester = match role.as_deref() {
        Some(role) => TESTERS.contains(&role),
        None => {
            let command = SessionState::read(&here.room)?.command;
            command.is_some_and(|command| command.agent == Agent::Tester && command.context.feature_id == feature)
        }
    };
    match is_tester {
        true => Ok(()),
        false => Err(CliError::user(format!(
            "only a tester or a person may report a test; {}",
            role.map_or_else(|| format!("the caller is an agent ({sign})"), |role| format!("the caller is `{role}`"))
        ))
        .hinted("send a `tester-agent`")),
    }
}

fn tell(command: &str, recorded: &Recorded, checked: &Checked, ui: &mut Ui) {
    let item = &recorded.item;
    let word = if item.has_passed() { "passed" } else { "FAILED" };
    let how = item.weak.clone().unwrap_or_else(|| item.outcome());
    ui.line(format!("{word}  `{command}`: {how} ({:.1} s)", checked.took.as_secs_f64()));
    if let Some(note) = Leaned::note(&item.leaned) {
        ui.line(format!("  {note}"));
    }
    if !item.has_passed() {
        let lines: Vec<&str> = checked.tail.lines().collect();
        lines[lines.len().saturating_sub(SHOWN)..].iter().for_each(|line| ui.line(format!("  | {line}")));
    }
}
