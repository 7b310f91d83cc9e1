use std::fmt;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The scheme of an intent in `related`.
const INTENT: &str = "intent:";

/// A line of the ledger. It is written as Agent Trace 0.1.0; the field names of the older dialect are read too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    pub version: String,
    /// A UUID.
    pub id: String,
    pub timestamp: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vcs: Option<Vcs>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<Tool>,
    pub files: Vec<FileTrace>,
    #[serde(skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// Only in the older dialect.
    #[serde(skip_serializing)]
    pub(super) intent_id: Option<String>,
    #[serde(skip_serializing)]
    pub(super) mutation_class: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Vcs {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(alias = "revision_id")]
    pub revision: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tool {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileTrace {
    /// Relative to the project's root.
    #[serde(alias = "relative_path")]
    pub path: String,
    pub conversations: Vec<Conversation>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Conversation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contributor: Option<Contributor>,
    pub ranges: Vec<LineRange>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Contributor {
    #[serde(rename = "type", alias = "entity_type")]
    pub kind: ContributorKind,
    #[serde(skip_serializing_if = "Option::is_none", alias = "model_identifier")]
    pub model_id: Option<String>,
}

/// Lines of a file after the change, counted from 1, both ends included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LineRange {
    pub start_line: u64,
    pub end_line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contributor: Option<Contributor>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Related {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(alias = "value")]
    pub url: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    #[serde(rename = "dev.stead", skip_serializing_if = "Option::is_none")]
    pub stead: Option<SteadNote>,
}

impl Metadata {
    fn is_empty(&self) -> bool {
        self.stead.is_none()
    }
}

/// What Stead knows about a change beyond Agent Trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SteadNote {
    pub v: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// The client's id of the tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    pub class: MutationClass,
    /// In a word, how the class was decided.
    pub how: String,
    /// The class that the agent stated, and whether it is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<MutationClass>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agrees: Option<bool>,
    /// The id of the verdict about the call, and the guards that matched it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guards: Vec<String>,
    /// The changed files that the intent does not own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub out_of_scope: Vec<String>,
    pub phase: Phase,
    /// The id of the provisional line that a final one completes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    pub files: Vec<FileNote>,
    /// How many more files the call changed than fit into the line.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: u64,
    pub seq: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prev: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hash: String,
}

/// A file that a call changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileNote {
    pub path: String,
    pub op: FileOp,
    /// The path before a rename.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The hashes of all lines in the ranges, in order, each 11 characters.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub lines: String,
    /// The hashes of lines in the ranges that the call only moved, indented or formatted.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kept: String,
    /// The hashes of added lines that the files already had somewhere, and of removed ones of which there were several.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub again: String,
    /// The hashes of removed lines, each as often as there are fewer of it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub gone: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeNote>,
}

/// A syntax node that has changed lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeNote {
    pub lang: String,
    pub kind: String,
    pub name: String,
    pub start: u64,
    pub end: u64,
    pub raw: String,
    /// Absent if the node does not parse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normal: Option<String>,
    /// How much of it the call wrote.
    #[serde(skip_serializing_if = "NodePart::is_part")]
    pub part: NodePart,
}

macro_rules! word {
    ($(#[$of_type:meta])* $type:ident { $($(#[$of_variant:meta])* $variant:ident = $name:literal,)+ } else $fallback:ident) => {
        stead_model::named! {
            $(#[$of_type])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum $type { $($(#[$of_variant])* $variant = $name,)+ }
        }

        impl Default for $type {
            fn default() -> Self {
                Self::$fallback
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        // Other writers use other words; a line is not lost for that.
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let named = |text: &str| Self::ALL.into_iter().find(|known| known.name().eq_ignore_ascii_case(text));
                deserializer.deserialize_str(Word).map(|text| named(&text).unwrap_or_default())
            }
        }
    };
}

word! {
    /// Who wrote a range.
    ContributorKind {
        Human = "human",
        Ai = "ai",
        Mixed = "mixed",
        Unknown = "unknown",
    } else Unknown
}

word! {
    /// What a change means, by comparing syntax trees.
    MutationClass {
        /// The behaviour is the same.
        Refactor = "AST_REFACTOR",
        Evolution = "INTENT_EVOLUTION",
        Unknown = "UNKNOWN",
    } else Unknown
}

word! {
    /// What happened to a file.
    FileOp {
        Add = "add",
        Modify = "modify",
        Delete = "delete",
        Rename = "rename",
    } else Modify
}

word! {
    /// Whether everything about a change was looked at.
    Phase {
        /// A later line may complete it.
        Provisional = "provisional",
        Final = "final",
    } else Final
}

word! {
    /// How much of a node a call wrote.
    NodePart {
        /// All lines that can be told from others.
        Whole = "whole",
        /// Only its layout or local names are new.
        Unchanged = "unchanged",
        Part = "part",
    } else Part
}

impl NodePart {
    fn is_part(&self) -> bool {
        *self == Self::Part
    }
}

struct Word;

impl Visitor<'_> for Word {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Record {
    /// The version of Agent Trace that is written.
    pub const VERSION: &str = "0.1.0";

    /// Reads a line in either dialect; `None` if it is something else.
    pub fn parse(text: &str) -> Option<Self> {
        // A list could fill the fields in their order, but is no record.
        let object = text.trim_ascii_start().starts_with('{').then_some(text)?;
        let record: Self = serde_json::from_str(object).ok()?;
        (!record.id.is_empty() && !record.timestamp.is_empty()).then_some(record)
    }

    pub fn stead(&self) -> Option<&SteadNote> {
        self.metadata.stead.as_ref()
    }

    /// The intent that the change was made for.
    pub fn intent(&self) -> Option<&str> {
        let own = self.stead().and_then(|note| note.intent.as_deref()).or(self.intent_id.as_deref());
        let related = || self.files.iter().flat_map(|file| &file.conversations).flat_map(|talk| &talk.related);
        own.or_else(|| related().find_map(Related::intent))
    }

    pub fn class(&self) -> MutationClass {
        let named = |name: &String| MutationClass::from_name(&name.to_ascii_uppercase());
        match (self.stead(), &self.mutation_class) {
            (Some(note), _) => note.class,
            (None, Some(name)) => named(name).unwrap_or_default(),
            (None, None) => MutationClass::Unknown,
        }
    }

    pub fn session(&self) -> Option<&str> {
        self.stead()?.session.as_deref()
    }

    /// Who made the change, if all ranges agree.
    pub fn contributor(&self) -> ContributorKind {
        let talks = self.files.iter().flat_map(|file| &file.conversations);
        let mut kinds = talks.map(|talk| talk.contributor.as_ref().map(|who| who.kind).unwrap_or_default());
        let first = kinds.next().unwrap_or_default();
        if kinds.all(|kind| kind == first) { first } else { ContributorKind::Mixed }
    }

    /// The paths of the changed files.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.path.as_str())
    }
}

impl Related {
    /// Names an intent.
    pub fn to_intent(id: &str) -> Self {
        // A URI has no blanks; ids have none either, but the record must stay valid whatever the id is.
        let escaped: String = id.bytes().map(escape).collect();
        Self { kind: "specification".to_owned(), url: format!("{INTENT}{escaped}") }
    }

    /// The intent that it names: `intent:ID`, or the plain id of the older dialect.
    pub fn intent(&self) -> Option<&str> {
        match self.url.strip_prefix(INTENT) {
            Some(id) => Some(id),
            None => (self.kind == "specification" && !self.url.contains(':')).then_some(self.url.as_str()),
        }
    }
}

fn escape(byte: u8) -> String {
    match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'@' | b'+' | b'=' | b':' => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    }
}
