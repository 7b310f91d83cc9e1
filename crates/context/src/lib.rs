//! Context that survives a session: packets to hand over and pick up, loops that keep an agent at its task, role files,
//! relevant files, and the briefing for a new session.
//!
//! It reads and writes the project folder through `store` and returns text; it never prints, judges no tool call and
//! knows no client's wire format.

mod binding;
mod briefing;
mod content_hash;
mod contribution;
mod error;
mod front_matter;
mod git_facts;
mod handoff;
mod lifecycle;
mod loops;
mod note;
mod packet;
mod pickup;
mod place;
mod prompt_log;
mod recovery;
mod relevant_file;
mod role;
mod role_file;
mod scope;
mod slug;
mod unsaved;
mod validator;

pub use binding::{Binding, bound_session, mark};
pub use briefing::{BriefingPart, briefing};
pub use content_hash::content_hash;
pub use contribution::Contribution;
pub use error::ContextError;
pub use front_matter::{Document, FrontMatterError};
pub use git_facts::GitFacts;
pub use handoff::{Handoff, Made};
pub use lifecycle::{Held, Lifecycle, OldMachine, RoleState, old_machine};
pub use loops::{
    Activated, ActiveLoop, Answer, Check, Counts, Decision, Foreground, Lease, Loop, LoopFile, LoopLine, LoopStatus,
    Loops, NewLoop, Owner, Said, Starter, Stop, decide, last_promise, split_promises,
};
pub use note::{Note, NoteKind, notes};
pub use packet::{
    CHAIN_WARNING, FileList, Finding as PacketFinding, Heading, Listing, NOTHING, Packet, Section,
    Severity as PacketSeverity, Shelf, Status, chain, lint as lint_packet, listed, sections,
};
pub use pickup::{
    Acknowledgement, Brief, Factor, FileReport, FileState, Pickup, Relation, Repository, Rescan, Staleness,
};
pub use place::Place;
pub use prompt_log::{Prompt, requests};
pub use recovery::{Recovery, RoleDocument, role_documents};
pub use relevant_file::{Choice, RelevantPath, compact_relevant_files, is_project_path, record_choice, relevant_files};
pub use role::{RoleName, roles};
pub use role_file::{
    FORMAT as ROLE_FORMAT, Fixed, ROLE_FILE_LIMIT, RoleFinding, RoleSeverity, check as check_role_file,
    fix as fix_role_file, read_role_file, template,
};
pub use scope::Scope;
pub use slug::{slug, stamp};
pub use unsaved::{EditLog, Unsaved, unsaved};
pub use validator::{Validator, detect_validators};
