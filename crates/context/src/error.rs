use std::path::PathBuf;

use stead_store::StoreError;

use crate::{FrontMatterError, Lifecycle, LoopStatus, ReflectionStep};

/// What can go wrong with stored context. Each case names the file; [`ContextError::hint`] says what to do, where
/// something can be done.
#[derive(Debug, thiserror::Error)]
pub enum ContextError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("`{}`: {problem}", path.display())]
    FrontMatter { path: PathBuf, problem: FrontMatterError },
    #[error("`{}`: line {line}: {message}", path.display())]
    Content { path: PathBuf, line: usize, message: String },
    #[error("`{}` is not valid UTF-8 at byte {at}", path.display())]
    NotText { path: PathBuf, at: usize },
    #[error("there is no {kind} `{id}`")]
    UnknownId { kind: &'static str, id: String, nearest: Option<String> },
    #[error("`{id}` matches {count} {kind}s: {newest}{}", if *count > 5 { ", …" } else { "" })]
    AmbiguousId { kind: &'static str, id: String, count: usize, newest: String },
    #[error("`{}`: line {line}: {message}", path.display())]
    PacketHead { path: PathBuf, line: usize, message: String },
    #[error("all {count} {kind}s are done or automatic snapshots")]
    NoneOpen { kind: &'static str, count: usize },
    #[error("there is no {kind} yet")]
    NoneYet { kind: &'static str, make: &'static str },
    #[error("the chain of packets that `{id}` continues has a cycle at `{again}`")]
    ChainCycle { id: String, again: String },
    #[error("`{id}` is the end of a chain of {depth} packets, which is the limit")]
    ChainTooLong { id: String, depth: usize },
    #[error("the document is not valid JSON: line {line}, column {column}: {message}")]
    DocumentJson { line: usize, column: usize, message: String },
    #[error("`{key}` in the document should be {expected}")]
    DocumentValue { key: String, expected: &'static str },
    #[error("the purpose is empty")]
    NoPurpose,
    #[error("`{path}` is outside the project or in Stead's own folder")]
    OutsideProject { path: String },
    #[error("there is no file `{path}` in the project")]
    UnknownFile { path: String, nearest: Option<String> },
    #[error("`{path}` is not among the files of packet `{id}`")]
    NotInPacket { path: String, id: String, nearest: Option<String> },
    #[error("a note has {length} bytes; the limit is {limit}")]
    NoteTooLong { length: usize, limit: usize },
    #[error("the note is empty")]
    NoteEmpty,
    #[error("the {} was refused: {why}", if *step == ReflectionStep::Failed { "failed assumption" } else { "prevention" })]
    ReflectionRefused { step: ReflectionStep, why: &'static str },
    #[error("invalid role name `{name}`: {why}")]
    RoleName { name: String, why: String },
    #[error("the roles `{role}` and `{other}` would share the state file `{machine}`")]
    RoleClash { role: String, other: String, machine: String },
    #[error("role `{role}` is {from} and cannot become {to}")]
    IllegalStep { role: String, from: Lifecycle, to: Lifecycle },
    #[error("the role state `{}` is corrupt: line {line}: {why}", path.display())]
    RoleStateDamaged { path: PathBuf, line: usize, why: String },
    #[error("the role state `{}` has schema {found}; this version of stead supports schemas up to 1", path.display())]
    RoleStateNewer { path: PathBuf, found: u64 },
    #[error("the command of `{option}` contains a secret")]
    SecretInCommand { option: &'static str },
    #[error("the loop has no prompt")]
    NoLoopPrompt,
    #[error("loop `{id}` is {}", status.in_words())]
    LoopOver { id: String, status: LoopStatus },
    #[error("this session is in loop `{id}`, which it did not start")]
    SessionHeld { id: String },
    #[error("too many loops named `{id}`")]
    LoopNameTaken { id: String },
}

impl ContextError {
    /// Returns what a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Store(source) => source.hint(),
            Self::FrontMatter { path, .. } | Self::Content { path, .. } => {
                Some(format!("correct `{}` by hand, or restore it from version control", path.display()))
            }
            Self::UnknownId { nearest: Some(nearest), .. }
            | Self::UnknownFile { nearest: Some(nearest), .. }
            | Self::NotInPacket { nearest: Some(nearest), .. } => Some(format!("did you mean `{nearest}`?")),
            Self::UnknownId { kind: "session", .. } => Some("`stead log` shows the latest ones".into()),
            Self::UnknownId { kind, nearest: None, .. } => Some(format!("`stead {kind} list` lists them")),
            Self::PacketHead { path, .. } => {
                let id = path.file_stem().unwrap_or_default().to_string_lossy();
                Some(format!("`stead packet lint {id} --fix` repairs what is certain; correct the rest by hand"))
            }
            Self::NoneOpen { kind, .. } => Some(format!("name one, or list them with `stead {kind} list`")),
            Self::AmbiguousId { .. } => Some("type more of the one that is meant".into()),
            Self::NoneYet { make, .. } => Some(format!("create one with `{make}`")),
            Self::ChainCycle { again, .. } => Some(format!("remove the `continues` line from packet `{again}`")),
            Self::ChainTooLong { .. } => {
                Some("start a new packet without `--continues` that summarises the old ones".into())
            }
            Self::DocumentJson { .. } => Some("send one JSON object, or Markdown with the packet's headings".into()),
            Self::SecretInCommand { .. } => Some("put it into a variable of the environment and write `$NAME`".into()),
            Self::NoLoopPrompt => Some("say what the agent should do in each iteration".into()),
            Self::LoopOver { id, status: LoopStatus::Limit } => {
                Some(format!("give it more with `stead loop resume {id}`, and `--max-iterations N` if you like"))
            }
            Self::LoopOver { .. } => Some("start a new one with `stead loop start`".into()),
            Self::SessionHeld { id } => Some(format!("ask the person to run `stead loop pause {id}` in a terminal")),
            Self::NoPurpose => Some("say in a few words what the next session should do".into()),
            Self::NoteTooLong { .. } => Some("keep the long text in a file and note its path".into()),
            Self::ReflectionRefused { why, .. } => Some(match *why {
                why if why.starts_with("it") => {
                    "name the function, file, value or command (in backticks), or quote the error".into()
                }
                _ => "first run `stead reflect --failed` with the assumption that failed".into(),
            }),
            Self::RoleName { .. } => Some("use letters, digits and hyphens, as in `code-reviewer`".into()),
            Self::RoleClash { .. } => Some("give one of them another name".into()),
            Self::IllegalStep { from, .. } => {
                let names: Vec<&str> = from.next().iter().map(|state| state.name()).collect();
                Some(format!("from {from} it can become {}", names.join(" or ")))
            }
            Self::RoleStateDamaged { path, .. } => {
                Some(format!("delete `{}`; `stead role recover` recreates it", path.display()))
            }
            Self::RoleStateNewer { .. } => Some("update `stead`; a newer version wrote this file".into()),
            _ => None,
        }
    }
}
