//! Whether the agents that a run starts call Stead: before the first one as far as files tell, and afterwards by the calls
//! that arrived.

use serde::Deserialize;
use stead_client::Harness;
use stead_hook::find_project;
use stead_install::{CallsHere, Site, calls_here};
use stead_pipeline::preflight::{Concern, Weight};
use stead_pipeline::{EndedAgent, Plan, Provider};
use stead_store::{Config, Layout, Room, Tail};

use crate::project::env;
use crate::run_room::RunRoom;

/// How far the session log is read for an agent's calls, from its end.
const LINES: usize = 20_000;

/// The agent programs of a plan that will not call, or may not.
pub(crate) fn concerns(plan: &Plan, room: &RunRoom) -> Vec<Concern> {
    let mut concerns: Vec<Concern> = Vec::new();
    for node in &plan.nodes {
        let Provider::Known(name) = &node.provider else { continue };
        let Some(harness) = Harness::from_name(name) else { continue };
        let facts = &harness.client().facts;
        let (message, hint) = match calls_here(&site(room.project.root()), harness) {
            CallsHere::Expected => continue,
            CallsHere::NoLines => (
                format!("{} has no hooks here, so nothing checks or records what its agents do", facts.title),
                format!("`stead init --harness {harness}` installs them"),
            ),
            CallsHere::Untrusted => (
                format!(
                    "{} does not trust the hooks here; if none arrives, the run stops after the first agent",
                    facts.title
                ),
                facts.install.confirm.to_owned(),
            ),
        };
        match concerns.iter_mut().find(|known| known.message == message) {
            Some(known) => known.nodes.push(node.id.clone()),
            None => concerns.push(Concern {
                weight: Weight::Warning,
                nodes: vec![node.id.clone()],
                message,
                hint: Some(hint),
            }),
        }
    }
    concerns
}

/// Why no call of an agent arrived that should have; `None` if one did, or none was to be expected.
pub(crate) fn unheard(agent: &EndedAgent<'_>) -> Option<String> {
    let harness = Harness::from_name(agent.provider)?;
    let found = find_project(agent.dir, &env);
    let root = found.is_marked().then(|| found.dir().to_owned())?;
    let (config, _) = Config::load(Some(&root), &env, &[]);
    let records = config.bool("record.sessions") && env("STEAD_RECORD_SESSIONS").is_none_or(|value| value != "0");
    if !records || calls_here(&site(&root), harness) == CallsHere::NoLines {
        return None;
    }
    let log = Layout::of(&config).dir(&root, Room::Context).join("indexes/sessions.jsonl");
    let lines = Tail::open(&log).ok()?.unchecked().take(LINES).flatten();
    let calls = lines.filter_map(|line| serde_json::from_str::<Call>(&line.text).ok());
    let own = (Some(agent.run), Some(agent.stage), Some(agent.iteration));
    let arrived = calls.into_iter().any(|call| (call.run.as_deref(), call.stage.as_deref(), call.iteration) == own);
    let facts = &harness.client().facts;
    (!arrived).then(|| {
        format!(
            "no hook of this agent arrived, so nothing that it did was checked: {} skipped them. To mend it: {}",
            facts.title, facts.install.confirm
        )
    })
}

#[derive(Deserialize)]
struct Call {
    run: Option<String>,
    stage: Option<String>,
    iteration: Option<u32>,
}

fn site(root: &std::path::Path) -> Site<'_> {
    Site { root, program: std::path::Path::new("stead"), env: &env }
}
