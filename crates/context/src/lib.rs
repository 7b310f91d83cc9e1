//! Context that survives a session: packets to hand over and pick up, loops that keep an agent at its task, role files,
//! relevant files, and the briefing for a new session.
//!
//! It reads and writes the project folder through `store` and returns text; it never prints, judges no tool call and
//! knows no client's wire format.

mod binding;
mod briefing;
mod content_hash;
mod contribution;
mod distill;
mod error;
mod find_id;
mod folders;
mod front_matter;
mod git_facts;
mod git_work;
mod handoff;
mod lifecycle;
mod loops;
mod note;
mod packet;
mod pickup;
mod portable;
mod prompt_log;
mod recovery;
mod reflection;
mod relevant_file;
mod role;
mod role_file;
mod scope;
mod slug;
mod statement;
mod test_run;
mod turn;
mod unsaved;
mod validator;

pub use binding::{Binding, BoundCall, bound_call, bound_session, call_fingerprint, fingerprint};
pub use briefing::{BriefingPart, UNTRUSTED, briefing, fenced};
pub use content_hash::content_hash;
pub use contribution::Contribution;
pub use distill::{ReturnCheck, ReturnRole, check_return, trim_return};
pub use error::ContextError;
pub use find_id::find_id;
pub use folders::Folders;
pub use front_matter::{Document, FrontMatterError};
pub use git_facts::GitFacts;
pub use git_work::{Commit, FileChange, GitWork};
pub use handoff::Handoff;
pub use lifecycle::{Lifecycle, RoleMember, RoleState, old_machine};
pub use loops::{
    Activated, ActiveLoop, Answer, Check, Counts, Foreground, LastMessage, Loop, LoopClaim, LoopFile, LoopLine,
    LoopStatus, Loops, NewLimits, NewLoop, Owner, Starter, Stop, last_promise, split_promises,
};
pub use note::{Note, NoteKind, notes};
pub use packet::{
    FileList, Finding as PacketFinding, Fixed as FixedPacket, Heading, Listing, NOTHING, Packet, PacketKind, Section,
    Shelf, Status, chain, fix as fix_packet, lint as lint_packet, sections,
};
pub use pickup::{Acknowledgement, Brief, FileState, Pickup, Relation, Repository, Rescan};
pub use prompt_log::Prompt;
pub use recovery::{Recovery, role_documents};
pub use reflection::{
    LastAttempt, Reflection, ReflectionLine, ReflectionStep, latest_reflection, reflection_objection,
    reflection_things, reflexion_block,
};
pub use relevant_file::{Choice, compact_relevant_files, is_project_path, record_choice, relevant_files};
pub use role::{RoleName, roles};
pub use role_file::{
    FORMAT as ROLE_FORMAT, ROLE_FILE_LIMIT, RoleFinding, check as check_role_file, fix as fix_role_file,
    read_role_file, template,
};
pub use scope::Scope;
pub use slug::{slug, stamp, title_slug};
pub use test_run::TestRun;
pub use turn::{Said, Todo, TodoState, Turn};
pub use unsaved::{EditLog, Unsaved, unsaved};
