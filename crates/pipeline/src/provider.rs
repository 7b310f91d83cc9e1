//! Who does the work: an agent program that [`stead_client`] knows, any other command, and the mock.
//!
//! A provider turns a task into a [`Launch`](crate::custody::Launch) and reads from the agent's end what its program told
//! in a form made for programs: last words, cost, session, quota. It never looks for words in an agent's prose, and
//! starts nothing itself.

mod error;
pub mod mock;
mod prepare;
mod report;
mod split_words;
mod task;
#[cfg(test)]
#[cfg(unix)]
mod tests;

pub use error::ProviderError;
pub(crate) use prepare::prompt_file;
pub use prepare::{argv, check, prepare, reports_cost};
pub use report::read_end;
pub use split_words::split_words;
pub use task::Task;
