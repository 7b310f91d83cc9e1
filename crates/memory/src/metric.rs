//! The five numbers that say whether Stead helps, over time: premature completions that were blocked, prompts for each
//! finished feature, the size of agents' prompts, mistakes that were repeated, and compliance.

mod chart;
mod finish;
mod mistake;
mod period;
mod plot;
mod statistics;
mod tally;
#[cfg(test)]
mod tests;

pub use chart::chart;
pub use period::Step;
pub use plot::plot;
pub use statistics::{Period, PromptSize, Statistics, statistics};
pub use tally::{Metric, Tally};

pub(crate) use finish::finished;
