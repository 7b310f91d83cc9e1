//! The action record: spellings of what agents do, and what they merely mention.

mod benign;
mod bound;
mod container;
mod content;
mod coverage;
mod filters;
mod folded;
mod formatter;
mod git;
mod inline;
mod names;
mod network;
mod omission;
mod outcome;
mod package;
mod programs;
mod property;
mod reads;
mod removals;
mod runs;
mod scene;
mod task;
mod tool;
mod variables;
mod writes;
