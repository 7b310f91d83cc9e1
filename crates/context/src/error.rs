use std::path::PathBuf;

use stead_store::StoreError;

use crate::{FrontMatterError, Lifecycle, LoopStatus};

/// What can go wrong with what is kept for the next session. Each case names the file, [`ContextError::hint`] an action
/// where there is one.
#[derive(Debug, thiserror::Error)]
pub enum ContextError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("`{}`: {problem}", path.display())]
    FrontMatter { path: PathBuf, problem: FrontMatterError },
    #[error("`{}`: line {line}: {message}", path.display())]
    Content { path: PathBuf, line: usize, message: String },
    #[error("`{}` is not UTF-8 text: byte {at} does not fit", path.display())]
    NotText { path: PathBuf, at: usize },
    #[error("there is no {kind} `{id}`")]
    UnknownId { kind: &'static str, id: String, nearest: Option<String> },
    #[error("`{id}` could be {count} different {kind}s, the newest of them `{first}`")]
    AmbiguousId { kind: &'static str, id: String, count: usize, first: String },
    #[error("there is no {kind} yet")]
    NoneYet { kind: &'static str, make: &'static str },
    #[error("the packets that `{id}` continues lead back to `{again}`")]
    ChainCycle { id: String, again: String },
    #[error("`{id}` already ends a chain of {depth} packets, more than anybody follows")]
    ChainTooLong { id: String, depth: usize },
    #[error("the document is not valid JSON: line {line}, column {column}: {message}")]
    DocumentJson { line: usize, column: usize, message: String },
    #[error("`{key}` in the document should be {expected}")]
    DocumentValue { key: String, expected: &'static str },
    #[error("the purpose is empty")]
    NoPurpose,
    #[error("`{path}` lies outside of the project or in Stead's own folder")]
    OutsideProject { path: String },
    #[error("there is no file `{path}` in the project")]
    UnknownFile { path: String, nearest: Option<String> },
    #[error("`{path}` is not among the files of packet `{id}`")]
    NotInPacket { path: String, id: String, nearest: Option<String> },
    #[error("a note has {length} bytes, more than the {limit} that are kept")]
    NoteTooLong { length: usize, limit: usize },
    #[error("the note is empty")]
    NoteEmpty,
    #[error("`{name}` cannot be a role's name: {why}")]
    RoleName { name: String, why: String },
    #[error("the roles `{role}` and `{other}` would both keep their state as `{machine}`")]
    RoleClash { role: String, other: String, machine: String },
    #[error("role `{role}` is {from} and cannot become {to}")]
    IllegalStep { role: String, from: Lifecycle, to: Lifecycle },
    #[error("the role state `{}` is damaged: line {line}: {why}", path.display())]
    RoleStateDamaged { path: PathBuf, line: usize, why: String },
    #[error("the role state `{}` has schema {found}, this program knows up to 1", path.display())]
    RoleStateNewer { path: PathBuf, found: u64 },
    #[error("the loop has no prompt")]
    NoLoopPrompt,
    #[error("loop `{id}` is {status}")]
    LoopOver { id: String, status: LoopStatus },
    #[error("this session is held by loop `{id}`, which it did not start")]
    SessionHeld { id: String },
    #[error("too many loops are named `{id}`")]
    LoopNameTaken { id: String },
}

impl ContextError {
    /// Says what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(source) => source.hint(),
            Self::FrontMatter { path, .. } | Self::Content { path, .. } => {
                Some(format!("correct `{}` by hand, or restore it from version control", path.display()))
            }
            Self::UnknownId { nearest: Some(nearest), .. }
            | Self::UnknownFile { nearest: Some(nearest), .. }
            | Self::NotInPacket { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Self::UnknownId { kind, nearest: None, .. } => Some(format!("`stead {kind} list` shows what there is")),
            Self::AmbiguousId { .. } => Some("write the whole id".into()),
            Self::NoneYet { make, .. } => Some(format!("`{make}` makes one")),
            Self::ChainCycle { again, .. } => Some(format!("take the `continues` line out of packet `{again}`")),
            Self::ChainTooLong { .. } => {
                Some("start a new packet without `--continues` that sums up the old ones".into())
            }
            Self::DocumentJson { .. } => Some("send one JSON object, or Markdown with the packet's headings".into()),
            Self::NoLoopPrompt => Some("say what is to be done again and again".into()),
            Self::LoopOver { .. } => Some("start a new one with `stead loop start`".into()),
            Self::SessionHeld { id } => Some(format!("ask the person to run `stead loop pause {id}` in a terminal")),
            Self::NoPurpose => Some("say in a few words what the next session is to do".into()),
            Self::NoteTooLong { .. } => Some("keep the long text in a file and note its path".into()),
            Self::RoleName { .. } => Some("use letters, digits and hyphens, as in `code-reviewer`".into()),
            Self::RoleClash { .. } => Some("give one of them another name".into()),
            Self::IllegalStep { from, .. } => {
                let names: Vec<&str> = from.next().iter().map(|state| state.name()).collect();
                Some(format!("from {from} it can become {}", names.join(" or ")))
            }
            Self::RoleStateDamaged { path, .. } => {
                Some(format!("delete `{}`; `stead role recover` makes it anew", path.display()))
            }
            Self::RoleStateNewer { .. } => Some("update `stead`; a newer version wrote this file".into()),
            _ => None,
        }
    }
}
