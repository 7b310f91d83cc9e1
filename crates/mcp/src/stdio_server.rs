use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use tokio::runtime::{Builder, Runtime};

use crate::commands::Commands;
use crate::error::McpError;
use crate::server::Server;

/// How often the server looks whether its client is still there. Standard input says so at once, unless another
/// process inherited the other end of it.
const LOOK: Duration = Duration::from_secs(1);

/// How long commands that still run may take to end what they started.
const LAST_CALLS: Duration = Duration::from_millis(200);

/// Serves one client on standard input and output, until it closes the input or is gone.
pub fn serve_stdio(commands: Arc<dyn Commands>) -> Result<(), McpError> {
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = serve(Server::new(commands)) => ended,
            () = orphaned() => Ok(()),
        }
    });
    end(runtime);
    ended
}

async fn serve(server: Server) -> Result<(), McpError> {
    match server.serve(stdio_pipes()).await {
        Ok(running) => {
            let _ = running.waiting().await;
            Ok(())
        }
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(source) => Err(McpError::Handshake { source: Box::new(source) }),
    }
}

pub(crate) fn runtime() -> Result<Runtime, McpError> {
    Builder::new_current_thread().enable_all().build().map_err(|source| McpError::Runtime { source })
}

/// Ends what still runs for a client that is gone.
pub(crate) fn end(runtime: Runtime) {
    stead_store::end_checks();
    runtime.shutdown_timeout(LAST_CALLS);
}

/// Returns when the process that started this one is gone.
pub(crate) async fn orphaned() {
    let parent = stead_store::parent_id();
    while stead_store::parent_id() == parent {
        tokio::time::sleep(LOOK).await;
    }
}
