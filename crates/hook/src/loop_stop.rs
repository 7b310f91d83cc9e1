//! What a loop needs at a stop: whose stop it is, the agent's last message, and the loop's check. It blocks only the
//! session that a loop belongs to, and any failure allows the stop.

use std::path::Path;
use std::thread;
use std::time::Duration;

use stead_client::{StopCap, WarnBy, last_message};
use stead_context::{Answer, Check, ContextError, Foreground, LastMessage, LoopStatus, Loops, Owner, Starter, Stop};
use stead_model::{Detail, Event, EventKind, Verdict, unix_millis};
use stead_store::{CheckEnd, Room, Tail, extend_alarm, run_check};

use crate::guard::{Asker, Rules, has_sub_agent, refusal};
use crate::intent::owe_text;
use crate::look_back;
use crate::record;
use crate::request::Request;
use crate::trust::Trusted;

/// The name of loops in verdicts.
const GATE: &str = "loop";

/// How far a transcript is read, from its end.
const LINES: usize = 200;

/// A transcript may lag behind the stop, so it is read again after each of these delays; one client writes its
/// transcript about every second.
const LAGS: [Duration; 5] = [
    Duration::ZERO,
    Duration::from_millis(100),
    Duration::from_millis(300),
    Duration::from_millis(500),
    Duration::from_millis(700),
];

/// The total time of all of them, in seconds.
const LAGGING: u32 = 4;

/// How much of a check's output is kept.
const TAIL: usize = 4 * 1024;

/// How long a run may take to start, in seconds.
const STARTING: u32 = 30;

/// The time reserved after the check, in seconds.
const AFTERWARDS: u32 = 5;

/// Blocks a stop, if a loop of this session requires it.
pub(crate) fn judge(request: &Request<'_>) -> Verdict {
    let concerned = match request.event.kind {
        EventKind::Stop | EventKind::SubagentStop => true,
        EventKind::SessionStart => matches!(&request.event.detail, Detail::Start { previous: Some(_), .. }),
        _ => false,
    };
    if !concerned || request.writable_root().is_none() || request.is_by_doctor() {
        return Verdict::allow();
    }
    if request.policy.value("value", "context.hold_stops") == Some("false") {
        return Verdict::allow();
    }
    let engine = Engine { request, event: request.event, loops: Loops::of_room(&request.room(Room::Context)) };
    engine.answer().unwrap_or_else(|error| {
        request.note(&error);
        match engine.event.kind {
            EventKind::Stop if !engine.is_by_sub_agent(false) => {
                engine.tell(&format!("Stead: no loop can hold this session: {error}"))
            }
            _ => Verdict::allow(),
        }
    })
}

struct Engine<'a> {
    request: &'a Request<'a>,
    event: &'a Event<'a>,
    loops: Loops,
}

impl Engine<'_> {
    fn answer(&self) -> Result<Verdict, ContextError> {
        let owner = Owner::new(self.request.harness.name(), self.event.session.as_deref().unwrap_or_default());
        let foreground = self.loops.foreground(owner.as_ref().map_or("", Owner::session))?;
        if let Detail::Start { previous: Some(previous), .. } = &self.event.detail {
            if let (Some(before), Some(after)) = (Owner::new(self.request.harness.name(), previous), &owner) {
                self.loops.inherit(&before, after, record::now_millis())?;
            }
            return Ok(Verdict::allow());
        }
        let is_own = matches!(foreground, Foreground::Own { .. });
        let by_sub_agent = self.is_by_sub_agent(is_own);
        match (foreground, owner) {
            (Foreground::Nothing, _) => Ok(Verdict::allow()),
            (Foreground::Own { id }, Some(owner)) if !by_sub_agent => match self.loops.read(&id) {
                Ok(_) if self.is_trusted(&id) => self.stop(&id, &owner),
                Ok(_) => {
                    let why = "it came with the repository and is not trusted; see `stead trust`";
                    self.loops.pass(&id, Some(&owner), why, record::now_millis())?;
                    Ok(self.tell(&format!("Stead: loop `{id}` holds nobody: {why}")))
                }
                Err(error) => {
                    self.loops.trouble(&id, &error, Some(&owner), record::now_millis())?;
                    let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
                    Ok(self.tell(&format!(
                        "Stead: the loop of this session cannot be read, so it holds nobody: {error}{hint}"
                    )))
                }
            },
            (Foreground::Own { id } | Foreground::Others { id }, owner) => {
                let why = match owner {
                    _ if by_sub_agent => "a sub-agent stopped",
                    None => "the session is unknown",
                    Some(_) => "the session has no loop",
                };
                // Somebody else's loop; that it cannot be read is told to its own session.
                let _ = self.loops.pass(&id, owner.as_ref(), why, record::now_millis());
                Ok(Verdict::allow())
            }
        }
    }

    fn is_by_sub_agent(&self, is_own: bool) -> bool {
        self.event.agent.is_some()
            || self.event.kind == EventKind::SubagentStop
            || (is_own && self.request.harness.client().facts.stops_alike && self.has_sub_agent())
    }

    /// A loop that came with a repository runs no check and blocks no stop before a person trusts it.
    fn is_trusted(&self, id: &str) -> bool {
        Trusted::of(self.request).trusts_loop(&self.loops.path(id))
    }

    fn stop(&self, id: &str, owner: &Owner) -> Result<Verdict, ContextError> {
        let (message, again, waiting) = match &self.event.detail {
            Detail::Stop { message, again, waiting } => (message.as_deref(), *again, *waiting),
            _ => (None, false, 0),
        };
        let read = if message.is_none() { self.transcript(self.last_look(id)) } else { None };
        let said = match (message.or(read.as_deref()), self.request.harness.client().transcript) {
            (Some(text), _) => LastMessage::Message(text),
            (None, Some(_)) => LastMessage::Unread,
            (None, None) => LastMessage::Untold,
        };
        let mut stop = Stop {
            said,
            again: again && !self.count_was_reset(),
            waiting,
            cap: self.request.harness.client().facts.stop_cap.most_in(self.request.env),
            now: record::now_millis(),
            check: None,
        };
        let mut answer = self.loops.stop(id, owner, &stop)?;
        if let Answer::Check { command, seconds, started_by } = &answer {
            stop.check = Some(self.check(id, command, *seconds, started_by));
            stop.now = record::now_millis();
            answer = self.loops.stop(id, owner, &stop)?;
        }
        Ok(match answer {
            Answer::Held { prompt, progress } => {
                Verdict::deny(GATE, prompt).noticed(format!("Stead: loop iteration {progress}"))
            }
            Answer::LetGo { ended: Some(status), why } => {
                let more = match status {
                    LoopStatus::Limit | LoopStatus::Paused => format!("; `stead loop resume {id}` goes on with it"),
                    _ => String::new(),
                };
                self.tell(&format!("Stead: loop `{id}` is {}: {why}{more}", status.in_words()))
            }
            Answer::LetGo { ended: None, why } => self.tell(&format!("Stead: loop `{id}` let this stop pass: {why}")),
            Answer::HandOver { then_run, run, left, why } => {
                let text = match self.hand_over(id, &then_run, &run, left) {
                    Ok(()) => format!("Stead: loop `{id}` is paused: {why}; `stead status {run} --watch` shows it"),
                    Err(problem) => {
                        let why = format!("run `{run}` did not start: {problem}");
                        let _ = self.loops.pass(id, Some(owner), &why, record::now_millis());
                        format!(
                            "Stead: loop `{id}` is paused: this client allows no further block, and {why}; `stead loop resume \
                             {id}` goes on with it"
                        )
                    }
                };
                self.tell(&text)
            }
            Answer::Check { .. } => Verdict::allow(),
        })
    }

    /// Tells the person, in the client's own way: at once if it shows a notice, else by the agent with the next message, or
    /// after its next tool call.
    fn tell(&self, text: &str) -> Verdict {
        if self.request.powers().warn == WarnBy::Notice {
            return Verdict::warn(GATE, text);
        }
        let facts = &self.request.harness.client().facts;
        if [EventKind::Prompt, EventKind::AfterTool].iter().any(|kind| facts.powers_at(*kind).context)
            && let Some(session) = self.event.session.as_deref()
        {
            let owed = format!("{text}. Tell the person this in one line.");
            if let Err(error) = owe_text(self.request, session, GATE, &owed, &record::now()) {
                self.request.note(&error);
            }
        }
        Verdict::allow()
    }

    /// Starts the run that goes on with the loop, in the background. What it may do is judged when it starts, like a run
    /// that the agent starts.
    fn hand_over(&self, id: &str, then_run: &str, run: &str, left: Option<u32>) -> Result<(), String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut words = vec![program.to_string_lossy().into_owned(), "run".to_owned()];
        words.extend(then_run.split_whitespace().map(str::to_owned));
        words.extend([run.to_owned(), "--background".to_owned(), "--input".to_owned()]);
        words.push(self.loops.path(id).to_string_lossy().into_owned());
        if let Some(left) = left {
            words.extend(["--max".to_owned(), left.max(1).to_string()]);
        }
        let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
        extend_alarm(STARTING + AFTERWARDS);
        let limit = Duration::from_secs(STARTING.into());
        let started =
            run_check(&quoted.join(" "), self.request.dir(), &[], limit, TAIL).map_err(|error| error.to_string())?;
        if started.is_green() { Ok(()) } else { Err(started.tail.split_whitespace().collect::<Vec<_>>().join(" ")) }
    }

    fn has_sub_agent(&self) -> bool {
        has_sub_agent(&self.request.session_log(), self.event.session.as_deref().unwrap_or_default())
    }

    /// Returns true if the client reset its count of blocked stops, because the agent used a tool since the last one.
    fn count_was_reset(&self) -> bool {
        matches!(self.request.harness.client().facts.stop_cap, StopCap::Blocks { resets_on_tool_use: true, .. })
            && look_back::has_worked(&self.request.session_log(), self.event.session.as_deref().unwrap_or_default())
    }

    /// When the loop was last checked, or started. Earlier messages answered something else.
    fn last_look(&self, id: &str) -> Option<i64> {
        let state = self.loops.read(id).ok()?.state;
        let began = || unix_millis(&state.lease.as_ref()?.started);
        state.counts.seen_ms.or_else(began).filter(|look| *look <= record::now_millis())
    }

    /// The last message from the client's transcript; `None` if it is not certain.
    fn transcript(&self, since: Option<i64>) -> Option<String> {
        let read = self.request.harness.client().transcript?;
        let path = Path::new(self.event.transcript.as_deref()?);
        extend_alarm(LAGGING);
        LAGS.iter().find_map(|lag| {
            thread::sleep(*lag);
            let lines = Tail::open(path).ok()?.take(LINES).map_while(Result::ok).map(|line| line.text);
            let lines: Vec<String> = lines.take_while(|line| look_back::is_newer(line, since)).collect();
            last_message(read, lines.iter().map(String::as_str))
        })
    }

    /// Runs the loop's command, unless the agent may not.
    fn check(&self, id: &str, command: &str, seconds: u32, started_by: &Starter) -> Check {
        let red = |how: String, tail: String| Check::Red { how, tail };
        if let (Starter::Session(_), Some(reason)) = (started_by, self.refusal(command)) {
            return red("refused".to_owned(), reason);
        }
        extend_alarm(seconds.saturating_add(AFTERWARDS));
        let ran =
            run_check(command, self.request.work(), &[("STEAD_LOOP", id)], Duration::from_secs(seconds.into()), TAIL);
        match ran {
            Ok(checked) if checked.is_green() => Check::Green,
            Ok(checked) => {
                let how = match checked.end {
                    CheckEnd::Exit(code) => format!("exit {code}"),
                    CheckEnd::Signal(signal) => format!("signal {signal}"),
                    CheckEnd::Deadline => format!("timed out after {seconds} s"),
                };
                red(how, checked.tail)
            }
            Err(error) => red("it could not be started".to_owned(), error.to_string()),
        }
    }

    /// Why an agent may not run this command itself. A check must not be a way around the gates.
    fn refusal(&self, command: &str) -> Option<String> {
        let asker = Asker { harness: self.request.harness, session: self.event.session.as_deref(), rules: Rules::All };
        let request = self.request;
        refusal(request.dir(), &request.location.cwd, request.env, asker, command)
    }
}
