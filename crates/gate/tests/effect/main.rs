//! The action record: spellings of what agents do, and what they merely mention.

mod benign;
mod bound;
mod content;
mod coverage;
mod filters;
mod folded;
mod git;
mod inline;
mod names;
mod network;
mod property;
mod reads;
mod removals;
mod runs;
mod scene;
mod tool;
mod variables;
mod writes;
