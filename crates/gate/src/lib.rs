//! The judges: an event and facts in, a verdict out.
//!
//! The first gate is self-protection: an agent may not weaken Stead. It reads a tool call, or a shell command word by
//! word, and denies what would change Stead's own files, drop its hook lines from a client's settings, or call a
//! `stead` verb that switches it off. Reading and mere mention pass, because a gate that cries wolf is uninstalled.
//!
//! It never touches files, the environment, processes or the clock: [`Facts`] and [`Place`] bring in what it asks
//! for. It knows no client by name; the compiled [`Policy`] says which files count.

mod builtin;
mod change;
mod code;
mod decode;
mod denial;
mod effect;
mod facts;
mod glob;
mod input;
mod judge;
mod mention;
mod needle;
mod path;
mod place;
mod policy;
mod rule;
mod settings;
mod shell;
mod shield;
#[cfg(test)]
mod testing;

pub use builtin::{OwnRoom, builtin_rules, program_rule};
pub use denial::GATE;
pub use effect::effects;
pub use facts::Facts;
pub use judge::judge;
pub use needle::needles;
pub use place::Place;
pub use policy::Policy;
pub use rule::Rule;
pub use shell::stead_calls;
