//! Self-protection: a built-in pack over effects. An agent may not weaken Stead.
//!
//! A change of Stead's own files is denied, whatever tool or spelling makes it, and so is one of a folder that holds
//! them, one that drops its hook lines from a client's settings, and a call of a `stead` verb that switches it off. Where
//! a call could not be followed, the part in question may not name anything protected. Reading and mere mention pass,
//! because a gate that cries wolf is uninstalled. The pack needs no guard file: the compiled [`Policy`] says which
//! files count. It is judged before the guards and outside of their modes.

mod builtin;
mod candidate;
mod change;
mod denial;
mod effect;
mod entry;
mod judge;
mod mention;
mod needle;
mod policy;
mod rule;
mod settings;
mod shield;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod verb;

pub use builtin::{OwnRoom, builtin_rules, program_rule};
pub use denial::GATE;
pub use judge::judge;
pub use needle::render_needles;
pub use policy::Policy;
pub use rule::Rule;
