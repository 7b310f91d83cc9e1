//! A scripted model on loopback: one server that speaks Anthropic Messages, OpenAI Responses and Chat Completions, and
//! generateContent, so that real agent programs can be driven without an account.
//!
//! A [`Script`] says what the model answers, in neutral words; the server puts each call into the tools that the
//! client offered. Requests that are not a turn of the script (titles, token counts, compaction, memory extraction)
//! get a harmless answer and use up nothing. Every request is kept in the [`RequestLog`]. It never reaches out: it
//! binds loopback only.

mod answer;
mod anthropic;
mod api;
mod call;
mod chat;
mod generate;
mod http;
mod log;
mod meeting;
mod response;
mod responses;
mod script;
mod server;
mod side;
mod sighting;
mod tool;

pub use call::Call;
pub use log::{Exchange, Part, RequestLog};
pub use meeting::Meeting;
pub use script::{Script, Turn};
pub use server::FakeModel;
pub use sighting::{Role, Sighting};
