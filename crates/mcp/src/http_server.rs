//! The server over HTTP, on this machine only. A request needs the token, so that other users of the machine and web
//! pages in a browser cannot make one; `Host` and `Origin` are checked as well.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::commands::Commands;
use crate::error::McpError;
use crate::server::Server;
use crate::stdio_server::{end, orphaned, runtime};

/// The path of the server; a client that cannot send a header appends `/` and the token.
const PATH: &str = "/mcp";

/// Who may ask from a page: what this machine serves itself.
const ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

/// Where the server listens, and what a request must know.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    pub address: SocketAddr,
    pub token: String,
}

type Service = StreamableHttpService<Server, LocalSessionManager>;
type Body = BoxBody<Bytes, Infallible>;

/// Serves clients until the process that started this one is gone. `ready` gets the address.
pub fn serve_http(
    commands: Arc<dyn Commands>,
    options: &HttpOptions,
    ready: &mut dyn FnMut(&str),
) -> Result<(), McpError> {
    let HttpOptions { address, token } = options;
    if !address.ip().is_loopback() {
        return Err(McpError::NotLoopback { address: *address });
    }
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let listen = |source| McpError::Listen { address: *address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        ready(&format!("http://{}{PATH}", listener.local_addr().map_err(listen)?));
        tokio::select! {
            () = accept(listener, service(commands), Arc::from(token.as_str())) => {}
            () = orphaned() => {}
        }
        Ok(())
    });
    end(runtime);
    ended
}

fn service(commands: Arc<dyn Commands>) -> Service {
    let config = StreamableHttpServerConfig::default().with_allowed_origins(ORIGINS).with_json_response(true);
    let server = Server::new(commands);
    StreamableHttpService::new(move || Ok(server.clone()), Arc::default(), config)
}

async fn accept(listener: TcpListener, service: Service, token: Arc<str>) {
    loop {
        // A connection that could not be accepted concerns only itself.
        let Ok((stream, _)) = listener.accept().await else { continue };
        let (service, token) = (service.clone(), Arc::clone(&token));
        tokio::spawn(async move {
            let answer = service_fn(move |request| {
                let (service, token) = (service.clone(), Arc::clone(&token));
                async move { Ok::<_, Infallible>(answer(&service, &token, request).await) }
            });
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await;
        });
    }
}

async fn answer(service: &Service, token: &str, request: Request<Incoming>) -> Response<Body> {
    let sent = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    match admit(request.uri().path(), sent, token) {
        Ok(()) => service.handle(request).await,
        Err(status) => refuse(status),
    }
}

/// Decides about a request by its path and its `Authorization` header.
fn admit(path: &str, sent: Option<&str>, token: &str) -> Result<(), StatusCode> {
    let behind = match path.strip_prefix(PATH) {
        Some("") => None,
        Some(rest) => Some(rest.strip_prefix('/').ok_or(StatusCode::NOT_FOUND)?),
        None => return Err(StatusCode::NOT_FOUND),
    };
    let sent = sent.and_then(|sent| sent.strip_prefix("Bearer "));
    match sent.or(behind).is_some_and(|sent| is_same(sent.trim(), token)) {
        true => Ok(()),
        false => Err(StatusCode::UNAUTHORIZED),
    }
}

/// Compares in a time that does not depend on where the texts differ.
fn is_same(sent: &str, token: &str) -> bool {
    let differs = |both: (u8, u8)| both.0 ^ both.1;
    sent.len() == token.len() && sent.bytes().zip(token.bytes()).map(differs).fold(0, |all, one| all | one) == 0
}

fn refuse(status: StatusCode) -> Response<Body> {
    let text = match status {
        StatusCode::UNAUTHORIZED => "the token is missing or wrong; send `Authorization: Bearer TOKEN`\n",
        _ => "the path is /mcp\n",
    };
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_request_with_the_token_is_admitted() {
        let check = |path: &str, sent: Option<&str>, expected: Result<(), u16>| {
            let found = admit(path, sent, "t0ken").map_err(|status| status.as_u16());
            assert_eq!(found, expected, "{path} {sent:?}");
        };
        check("/mcp", Some("Bearer t0ken"), Ok(()));
        check("/mcp/t0ken", None, Ok(()));
        check("/mcp", None, Err(401));
        check("/mcp/", None, Err(401));
        check("/mcp", Some("t0ken"), Err(401));
        check("/mcp", Some("Bearer t0kem"), Err(401));
        check("/mcp", Some("Bearer "), Err(401));
        check("/mcp/t0ken", Some("Bearer wrong"), Err(401));
        check("/mcp/t0ken/more", None, Err(401));
        check("/mcpt0ken", None, Err(404));
        check("/", Some("Bearer t0ken"), Err(404));
    }
}
