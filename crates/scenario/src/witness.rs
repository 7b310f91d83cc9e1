//! A wrapper around `stead` that records its calls. It passes data on at once, so that the hook sees the same timing
//! and pipe behaviour as without it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use stead_client::Harness;
use stead_model::EventKind;

/// How long to wait for the end of a payload after the program has answered.
const PATIENCE: Duration = Duration::from_millis(300);

/// The wrapper's configuration; a file next to the program, because clients clean the environment.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Orders {
    /// The real program.
    pub(crate) program: PathBuf,
    /// Where the calls are recorded.
    pub(crate) folder: PathBuf,
    /// Variables that only the real program gets.
    pub(crate) env: BTreeMap<String, String>,
}

/// One call of `stead`, from the outside.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct HookCall {
    pub(crate) args: Vec<String>,
    pub(crate) stdin: String,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// `None` while it runs, and if the client ended it early.
    pub(crate) exit: Option<i32>,
}

impl Orders {
    fn path(program: &Path) -> PathBuf {
        program.with_extension("orders.json")
    }

    /// Replaces a program with the wrapper, and writes its configuration.
    pub(crate) fn post(&self, witness: &Path, at: &Path) -> Result<()> {
        fs::create_dir_all(&self.folder)?;
        fs::write(Self::path(at), serde_json::to_string(self)?)?;
        let staged = at.with_extension("staged");
        fs::copy(witness, &staged).with_context(|| format!("cannot copy `{}`", witness.display()))?;
        fs::rename(staged, at)?;
        Ok(())
    }
}

impl HookCall {
    /// Reads the calls of a folder, in the order in which they started.
    pub(crate) fn read_all(folder: &Path) -> Vec<Self> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        let read = |file: &PathBuf| serde_json::from_str(&fs::read_to_string(file).ok()?).ok();
        files.iter().filter_map(read).collect()
    }

    /// The client and the event that a hook line names.
    pub(crate) fn hook(&self) -> Option<(&str, &str)> {
        match self.args.as_slice() {
            [verb, harness, event, ..] if verb == "hook" => Some((harness, event)),
            _ => None,
        }
    }

    /// Says whether the client called for an event of this kind.
    pub(crate) fn is(&self, kind: EventKind) -> bool {
        let fact = |(harness, native)| Harness::from_name(harness)?.client().event(native);
        self.hook().and_then(fact).is_some_and(|fact| fact.kind == kind)
    }
}

/// Runs the real program. If the wrapper cannot do that, it fails loudly.
pub fn stand_in() -> ExitCode {
    match pass_on() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("witness: {error:#}");
            ExitCode::from(70)
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a tool is started by Rust's own runtime")]
fn pass_on() -> Result<ExitCode> {
    let own = std::env::current_exe()?;
    let orders = fs::read_to_string(Orders::path(&own)).context("no orders beside the stand-in")?;
    let orders: Orders = serde_json::from_str(&orders)?;
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    let mut call =
        HookCall { args: args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect(), ..HookCall::default() };
    let micros = UNIX_EPOCH.elapsed()?.as_micros();
    let file = orders.folder.join(format!("{micros:020}-{}.json", std::process::id()));
    note(&file, &call)?;
    let mut child = Command::new(&orders.program)
        .args(&args)
        .envs(&orders.env)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{}`", orders.program.display()))?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else { bail!("the program has no pipes") };
    let (heard, said, muttered) = (Copied::default(), Copied::default(), Copied::default());
    let listening = flow(io::stdin(), stdin, &heard);
    let talk = [flow(stdout, io::stdout(), &said), flow(stderr, io::stderr(), &muttered)];
    let status = child.wait()?;
    for thread in talk {
        let _ = thread.join();
    }
    // A hook that failed early has not read everything, and a client may keep the pipe open longer than a hook reads.
    let patience = Instant::now() + PATIENCE;
    while !listening.is_finished() && Instant::now() < patience {
        thread::sleep(Duration::from_millis(2));
    }
    call.stdin = heard.text();
    call.stdout = said.text();
    call.stderr = muttered.text();
    call.exit = status.code();
    note(&file, &call)?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(71)))
}

fn note(file: &Path, call: &HookCall) -> Result<()> {
    let staged = file.with_extension("staged");
    fs::write(&staged, serde_json::to_string(call)?)?;
    Ok(fs::rename(staged, file)?)
}

/// The bytes of a stream.
#[derive(Clone, Default)]
struct Copied(Arc<Mutex<Vec<u8>>>);

impl Copied {
    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// Copies a stream at once and keeps a second copy.
fn flow(mut from: impl Read + Send + 'static, mut to: impl Write + Send + 'static, copied: &Copied) -> JoinHandle<()> {
    let copied = copied.clone();
    thread::spawn(move || {
        let mut room = [0; 8192];
        while let Ok(count) = from.read(&mut room) {
            if count == 0 {
                break;
            }
            copied.0.lock().unwrap_or_else(PoisonError::into_inner).extend(&room[..count]);
            // A reader that closed its end misses the rest; the record does not.
            let _ = to.write_all(&room[..count]).and_then(|()| to.flush());
        }
    })
}
