//! Guards: declarative rules over what a call would do. A guard file is read, checked and compiled once; every call
//! uses the compiled form, of which the usual call reads only an index.
//!
//! It never touches files, the environment, processes or the clock: [`GuardFacts`] provides what it needs. YAML,
//! regular expressions and CEL are used only when guards are compiled, or after everything cheaper matched.

mod asked;
mod bench;
mod compile;
mod concern;
mod condition;
mod draft_file;
mod edit;
mod evaluate;
mod example;
mod exec;
mod expression;
mod field;
mod grant;
mod guard;
mod guard_facts;
mod judge;
mod judgement;
mod lint;
mod mode;
mod parameter;
mod pattern;
mod prefilter;
mod problem;
mod prose;
pub mod protection;
mod read;
mod rewritten_call;
mod say;
mod scope;
mod sha256;
mod shipped;
mod source;
mod starter;
mod subject;
#[cfg(test)]
mod tests;
mod then;
pub mod touch;
mod trial;
mod view;
mod weakening;

pub use asked::{Asked, ReadEffects};
pub use bench::{Bench, BenchCase, BenchCaseError, Expected};
pub use compile::{Compiled, Listed, ProjectRooms, State, compile, inventory};
pub use draft_file::{DraftFile, free_id};
pub use edit::{mode_of, set_mode};
pub use example::{ExampleResult, test};
pub use exec::{Exec, ExecAnswer, ExecCall};
pub use field::texts_after;
pub use guard::Guard;
pub use guard_facts::{
    Caller, EvidenceState, Excuse, FeatureState, FileSort, FileText, GuardFacts, Looked, Measure, TestRuns,
};
pub use judge::{GATE, judge};
pub use judgement::{Hit, Judgement};
pub use lint::lint;
pub use mode::Mode;
pub use pattern::command_matches;
pub use problem::Problem;
pub use prose::{ProseRule, Sense, draft_guard, holders, prose_rules, shipped_holder};
pub use rewritten_call::rewritten;
pub use say::PLACEHOLDER;
pub use sha256::hex as sha256;
pub use shipped::{EnableError, SHIPPED_STAMP, Shipped, enable_text, shipped};
pub use source::{Origin, Source, SourceTrust};
pub use starter::{STARTER_MODE, STARTERS, starter_of, starter_text};
pub use then::Then;
pub use trial::{RecordedCall, Trial, Tried};
pub use view::{Bodies, CompiledView};
pub use weakening::weakens;
