//! Self-protection: a built-in pack over effects. An agent may not weaken Stead.
//!
//! A change of Stead's own files is denied, whatever tool or spelling makes it. So is a change of a folder that
//! contains them, a change that removes its hooks from a client's settings, and a `stead` command that switches it off.
//! If a call could not be followed, that part may not name anything protected. Reading and mentioning pass, because a
//! gate with false alarms is uninstalled. The pack needs no guard file: the compiled [`Policy`] lists the protected
//! files. It is judged before the guards and has no modes.

mod builtin;
mod candidate;
mod change;
mod denial;
mod effect;
mod entry;
mod judge;
mod mention;
mod needle;
mod off;
mod policy;
mod rule;
mod settings;
mod shield;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree;
mod verb;

pub use builtin::{OwnRoom, builtin_rules, program_rule};
pub use denial::GATE;
pub use judge::judge;
pub use needle::render_needles;
pub use policy::{Policy, RuleText};
pub use rule::Rule;
