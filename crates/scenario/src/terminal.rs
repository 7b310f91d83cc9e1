//! A client's window, as a person has it: the client runs in tmux, keys are typed, and what it shows is read as text.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::client::Launch;
use crate::ground::Ground;

/// Wide enough for most lines, and so high that nothing of a session scrolls away.
const SIZE: (&str, &str) = ("100", "200");

/// How long a client may take until its window says what is waited for.
const PATIENCE: Duration = Duration::from_secs(120);

/// A window that did not change for so long shows all it has to show.
const QUIET: Duration = Duration::from_millis(2_500);

const LOOK: Duration = Duration::from_millis(250);

/// How a client is used in a terminal.
pub(crate) struct Window {
    /// Confirms in a person's place what the client asks when it is started first, and starts it.
    pub(crate) open: fn(&Ground) -> Result<Launch>,
    /// A question at the start that no setting answers, and the keys that answer it.
    pub(crate) first_question: Option<(&'static str, &'static [&'static str])>,
    /// What the window shows when the person may type.
    pub(crate) ready: &'static str,
    /// What it shows only while the agent works.
    pub(crate) busy: &'static str,
    /// What it shows when it asks the person about a call.
    pub(crate) question: Option<&'static str>,
    /// The beginnings of lines that say nothing about Stead: banner, hints, times.
    pub(crate) noise: &'static [&'static str],
}

/// A running client. It ends when this is dropped.
pub(crate) struct Terminal<'a> {
    ground: &'a Ground,
    socket: PathBuf,
    busy: &'static str,
}

/// Says whether windows can be looked at here; otherwise why not.
pub(crate) fn obstacle() -> Option<&'static str> {
    let found = Command::new("tmux").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if found.is_ok_and(|status| status.success()) { None } else { Some("tmux is not installed") }
}

impl<'a> Terminal<'a> {
    /// Starts the client and waits until the person may type.
    pub(crate) fn open(ground: &'a Ground, window: &Window) -> Result<Self> {
        let Launch { program, args, env } = (window.open)(ground)?;
        let terminal = Self { ground, socket: ground.world().folder().join("tmux"), busy: window.busy };
        let project = ground.project().display().to_string();
        let mut tmux = terminal.tmux();
        tmux.args(["-f", "/dev/null", "new-session", "-d", "-x", SIZE.0, "-y", SIZE.1, "-c", &project]);
        tmux.args(["env", "TERM=xterm-256color"]).arg(program).args(args).envs(env);
        ensure!(tmux.status().context("cannot start `tmux`")?.success(), "tmux did not start the client");
        // The question may come after the window looked ready.
        if let Some((question, keys)) = window.first_question {
            terminal.wait_for(&[question])?;
            terminal.settle()?;
            terminal.keys(keys)?;
        }
        terminal.wait_for(&[window.ready])?;
        terminal.settle()?;
        Ok(terminal)
    }

    /// Types a prompt and sends it.
    pub(crate) fn say(&self, text: &str) -> Result<()> {
        ensure!(self.tmux().args(["send-keys", "-l", text]).status()?.success(), "tmux could not type");
        // Keys that arrive at once are taken for pasted text, in which a newline does not send.
        thread::sleep(Duration::from_millis(800));
        self.keys(&["Enter"])
    }

    pub(crate) fn keys(&self, keys: &[&str]) -> Result<()> {
        for key in keys {
            ensure!(self.tmux().args(["send-keys", key]).status()?.success(), "tmux could not press `{key}`");
            thread::sleep(Duration::from_millis(500));
        }
        Ok(())
    }

    /// What the window shows, with what scrolled out of it.
    pub(crate) fn screen(&self) -> Result<String> {
        let output = self.tmux().args(["capture-pane", "-p", "-S", "-500"]).output()?;
        ensure!(output.status.success(), "the client's window is gone");
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Waits until the window shows one of these texts.
    pub(crate) fn wait_for(&self, texts: &[&str]) -> Result<String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let shown = self.screen()?;
            if texts.iter().any(|text| shown.contains(text)) {
                return Ok(shown);
            }
            if Instant::now() >= deadline {
                bail!("the window never showed {texts:?}:\n{}", shown.trim_end());
            }
            thread::sleep(LOOK);
        }
    }

    /// Waits until the agent rests and the window changes no more.
    pub(crate) fn settle(&self) -> Result<String> {
        let deadline = Instant::now() + PATIENCE;
        let (mut last, mut since) = (self.screen()?, Instant::now());
        loop {
            thread::sleep(LOOK);
            let shown = self.screen()?;
            if shown != last || shown.contains(self.busy) {
                (last, since) = (shown, Instant::now());
            } else if since.elapsed() >= QUIET {
                return Ok(shown);
            }
            if Instant::now() >= deadline {
                bail!("the window did not come to rest:\n{}", last.trim_end());
            }
        }
    }

    fn tmux(&self) -> Command {
        let mut command = self.ground.world().command("tmux", &self.ground.project());
        command.arg("-S").arg(&self.socket).stdin(Stdio::null());
        command
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        let _ = self.tmux().arg("kill-server").stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}
