use stead_model::Base;

use super::rule::Rule;

/// Something without which no call can concern a rule: the hook looks for it before it reads any rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needle {
    /// A name in a path. A `*` at an end says that the name goes on there.
    Name(String),
    /// A folder below the one that a variable names.
    Below { variable: String, folder: String },
    /// A verb of `stead` that weakens it.
    Verb(String),
}

impl Needle {
    /// Writes it as one line, without the line end.
    pub fn render(&self) -> String {
        match self {
            Self::Name(name) => format!("needle\tname\t{name}"),
            Self::Below { variable, folder } => format!("needle\tbelow\t{variable}\t{folder}"),
            Self::Verb(words) => format!("needle\tverb\t{words}"),
        }
    }
}

/// Gives the distinct needles of the rules. The policy compiler writes them before the rules.
pub fn needles(rules: &[Rule<'_>]) -> Vec<Needle> {
    let mut found: Vec<Needle> = Vec::new();
    let mut add = |needle: Needle| {
        let empty = matches!(&needle, Needle::Name(name) if name.trim_matches('*').is_empty());
        if !empty && !found.contains(&needle) {
            found.push(needle);
        }
    };
    for rule in rules {
        match rule {
            Rule::Free { .. } => {}
            Rule::Verb { words } => add(Needle::Verb(words.to_string())),
            Rule::Own { base, path, .. } | Rule::Settings { base, path, .. } => {
                let (first, rest) = path.split_once('/').unwrap_or((path, ""));
                match base {
                    // An everyday name such as our own says too little without the folder around it.
                    Base::Var { name, fallback } if !rest.is_empty() && !first.starts_with('.') => {
                        let around = fallback.rsplit('/').next().unwrap_or_default();
                        add(Needle::Name(format!("{around}/{first}").to_lowercase()));
                        add(Needle::Below { variable: (*name).to_owned(), folder: first.to_owned() });
                    }
                    // A file directly in its base folder is lost with that folder, so the folder's name counts too.
                    Base::Var { fallback, .. } if rest.is_empty() => {
                        add(Needle::Name(longest_literal(first).to_lowercase()));
                        add(Needle::Name(fallback.rsplit('/').next().unwrap_or_default().to_lowercase()));
                    }
                    _ => add(Needle::Name(longest_literal(first).to_lowercase())),
                }
            }
        }
    }
    found
}

/// The longest part of a component that no `*` can change, with a `*` on the sides where the name goes on.
fn longest_literal(component: &str) -> String {
    let parts: Vec<&str> = component.split('*').collect();
    let longest = parts.iter().enumerate().max_by_key(|(_, part)| part.len()).map_or(0, |(at, _)| at);
    let (left, right) = (longest > 0, longest + 1 < parts.len());
    format!("{}{}{}", if left { "*" } else { "" }, parts[longest], if right { "*" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_gives_the_name_it_starts_with() {
        let lines = [
            "own\tproject\t.agent/config.toml\tx",
            "own\tproject\t.agent/guards/**\tx",
            "free\tproject\tother/x",
            "settings\tvar:TOOL_HOME:.tool\tsettings.json\tTool\tflat\t",
            "settings\tproject\t.tool/hooks/*.json\tTool\tflat\t",
            "settings\tproject\tmy*hooks/x.json\tTool\tflat\t",
            "own\tvar:XDG_CONFIG_HOME:.config\tstead/**\tx",
            "verb\tuninstall",
        ];
        let rules: Vec<_> = lines.iter().filter_map(|line| Rule::parse(line)).collect();
        let rendered: Vec<String> = needles(&rules).iter().map(Needle::render).collect();
        let expected = [
            "needle\tname\t.agent",
            "needle\tname\tsettings.json",
            "needle\tname\t.tool",
            "needle\tname\t*hooks",
            "needle\tname\t.config/stead",
            "needle\tbelow\tXDG_CONFIG_HOME\tstead",
            "needle\tverb\tuninstall",
        ];
        assert_eq!(rendered, expected);
    }
}
