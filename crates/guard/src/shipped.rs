//! The guards that are included in the binary, and how a file enables one.

use stead_model::suggestion;
use stead_yaml::{Entry, Position, Tree, Value, parse};

use crate::compile::ProjectRooms;
use crate::source::{Origin, Source, SourceTrust};

/// A guard, or a pack of them, inside the binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    pub id: &'static str,
    pub text: &'static str,
    /// It applies by default; the others are not even read when guards are compiled.
    pub(crate) unasked: bool,
    /// It is a pack about dangerous commands, which `guard bench` measures and which has a page in docs/packs.
    pub is_pack: bool,
}

macro_rules! shipped {
    ($($id:literal $kind:ident),* $(,)?) => {
        &[$(Shipped {
            id: $id,
            text: include_str!(concat!("../shipped/", $id, ".yaml")),
            unasked: matches!(Kind::$kind, Kind::Unasked),
            is_pack: matches!(Kind::$kind, Kind::Pack),
        }),*]
    };
}

/// How a shipped guard comes into effect.
enum Kind {
    /// By default.
    Unasked,
    /// When it is enabled.
    Asked,
    /// When it is enabled; guards about dangerous commands.
    Pack,
}

pub(crate) const SHIPPED: &[Shipped] = shipped![
    "cloud" Pack,
    "database" Pack,
    "destructive" Pack,
    "fields-by-role" Asked,
    "history" Pack,
    "logs-through-tools" Asked,
    "orchestrator-does-not-edit" Asked,
    "orchestrator-does-not-test" Asked,
    "pr-needs-verification" Asked,
    "proof-stays-fixed" Unasked,
    "remote-code" Pack,
    "secrets" Pack,
    "summaries-go-to" Asked,
    "system" Pack,
    "tested-needs-evidence" Unasked,
    "tester-must-test" Asked,
];

/// Changes whenever a shipped guard changes.
pub const SHIPPED_STAMP: u64 = stamp(SHIPPED);

/// FNV-1a over all texts: detects changes, does not defend against an adversary.
const fn stamp(all: &[Shipped]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < all.len() {
        let bytes = all[at].text.as_bytes();
        let mut byte = 0;
        while byte < bytes.len() {
            hash = (hash ^ bytes[byte] as u64).wrapping_mul(0x100_0000_01b3);
            byte += 1;
        }
        at += 1;
    }
    hash
}

/// Every shipped guard, by id.
pub fn shipped() -> &'static [Shipped] {
    SHIPPED
}

/// A value that a shipped guard takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub name: String,
    pub about: String,
    /// It has no default.
    pub required: bool,
    /// The default as YAML in one line.
    pub usual: Option<String>,
}

impl Shipped {
    pub fn named(id: &str) -> Option<&'static Self> {
        SHIPPED.iter().find(|shipped| shipped.id == id)
    }

    pub fn source(&self) -> Source {
        Source {
            origin: Origin::Shipped,
            trust: SourceTrust::Trusted,
            ..Source::project(format!("shipped:{}", self.id), self.text)
        }
    }

    /// What it is for, in a sentence.
    pub fn about(&self) -> String {
        parse(self.text).ok().and_then(|tree| tree.get("about")?.scalar()).unwrap_or_default()
    }

    pub fn parameters(&self) -> Vec<Parameter> {
        let Ok(tree) = parse(self.text) else { return Vec::new() };
        tree.get("with")
            .map(Tree::entries)
            .unwrap_or_default()
            .iter()
            .map(|Entry { key, value: node, .. }| {
                let usual = node.get("default");
                Parameter {
                    name: key.clone(),
                    about: node.get("about").and_then(Tree::scalar).unwrap_or_default(),
                    required: usual.is_none(),
                    usual: usual.map(|node| node.json().to_string()),
                }
            })
            .collect()
    }
}

/// The default values: those of the guard itself, and the rooms of the project.
pub(crate) fn defaults(tree: &Tree, rooms: &ProjectRooms) -> Vec<(String, Tree)> {
    let mut values: Vec<(String, Tree)> = tree
        .get("with")
        .map(Tree::entries)
        .unwrap_or_default()
        .iter()
        .filter_map(|entry| Some((entry.key.clone(), entry.value.get("default")?.clone())))
        .collect();
    for room in ["features", "context", "guards", "roles"] {
        let value = Value::Text(rooms.room(room));
        values.push((room.to_owned(), Tree { value, at: 0..0, place: Position::default() }));
    }
    values
}

/// Why a shipped guard cannot be enabled with these values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnableError {
    #[error("there is no shipped guard `{id}`")]
    Unknown { id: String, nearest: Option<&'static str> },
    #[error("`{id}` has no value `{name}`")]
    UnknownValue { id: String, name: String, hint: String },
    #[error("`{id}` needs `{name}`: {about}")]
    Missing { id: String, name: String, about: String },
}

impl EnableError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Unknown { nearest, .. } => nearest.map(|near| format!("did you mean `{near}`?")),
            Self::UnknownValue { hint, .. } => Some(hint.clone()),
            Self::Missing { id, name, .. } => Some(format!("stead guard enable {id} --with {name}=…")),
        }
    }
}

/// Writes the file that enables a shipped guard. Values are YAML in one line (`[a, b]`), or several strings separated
/// by commas.
pub fn enable_text(id: &str, values: &[(String, String)]) -> Result<String, EnableError> {
    let Some(shipped) = Shipped::named(id) else {
        let nearest = stead_model::nearest(id, SHIPPED.iter().map(|shipped| shipped.id));
        return Err(EnableError::Unknown { id: id.to_owned(), nearest });
    };
    let parameters = shipped.parameters();
    for (name, _) in values {
        if !parameters.iter().any(|parameter| parameter.name == *name) {
            let hint = match parameters.is_empty() {
                true => "it takes no values".to_owned(),
                false => suggestion(name, parameters.iter().map(|parameter| parameter.name.as_str())),
            };
            return Err(EnableError::UnknownValue { id: id.to_owned(), name: name.clone(), hint });
        }
    }
    let mut text = format!("# {}\nid: {id}\nuse: {id}\nmode: enforce\n", shipped.about());
    if !parameters.is_empty() {
        text.push_str("with:\n");
    }
    for parameter in &parameters {
        let given = values.iter().find(|(name, _)| *name == parameter.name).map(|(_, value)| written(value));
        let Some(value) = given.or_else(|| parameter.usual.clone()) else {
            return Err(EnableError::Missing {
                id: id.to_owned(),
                name: parameter.name.clone(),
                about: parameter.about.clone(),
            });
        };
        text.push_str(&format!("  # {}\n  {}: {value}\n", parameter.about, parameter.name));
    }
    Ok(text)
}

/// A value as written to the file: YAML stays, several strings become a list of quoted strings, one string stays one.
fn written(value: &str) -> String {
    let value = value.trim();
    let is_plain =
        matches!(parse(value).map(|node| node.value), Ok(Value::Whole(_) | Value::Bool(_) | Value::Number(_)));
    let is_yaml = value.starts_with(['[', '{']) && parse(value).is_ok();
    if is_plain || is_yaml {
        return value.to_owned();
    }
    let texts: Vec<String> = value.split(',').map(|text| serde_json::Value::from(text.trim()).to_string()).collect();
    match texts.as_slice() {
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    }
}
