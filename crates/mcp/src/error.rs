use std::net::SocketAddr;

use thiserror::Error;

/// Why the server could not serve.
#[derive(Debug, Error)]
pub enum McpError {
    #[error("could not start the server")]
    Runtime { source: std::io::Error },
    #[error("the client did not start the protocol")]
    Handshake { source: Box<dyn std::error::Error + Send + Sync> },
    #[error("could not listen on `{address}`")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error("`{address}` can be reached from other machines")]
    NotLoopback { address: SocketAddr },
}

impl McpError {
    /// What the reader can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Listen { .. } => Some("choose another port, or 0 for any free one"),
            Self::NotLoopback { .. } => Some("use 127.0.0.1 or [::1]"),
            Self::Handshake { .. } => Some("it speaks MCP on standard input and output; see docs/mcp.md"),
            Self::Runtime { .. } => None,
        }
    }
}
