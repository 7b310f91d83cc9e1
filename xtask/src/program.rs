//! Runs other programs from the workspace folder, and reports their failures.

use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, bail};

use crate::repository;

/// Finds a program on PATH.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
}

/// The cargo that runs this task.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(repository::root());
    command
}

/// Formats a command as a person would type it.
pub(crate) fn spell(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let mut line = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

/// Runs a command with its output shown.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start `{}`", spell(command)))?;
    if !status.success() {
        bail!("`{}` ended with {status}", spell(command));
    }
    Ok(())
}

/// Runs a command and returns its output; its errors are shown if it fails.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start `{}`", spell(command)))?;
    if !output.status.success() {
        bail!("`{}` ended with {}\n{}", spell(command), output.status, String::from_utf8_lossy(&output.stderr));
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{}` printed something other than text", spell(command)))
}

/// How a watched command ended, and its whole output.
pub(crate) struct Watched {
    pub(crate) success: bool,
    pub(crate) output: String,
}

/// Runs a command with its output shown and kept.
pub(crate) fn watch(command: &mut Command) -> Result<Watched> {
    let spelled = spell(command);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{spelled}`"))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let talk = thread::spawn(move || stderr.map(|pipe| echo(pipe, |line| eprintln!("{line}"))));
    let answer = stdout.map(|pipe| echo(pipe, |line| println!("{line}"))).unwrap_or_default();
    let talk = talk.join().ok().flatten().unwrap_or_default();
    let status = child.wait().with_context(|| format!("cannot wait for `{spelled}`"))?;
    Ok(Watched { success: status.success(), output: answer + &talk })
}

fn echo(pipe: impl Read, show: impl Fn(&str)) -> String {
    let mut kept = String::new();
    let mut reader = BufReader::new(pipe);
    let mut line = Vec::new();
    // Not `lines()`: an invalid byte in a test's output must not end the reading.
    while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\n', '\r']);
        show(text);
        kept.push_str(text);
        kept.push('\n');
        line.clear();
    }
    kept
}

/// The triple this machine builds for; build output is in a folder of that name.
pub(crate) fn host() -> Result<String> {
    let text = read(Command::new("rustc").arg("-vV").current_dir(repository::root()))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` names no host")
}

/// Builds the program that measures redaction, runs it and returns its figures.
pub(crate) fn redaction(what: &str, folders: &[PathBuf]) -> Result<serde_json::Value> {
    let target = PathBuf::from(crate::metadata::Metadata::load()?.target_directory);
    let file = target.join(format!("redact-{what}.json"));
    let mut example = cargo();
    example
        .args(["run", "--quiet", "--profile", "dist", "--package", "stead-context", "--example", "redact", "--", what]);
    run(example.arg(&file).args(folders))?;
    Ok(serde_json::from_slice(&std::fs::read(&file)?)?)
}
