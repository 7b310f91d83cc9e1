use stead_model::Base;

use crate::rule::Rule;

/// Gives the distinct literals without which no call can name what the rules protect. The policy compiler writes them
/// as `needle` lines.
pub fn needles(rules: &[Rule<'_>]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |literal: &str| {
        if !literal.is_empty() && !found.iter().any(|known| known.eq_ignore_ascii_case(literal)) {
            found.push(literal.to_owned());
        }
    };
    for rule in rules {
        match rule {
            Rule::Needle { literal } => add(literal),
            Rule::Free { .. } => {}
            Rule::Verb { words } => {
                add("stead");
                // In Stead's own sources it is `cargo run -- uninstall`.
                add(words);
            }
            Rule::Own { base, path, .. } | Rule::Settings { base, path, .. } => {
                let first = path.split('/').next().unwrap_or_default();
                add(longest_literal(first));
                // A file directly in its base folder is lost with that folder, so the folder's name counts too.
                if let (Base::Var { fallback, .. }, false) = (base, path.contains('/')) {
                    add(fallback.rsplit('/').next().unwrap_or_default());
                }
            }
        }
    }
    found
}

/// The longest part of a component that no `*` can change.
fn longest_literal(component: &str) -> &str {
    component.split('*').max_by_key(|part| part.len()).unwrap_or_default()
}

/// Says whether the text begins with the literal, in any ASCII case.
pub(crate) fn starts(text: &[u8], literal: &str) -> bool {
    text.len() >= literal.len() && text[..literal.len()].eq_ignore_ascii_case(literal.as_bytes())
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
            "own\tvar:XDG_CONFIG_HOME:.config\tstead/**\tx",
            "verb\tuninstall",
        ];
        let rules: Vec<_> = lines.iter().filter_map(|line| Rule::parse(line)).collect();
        assert_eq!(needles(&rules), [".agent", "settings.json", ".tool", "stead", "uninstall"]);
    }
}
