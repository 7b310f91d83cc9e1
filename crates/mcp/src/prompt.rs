//! The prompts that people choose in a client: how to hand work over, and what was handed over.

use rmcp::model::{ErrorData, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};

use crate::commands::Commands;

const HANDOFF: &str = "handoff";
const PICKUP: &str = "pickup";

pub(crate) fn list() -> Vec<Prompt> {
    let argument = |name: &str, about: &str| {
        Some(vec![PromptArgument::new(name).with_description(about.to_owned()).with_required(false)])
    };
    vec![
        Prompt::new(
            HANDOFF,
            Some("Write a packet, so that another session can continue"),
            argument("purpose", "what the next session should do"),
        )
        .with_title("Hand off"),
        Prompt::new(
            PICKUP,
            Some("Continue from a packet, after comparing it with the files"),
            argument("packet", "its id; the latest by default"),
        )
        .with_title("Pick up"),
    ]
}

/// The prompt of this name. `given` finds an argument by its name.
pub(crate) fn get(
    name: &str,
    given: &dyn Fn(&str) -> Option<String>,
    commands: &dyn Commands,
) -> Result<GetPromptResult, ErrorData> {
    let refused = |why: String| ErrorData::invalid_params(why, None);
    let text = match name {
        HANDOFF => {
            let purpose = given("purpose").unwrap_or_default();
            commands.instructions(HANDOFF, &purpose).ok_or_else(|| refused(format!("no instructions for `{name}`")))?
        }
        PICKUP => {
            let packet = given("packet").filter(|packet| !packet.is_empty()).unwrap_or_else(|| "latest".to_owned());
            let words = ["pickup", "--", &packet].map(str::to_owned);
            commands.run(&words, None).map_err(refused)?.text
        }
        _ => return Err(refused(format!("unknown prompt `{name}`; expected {HANDOFF} or {PICKUP}"))),
    };
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}
