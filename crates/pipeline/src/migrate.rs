//! From the older form of stages, pipelines and prompts to the present one.
//!
//! Lines are edited, files are not written anew, so comments, order and spacing stay. What would change the meaning of a
//! file is refused and left to a person. A file of the present form is not touched.

mod by_hand;
mod edit;
mod pipeline;
mod prompt;
mod stage;
mod survey;

pub use survey::{Migration, Rewrite, carry_out, survey};
