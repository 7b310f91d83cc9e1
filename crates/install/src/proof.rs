//! Runs an installed line the way its client does, and checks the answer.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;
use stead_client::{Harness, Heard};
use stead_model::{Base, EventKind, Reply, Verdict};

use crate::Site;
use crate::payload::payload;

/// Longer than any client waits for a tool call.
const PATIENCE: Duration = Duration::from_secs(10);

/// Variables that a client's hook gets and that do not identify the client.
const KEPT: [&str; 9] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TMPDIR", "TERM"];

/// The result of running one line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LineProof {
    pub event: String,
    pub milliseconds: u128,
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// How it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// It answered and allowed a harmless call.
    Answers,
    /// It also denied, in the client's format, what it must deny.
    Denies,
    Fails {
        why: String,
    },
}

impl Outcome {
    pub fn works(&self) -> bool {
        !matches!(self, Self::Fails { .. })
    }
}

/// What is run for a line.
pub(crate) enum Program<'a> {
    /// A command from the settings.
    Shell(&'a str),
    /// The program that a plugin starts.
    Direct(PathBuf),
}

/// Proves a line: a harmless call is allowed and, before a tool, a forbidden one is denied.
pub(crate) fn prove(
    site: &Site<'_>,
    harness: Harness,
    event: &str,
    program: &Program<'_>,
    forbidden: &str,
) -> LineProof {
    let started = Instant::now();
    let is_gate = harness.client().heard(event).kind == EventKind::BeforeTool;
    let outcome = answer(site, harness, event, program, "echo hello").and_then(|reply| {
        if looks_denied(harness, event, &reply) {
            return Err(format!("it denied a harmless call: {}", said(&reply)));
        }
        if reply.exit != 0 {
            return Err(format!("it exited with {}: {}", reply.exit, said(&reply)));
        }
        Ok(Outcome::Answers)
    });
    let milliseconds = started.elapsed().as_millis();
    let outcome = outcome.and_then(|outcome| {
        if !is_gate {
            return Ok(outcome);
        }
        let reply = answer(site, harness, event, program, forbidden)?;
        if looks_denied(harness, event, &reply) {
            Ok(Outcome::Denies)
        } else {
            Err(format!("it allowed `{forbidden}`: {}", said(&reply)))
        }
    });
    LineProof { event: event.to_owned(), milliseconds, outcome: outcome.unwrap_or_else(|why| Outcome::Fails { why }) }
}

fn said(reply: &Reply) -> String {
    let text = if reply.stderr.trim().is_empty() { reply.stdout.trim() } else { reply.stderr.trim() };
    let line: String = text.lines().next().unwrap_or_default().chars().take(120).collect();
    if line.is_empty() { "no output".to_owned() } else { line }
}

fn answer(
    site: &Site<'_>,
    harness: Harness,
    event: &str,
    program: &Program<'_>,
    command: &str,
) -> Result<Reply, String> {
    let input =
        payload(harness, event, site.root, command).ok_or_else(|| format!("no payload to test `{event}` with"))?;
    let mut child = match program {
        Program::Shell(line) => {
            let mut shell = Command::new("sh");
            shell.arg("-c").arg(line);
            shell
        }
        Program::Direct(path) => {
            let mut direct = Command::new(path);
            direct.args(["hook", harness.name(), event]);
            direct
        }
    };
    dress(&mut child, site, harness);
    run(&mut child, input.into_bytes())
}

/// Gives the child a client's environment, without the variables of a client that doctor itself runs in.
pub(crate) fn dress(child: &mut Command, site: &Site<'_>, harness: Harness) {
    let folders = Harness::ALL.into_iter().flat_map(|harness| harness.client().facts.settings).filter_map(|file| {
        match file.spot.base {
            Base::Var { name, .. } => Some(name),
            Base::Project | Base::Home => None,
        }
    });
    let own = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"];
    child.env_clear().current_dir(site.root).env("STEAD_DOCTOR", std::process::id().to_string());
    for name in KEPT.into_iter().chain(own).chain(folders) {
        if let Some(value) = (site.env)(name) {
            child.env(name, value);
        }
    }
    for name in harness.client().facts.project_vars {
        child.env(name, site.root);
    }
}

pub(crate) fn run(command: &mut Command, input: Vec<u8>) -> Result<Reply, String> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("could not start it: {error}"))?;
    // A line may answer before it has read everything, so writing must neither block on it nor end this program.
    stead_store::ignore_broken_pipes();
    let mut stdin = child.stdin.take();
    let feeder = std::thread::spawn(move || stdin.as_mut().map(|pipe| pipe.write_all(&input)));
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no answer within {} s", PATIENCE.as_secs()));
            }
            Err(error) => return Err(format!("could not wait for it: {error}")),
        }
    };
    let _ = feeder.join();
    let text = |thread: std::thread::JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&thread.join().unwrap_or_default()).into_owned()
    };
    Ok(Reply { stdout: text(stdout), stderr: text(stderr), exit: exit_code(status)? })
}

fn drain<R: Read + Send + 'static>(pipe: Option<R>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn exit_code(status: ExitStatus) -> Result<u8, String> {
    match status.code() {
        Some(code) => Ok(u8::try_from(code).unwrap_or(u8::MAX)),
        None => Err(format!("it was killed ({status})")),
    }
}

/// Compares an answer with the client's own denial: same exit status, same document except for prose.
fn looks_denied(harness: Harness, event: &str, reply: &Reply) -> bool {
    let client = harness.client();
    // If the client accepts no denial, it gets a warning.
    if !client.event(event).is_some_and(|fact| fact.powers.deny) {
        return false;
    }
    let has_words = |reply: &Reply| !reply.stderr.trim().is_empty();
    let is_like = |denial: &Reply| {
        reply.exit == denial.exit
            && masked(&reply.stdout) == masked(&denial.stdout)
            && (denial.exit == 0 || has_words(reply) == has_words(denial))
    };
    // Of a denied command, some windows show a part only, and the rest is sent as a line for the person.
    let denials = [("no for a good reason", false), ("no for a good reason\nInstead: ask.", true)];
    denials.into_iter().any(|(reason, is_shell)| {
        let heard = Heard { is_shell, ..client.heard(event) };
        is_like(&client.reply(&heard, &Verdict::deny("doctor", reason)))
    })
}

/// A document without its prose; values that steer the client have no spaces. Text that is not a document is prose.
fn masked(text: &str) -> Value {
    fn mask(value: &mut Value) {
        match value {
            Value::String(text) if text.contains(char::is_whitespace) => *text = "…".to_owned(),
            Value::Array(list) => list.iter_mut().for_each(mask),
            Value::Object(map) => map.values_mut().for_each(mask),
            _ => {}
        }
    }
    let mut value = serde_json::from_str(text).unwrap_or_else(|_| match text.trim() {
        "" => Value::Null,
        _ => Value::from("…"),
    });
    mask(&mut value);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_is_known_by_its_shape() {
        for harness in Harness::ALL {
            let client = harness.client();
            let line = client.facts.events.iter().find(|fact| fact.kind == EventKind::BeforeTool).unwrap();
            let heard = client.heard(line.native);
            let denied = client.reply(&heard, &Verdict::deny("g", "some other words"));
            let allowed = client.reply(&heard, &Verdict::allow());
            assert!(looks_denied(harness, line.native, &denied), "{harness}: {denied:?}");
            assert!(!looks_denied(harness, line.native, &allowed), "{harness}: {allowed:?}");
        }
    }
}
