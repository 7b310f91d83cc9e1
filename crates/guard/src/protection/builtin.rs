use std::borrow::Cow;

use stead_model::Base;

use super::rule::Rule;

/// The rooms of the project folder that contain Stead's own files. A project may move them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OwnRoom {
    Context,
    Intents,
    Runs,
    Features,
    Guards,
    Graph,
    Cache,
}

/// What Stead protects in every project, as `(room, path below it, what it is)`.
const OWN: &[(OwnRoom, &str, &str)] = &[
    (OwnRoom::Context, "indexes/**", "Stead's state"),
    (OwnRoom::Context, "loops/**", "Stead's loop state"),
    (OwnRoom::Guards, "**", "the project's guards"),
    (OwnRoom::Intents, "active_intents.yaml", "the intents file"),
    (OwnRoom::Intents, ".intentignore", "the intents' ignore file"),
    (OwnRoom::Intents, "requests.jsonl", "the requests for intents"),
    (OwnRoom::Intents, "intent_map.md", "the intent map"),
    (OwnRoom::Intents, "agent_trace.jsonl", "the agent trace ledger"),
    (OwnRoom::Intents, "agent_trace.head", "the end of the ledger's chain"),
    (OwnRoom::Intents, "agent_trace.stead.jsonl", "the agent trace ledger"),
    (OwnRoom::Intents, "agent_trace.stead.head", "the end of the ledger's chain"),
    (OwnRoom::Intents, "peers/**", "the ledgers of others"),
    (OwnRoom::Features, "evidence/**", "recorded evidence"),
    (OwnRoom::Features, "session-state.json", "Stead's feature state"),
    (OwnRoom::Features, "agent-verifiers.jsonl", "the record of who wrote verifiers"),
    (OwnRoom::Graph, "**", "the trace graph"),
    (OwnRoom::Cache, "**", "Stead's cache"),
    (OwnRoom::Runs, "**", "the record of runs"),
];

/// Never moves with the rooms.
const FIXED: &[(&str, &str)] = &[
    (".agent/context/root.json", "the project marker"),
    (".agent/config.toml", "Stead's config"),
    (".agent/config.local.toml", "Stead's local config"),
    (".agent/cache/policy", "Stead's compiled policy"),
    (".agent/cache/guards", "the compiled guards"),
    (".agent/cache/intents", "the compiled intents"),
    (".agent/cache/**", "Stead's cache"),
];

const FREE: &[(OwnRoom, &str)] = &[
    (OwnRoom::Runs, "*/stage-*/progress.md"),
    (OwnRoom::Runs, "*/stage-*/output.md"),
    (OwnRoom::Runs, "*/stage-*/iterations/*/status.json"),
];

const USER: &[(Base<'static>, &str)] = &[
    (Base::Var { name: "XDG_CONFIG_HOME", fallback: ".config" }, "Stead's user config and guards"),
    (Base::Var { name: "XDG_DATA_HOME", fallback: ".local/share" }, "Stead's user data"),
    (Base::Var { name: "XDG_STATE_HOME", fallback: ".local/state" }, "Stead's user state"),
];

/// Where `stead` usually is installed, below home.
const PROGRAMS: &[&str] = &[".cargo/bin", ".local/bin"];

/// What the rules of the program call it.
pub(super) const PROGRAM: &str = "the `stead` program";

/// Protects the program `stead` in a folder, under its name there: without it, every hook lets everything pass. The deep
/// form matches the same path, and avoids searching every call for the folder's name.
pub fn program_rule<'a>(folder: &'a str, name: &str) -> Rule<'a> {
    let base = Base::Var { name: "", fallback: folder };
    Rule::Own { base, path: format!("{name}/**").into(), what: PROGRAM.into() }
}

/// Commands of `stead` that an agent may not call. `hook` is one because it could forge records; `init` is not, because
/// it removes no hook and no gate. A loop may be ended by the session that started it, and a
/// trace be forgotten by the session that stored it.
const VERBS: &[&str] = &[
    "uninstall", "config set", "config unset", "hook", "loop cancel", "loop pause", "guard new", "guard enable",
    "guard disable", "guard promote", "guard demote", "guard accept", "guard review", "guard rollback", "allow",
    "appeal uphold", "agent flag", "intent add", "intent widen", "intent confirm", "intent reject", "intent reopen",
    "feature answer", "feature unblock", "feature skip", "feature edit", "feature import", "memory confirm",
    "memory promote", "memory import", "memory forget", "seal accept", "trust",
];

/// Returns the rules of every project. `relative` names a room's folder below the project root.
pub fn builtin_rules(relative: &dyn Fn(OwnRoom) -> String) -> Vec<Rule<'static>> {
    let place = |room: OwnRoom, path: &str| -> Cow<'static, str> {
        format!("{}/{path}", relative(room).trim_end_matches('/')).into()
    };
    let base = Base::Project;
    let fixed = FIXED.iter().map(|(path, what)| Rule::Own { base, path: (*path).into(), what: (*what).into() });
    let own = OWN.iter().map(|(room, path, what)| Rule::Own { base, path: place(*room, path), what: (*what).into() });
    let free = FREE.iter().map(|(room, path)| Rule::Free { base, path: place(*room, path) });
    let user = USER.iter().map(|(base, what)| Rule::Own { base: *base, path: "stead/**".into(), what: (*what).into() });
    let programs = PROGRAMS.iter().map(|folder| program_rule(folder, "stead"));
    let verbs = VERBS.iter().map(|words| Rule::Verb { words: (*words).into() });
    fixed.chain(own).chain(free).chain(user).chain(programs).chain(verbs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_that_moved_are_protected_where_they_are() {
        let rules = builtin_rules(&|room| match room {
            OwnRoom::Intents => ".orchestration/".to_owned(),
            other => format!(".agent/{other:?}").to_lowercase(),
        });
        let lines: Vec<String> = rules.iter().map(Rule::render).collect();
        assert!(lines.contains(&"own\tproject\t.orchestration/intent_map.md\tthe intent map".to_owned()));
        assert!(lines.contains(&"own\tproject\t.agent/guards/**\tthe project's guards".to_owned()));
        assert!(lines.contains(&"free\tproject\t.agent/runs/*/stage-*/output.md".to_owned()));
        assert!(lines.contains(&"verb\tconfig set".to_owned()));
        assert_eq!(rules.len(), FIXED.len() + OWN.len() + FREE.len() + USER.len() + PROGRAMS.len() + VERBS.len());
    }
}
