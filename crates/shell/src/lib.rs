//! What a tool call would do: typed effects, found without running anything.
//!
//! File tools say it themselves, shell commands are walked word by word, programs in other languages are read, and tools
//! that nobody knows are read by the shape of their input. What cannot be followed is a gap that names what it is given;
//! nothing is guessed. Guards, self-protection, evidence and records all read the one [`effects`].
//!
//! It never touches files, the environment, processes or the clock: [`Facts`] and [`Place`] bring in what it asks for. It
//! knows no client by name, and it judges nothing.

mod command;
mod decode;
mod effect;
mod facts;
mod glob;
mod inline;
mod parse;
mod path;
mod place;
mod programs;
mod walk;

pub use command::{plain_command, stead_calls};
pub use effect::{effects, is_plain_input};
pub use facts::Facts;
pub use glob::{MANY, ONE, can_meet, covers, is_open, is_sign};
pub use path::{absolute, clean, fold, names};
pub use place::Place;
