//! The MCP server. Agents call Stead's commands as tools, read packets, intents and traces as resources, and get the prompts
//! for handoff and pickup.
//!
//! It has no logic of its own: each tool stands for one command (`stead_shell::OwnTool`), which the binary runs through
//! [`Commands`]. So a tool does exactly what its command does, by the same rules about who may. Neither this crate nor
//! its async runtime is part of the hook path.

mod commands;
mod error;
mod http_server;
mod prompt;
mod resource;
mod schema;
mod server;
mod stdio_server;
mod tool;
mod visible;

pub use commands::{Answer, Commands, ToolCall};
pub use error::McpError;
pub use http_server::{HttpOptions, serve_http};
pub use stdio_server::serve_stdio;
pub use tool::listed_tools;
