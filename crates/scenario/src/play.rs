use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use stead_testkit::fake_model::{FakeModel, RequestLog, Role, Script};

use crate::acp::Editor;
use crate::client::Ask;
use crate::evidence::Evidence;
use crate::ground::Ground;
use crate::payload;
use crate::process::{End, Ended, Process};
use crate::witness::HookCall;

/// How long the sessions of one play may take together.
const DEADLINE: Duration = Duration::from_secs(600);

/// How long a session may go on after its editor was told that the turn is over.
const PATIENCE: Duration = Duration::from_secs(30);

/// What came of a script that real clients played.
pub(crate) struct Played {
    pub(crate) log: RequestLog,
    pub(crate) calls: Vec<HookCall>,
    pub(crate) sessions: Vec<Session>,
}

/// One session of a client, from start to end.
pub(crate) struct Session {
    pub(crate) prompt: String,
    pub(crate) ended: Ended,
    /// The client's own word for its id.
    pub(crate) id: Option<String>,
}

/// Plays a script with one session.
pub(crate) fn play(ground: &Ground, script: Script) -> Result<Played> {
    play_together(ground, script, &["Do the scripted task."])
}

/// Plays a script with one session that begins or goes on as it is asked to.
pub(crate) fn play_ask(ground: &Ground, script: Script, ask: Ask<'_>) -> Result<Played> {
    play_all(ground, script, &[ask])
}

/// Plays a script with one session for each prompt.
pub(crate) fn play_together(ground: &Ground, script: Script, prompts: &[&str]) -> Result<Played> {
    play_all(ground, script, &prompts.iter().map(|prompt| Ask::new(prompt)).collect::<Vec<_>>())
}

/// Plays a script with one session for each ask, all at the same time but for their start. Fails when a session does not
/// come to its regular end, when the script could not be followed, or when a payload is not what Stead reads.
fn play_all(ground: &Ground, script: Script, asks: &[Ask<'_>]) -> Result<Played> {
    let before = ground.calls().len();
    let model = FakeModel::start_on(ground.port(), script);
    let deadline = Instant::now() + DEADLINE;
    let mut running: Vec<Process> = Vec::new();
    for (index, ask) in asks.iter().enumerate() {
        // A client's very first start sets its home up, which two at once may spoil for each other.
        if let Some(before) = running.last_mut() {
            wait_for_request(&model, before, deadline)?;
        }
        let launch = (ground.client.launch)(ground, ask);
        let mut command = ground.world().command(&launch.program, &ground.project());
        command.args(&launch.args).envs(launch.env);
        running.push(Process::start(&mut command, &ground.world().folder(), &format!("client-{index}"))?);
    }
    let mut sessions = Vec::new();
    for (process, ask) in running.into_iter().zip(asks) {
        let ended = process.finish(deadline)?;
        let id = (ground.client.session)(ground, &ended.stdout);
        sessions.push(Session { prompt: ask.prompt.to_owned(), ended, id });
    }
    let calls = ground.calls().split_off(before);
    let played = Played { log: model.log(), calls, sessions };
    played.ensure_regular(ground)?;
    Ok(played)
}

/// Plays a script with one session that an editor drives over ACP, and which takes these prompts. The editor hangs up after
/// the model's last words: some clients answer a prompt before a hook has them go on.
pub(crate) fn play_edited(ground: &Ground, script: Script, prompts: &[&str], last: &str) -> Result<Played> {
    let before = ground.calls().len();
    let acp = ground.client.acp.as_ref().context("nobody wrote down how an editor starts it")?;
    let launch = (acp.launch)(ground)?;
    let model = FakeModel::start_on(ground.port(), script);
    let mut editor = Editor::start(ground, launch, "edited")?;
    let mut drive = || -> Result<String> {
        let id = editor.begin(&ground.project())?;
        prompts.iter().try_for_each(|prompt| editor.prompt(&id, prompt))?;
        let deadline = Instant::now() + PATIENCE;
        while model.log().turns("").iter().all(|turn| turn.answer["text"] != last) {
            ensure!(Instant::now() < deadline, "the model never said its last words");
            thread::sleep(Duration::from_millis(50));
        }
        Ok(id)
    };
    let driven = drive();
    let ended = editor.close()?;
    let (id, problem) = match driven {
        Ok(id) => (Some(id), None),
        Err(error) => (None, Some(format!("the editor could not go on: {error:#}"))),
    };
    let sessions = vec![Session { prompt: prompts.join("; "), ended, id }];
    let played = Played { log: model.log(), calls: ground.calls().split_off(before), sessions };
    played.claim(problem.is_none(), &problem.unwrap_or_default())?;
    played.ensure_understood(ground)?;
    Ok(played)
}

/// Waits until a client that was just started speaks to the model, or ends without.
fn wait_for_request(model: &FakeModel, client: &mut Process, deadline: Instant) -> Result<()> {
    while model.log().exchanges().is_empty() && client.is_running()? && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Plays a script with whatever the command starts. Whether it ended well is for the caller to say.
pub(crate) fn play_command(ground: &Ground, script: Script, command: &mut Command, words: &str) -> Result<Played> {
    let before = ground.calls().len();
    let model = FakeModel::start_on(ground.port(), script);
    let process = Process::start(command, &ground.world().folder(), "command")?;
    let ended = process.finish(Instant::now() + DEADLINE)?;
    let sessions = vec![Session { prompt: words.to_owned(), ended, id: None }];
    let played = Played { log: model.log(), calls: ground.calls().split_off(before), sessions };
    let problems = played.log.problems();
    played.claim(problems.is_empty(), &format!("the script could not be followed: {}", problems.join("; ")))?;
    Ok(played)
}

impl Played {
    fn ensure_regular(&self, ground: &Ground) -> Result<()> {
        for session in &self.sessions {
            let end = session.ended.end;
            self.claim(end != End::Deadline, "the client did not end within its time")?;
            self.claim(end == End::Exit(0), &format!("the client ended with {end:?}"))?;
        }
        self.ensure_understood(ground)
    }

    fn ensure_understood(&self, ground: &Ground) -> Result<()> {
        let problems = self.log.problems();
        self.claim(problems.is_empty(), &format!("the script could not be followed: {}", problems.join("; ")))?;
        self.claim(!self.calls.is_empty(), "no hook was called")?;
        let complaints = self.calls.iter().flat_map(|call| payload::complaints(ground.client.harness, call));
        let complaints: Vec<_> = complaints.collect();
        self.claim(complaints.is_empty(), &format!("a payload changed: {}", complaints.join("; ")))
    }

    /// Fails, with everything that was seen, unless the claim holds.
    pub(crate) fn claim(&self, holds: bool, otherwise: &str) -> Result<()> {
        if holds { Ok(()) } else { Err(anyhow!("{otherwise}\n{}", Evidence(self))) }
    }

    /// The id of the only session.
    pub(crate) fn session_id(&self) -> Result<&str> {
        self.id_of(0)
    }

    pub(crate) fn id_of(&self, index: usize) -> Result<&str> {
        let id = self.sessions.get(index).and_then(|session| session.id.as_deref());
        id.ok_or_else(|| anyhow!("the client does not tell its session's id\n{}", Evidence(self)))
    }

    /// Fails unless a tool result told the model why a call was denied.
    pub(crate) fn claim_denied(&self, ground: &Ground, reason: &str) -> Result<()> {
        self.claim_told(&ground.client.passed_on(reason))
    }

    /// Fails unless the model was told this text as the result of a tool call.
    pub(crate) fn claim_told(&self, text: &str) -> Result<()> {
        let seen = self.log.seen(text);
        let told = seen.iter().any(|sighting| sighting.role == Role::Tool);
        self.claim(told, &format!("no tool result told the model `{text}`; it was seen at {seen:?}"))
    }
}
