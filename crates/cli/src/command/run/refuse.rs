use stead_pipeline::{Plan, Provider, Termination};

use crate::error::CliError;
use crate::project::Project;
use crate::speaker::Speaker;
use crate::ui::shell_word;

/// Refuses a plan whose commands the calling agent may not run itself: it may have written the stage. A person may run any.
pub(super) fn refuse_for_agents(plan: &Plan, provider: Option<&Provider>, project: &Project) -> Result<(), CliError> {
    let speaker = Speaker::calling(project);
    if speaker.agent(project).is_none() {
        return Ok(());
    }
    for (stage, command) in commands(plan, provider) {
        if let Some(reason) = speaker.refusal(project, &command) {
            let message = format!("stage `{stage}` runs `{command}`, which is refused: {reason}");
            return Err(CliError::user(message).hinted("change the stage, or ask the person to start the run"));
        }
    }
    Ok(())
}

/// Every command that the engine would start, as a shell reads it, with its stage. Known agent programs are not among them:
/// what they do passes their own hooks.
fn commands<'a>(plan: &'a Plan, provider: Option<&'a Provider>) -> Vec<(&'a str, String)> {
    let mut all: Vec<(&str, String)> = Vec::new();
    if let Some(Provider::Command(words)) = plan.orchestrate.as_ref().map(|options| &options.tester) {
        all.push(("tester", words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")));
    }
    for node in &plan.nodes {
        let queue = match &node.termination {
            Termination::Queue { command } => Some(command.clone()),
            _ => None,
        };
        let agent = match provider.unwrap_or(&node.provider) {
            Provider::Command(words) => Some(words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")),
            _ => None,
        };
        let own = node.verify.iter().cloned().chain(queue).chain(agent);
        for command in own.filter(|command| !command.trim().is_empty()) {
            if !all.iter().any(|(_, known)| *known == command) {
                all.push((&node.id, command));
            }
        }
    }
    all
}
