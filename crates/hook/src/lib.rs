//! The hot path: one hook call, read, understood, judged, recorded and answered.
//!
//! A client spawns this on every tool call, so it does nothing unnecessary: no command line parser, no runtime, no
//! index, no network, no fsync. It cannot fail, only answer: an error or a panic becomes a verdict that denies where a
//! gate decides and allows elsewhere. It judges nothing itself and names no client.

mod agent_sign;
mod answer;
mod arrival;
mod boundary;
mod call;
mod compaction;
mod compile;
mod editor_mode;
mod effects_line;
mod evidence;
mod feature_list;
mod file_facts;
mod glance;
mod grant;
mod guard;
mod intent;
mod last_word;
mod ledger;
mod lesson;
mod location;
mod look_back;
mod loop_stop;
mod map;
mod member;
mod orchestrate;
mod payload;
mod policy;
mod precedent;
mod prompt;
mod record;
mod relevant_file;
mod removal;
mod request;
mod run_identity;
mod seal;
mod seen;
mod session;
mod session_line;
mod snapshot;
mod stale_file;
mod status_line;
mod sub_session;
mod trust;
mod turn;

pub use agent_sign::{AgentSign, lineage};
pub use answer::answer;
pub use boundary::Boundary;
pub use call::Call;
pub use compile::rules_text;
pub use effects_line::recorded_effects;
pub use evidence::{command_effects, session_runs, written_by};
pub use grant::{Grant, spend_grant};
pub use guard::{
    Appeal, Asker, Caller, ChangeStep, Did, Examined, GraphNews, GuardChange, HitCount, HitLine, LogFilter, Override,
    ProgramConsent, Rules, StarterNews, VerdictLine, broken_guard_files, describe_action, examine, guard_news,
    guard_rooms, guard_sources, guards_since, read_verdict_id, refusal,
};
pub use intent::{INTENT_GATE, Objection};
pub use lesson::{lesson_runs, recent_runs};
pub use location::find_project;
pub use orchestrate::{FLAG_OFF, FLAG_ON};
pub use policy::PolicyText;
pub use precedent::{
    Injection, InjectionCause, InjectionWay, Injections, Precedent, PrecedentKey, Precedents, TaskPrecedents,
    failure_kind,
};
pub use record::recorder_notes;
pub use removal::{Removal, StateOfProject};
pub use seal::{
    CallInFlight, Outcome as SealOutcome, SealFile, SealedProject, Tampering, sealed_configs, sealed_marker,
};
pub use session::{Begun, SessionState};
pub use stale_file::STALE_FILE;
pub use status_line::StatusCall;
pub use trust::{Trusted, Untrusted, trust_items, untrusted_text};
