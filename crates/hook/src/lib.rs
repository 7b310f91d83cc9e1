//! The hot path: one hook call, read, understood, judged, recorded and answered.
//!
//! A client spawns this on every tool call, so it starts nothing it does not need: no command line parser, no runtime,
//! no index, no network, no fsync. It cannot fail, only answer: an error or a panic becomes a verdict, closed where a
//! gate was asked and open elsewhere. It judges nothing itself and knows no client by name.

mod answer;
mod arrival;
mod boundary;
mod call;
mod compaction;
mod compile;
mod evidence;
mod fact;
mod guard;
mod hold;
mod last_word;
mod look_back;
mod member;
mod mention;
mod payload;
mod policy;
mod prompt;
mod record;
mod run_identity;
mod session;
mod snapshot;
mod standing;

pub use answer::answer;
pub use boundary::Boundary;
pub use call::Call;
pub use compile::{POLICY_STAMP, compile, rules_text};
pub use guard::{
    Appeal, Asker, Caller, Did, Examined, GuardTally, GuardText, HitLine, Override, Since, VerdictLine, deed_in_words,
    examine, guard_ground, guard_news, guard_sources, guard_tally, read_verdict_id, refusal, tell_tally,
};
pub use policy::PolicyText;
pub use record::{RelevantFile, SessionLine};
pub use session::{Begun, SessionState};
