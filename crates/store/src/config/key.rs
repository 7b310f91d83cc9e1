use std::sync::LazyLock;

use stead_client::Harness;

use super::Value;
use crate::layout::check_place;
use stead_model::nearest;

use crate::{Room, StoreError};

/// The upper bound of every number.
const MOST: u64 = 1_000_000;

/// What a setting may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Switch,
    /// A folder inside the project.
    Folder,
    /// A file inside the project, or empty for none.
    File,
    Number,
    /// Words for a command line, or empty for none.
    Words,
    /// Any number of texts, which count only in the person's own settings.
    PersonalList,
    /// One of a few words.
    Choice {
        names: &'static [&'static str],
        expected: &'static str,
    },
}

/// Which values of a setting hold agents back more. For these settings the strictest layer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strict {
    /// It is not a gate: the strongest layer counts.
    Neither,
    /// A switch that is stricter when it is on.
    On,
    /// A switch that is stricter when it is off.
    Off,
    /// A choice whose names are listed from loose to strict.
    Last,
}

/// A setting that exists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) strict: Strict,
    pub(crate) about: &'static str,
}

const fn switch(name: &'static str, about: &'static str) -> Key {
    Key { name, kind: Kind::Switch, strict: Strict::Neither, about }
}

/// A setting that restricts agents.
const fn gate(key: Key, strict: Strict) -> Key {
    Key { strict, ..key }
}

const fn folder(name: &'static str, about: &'static str) -> Key {
    Key { name, kind: Kind::Folder, strict: Strict::Neither, about }
}

const fn file(name: &'static str, about: &'static str) -> Key {
    Key { name, kind: Kind::File, strict: Strict::Neither, about }
}

const fn number(name: &'static str, about: &'static str) -> Key {
    Key { name, kind: Kind::Number, strict: Strict::Neither, about }
}

const fn personal_list(name: &'static str, about: &'static str) -> Key {
    Key { name, kind: Kind::PersonalList, strict: Strict::Neither, about }
}

const fn choice(
    name: &'static str,
    names: &'static [&'static str],
    expected: &'static str,
    about: &'static str,
) -> Key {
    Key { name, kind: Kind::Choice { names, expected }, strict: Strict::Neither, about }
}

/// Every setting, in the order in which they are listed.
pub(crate) static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let at = FIXED.iter().position(|key| key.kind == Kind::Folder).unwrap_or(FIXED.len());
    let mut keys = FIXED.to_vec();
    keys.splice(at..at, Harness::ALL.into_iter().map(provider_args));
    keys
});

/// The one setting that each agent program has.
fn provider_args(harness: Harness) -> Key {
    let about = format!("further arguments when a run starts {}", harness.client().facts.title);
    // Settings live as long as the program.
    let name = format!("provider.{harness}.args").leak();
    Key { name, kind: Kind::Words, strict: Strict::Neither, about: about.leak() }
}

/// The settings that do not depend on who is known.
const FIXED: &[Key] = &[
    switch("auto_init", "create the project marker when a session starts without one"),
    switch("record.sessions", "record each hook call and the state of each session"),
    switch("record.relevant_files", "record which files the agent touched"),
    switch("record.prompts", "record what the person asks for, without secrets"),
    switch("record.evidence", "record the tests and builds that the agent runs"),
    switch("record.ledger", "record which lines the agent changed, and why"),
    switch("record.lessons", "learn from failed tests, builds and linters, and from decisions"),
    switch("record.traces", "remember what was denied, allowed, decided and corrected"),
    gate(switch("gate.self_protection", "keep the agent from changing Stead's own files and hook lines"), Strict::On),
    gate(switch("gate.guards", "let guards judge what the agent does"), Strict::On),
    gate(
        switch(
            "gate.stale_files",
            "deny a change of a file that changed since the agent saw it; by default with intents only",
        ),
        Strict::On,
    ),
    gate(
        choice(
            "intents.mode",
            &["off", "warn", "enforce"],
            "expected `off`, `warn` or `enforce`",
            "what happens to changes without a valid intent, once the project has an intents file",
        ),
        Strict::Last,
    ),
    gate(
        choice(
            "intents.shell",
            &["effects", "all"],
            "expected `effects` or `all`",
            "which shell commands need an intent: those not known to be read-only, or all",
        ),
        Strict::Last,
    ),
    gate(switch("intents.agents_may_add", "let agents add intents, though none that owns everything"), Strict::Off),
    number("intents.context_tokens", "maximum length of what an agent reads when it selects an intent, in tokens"),
    number("context.briefing_tokens", "maximum length of the briefing at session start, in tokens; 0 for none"),
    number("context.lesson_tokens", "maximum length of all lessons in `AGENT.md`, in tokens"),
    number(
        "context.precedent_tokens",
        "maximum length of the precedents that an agent is told at once, in tokens; 0 for none",
    ),
    gate(switch("context.hold_stops", "keep an agent working until its loop is done"), Strict::On),
    switch("context.share", "let git see packets and loops, so that a commit shares them"),
    switch("context.hold_compaction", "block a manual compaction once while the role file is unsaved"),
    file("context.role_skill", "path of a role's skill document; `{role}` is replaced by its name; empty for none"),
    file("context.architecture", "the architecture document that a recovering role reads; empty for none"),
    switch("orchestrate.in_session", "tell the main agent what is next, and keep it working while features are ready"),
    number("orchestrate.timeout", "how long an agent may work on a feature, in minutes"),
    number("orchestrate.lease", "how long a claim on a feature lasts, in minutes"),
    personal_list("trust.folders", "folders whose projects you trust as a whole; only in your own settings"),
    personal_list(
        "trust.remotes",
        "addresses of git remotes, with `*`, whose projects you trust as a whole; only in your own settings",
    ),
    folder("layout.context", "packets, loops, indexes"),
    folder("layout.roles", "role context files"),
    folder("layout.intents", "intents, their map and the trace ledger"),
    folder("layout.stages", "stages of pipelines"),
    folder("layout.pipelines", "pipelines"),
    folder("layout.runs", "what the engine ran"),
    folder("layout.features", "features and their evidence"),
    folder("layout.guards", "declarative rules"),
    folder("layout.graph", "traces and patterns"),
    folder("layout.cache", "what can be rebuilt; safe to delete"),
];

impl Key {
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    pub(crate) fn named(name: &str) -> Result<&'static Self, StoreError> {
        Self::find(name).ok_or_else(|| Self::unknown(name))
    }

    pub(crate) fn unknown(name: &str) -> StoreError {
        StoreError::UnknownKey { key: name.to_owned(), nearest: Self::nearest(name) }
    }

    /// Finds the setting a person probably meant: a typo, or the right last word in the wrong section.
    pub(crate) fn nearest(name: &str) -> Option<&'static str> {
        let last = |name: &str| name.rsplit('.').next().map(str::to_lowercase);
        nearest(name, KEYS.iter().map(|key| key.name))
            .or_else(|| KEYS.iter().map(|key| key.name).find(|known| last(known) == last(name)))
    }

    /// Returns true if only the person's own settings may set it.
    pub(crate) fn is_personal(&self) -> bool {
        self.kind == Kind::PersonalList
    }

    /// The environment variable that sets this setting.
    pub(crate) fn variable(&self) -> String {
        format!("STEAD_{}", self.name.replace('.', "_").to_uppercase())
    }

    /// How strict a value is, compared with others of this setting; `None` if the setting is not a gate.
    pub(crate) fn strictness(&self, value: &Value) -> Option<usize> {
        match (self.strict, self.kind, value) {
            (Strict::On, _, Value::Bool(on)) => Some(usize::from(*on)),
            (Strict::Off, _, Value::Bool(on)) => Some(usize::from(!*on)),
            (Strict::Last, Kind::Choice { names, .. }, Value::Text(word)) => names.iter().position(|name| name == word),
            _ => None,
        }
    }

    /// Returns true if setting this value, or removing it, may loosen a gate.
    pub(crate) fn may_loosen(&self, typed: Option<&str>) -> bool {
        let strictest = match (self.strict, self.kind) {
            (Strict::Neither, _) => return false,
            (Strict::Last, Kind::Choice { names, .. }) => names.len() - 1,
            _ => 1,
        };
        let value = typed.and_then(|typed| self.read(typed).ok());
        value.and_then(|value| self.strictness(&value)) != Some(strictest)
    }

    /// Parses a value as typed on a command line or in the environment.
    pub(crate) fn read(&self, typed: &str) -> Result<Value, String> {
        match self.kind {
            Kind::Switch => match typed.trim() {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                _ => Err(self.expected().to_owned()),
            },
            Kind::Number => match typed.trim().parse() {
                Ok(number) => self.check(Value::Number(number)),
                Err(_) => Err(self.expected().to_owned()),
            },
            Kind::Choice { .. } => self.check(Value::Text(typed.trim().to_owned())),
            Kind::PersonalList => self.check(Value::List(
                typed.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect(),
            )),
            Kind::Folder | Kind::File | Kind::Words => self.check(Value::Text(typed.to_owned())),
        }
    }

    /// Checks a value of the right type and normalises it.
    pub(crate) fn check(&self, value: Value) -> Result<Value, String> {
        match (self.kind, value) {
            (Kind::Switch, value @ Value::Bool(_)) => Ok(value),
            (Kind::Folder, Value::Text(place)) => check_place(&place).map(Value::Text).map_err(str::to_owned),
            (Kind::File, Value::Text(none)) if none.trim().is_empty() => Ok(Value::Text(String::new())),
            (Kind::File, Value::Text(place)) => check_place(&place).map(Value::Text).map_err(str::to_owned),
            (Kind::Words, Value::Text(words)) if !words.contains(['\0', '\n']) => Ok(Value::Text(words)),
            (Kind::PersonalList, Value::Text(one)) => Ok(Value::List(vec![one])),
            (Kind::PersonalList, value @ Value::List(_)) => Ok(value),
            (Kind::Number, Value::Number(number)) if number <= MOST => Ok(Value::Number(number)),
            (Kind::Choice { names, .. }, Value::Text(word)) if names.contains(&word.as_str()) => Ok(Value::Text(word)),
            _ => Err(self.expected().to_owned()),
        }
    }

    pub(crate) fn expected(&self) -> &'static str {
        match self.kind {
            Kind::Switch => "expected `true` or `false`",
            Kind::Folder => "expected the path of a folder, in quotes",
            Kind::File => "expected the path of a file, in quotes",
            Kind::Number => "expected a number from 0 to 1000000",
            Kind::Words => "expected words in quotes, as on a command line",
            Kind::PersonalList => "expected a list of texts, such as `[\"a\", \"b\"]`",
            Kind::Choice { expected, .. } => expected,
        }
    }
}

/// Every room has a setting; a test checks this because the compiler cannot.
const _: () = {
    let (mut folders, mut index) = (0, 0);
    while index < FIXED.len() {
        if matches!(FIXED[index].kind, Kind::Folder) {
            folders += 1;
        }
        index += 1;
    }
    assert!(folders == Room::ALL.len());
};
