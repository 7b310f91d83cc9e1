//! What a person typed in the client is the person's word: the command `loop` with `cancel x` permits the agent to run
//! `stead loop cancel x`, once, within the turn that answers it.
//!
//! The prompt event becomes a grant, a small file of the session in a folder that agents may not write. Before a tool,
//! the grant is matched against the whole command and named in the session log. The command finds that line, as it finds
//! its session, and spends the grant by renaming the file, which only one process can do.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stead_client::Harness;
use stead_context::{Binding, fingerprint};
use stead_guard::ReadEffects;
use stead_model::{Action, Author, Detail, EventKind, FileId, Op, TypedCommand, rfc3339};
use stead_shell::lone_command;
use stead_store::{Durability, FileContent, Redacted, redact, replace_creating};

use crate::agent_sign::{AgentSign, lineage};
use crate::record::now_millis;
use crate::request::Request;

/// The commands that can be typed. Whatever weakens a rule needs the person's own terminal.
const COMMANDS: &[&str] = &["feature", "intent", "loop", "packet"];

/// The longest text after a command.
const MOST_BYTES: usize = 4096;

/// The folder of the grants, below the indexes.
const FOLDER: &str = "grants";

/// A person's permission for one command of Stead.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    pub schema: u32,
    pub id: String,
    pub at: String,
    /// The client's id of the prompt, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The words after `stead`.
    pub words: Vec<String>,
}

impl Grant {
    /// The path of a session's grant below the `indexes` folder.
    fn path(indexes: &Path, session: &FileId) -> PathBuf {
        indexes.join(FOLDER).join(format!("{}.json", session.as_str()))
    }

    /// Returns true if these are its words. It was written without secrets, so they are compared without them.
    fn is_for(&self, words: &[String]) -> bool {
        let is_same = |(own, word): (&String, &String)| own == word || *own == *redact(word);
        self.words.len() == words.len() && self.words.iter().zip(words).all(is_same)
    }

    fn read(path: &Path) -> Option<Self> {
        serde_json::from_str(&stead_store::read_text(path).ok()?).ok()
    }
}

/// Keeps the session's grant up to date: a typed command begins one; the next prompt, a stop and the end of the session
/// end it. It is called before the reply, because the client may go on at once.
pub(crate) fn update(request: &Request<'_>) {
    let event = request.event;
    let loads = event.kind == EventKind::BeforeTool && may_load(request);
    let turns = matches!(event.kind, EventKind::Prompt | EventKind::Stop | EventKind::SessionEnd);
    if !(loads || turns || event.typed.is_some()) || request.writable_root().is_none() || request.is_by_doctor() {
        return;
    }
    let facts = &request.harness.client().facts;
    let Some(session) = request.session().filter(|_| facts.typed_by.is_some()) else { return };
    let path = Grant::path(request.indexes(), session);
    // Some clients report a command that the agent loads with a tool like one that a person typed.
    let loaded = path.with_extension("loaded");
    if loads {
        return write(request, &loaded, "");
    }
    // The turn of the main agent is meant. Some clients raise the prompt event within a turn, too.
    let within_turn = matches!(event.detail, Detail::Prompt { author: Author::Machine, .. });
    if event.agent.is_some() || within_turn {
        return;
    }
    let typed = event.typed.as_ref().filter(|_| event.kind == EventKind::Prompt || !loaded.exists());
    match typed.and_then(|typed| grant(request, typed)) {
        Some(grant) => write(request, &path, Redacted::line(&grant)),
        None if turns && !is_answered(request, &path) => drop(fs::remove_file(&path)),
        None => {}
    }
    if turns {
        let _ = fs::remove_file(&loaded);
    }
}

/// Returns true if the event is the prompt that the grant came from; a client may report the command first.
fn is_answered(request: &Request<'_>, path: &Path) -> bool {
    let prompt = request.event.prompt.as_deref().filter(|_| request.event.kind == EventKind::Prompt);
    prompt.is_some_and(|prompt| Grant::read(path).is_some_and(|grant| grant.prompt.as_deref() == Some(&redact(prompt))))
}

fn write<'a>(request: &Request<'_>, path: &Path, content: impl Into<FileContent<'a>>) {
    if let Err(error) = replace_creating(path, content, Durability::Quick) {
        request.note(&error);
    }
}

/// Returns true if a call may load a command of Stead as if it had been typed.
fn may_load(request: &Request<'_>) -> bool {
    let call = request.event.call.as_ref();
    call.is_some_and(|call| matches!(call.action, Action::Other) && call.input.contains("stead"))
}

/// Makes a grant of a typed command, if a person typed it and it can be granted.
fn grant(request: &Request<'_>, typed: &TypedCommand<'_>) -> Option<Grant> {
    let is_known = COMMANDS.contains(&typed.name.as_ref()) && typed.arguments.len() <= MOST_BYTES;
    if !is_known || request.facts.state().is_some_and(|state| state.scheduled) {
        return None;
    }
    let mut words = lone_command(&format!("stead {} {}", typed.name, typed.arguments))?;
    words.remove(0);
    if AgentSign::above_client(request.env, &lineage(), request.harness).is_some() {
        return None;
    }
    let now = now_millis();
    let prompt = request.event.prompt.as_deref().map(str::to_owned);
    let unique = [rfc3339(now), std::process::id().to_string(), prompt.clone().unwrap_or_default()];
    Some(Grant { schema: 1, id: fingerprint(unique.iter().map(String::as_str)), at: rfc3339(now), prompt, words })
}

/// The grant that a call may use: its whole command is what the person typed.
pub(crate) fn for_call(request: &Request<'_>) -> Option<Grant> {
    let event = request.event;
    let asks = matches!(event.kind, EventKind::BeforeTool | EventKind::PermissionRequest) && event.agent.is_none();
    let Action::Run { command, .. } = &event.call.as_ref().filter(|_| asks)?.action else { return None };
    let grant = Grant::read(&Grant::path(request.indexes(), request.session()?))?;
    let words = lone_command(command)?;
    let (program, words) = words.split_first()?;
    // A script of that name would do something else.
    let is_stead = |op: &Op| matches!(op, Op::Stead(_) | Op::Run { .. });
    let effects = request.effects();
    let alone = effects.gaps.is_empty() && effects.list.iter().all(|effect| is_stead(&effect.op));
    (is_program(program) && grant.is_for(words) && alone).then_some(grant)
}

/// Returns true if a command's first word is this program, by its name or its path.
fn is_program(word: &str) -> bool {
    let own = || std::env::current_exe().and_then(fs::canonicalize).ok();
    word == "stead" || Path::new(word).is_absolute() && fs::canonicalize(word).ok().is_some_and(|it| Some(it) == own())
}

/// Spends the grant of a command that a hook saw. Returns true if there was one for exactly these words; of several
/// processes, only one gets it.
pub fn spend_grant(indexes: &Path, binding: &Binding, words: &[String]) -> bool {
    let proves = Harness::from_name(&binding.harness).is_some_and(|client| client.client().facts.typed_by.is_some());
    let Some(id) = binding.grant.as_deref().filter(|_| proves && binding.agent.is_none()) else { return false };
    let Ok(session) = FileId::check(&binding.session) else { return false };
    let path = Grant::path(indexes, &session);
    let fits = |grant: Grant| grant.id == id && grant.is_for(words);
    if !Grant::read(&path).is_some_and(fits) {
        return false;
    }
    let taken = path.with_extension(format!("{}.taken", std::process::id()));
    if fs::rename(&path, &taken).is_err() {
        return false;
    }
    // It may have been replaced since it was read.
    let is_it = Grant::read(&taken).is_some_and(fits);
    let _ = fs::remove_file(&taken);
    is_it
}
