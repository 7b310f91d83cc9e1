use std::collections::BTreeMap;

use stead_hook::Rules;
use stead_pipeline::{Plan, Provider, Termination, provider};

use crate::error::CliError;
use crate::notify;
use crate::run_room::RunRoom;
use crate::speaker::Speaker;
use crate::ui::shell_word;

/// What a continued run is changed to.
#[derive(Clone, Copy, Default)]
pub(crate) struct Changed<'a> {
    pub(crate) provider: Option<&'a Provider>,
    pub(crate) model: Option<&'a str>,
}

/// Refuses a plan whose commands the calling agent may not run itself: it may have written the stage. A person may run any.
pub(crate) fn refuse_for_agents(plan: &Plan, changed: Changed<'_>, room: &RunRoom) -> Result<(), CliError> {
    let project = &room.project;
    let speaker = Speaker::calling(project);
    if speaker.agent(project).is_none() {
        return Ok(());
    }
    let providers = plan.nodes.iter().map(|node| &node.provider).chain(changed.provider);
    let tester = plan.orchestrate.as_ref().map(|options| &options.tester);
    let arguments = room.provider_args(providers.chain(tester))?;
    let notify = notify::command(project).map(|line| Command { stage: "notify.command", line, rules: Rules::All });
    for Command { stage, line, rules } in commands(plan, changed, &arguments).into_iter().chain(notify) {
        if let Some(reason) = speaker.refusal_by(rules, project, &line) {
            let message = format!("stage `{stage}` runs `{line}`, which is refused: {reason}");
            return Err(CliError::user(message).hinted("change the stage, or ask the person to start the run"));
        }
    }
    Ok(())
}

/// A command that the engine would start, as a shell reads it.
#[derive(Debug, PartialEq)]
struct Command<'a> {
    stage: &'a str,
    line: String,
    rules: Rules,
}

/// Every command that the engine would start: checks, queues, and the providers with their arguments. What a known agent
/// program does later passes its own hooks, so it needs no intent to be started.
fn commands<'a>(plan: &'a Plan, changed: Changed<'a>, arguments: &BTreeMap<String, Vec<String>>) -> Vec<Command<'a>> {
    let provider_line = |provider: &Provider, model: Option<&str>| {
        let (own, rules) = match provider {
            Provider::Known(name) => (arguments.get(name).map(Vec::as_slice), Rules::WithoutIntents),
            Provider::Command(_) => (None, Rules::All),
            Provider::Mock => return None,
        };
        let words = provider::argv(provider, changed.model.or(model), own.unwrap_or_default()).ok()?;
        Some((joined(&words), rules))
    };
    let mut all: Vec<Command<'_>> = Vec::new();
    let mut add = |stage: &'a str, line: String, rules: Rules| {
        if !line.trim().is_empty() && !all.iter().any(|known| known.line == line && known.rules == rules) {
            all.push(Command { stage, line, rules });
        }
    };
    if let Some((line, rules)) = plan.orchestrate.as_ref().and_then(|options| provider_line(&options.tester, None)) {
        add("tester", line, rules);
    }
    for node in &plan.nodes {
        for line in &node.verify {
            add(&node.id, line.clone(), Rules::All);
        }
        if let Termination::Queue { command } = &node.termination {
            add(&node.id, command.clone(), Rules::All);
        }
        let provider = changed.provider.unwrap_or(&node.provider);
        if let Some((line, rules)) = provider_line(provider, node.model.as_deref()) {
            add(&node.id, line, rules);
        }
    }
    all
}

fn joined(words: &[String]) -> String {
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}
