use stead_client::{AgentFormat, AgentKey, AgentTool, Facts};

use crate::template::{body, field, toml_text};

/// An agent or a skill: its name and its text. The same text serves every client; rendering adds the client's format.
pub(crate) struct AgentTemplate {
    pub(crate) name: &'static str,
    text: &'static str,
}

/// All agents that another agent can start.
pub(crate) static AGENTS: [AgentTemplate; 3] = [
    AgentTemplate { name: "initializer-agent", text: include_str!("../assets/agents/initializer-agent.md") },
    AgentTemplate { name: "coding-agent", text: include_str!("../assets/agents/coding-agent.md") },
    AgentTemplate { name: "tester-agent", text: include_str!("../assets/agents/tester-agent.md") },
];

/// What they know how to do, as skills.
pub(crate) static SKILLS: [AgentTemplate; 3] = [
    AgentTemplate { name: "project-initialization", text: include_str!("../assets/skills/project-initialization.md") },
    AgentTemplate { name: "incremental-coding", text: include_str!("../assets/skills/incremental-coding.md") },
    AgentTemplate { name: "browser-testing", text: include_str!("../assets/skills/browser-testing.md") },
];

impl AgentTemplate {
    /// Renders an agent for a client, without the line by which Stead recognises the file. `stead` is the program as a
    /// shell takes it.
    pub(crate) fn render(&self, client: &Facts, stead: &str) -> String {
        // A client that does not mark a sub-agent's calls leaves it to the agent to say who it is.
        let begin = match client.marks_calls {
            true => String::new(),
            false => {
                format!("First of all, run `{stead} agent begin {}`; at the end, `{stead} agent end`.\n\n", self.name)
            }
        };
        let body = self.body(stead).replace("{begin}", &begin);
        let description = field(self.text, "description");
        match client.agents.format {
            AgentFormat::Markdown(keys) => {
                let lines: String = keys.iter().map(|key| self.head_lines(*key)).collect();
                format!("---\nname: {}\ndescription: {description}\n{lines}---\n\n{body}", self.name)
            }
            AgentFormat::Toml => format!(
                "name = \"{}\"\ndescription = \"{description}\"\ndeveloper_instructions = \"\"\"\n{}\"\"\"\n",
                self.name,
                toml_text(&body)
            ),
        }
    }

    /// Renders a skill, which is the same in every client.
    pub(crate) fn render_skill(&self, stead: &str) -> String {
        let description = field(self.text, "description");
        format!("---\nname: {}\ndescription: {description}\n---\n\n{}", self.name, self.body(stead))
    }

    fn body(&self, stead: &str) -> String {
        body(self.text).replace("{stead}", stead)
    }

    fn head_lines(&self, key: AgentKey) -> String {
        match key {
            AgentKey::Tools(names) => self.tools(names).map(|tools| list("tools", &tools)).unwrap_or_default(),
            AgentKey::Skills => list("skills", &[field(self.text, "skill")]),
            AgentKey::Line(line) => format!("{line}\n"),
        }
    }

    /// The client's names of the tools that the agent needs; `None` if one has no name.
    fn tools(&self, names: &[(AgentTool, &'static str)]) -> Option<Vec<&'static str>> {
        let mut tools: Vec<&str> = Vec::new();
        for kind in self.kinds() {
            let (_, name) = names.iter().find(|(known, _)| *known == kind)?;
            if !tools.contains(name) {
                tools.push(name);
            }
        }
        Some(tools)
    }

    fn kinds(&self) -> impl Iterator<Item = AgentTool> {
        let named = field(self.text, "tools").split(", ").filter_map(AgentTool::from_name);
        named.chain([AgentTool::Skill])
    }
}

fn list(key: &str, values: &[&str]) -> String {
    let lines: String = values.iter().map(|value| format!("  - {value}\n")).collect();
    format!("{key}:\n{lines}")
}

#[cfg(test)]
mod tests {
    use stead_client::Harness;

    use super::*;

    fn each(check: impl Fn(Harness, &AgentTemplate, &str)) {
        for harness in Harness::ALL {
            for agent in &AGENTS {
                check(harness, agent, &agent.render(&harness.client().facts, "stead"));
            }
        }
    }

    /// The seed's table: which tools, which skill.
    #[test]
    fn agents_need_the_tools_of_the_design() {
        let check = |name: &str, tools: &str, skill: &str| {
            let agent = AGENTS.iter().find(|agent| agent.name == name).unwrap();
            assert_eq!(field(agent.text, "tools"), tools);
            assert_eq!(agent.kinds().count(), tools.split(", ").count() + 1, "{name}: each kind of tool is known");
            assert_eq!(field(agent.text, "skill"), skill);
            assert!(SKILLS.iter().any(|known| known.name == skill));
            assert!(agent.text.contains(&format!("skill `{skill}`")), "{name}");
        };
        check("initializer-agent", "read, write, edit, shell, glob, grep", "project-initialization");
        check("coding-agent", "read, write, edit, shell, glob, grep, servers", "incremental-coding");
        check("tester-agent", "read, write, shell, servers", "browser-testing");
    }

    #[test]
    fn every_definition_is_short_and_whole() {
        each(|harness, agent, text| {
            assert!(text.lines().count() < 100, "{harness} {}", agent.name);
            for left in ["{name}", "{stead}", "{begin}"] {
                assert!(!text.contains(left), "{harness} {}: {left}", agent.name);
            }
            let begins = text.contains(&format!("`stead agent begin {}`", agent.name));
            assert_eq!(begins, !harness.client().facts.marks_calls, "{harness} {}", agent.name);
        });
        for skill in &SKILLS {
            let text = skill.render_skill("stead");
            assert!(text.lines().count() < 100 && !text.contains("{stead}"), "{}", skill.name);
        }
    }

    #[test]
    fn the_lines_that_others_wait_for_are_there() {
        let text = |name: &str| AGENTS.iter().find(|agent| agent.name == name).unwrap().text;
        let coding = text("coding-agent");
        assert!(coding.ends_with("\nIMPLEMENTATION COMPLETE - Feature <ID> ready for testing\n"));
        assert!(coding.contains("reflect --feature ID --failed") && coding.contains("reflect --feature ID --prevent"));
        let tester = text("tester-agent");
        assert!(tester.contains("\nPASSED - Feature <ID> ") && tester.contains("\nFAILED - Feature <ID>"));
        for kind in ["**Unit**", "**API**", "**Browser**", "**Database**", "1. Health check"] {
            assert!(tester.contains(kind), "{kind}");
        }
    }

    /// What they must not do is for guards; a rule that nothing enforces only costs tokens.
    #[test]
    fn definitions_say_how_and_not_what_not() {
        for one in AGENTS.iter().chain(&SKILLS) {
            for word in ["MUST", "NEVER", "ALWAYS", "CRITICAL", "Do not", "Don't", "do not use", "must not"] {
                assert!(!one.text.contains(word), "{}: {word}", one.name);
            }
        }
    }

    #[test]
    fn heads_are_plain_yaml() {
        for one in AGENTS.iter().chain(&SKILLS) {
            let description = field(one.text, "description");
            assert!(!description.is_empty() && !description.contains([':', '"', '#', '\\']), "{description}");
            assert!(description.len() < 1_024, "{}", one.name);
        }
        each(|harness, agent, text| {
            let AgentFormat::Markdown(_) = harness.client().facts.agents.format else { return };
            let (head, _) = text.strip_prefix("---\n").unwrap().split_once("\n---\n\n").unwrap();
            assert!(head.starts_with(&format!("name: {}\ndescription: ", agent.name)), "{harness}: {head}");
            for line in head.lines() {
                assert!(line.starts_with("  - ") || line.contains(": ") || line.ends_with(':'), "{harness}: {line}");
            }
        });
    }

    #[test]
    fn the_toml_form_reads_back_as_the_body() {
        let harness = Harness::Codex;
        for stead in ["stead", r"'/o'\''hara/stead'"] {
            for agent in &AGENTS {
                let table: toml::Table = agent.render(&harness.client().facts, stead).parse().unwrap();
                let body = agent.body(stead).replace("{begin}", "");
                assert_eq!(table["developer_instructions"].as_str(), Some(&*body));
                assert_eq!(table["name"].as_str(), Some(agent.name));
                assert_eq!(table["description"].as_str(), Some(field(agent.text, "description")));
                assert_eq!(table.len(), 3);
            }
        }
    }

    #[test]
    fn a_list_of_tools_is_exact_or_absent() {
        let text = |harness: Harness, at: usize| AGENTS[at].render(&harness.client().facts, "stead");
        let initializer = text(Harness::Claude, 0);
        let tools = "tools:\n  - Read\n  - Write\n  - Edit\n  - Bash\n  - Glob\n  - Grep\n  - Skill\n";
        assert!(initializer.contains(&format!("{tools}skills:\n  - project-initialization\n---\n")), "{initializer}");
        // Without a name for the tools of servers, a list would take them away.
        assert!(!text(Harness::Claude, 2).contains("tools:\n"));
        assert!(text(Harness::Gemini, 2).contains("  - read_file\n  - write_file\n  - run_shell_command\n  - mcp_*\n"));
        assert!(
            text(Harness::Copilot, 0).contains("tools:\n  - read\n  - edit\n  - execute\n  - search\n  - skill\n---")
        );
        assert!(text(Harness::OpenCode, 1).contains("\nmode: subagent\n---\n"));
    }
}
