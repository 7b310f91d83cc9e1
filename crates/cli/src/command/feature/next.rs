use clap::Args;
use serde_json::json;
use stead_feature::{Action, Change, Command, Document, Past, Rules, SessionState, Summary, next, transact};
use stead_model::rfc3339;

use super::Here;
use crate::answer;
use crate::cli::Exit;
use crate::command::orchestrate::is_on;
use crate::error::CliError;
use crate::precedents;
use crate::project::now_millis;
use crate::session::calling_session;
use crate::ui::Ui;

/// Print what to do next
///
/// With `--json`, also the command object for the agent that does it. Nothing is claimed. Exits
/// with 1 if the list is invalid, and names the line.
#[derive(Args)]
#[command(after_help = "Example:\n  stead feature next --json")]
pub(super) struct NextArgs {
    /// Only these features
    #[arg(value_name = "ID")]
    only: Vec<String>,
    /// Print the action and its command object as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &NextArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    let (document, session) = (Document::read(&here.room)?, SessionState::read(&here.room)?);
    let outline = document.as_ref().map(Document::outline);
    for id in &args.only {
        outline.map(|outline| outline.find(id)).transpose()?;
    }
    let rules = Rules { only: args.only.clone(), ..Rules::default() };
    let now = now_millis();
    let action = next(outline, &session, now, &rules);
    let feature = match (&document, action.feature()) {
        (Some(document), Some(id)) => Some(document.feature(id)?),
        _ => None,
    };
    let mut command = Command::of(&action, feature.as_ref(), &session, now);
    if calling_session(&here.project).is_some_and(|session| is_on(&here.project, &session.session)) {
        hand_out(here, &action, command.as_ref(), now)?;
    }
    if args.json {
        if let Some(command) = &mut command {
            precedents::add_to_task(&here.project, command);
        }
        let mut answer = json!(action);
        if let Action::Wait { until, .. } = &action {
            answer["until"] = json!(rfc3339(*until));
        }
        if let Some(command) = &command {
            answer["command"] = json!(command);
        }
        ui.json(answer::FEATURE_NEXT, &answer);
        return Ok(Exit::Done);
    }
    let title = feature.map(|feature| format!("  {}", feature.title)).unwrap_or_default();
    ui.line(match &action {
        Action::Initialize => "initialize: there is no feature list yet".to_owned(),
        Action::Code { feature, again: None } => format!("code  {feature}{title}"),
        Action::Code { feature, again: Some(failure) } => {
            format!("code  {feature}{title} (again: {})", failure.summary)
        }
        Action::Test { feature } => format!("test  {feature}{title}"),
        Action::AskPerson { feature, question } => format!("ask a person about {feature}: {question}"),
        Action::Wait { until, why } => format!("wait until {}: {why}", rfc3339(*until)),
        Action::End { summary } => ended(summary),
    });
    // The process ends now. To give a long list back piece by piece would only take time.
    std::mem::forget(document);
    Ok(Exit::Done)
}

/// Records which command the session was given: where no sub-agents exist, it says which role the main agent has now.
fn hand_out(here: &Here, action: &Action, command: Option<&Command>, now: i64) -> Result<(), CliError> {
    transact(&here.room, |opened| {
        let session = &mut opened.session;
        if session.command.as_ref().map(|command| &command.key) == command.map(|command| &command.key) {
            return Ok(());
        }
        action.name().clone_into(&mut session.state);
        session.feature = action.feature().map(str::to_owned);
        session.command = command.cloned();
        let (event, at) = ("handed_out".to_owned(), rfc3339(now));
        let note = command.map(|command| command.key.clone());
        session.apply(&Change::Record(Past { at, event, feature: session.feature.clone(), note, ..Past::default() }));
        Ok(())
    })
}

fn ended(summary: &Summary) -> String {
    let mut text = format!("end: {} tested, {} skipped", summary.tested, summary.skipped);
    for (word, ids) in [("blocked", &summary.blocked), ("waiting", &summary.waiting), ("open", &summary.open)] {
        if !ids.is_empty() {
            text += &format!(", {} {word} ({})", ids.len(), ids.join(", "));
        }
    }
    if let Some(why) = &summary.why {
        text += &format!("; {why}");
    }
    text
}
