use stead_model::{Base, Spot};

/// How a client defines the agents that its main agent can start, and where it looks for them and for skills.
pub struct Agents {
    pub format: AgentFormat,
    /// Below the project root, with forward slashes; `{name}` stands for the agent's name.
    pub project: &'static str,
    /// The same for every project of one person.
    pub user: Spot<'static>,
    pub skills: Skills,
    /// The client offers a project's agents only after a person accepted each of them in its window.
    pub asks_first: bool,
}

/// Where a client looks for skills; `{name}` stands for the skill's name.
#[derive(Clone, Copy, Debug)]
pub struct Skills {
    pub project: &'static str,
    pub user: Spot<'static>,
}

/// What a file that defines an agent looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentFormat {
    /// Instructions as Markdown below front matter with `name`, `description` and these keys.
    Markdown(&'static [AgentKey]),
    /// TOML with `name`, `description` and `developer_instructions`.
    Toml,
}

/// A key that a client reads in the front matter, besides the name and the description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentKey {
    /// The list of tools, with the client's names. It is left out if an agent needs a kind of tool that has no name
    /// here: an agent without the list has all tools.
    Tools(&'static [(AgentTool, &'static str)]),
    /// The skills to load before the agent starts.
    Skills,
    /// A line that is the same for every agent.
    Line(&'static str),
}

stead_model::named! {
    /// A kind of tool that an agent needs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum AgentTool {
        Read = "read",
        Write = "write",
        Edit = "edit",
        Shell = "shell",
        Glob = "glob",
        Grep = "grep",
        /// Loading a skill; every agent with a skill needs it.
        Skill = "skill",
        /// The tools of all MCP servers, a browser's among them.
        Servers = "servers",
    }
}

/// The folder for skills that most clients read.
pub(crate) const SHARED_SKILLS: Skills = {
    const PATH: &str = ".agents/skills/{name}/SKILL.md";
    Skills { project: PATH, user: Spot { base: Base::Home, path: PATH } }
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Harness;

    #[test]
    fn every_place_has_room_for_a_name() {
        for harness in Harness::ALL {
            let agents = &harness.client().facts.agents;
            let places = [agents.project, agents.user.path, agents.skills.project, agents.skills.user.path];
            for path in places {
                assert_eq!(path.matches("{name}").count(), 1, "{harness}: {path}");
            }
            assert_ne!(agents.user.base, Base::Project, "{harness}");
            assert!(agents.skills.project.ends_with("/{name}/SKILL.md"), "{harness}");
            let end = if agents.format == AgentFormat::Toml { ".toml" } else { ".md" };
            assert!(agents.project.ends_with(end) && agents.user.path.ends_with(end), "{harness}");
        }
    }

    #[test]
    fn a_list_of_tools_names_each_kind_once() {
        for harness in Harness::ALL {
            let AgentFormat::Markdown(keys) = harness.client().facts.agents.format else { continue };
            for key in keys {
                let AgentKey::Tools(names) = key else { continue };
                for kind in AgentTool::ALL.into_iter().filter(|kind| *kind != AgentTool::Servers) {
                    assert_eq!(names.iter().filter(|(one, _)| *one == kind).count(), 1, "{harness}: {kind}");
                }
            }
        }
    }
}
