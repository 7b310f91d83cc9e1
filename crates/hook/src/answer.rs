//! One call from start to end: who is calling, what the event is, what the gates decide, what is recorded.

use std::ffi::OsString;
use std::io::{IsTerminal, Write};

use stead_client::{Harness, Members, Signs, detect, detect_unnamed, raising};
use stead_model::{Capped, Event, EventKind, Level, Reply, Verdict};
use stead_settings::has_our_lines;
use stead_store::ignore_broken_pipes;

use crate::arrival;
use crate::call::Call;
use crate::file_facts::resolve;
use crate::grant;
use crate::guard;
use crate::last_word;
use crate::location::{Env, Location};
use crate::loop_stop;
use crate::orchestrate;
use crate::payload::{self, Payload};
use crate::policy::{PolicyText, known_variable};
use crate::precedent;
use crate::record;
use crate::removal::forgets_deleted;
use crate::request::Request;
use crate::seal;
use crate::snapshot;
use crate::stale_file;
use crate::sub_session;
use crate::trust;
use crate::turn;

/// Answers the call on standard input and returns the exit code.
pub fn answer(call: &Call) -> u8 {
    ignore_broken_pipes();
    // Until the call is read.
    let presumed = call.harness.or_else(|| call.event.as_deref().and_then(raising));
    last_word::arm(presumed, call.event.as_deref());
    fault("start");
    let env: &Env = &|name| std::env::var_os(name);
    let exit = match payload::read() {
        Payload::TooBig => match presumed {
            Some(harness) => {
                let native = call.event.as_deref().unwrap_or_default();
                speak(&last_word::undecided(harness, native, "the call is larger than 16 MB, which is the limit"))
            }
            None => nobody(),
        },
        Payload::Bytes(bytes) => {
            if bytes.is_empty() && std::io::stdin().is_terminal() {
                nobody();
            }
            handle(call, &payload::text(&bytes), env)
        }
    };
    payload::drain_rest();
    exit
}

/// Writes the reply and returns its exit code. A closed pipe is not an error.
pub(crate) fn speak(reply: &Reply) -> u8 {
    if !reply.stdout.is_empty() {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(reply.stdout.as_bytes());
        let _ = out.flush();
    }
    if !reply.stderr.is_empty() {
        let _ = std::io::stderr().lock().write_all(reply.stderr.as_bytes());
    }
    reply.exit
}

/// Says on standard error that there is no call, or nobody to answer. No client takes the exit code for a denial.
fn nobody() -> u8 {
    let text = "Stead: `stead hook` is called by agent programs, which write JSON to its standard input; nothing that it \
                knows was written, so nothing was judged. `stead hook --help` has an example.\n";
    speak(&Reply { stderr: text.to_owned(), ..Reply::default() })
}

fn handle(call: &Call, text: &str, env: &Env) -> u8 {
    match Members::read(text) {
        Ok(members) => hear(call, &members, env),
        // Invalid JSON; the most common problem can be repaired.
        Err(_) => {
            let repaired = payload::escape_controls(text);
            match Members::read(&repaired) {
                Ok(members) => hear(call, &members, env),
                Err(error) => unreadable(call, &repaired, &error.to_string(), env),
            }
        }
    }
}

fn hear(call: &Call, members: &Members<'_>, env: &Env) -> u8 {
    let Some(harness) = caller(call, members, env) else { return nobody() };
    let named = call.event.as_deref();
    last_word::heard(Some(harness), named.unwrap_or_default());
    let event = sub_session::settle(harness, (harness.client().read)(members, named), env);
    respond(call, harness, &event, env)
}

/// Replies to a call that is not JSON: denies if the line or the text names an event at which a gate decides.
fn unreadable(call: &Call, text: &str, error: &str, env: &Env) -> u8 {
    let names = [call.event.as_deref(), sniffed(text)];
    let found = caller(call, &Members::default(), env);
    let Some(harness) = found.or_else(|| names.into_iter().flatten().find_map(raising)) else { return nobody() };
    let gated = names.into_iter().flatten().find(|name| harness.client().heard(name).kind.is_gated());
    let native = gated.or(call.event.as_deref()).unwrap_or_default();
    let reason = format!("Stead could not read the call ({error}), so it is denied; try again");
    speak(&last_word::undecided(harness, native, &reason))
}

/// The event name in a text that is not JSON, if there is one.
fn sniffed(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("\"hook_event_name\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    rest.split_once('"').map(|(name, _)| name)
}

/// A loop that a person started comes before the orchestrator.
fn orchestrated(request: &Request<'_>, by_loop: Verdict) -> Verdict {
    match request.event.kind {
        EventKind::Stop if by_loop.level == Level::Allow => by_loop.and(orchestrate::judge(request)),
        EventKind::SubagentStop | EventKind::AfterTool => by_loop.and(orchestrate::judge_return(request)),
        _ => by_loop,
    }
}

/// Identifies the caller; `None` for an unknown client.
fn caller(call: &Call, members: &Members<'_>, env: &Env) -> Option<Harness> {
    let lookup = |name: &str| env(name).and_then(|value: OsString| value.into_string().ok());
    let signs = Signs::new(members, &lookup);
    match call.harness {
        Some(named) => Some(detect(named, &signs)),
        None => detect_unnamed(&signs, call.event.as_deref()),
    }
}

/// Returns true if a client that runs another client's line also has its own, which will answer.
pub(crate) fn has_own_line(harness: Harness, location: &Location, env: &Env) -> bool {
    let install = &harness.client().facts.install;
    let work = location.found.work();
    let project = [install.project, install.local].into_iter().flatten().map(|path| work.join(path));
    let user = resolve(install.user, work, env);
    project.chain(user).any(|path| stead_store::read_text(&path).is_ok_and(|text| has_our_lines(install.shape, &text)))
}

fn respond(call: &Call, harness: Harness, event: &Event<'_>, env: &Env) -> u8 {
    last_word::heard(Some(harness), &event.native);
    fault("decoded");
    let mut location = Location::of(harness, event, env);
    // A session that goes on was open when the folder went.
    if event.kind == EventKind::SessionStart && location.root().is_some_and(|root| forgets_deleted(root, env)) {
        location = Location::of(harness, event, env);
    }
    let policy = location.root().map(|root| PolicyText::load(root, env));
    let person = policy.as_ref().map(|policy| policy.person().to_owned()).unwrap_or_default();
    let known = |name: &str| known_variable(&person, name, env);
    let is_foreign_line = call.harness.is_some_and(|named| named != harness);
    if is_foreign_line && has_own_line(harness, &location, &known) {
        return 0;
    }
    let policy = policy.unwrap_or_else(|| outside(event, &mut location, env));
    let request = Request::new(harness, event, &location, &policy, &known);
    let untrusted = trust::look(&request);
    let mut own = request.self_protection();
    if own.level == Level::Allow {
        own = own.and(stale_file::judge(&request));
    }
    own = own.and(by_rival(&request));
    // Before anything that was compiled is read, or compiled anew.
    let looked = seal::look(&request);
    let (verdict, report) = guard::judge(&request, own.and(problems(&request)));
    let verdict = verdict.and(arrival::inform(&request, untrusted)).and(looked);
    let verdict = verdict.and(orchestrated(&request, loop_stop::judge(&request)));
    grant::update(&request);
    let verdict = with_marker_problem(&request, verdict);
    let told = precedent::tell(&request, &verdict, &report);
    fault("judged");
    let client = harness.client();
    let said = told.as_ref().map_or(&verdict, |told| &told.verdict);
    turn::note_injection(&request, said);
    let exit = speak(&client.reply(&client.heard_in(event), said));
    last_word::spoken(exit);
    if location.root().is_some() && !request.is_by_doctor() {
        fault("recording");
        seal::note_call(&request, &verdict);
        record::record(&request, &verdict, &report, told.as_ref());
        snapshot::take(&request, &verdict);
    }
    exit
}

/// What another project has against the call, if it is not certain which of two the call belongs to.
fn by_rival(request: &Request<'_>) -> Verdict {
    let Some(rival) = request.location.rival.as_deref().filter(|_| request.event.kind.is_gated()) else {
        return Verdict::allow();
    };
    let examined = guard::examine(rival, &request.location.cwd, request.env, request.harness, request.event, None);
    match examined.refusal() {
        Some(why) => Verdict::deny(stead_guard::GATE, format!("{why} (a rule of `{}`)", rival.display())),
        None => Verdict::allow(),
    }
}

/// The policy outside a project; a starting session may create the project, if the person enabled that.
fn outside(event: &Event<'_>, location: &mut Location, env: &Env) -> PolicyText {
    let policy = PolicyText::outside(env);
    if event.kind == EventKind::SessionStart
        && let stead_store::Found::Git { dir } = &location.found
        && policy.records("auto_init", "STEAD_AUTO_INIT", env)
        && !stead_store::holds_home(dir, env)
        && let Ok(done) = stead_store::init(dir, env, &record::now())
    {
        trust::set_up(dir, &done, env);
        location.found = stead_store::find_root(dir);
        if let Some(root) = location.root() {
            return PolicyText::load(root, env);
        }
    }
    policy
}

/// Problems in the project's own files, for a starting session.
fn problems(request: &Request<'_>) -> Verdict {
    let mut verdict = Verdict::allow();
    if request.event.kind == EventKind::SessionStart {
        for name in ["marker", "config"] {
            if let Some(problem) = request.policy.value("note", name) {
                let text = format!(
                    "Stead cannot read part of this project: {problem}. Its rules still apply; `stead doctor` shows details."
                );
                verdict = verdict.and(Verdict::inform(&text).noticed(text));
            }
        }
    }
    verdict
}

/// Says in a refusal that the project's marker is damaged: the person who reads it can repair it.
fn with_marker_problem(request: &Request<'_>, mut verdict: Verdict) -> Verdict {
    if verdict.level > Level::Warn
        && let Some(problem) = request.policy.value("note", "marker")
        && let Some(last) = verdict.reasons.last_mut()
    {
        let text = format!("{} (a person has to repair this project: {problem})", last.text.as_str());
        last.text = Capped::new(text);
    }
    verdict
}

/// Panics here if a test asks for it. Release builds do not have this.
fn fault(point: &str) {
    if cfg!(debug_assertions) && std::env::var_os("STEAD_TEST_FAULT").is_some_and(|wanted| wanted == point) {
        if std::env::var_os("STEAD_TEST_HANG").is_some() {
            loop {
                std::thread::sleep(std::time::Duration::from_secs(1));
            }
        }
        panic!("fault point {point}");
    }
}
