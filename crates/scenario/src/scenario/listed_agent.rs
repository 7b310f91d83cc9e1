use anyhow::Result;
use stead_client::Facts;
use stead_testkit::fake_model::{Script, Turn};

use super::Scenario;
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::play::play;

pub(super) const SCENARIO: Scenario =
    Scenario { number: 24, title: "the client offers the installed agents to its model", obstacle, play: check };

fn obstacle(_: &Facts) -> Option<&'static str> {
    None
}

/// The agents, and how each description starts. Only the file in the client's own format says that.
const AGENTS: [(&str, &str); 3] = [
    ("initializer-agent", "Sets a project up"),
    ("coding-agent", "Implements one feature of the feature list"),
    ("tester-agent", "Tests one implemented feature"),
];

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::new(client, programs)?;
    ground.stead(&["init", "--agents", "--harness", client.harness.name(), "--no-mcp", "--yes"])?;
    let path = client.harness.client().facts.agents.project;
    let text = |name: &str| ground.read_project(&path.replace("{name}", name)).unwrap_or_default();
    (client.accept_agents)(&ground, AGENTS.iter().map(|(name, _)| (*name, text(name))).collect())?;
    // Some clients describe the tool that starts a sub-agent only if the model looks for it.
    let mut looks = (client.spawn)("");
    looks.pop();
    let turns = looks.into_iter().map(Turn::call).chain([Turn::say("I know them now.")]);
    let played = play(&ground, Script::new(turns))?;
    let told: Vec<String> = played.log.turns("").iter().map(|exchange| exchange.body.to_string()).collect();
    for (name, about) in AGENTS {
        let is_listed = told.iter().any(|body| body.contains(name) && body.contains(about));
        played.claim(is_listed, &format!("the model was not told of `{name}`"))?;
    }
    Ok(())
}
