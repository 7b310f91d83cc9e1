//! The throw-away world of the demo: calls this program's hook as a client would, and shows both sides.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use stead_client::Harness;

use crate::error::CliError;
use crate::ui::{Tone, Ui};

/// The client that the scripted session imitates.
pub(super) const CLIENT: Harness = Harness::DEFAULT;

/// How much of a diff is shown.
const SHOWN: usize = 14;

/// What Stead answers, in a word or two.
const NO: &str = "No.";
const NOT_YET: &str = "Not yet.";
const GO_AHEAD: &str = "Go ahead.";

/// The session of most scenes.
const SESSION: &str = "demo-session";

/// The throw-away world and the narrator.
pub(super) struct Stage<'a> {
    ui: &'a mut Ui,
    program: PathBuf,
    folder: PathBuf,
    step: usize,
    manner: Manner,
    pub(super) session: &'static str,
    pub(super) calls: usize,
    /// What did not happen as the demo says.
    pub(super) wrong: Vec<String>,
}

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// What the agent tried and what Stead answered, in words.
    Story,
    /// Every payload, reply and file.
    Verbose,
}

/// The answer of one hook call.
pub(super) struct Answer {
    pub(super) stdout: String,
    exit: i32,
}

impl Answer {
    pub(super) fn is_denial(&self) -> bool {
        let said: Value = serde_json::from_str(&self.stdout).unwrap_or_default();
        said["hookSpecificOutput"]["permissionDecision"] == "deny"
    }

    /// What the agent was told.
    pub(super) fn context(&self) -> String {
        let said: Value = serde_json::from_str(&self.stdout).unwrap_or_default();
        said["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    }

    /// The first sentence of what was said, and whether it was a no.
    fn words(&self) -> String {
        let said: Value = serde_json::from_str(&self.stdout).unwrap_or_default();
        let own = &said["hookSpecificOutput"];
        let text = |value: &Value| value.as_str().map(first_sentence);
        if self.is_denial() {
            return format!("{NO} {}", text(&own["permissionDecisionReason"]).unwrap_or_default());
        }
        // A stop is held by what the agent is told.
        if own["hookEventName"] == "Stop" {
            return format!("{NOT_YET} {}", text(&own["additionalContext"]).unwrap_or_default());
        }
        text(&own["additionalContext"]).unwrap_or_else(|| GO_AHEAD.to_owned())
    }
}

/// The text up to the end of its first sentence or line.
fn first_sentence(text: &str) -> String {
    /// What two lines of the story hold.
    const LONGEST: usize = 125;
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    let sentence = &line[..end];
    // What a call would do comes before why that is not allowed.
    match sentence.rsplit_once(": ").filter(|_| sentence.len() > LONGEST) {
        Some((what, _)) => format!("{what}."),
        None => sentence.to_owned(),
    }
}

/// The verdict with which an answer begins, and the rest.
fn split_verdict(words: &str) -> ((Tone, &str), &str) {
    let verdicts = [
        (GO_AHEAD, Tone::Good),
        ("proven", Tone::Good),
        (NO, Tone::Bad),
        ("NOT PROVEN", Tone::Bad),
        (NOT_YET, Tone::Waiting),
    ];
    let found = verdicts.into_iter().find(|(verdict, _)| words.starts_with(verdict));
    let (verdict, tone) = found.unwrap_or(("", Tone::Plain));
    let (verdict, rest) = words.split_at(verdict.len());
    ((tone, verdict), rest)
}

/// A text behind a label, in at most two lines that fit a terminal.
fn folded(label: &str, text: &str) -> Vec<String> {
    const WIDTH: usize = 80;
    const MOST: usize = 2;
    let mut lines = vec![label.to_owned()];
    for word in text.split_inclusive(' ') {
        let used = lines.last().map_or(0, |line| line.chars().count());
        if used + word.trim_end().chars().count() > WIDTH {
            if lines.len() == MOST {
                let last = lines.pop().unwrap_or_default();
                lines.push(last.trim_end().chars().take(WIDTH - 2).chain([' ', '…']).collect());
                break;
            }
            lines.push(" ".repeat(label.chars().count()));
        }
        if let Some(last) = lines.last_mut() {
            last.push_str(word);
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

impl<'a> Stage<'a> {
    pub(super) fn set(manner: Manner, ui: &'a mut Ui) -> Result<Self, CliError> {
        let program = std::env::current_exe()
            .map_err(|source| CliError::internal("cannot tell which program this is").because(source))?;
        let folder = std::env::temp_dir().join(format!("stead-demo-{}", std::process::id()));
        let stage = Self { ui, program, folder, step: 0, manner, session: SESSION, calls: 0, wrong: Vec::new() };
        for dir in ["project/src", "home"] {
            let path = stage.folder.join(dir);
            fs::create_dir_all(&path)
                .map_err(|source| CliError::user(format!("cannot create `{}`", path.display())).because(source))?;
        }
        stage.write("src/lib.rs", "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n")?;
        Ok(stage)
    }

    pub(super) fn scene(&mut self, title: &str) {
        self.step += 1;
        let step = self.step;
        let gap = if self.manner == Manner::Verbose { "\n" } else { "" };
        self.ui.coloured(&[(Tone::Strong, &format!("{gap}{step}. {title}"))]);
    }

    /// Returns true if scenes are played that the story leaves out.
    pub(super) fn is_verbose(&self) -> bool {
        self.manner == Manner::Verbose
    }

    /// Tells the story: who did what.
    pub(super) fn tell(&mut self, who: &str, what: &str) {
        if self.is_verbose() {
            return;
        }
        let what = what.replace(&format!("{}/", self.project("")), "");
        let tone = match who {
            "you" => Tone::Person,
            "agent" => Tone::Agent,
            _ => Tone::Strong,
        };
        let label = format!("   {who:<6}  ");
        for (at, line) in folded(&label, &what).iter().enumerate() {
            let (start, words) = line.split_at(label.len());
            let (verdict, words) = split_verdict(words);
            let start_tone = if at == 0 { tone } else { Tone::Plain };
            self.ui.coloured(&[(start_tone, start), verdict, (Tone::Plain, words)]);
        }
    }

    /// Tells what the agent tried, and what it was answered.
    pub(super) fn tell_try(&mut self, tried: &str, answer: &Answer) {
        self.tell("agent", tried);
        self.tell("Stead", &answer.words());
    }

    /// Quotes a line that a command printed.
    pub(super) fn quote(&mut self, line: &str) {
        if !self.is_verbose() {
            self.ui.coloured(&[(Tone::Quiet, &format!("{:11}{}", "", line.trim_end()))]);
        }
    }

    pub(super) fn say(&mut self, text: &str) {
        self.ui.line(text);
    }

    /// Removes the project.
    pub(super) fn clear(&self) {
        let _ = fs::remove_dir_all(&self.folder);
    }

    pub(super) fn expect(&mut self, holds: bool, otherwise: &str) {
        if !holds {
            self.wrong.push(otherwise.to_owned());
        }
    }

    pub(super) fn tool(&mut self, tool: &str, input: Value) -> Result<Answer, CliError> {
        let id = format!("call-{}", self.calls + 1);
        self.hook("PreToolUse", json!({"tool_name": tool, "tool_input": input, "tool_use_id": id}))
    }

    /// Lets the agent edit a file, as far as the hook allows it.
    pub(super) fn edit(&mut self, path: &str, old: &str, new: &str) -> Result<Answer, CliError> {
        let input = json!({"file_path": self.project(path), "old_string": old, "new_string": new});
        let answer = self.tool("Edit", input.clone())?;
        if !answer.is_denial() {
            let id = self.last_call();
            self.write(path, &self.read(path)?.replacen(old, new, 1))?;
            let done = json!({"tool_name": "Edit", "tool_input": input, "tool_use_id": id, "tool_response": {}});
            self.hook("PostToolUse", done)?;
        }
        Ok(answer)
    }

    /// Lets the agent run a shell command, as far as the hook allows it, and returns the last answer.
    pub(super) fn shell(&mut self, command: &str) -> Result<Answer, CliError> {
        let input = json!({"command": command});
        let answer = self.tool("Bash", input.clone())?;
        if !answer.is_denial() {
            let id = self.last_call();
            let output = self.command("sh").args(["-c", command]).output();
            let output = output.map_err(|source| CliError::user("cannot run `sh`").because(source))?;
            let response =
                json!({"stdout": String::from_utf8_lossy(&output.stdout), "stderr": "", "interrupted": false});
            let done = json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": id, "tool_response": response});
            return self.hook("PostToolUse", done);
        }
        Ok(answer)
    }

    /// Lets the agent run one of Stead's own commands: the hook sees it first and records the session.
    pub(super) fn agent_runs(&mut self, words: &[&str]) -> Result<(), CliError> {
        self.agent_calls(words)?;
        self.stead(words).map(drop)
    }

    /// Lets the agent verify a feature, and returns what the result says, without how long it took.
    pub(super) fn agent_verifies(&mut self, feature: &str) -> Result<String, CliError> {
        let words = ["verify", feature];
        self.agent_calls(&words)?;
        let (text, _) = self.shown(&words)?;
        let line = text.lines().next().unwrap_or_default();
        Ok(line.rsplit_once(" (").map_or(line, |(result, _)| result).to_owned())
    }

    /// The call with which the agent runs one of Stead's own commands.
    fn agent_calls(&mut self, words: &[&str]) -> Result<(), CliError> {
        let quoted: Vec<String> = words
            .iter()
            .map(|word| if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() })
            .collect();
        let seen = self.tool("Bash", json!({"command": format!("stead {}", quoted.join(" "))}))?;
        self.expect(!seen.is_denial(), &format!("`stead {}` was denied", words[0]));
        Ok(())
    }

    pub(super) fn stop(&mut self, message: &str) -> Result<Answer, CliError> {
        self.hook("Stop", json!({"stop_hook_active": false, "last_assistant_message": message}))
    }

    fn last_call(&self) -> String {
        format!("call-{}", self.calls)
    }

    /// Calls the hook with a payload in the client's format and shows both sides.
    pub(super) fn hook(&mut self, event: &str, own: Value) -> Result<Answer, CliError> {
        self.calls += 1;
        let mut payload = json!({"session_id": self.session, "cwd": self.project(""), "hook_event_name": event});
        if let (Some(payload), Value::Object(own)) = (payload.as_object_mut(), own.clone()) {
            payload.extend(own);
        }
        let program = self.program.clone();
        let failed = |source| CliError::internal("cannot run this program again").because(source);
        let mut child = self
            .command(&program)
            .args(["hook", CLIENT.name(), event])
            .envs(CLIENT.client().facts.project_vars.iter().map(|name| (*name, self.project(""))))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        if let Some(mut stdin) = child.stdin.take() {
            let _ = stdin.write_all(payload.to_string().as_bytes());
        }
        let output = child.wait_with_output().map_err(failed)?;
        let answer = Answer {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            exit: output.status.code().unwrap_or(-1),
        };
        self.block(&format!("  {CLIENT} > {event} "), &own.to_string());
        let said = if answer.stdout.is_empty() { "(no output: allowed)" } else { answer.stdout.trim_end() };
        self.block(&format!("  stead < exit {} ", answer.exit), said);
        Ok(answer)
    }

    /// Runs a command of this program and reads its JSON.
    pub(super) fn ask(&self, args: &[&str]) -> Result<Value, CliError> {
        Ok(serde_json::from_slice(&self.run(args)?.stdout).unwrap_or_default())
    }

    fn run(&self, args: &[&str]) -> Result<Output, CliError> {
        let output = self.command(&self.program).args(args).output();
        output.map_err(|source| CliError::internal("cannot run this program again").because(source))
    }

    /// Runs a command of this program, which has to succeed, and shows what it says.
    pub(super) fn stead(&mut self, args: &[&str]) -> Result<String, CliError> {
        let (text, output) = self.shown(args)?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        self.expect(output.status.success(), &format!("`stead {}` failed: {said}", args.join(" ")));
        Ok(text)
    }

    fn shown(&mut self, args: &[&str]) -> Result<(String, Output), CliError> {
        let output = self.run(args)?;
        self.block("  $ stead ", &args.join(" "));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_diff = |line: &&str| args[0] == "init" && line.starts_with(['+', '-', '@']);
        let (diff, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(is_diff);
        for line in diff.iter().take(SHOWN) {
            self.block("    ", line);
        }
        if diff.len() > SHOWN {
            self.block("    ", &format!("… and {} more such lines", diff.len() - SHOWN));
        }
        for line in rest {
            self.block("    ", line);
        }
        Ok((text, output))
    }

    /// Shows the lines of a file that contain a word.
    pub(super) fn show(&mut self, path: &str, word: &str) -> Result<(), CliError> {
        let text = self.read(path)?;
        self.block("  ", &format!("{path}:"));
        let lines: Vec<&str> = text.lines().filter(|line| line.contains(word)).collect();
        for line in &lines {
            self.block("    ", line);
        }
        self.expect(!lines.is_empty(), &format!("`{path}` has no line with {word}"));
        Ok(())
    }

    /// Prints a text after a label, wrapped at 80 columns and indented.
    fn block(&mut self, label: &str, text: &str) {
        if self.manner == Manner::Story {
            return;
        }
        let text = text.replace(&self.project(""), "$PROJECT");
        let mut line = label.to_owned();
        for word in text.split_inclusive([' ', ',', '{']) {
            if line.chars().count() + word.trim_end().chars().count() > 80 && line.trim() != "" {
                self.ui.line(line.trim_end());
                line = "      ".to_owned();
            }
            line.push_str(word);
        }
        self.ui.line(line.trim_end());
    }

    pub(super) fn project(&self, path: &str) -> String {
        let folder = self.folder.join("project");
        if path.is_empty() { folder.display().to_string() } else { folder.join(path).display().to_string() }
    }

    pub(super) fn read(&self, path: &str) -> Result<String, CliError> {
        let file = self.project(path);
        fs::read_to_string(&file).map_err(|source| CliError::user(format!("cannot read `{file}`")).because(source))
    }

    pub(super) fn write(&self, path: &str, text: &str) -> Result<(), CliError> {
        let file = self.folder.join("project").join(path);
        let made = file.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&file, text))
            .map_err(|source| CliError::user(format!("cannot write `{}`", file.display())).because(source))
    }

    /// A command in the throw-away project, with its own home folder.
    pub(super) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(self.folder.join("project")).env("HOME", self.folder.join("home"));
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            let is_own = ["XDG_", "STEAD_"].iter().any(|prefix| name.starts_with(prefix));
            if is_own || Harness::session_vars().any(|of_client| of_client == name) {
                command.env_remove(name);
            }
        }
        command
    }
}
