use stead_client::{CommandFormat, CommandKey, Commands};

/// A command that a person types in a client: its name and what it tells the agent to do. The same text serves every
/// client; [`Template::render`] adds the client's format.
pub(crate) struct Template {
    pub(crate) name: &'static str,
    text: &'static str,
}

/// All commands.
pub(crate) static TEMPLATES: [Template; 6] = [
    Template { name: "context", text: include_str!("../assets/commands/context.md") },
    Template { name: "handoff", text: include_str!("../assets/commands/handoff.md") },
    Template { name: "pickup", text: include_str!("../assets/commands/pickup.md") },
    Template { name: "packet", text: include_str!("../assets/commands/packet.md") },
    Template { name: "loop", text: include_str!("../assets/commands/loop.md") },
    Template { name: "intent", text: include_str!("../assets/commands/intent.md") },
];

/// The command that makes the main agent the orchestrator; it comes with the agents.
pub(crate) static ORCHESTRATE: Template =
    Template { name: "orchestrate", text: include_str!("../assets/agents/orchestrate.md") };

/// What a command tells the agent to do, with its arguments.
pub fn instructions(command: &str, arguments: &str) -> Option<String> {
    let template = TEMPLATES.iter().find(|template| template.name == command)?;
    let body = template.body().replace("{stead}", "stead").replace("{pickup}", "stead pickup");
    Some(body.replace("{arguments}", arguments))
}

/// Stands in for arguments that a client passes by itself.
const UNPLACED: &str = "(the text after the command)";

impl Template {
    /// Renders the command in a client's format, without the line by which Stead recognises it. `stead` is the program
    /// as a shell takes it.
    pub(crate) fn render(&self, commands: &Commands, stead: &str) -> String {
        let pickup = match commands.format {
            // Clients that share a skill invoke it with different prefixes.
            CommandFormat::Skill => "stead-pickup".to_owned(),
            _ => commands.typed.replace("{name}", "pickup"),
        };
        let arguments = commands.arguments.unwrap_or(UNPLACED);
        let body = self.body().replace("{arguments}", arguments).replace("{pickup}", &pickup).replace("{stead}", stead);
        match commands.format {
            CommandFormat::Markdown([]) => body,
            CommandFormat::Markdown(keys) => {
                let lines: String = keys.iter().filter_map(|key| self.head_line(*key, stead)).collect();
                format!("---\n{lines}---\n\n{body}")
            }
            CommandFormat::Skill => {
                let description = self.field("description");
                format!("---\nname: stead-{}\ndescription: {description}\n---\n\n{body}", self.name)
            }
            CommandFormat::Toml => {
                format!(
                    "description = \"{}\"\nprompt = \"\"\"\n{}\"\"\"\n",
                    self.field("description"),
                    toml_text(&body)
                )
            }
        }
    }

    fn head_line(&self, key: CommandKey, stead: &str) -> Option<String> {
        match key {
            CommandKey::Description => Some(format!("description: {}\n", self.field("description"))),
            CommandKey::ArgumentHint => Some(format!("argument-hint: \"{}\"\n", self.field("hint"))),
            CommandKey::AllowedTools => {
                let allows = self.field("allows");
                let rules: Vec<String> = allows.split(", ").map(|words| format!("Bash({stead} {words}:*)")).collect();
                // A rule ends at its bracket and the list is split at commas, so an unusual program path gets no rule.
                let is_plain = !stead.contains(['(', ')', ',', '\'', '"']);
                is_plain.then(|| format!("allowed-tools: {}\n", rules.join(", ")))
            }
        }
    }

    fn field(&self, name: &str) -> &'static str {
        field(self.text, name)
    }

    fn body(&self) -> &'static str {
        body(self.text)
    }
}

/// A line of a template's head, which ends with `---`.
pub(crate) fn field(text: &'static str, name: &str) -> &'static str {
    let head = text.split("---\n").next().unwrap_or_default();
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(key, _)| *key == name).map(|(_, value)| value).unwrap_or_default()
}

/// What follows the head.
pub(crate) fn body(text: &'static str) -> &'static str {
    text.split_once("---\n").map(|(_, body)| body).unwrap_or_default()
}

/// Escapes what would end, or have a meaning in, a multi-line TOML string.
pub(crate) fn toml_text(text: &str) -> String {
    text.replace('\\', r"\\").replace("\"\"\"", "\"\"\\\"")
}

#[cfg(test)]
mod tests {
    use stead_client::Harness;

    use super::*;

    fn each(check: impl Fn(Harness, &Template, &str)) {
        for harness in Harness::ALL {
            for template in TEMPLATES.iter().chain([&ORCHESTRATE]) {
                check(harness, template, &template.render(&harness.client().facts.commands, "stead"));
            }
        }
    }

    #[test]
    fn every_command_is_whole_in_every_client() {
        each(|harness, template, text| {
            let commands = &harness.client().facts.commands;
            assert!(text.contains(&format!("stead {}", template.name)), "{harness}: {text}");
            assert!(text.contains(commands.arguments.unwrap_or(UNPLACED)), "{harness}: {text}");
            for left in ["{name}", "{arguments}", "{stead}", "{pickup}"] {
                assert!(!text.contains(left), "{harness}: {left} in {text}");
            }
            // It lies in the person's context whenever it is used.
            assert!(text.len() < 2_500, "{harness} {}: {} bytes", template.name, text.len());
        });
    }

    /// Clients replace `$1`, run `` !`…` `` and `!{…}`, and read `@file`; none of it may stand in a text by accident.
    #[test]
    fn nothing_in_a_text_means_something_else_to_a_client() {
        each(|harness, template, text| {
            let arguments = harness.client().facts.commands.arguments.unwrap_or(UNPLACED);
            assert_eq!(text.matches(arguments).count(), 1, "{harness} {}", template.name);
            let rest = text.replace(arguments, "");
            for odd in ["$", "@", "!{", "!`", "{{"] {
                assert!(!rest.contains(odd), "{harness} {}: {odd}", template.name);
            }
        });
    }

    #[test]
    fn heads_are_one_line_each_and_plain() {
        for template in TEMPLATES.iter().chain([&ORCHESTRATE]) {
            for name in ["description", "hint", "allows"] {
                let value = template.field(name);
                assert!(!value.is_empty() && !value.contains([':', '"', '#', '\\']), "{}: {value}", template.name);
            }
        }
    }

    #[test]
    fn the_toml_form_reads_back_as_the_body() {
        let commands = &Harness::Gemini.client().facts.commands;
        for stead in ["stead", r"'/o'\''hara/stead'"] {
            for template in &TEMPLATES {
                let table: toml::Table = template.render(commands, stead).parse().unwrap();
                let body = template.body().replace("{arguments}", "{{args}}").replace("{stead}", stead);
                assert_eq!(table["prompt"].as_str(), Some(&*body.replace("{pickup}", "/stead:pickup")));
                assert_eq!(table["description"].as_str(), Some(template.field("description")));
            }
        }
    }

    #[test]
    fn permission_is_asked_for_its_own_calls_only() {
        let commands = &Harness::Claude.client().facts.commands;
        let text = TEMPLATES[2].render(commands, "stead");
        assert!(text.contains("\nallowed-tools: Bash(stead pickup:*), Bash(stead packet list:*)\n---\n"), "{text}");
        assert!(!TEMPLATES[2].render(commands, "'/a (b)/stead'").contains("allowed-tools"));
    }
}
