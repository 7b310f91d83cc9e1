//! Files with the agents that a client's main agent can start, the skills they load, and the command that makes the main
//! agent their orchestrator.

use std::path::PathBuf;

use stead_client::{Harness, Scope};

use crate::agent_template::{AGENTS, AgentTemplate, SKILLS};
use crate::command_file::command_path;
use crate::hook_command::shell_program;
use crate::layer::read_text;
use crate::own_file::{locate, obstacle, plan_file};
use crate::signature::{Remark, sign};
use crate::template::{ORCHESTRATE, Template};
use crate::{Note, Plan, Reach, Site};

/// Plans the agents of the given clients. Clients that read the same folder share one copy.
pub fn plan_agents(site: &Site<'_>, harnesses: &[Harness], scope: Scope) -> Plan {
    let mut plan = Plan::default();
    for &harness in harnesses {
        if let Some(why) = obstacle(site, scope, "agents") {
            plan.notes.push(Note::NoCommands { harness, why });
            continue;
        }
        let stead = shell_program(scope, site.program);
        for (part, path) in parts(site, harness, Reach::of(scope)) {
            plan_file(harness, path, part.render(harness, &stead), &mut plan);
        }
        plan.notes.push(Note::Agents { harness });
    }
    plan
}

/// The files of a client within reach, existing or not.
pub(crate) fn agent_paths(site: &Site<'_>, harness: Harness, reach: Reach) -> Vec<PathBuf> {
    parts(site, harness, reach).into_iter().map(|(_, path)| path).collect()
}

/// A file in the project that defines an agent, whoever wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentDefinition {
    pub harness: Harness,
    pub path: PathBuf,
    pub text: String,
}

/// Finds the definitions in the folders of all clients, by path. A file that cannot be read as text is left out.
pub fn agent_definitions(site: &Site<'_>) -> Vec<AgentDefinition> {
    let mut found: Vec<AgentDefinition> = Vec::new();
    for harness in Harness::ALL {
        let project = harness.client().facts.agents.project;
        let (folder, ending) = project.split_once("{name}").unwrap_or((project, ""));
        let entries = std::fs::read_dir(site.root.join(folder)).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            let is_definition = path.to_str().is_some_and(|name| name.ends_with(ending));
            let Some(text) = is_definition.then(|| read_text(&path).ok().flatten()).flatten() else { continue };
            found.push(AgentDefinition { harness, path, text });
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

enum Part {
    Agent(&'static AgentTemplate),
    Skill(&'static AgentTemplate),
    Command(&'static Template),
}

impl Part {
    fn render(&self, harness: Harness, stead: &str) -> String {
        let facts = &harness.client().facts;
        match self {
            Self::Agent(agent) => sign(&agent.render(facts, stead), Remark::of_agent(facts.agents.format)),
            Self::Skill(skill) => sign(&skill.render_skill(stead), Remark::Markdown),
            Self::Command(command) => {
                sign(&command.render(&facts.commands, stead), Remark::of_command(facts.commands.format))
            }
        }
    }
}

fn parts(site: &Site<'_>, harness: Harness, reach: Reach) -> Vec<(Part, PathBuf)> {
    let agents = &harness.client().facts.agents;
    let place = |agent: &AgentTemplate| locate(site, reach, agents.project, agents.user, agent.name);
    let shelf = |skill: &AgentTemplate| locate(site, reach, agents.skills.project, agents.skills.user, skill.name);
    let defined = AGENTS.iter().filter_map(|agent| Some((Part::Agent(agent), place(agent)?)));
    let skills = SKILLS.iter().filter_map(|skill| Some((Part::Skill(skill), shelf(skill)?)));
    let command = command_path(site, harness, reach, &ORCHESTRATE).map(|path| (Part::Command(&ORCHESTRATE), path));
    defined.chain(skills).chain(command).collect()
}
