use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use clap::Args;
use stead_context::{BoundCall, bound_call};
use stead_mcp::{Answer, Commands, HttpOptions, McpError, ToolCall, serve_http, serve_stdio};
use stead_store::read_capped;
use uuid::Uuid;

use crate::cli::{Exit, run_for};
use crate::error::CliError;
use crate::project::{Project, now_millis};
use crate::session::Caller;
use crate::ui::{Captured, Ui};

/// The longest token that is read from a file.
const LONGEST: usize = 4096;

/// How long a call waits for the line of the hook that saw it: the client gets the hook's answer before it is written.
const PATIENCE: [Duration; 5] = [
    Duration::from_millis(5),
    Duration::from_millis(15),
    Duration::from_millis(40),
    Duration::from_millis(90),
    Duration::from_millis(150),
];

/// Serve Stead's commands to agents as MCP tools
///
/// Speaks the Model Context Protocol on standard input and output, as clients start it, and ends with its client.
/// `stead init` registers it. A tool does what its command does, for the session that a hook saw call it; an agent may
/// do no more with it than with the command.
#[derive(Args)]
#[command(after_help = "Examples:\n  stead mcp\n  stead mcp --http 127.0.0.1:7800 --token-file ~/.stead-token")]
pub(crate) struct McpArgs {
    /// Serve over HTTP instead, on this machine only; prints the address and the token
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:0")]
    http: Option<SocketAddr>,
    /// The file with the token that requests must send [default: a new token for each start]
    #[arg(long, value_name = "FILE", requires = "http")]
    token_file: Option<PathBuf>,
}

pub(crate) fn run(args: McpArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    // A client or a program of a guard that is gone must not end the calls of others.
    stead_store::ignore_broken_pipes();
    let commands = Arc::new(OwnCommands { dir: ui.dir()? });
    let served = match args.http {
        None => serve_stdio(commands),
        Some(address) => {
            let token = match &args.token_file {
                Some(file) => read_token(file)?,
                None => format!("{}{}", Uuid::new_v4().simple(), Uuid::new_v4().simple()),
            };
            let is_new = args.token_file.is_none();
            let options = HttpOptions { address, token };
            serve_http(commands, &options, &mut |address| {
                ui.line(address);
                if is_new {
                    ui.line(format!("Authorization: Bearer {}", options.token));
                }
            })
        }
    };
    served.map(|()| Exit::Done).map_err(CliError::from)
}

fn read_token(file: &Path) -> Result<String, CliError> {
    let none = || CliError::not_found(format!("there is no token in `{}`", file.display()));
    let text = String::from_utf8(read_capped(file, LONGEST)?.ok_or_else(none)?).map_err(|_| none())?;
    let token = text.trim();
    match token.len() {
        0 => Err(none()),
        1..16 => Err(CliError::user("the token is too short").hinted("use at least 16 characters, chosen at random")),
        _ => Ok(token.to_owned()),
    }
}

/// Stead's own commands, run in this process.
struct OwnCommands {
    dir: PathBuf,
}

impl OwnCommands {
    /// Who makes a call.
    fn caller(&self, call: &ToolCall<'_>) -> Result<Caller, CliError> {
        let mut found = self.look(call)?;
        for pause in PATIENCE.iter().filter(|_| call.needs_session) {
            if found != BoundCall::Nobody {
                break;
            }
            sleep(*pause);
            found = self.look(call)?;
        }
        match found {
            BoundCall::Nobody => Ok(Caller::Tool(None)),
            BoundCall::One(binding) => Ok(Caller::Tool(Some(binding))),
            BoundCall::Several(_) if !call.needs_session => Ok(Caller::Tool(None)),
            BoundCall::Several(mut sessions) => {
                sessions.dedup();
                let message = match sessions.as_slice() {
                    [session] => format!("two agents of session {session} made this call at the same time"),
                    sessions => format!("sessions {} made this call at the same time", sessions.join(" and ")),
                };
                Err(CliError::user(format!("{message}, so it is not known whose answer this is; nothing was done"))
                    .hinted("call it again in a minute, or use the `stead` command in a shell"))
            }
        }
    }

    fn look(&self, call: &ToolCall<'_>) -> Result<BoundCall, CliError> {
        let project = self.project()?;
        Ok(bound_call(&project.indexes().join("sessions.jsonl"), call.tool, call.input, now_millis()))
    }

    fn project(&self) -> Result<Project, CliError> {
        let global = crate::cli::Global { dir: Some(self.dir.clone()), ..Default::default() };
        Project::find(&Ui::capturing(global, Caller::Tool(None)))
    }
}

impl Commands for OwnCommands {
    fn run(&self, words: &[String], call: Option<&ToolCall<'_>>) -> Result<Answer, String> {
        let caller = call.map_or(Ok(Caller::Tool(None)), |call| self.caller(call));
        let changes = call.is_some_and(|call| call.changes);
        let answer = caller.and_then(|caller| run_for(words, &self.dir, caller, changes));
        answer.map(|Captured { json, text }| Answer { json, text }).map_err(|error| error.render())
    }

    fn instructions(&self, command: &str, arguments: &str) -> Option<String> {
        stead_install::instructions(command, arguments)
    }
}

impl From<McpError> for CliError {
    fn from(error: McpError) -> Self {
        let hint = error.hint();
        let message = error.to_string();
        let told = match error {
            McpError::Runtime { source } | McpError::Listen { source, .. } => Self::user(message).because(source),
            McpError::Handshake { source } => Self::user(format!("{message}: {source}")),
            McpError::NotLoopback { .. } => Self::usage(message),
        };
        told.hinted_if(hint)
    }
}
