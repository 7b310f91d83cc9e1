//! Guards in a call: evaluates the compiled guards, combines the result with self-protection, and gives every verdict
//! an id by which it can be explained.
//!
//! A guard in shadow mode only records, one that warns never blocks. If a client accepts no text before a tool, a
//! warning waits for the next event that does.

mod appeal;
mod cache;
mod caller;
mod change;
mod consent;
mod deferred;
mod describe;
mod examine;
mod hit;
mod listing;
mod news;
mod override_;
mod proof;
mod refusal;
mod starter;
mod stop_count;
mod tally;
mod verdict;
mod verdict_id;
mod verdict_line;
mod world_facts;

pub use appeal::Appeal;
pub use cache::{guard_rooms, guard_sources};
pub use caller::Caller;
pub use change::{ChangeStep, GuardChange};
pub use consent::ProgramConsent;
pub use describe::describe_action;
pub use examine::{Examined, examine};
pub use hit::{Did, HitLine};
pub use news::{GraphNews, broken_guard_files, guard_news, guards_since};
pub use override_::Override;
pub use refusal::{Asker, Rules, refusal};
pub use starter::StarterNews;
pub use tally::HitCount;
pub use verdict_id::read_verdict_id;
pub use verdict_line::{LogFilter, VerdictLine};

pub(crate) use cache::{GUARDS, is_guard_file, was_compiled_before_trust};
pub(crate) use caller::has_sub_agent;
pub(crate) use news::briefing_part;
pub(crate) use proof::Proof;
pub(crate) use verdict::{GuardReport, judge};
pub(crate) use verdict_id::verdict_id;
pub(crate) use world_facts::WorldFacts;
