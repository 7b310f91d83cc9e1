//! One call from the first byte to the last: who asks, what about, what the gates say, what is written down.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Write;

use stead_client::{Harness, Signs, detect};
use stead_gate::{Place, Policy, judge};
use stead_model::{Event, EventKind, Reply, Verdict};
use stead_settings::has_our_lines;
use stead_store::ignore_broken_pipes;

use crate::arrival;
use crate::call::Call;
use crate::fact::FileFacts;
use crate::guard;
use crate::hold;
use crate::last_word;
use crate::payload::{self, Payload};
use crate::policy::PolicyText;
use crate::record;
use crate::snapshot;
use crate::standing::{DOCTOR, Env, Standing};

/// Answers the call on standard input and gives the exit code.
pub fn answer(call: &Call) -> u8 {
    ignore_broken_pipes();
    last_word::arm(call.harness, call.event.as_deref());
    fault("start");
    let env: &Env = &|name| std::env::var_os(name);
    let exit = match payload::read() {
        Payload::TooBig => match call.harness {
            Some(harness) => {
                let native = call.event.as_deref().unwrap_or_default();
                speak(&last_word::undecided(
                    harness,
                    native,
                    "the call is larger than 16 MB, which Stead does not read",
                ))
            }
            None => 0,
        },
        Payload::Bytes(bytes) => handle(call, &payload::text(&bytes), env),
    };
    payload::drain_rest();
    exit
}

/// Writes the reply and gives its exit code. A client that has stopped listening is not our error.
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

fn handle(call: &Call, text: &str, env: &Env) -> u8 {
    let Some(harness) = caller(call, text, env) else {
        return 0;
    };
    let named = call.event.as_deref();
    last_word::heard(Some(harness), named.unwrap_or_default());
    let decode = harness.doorway().decode;
    if let Ok(event) = decode(text, named) {
        return respond(harness, &event, env);
    }
    // Not valid JSON as it came; the most common fault can be mended.
    let mended = payload::escape_controls(text);
    match decode(&mended, named) {
        Ok(event) => respond(harness, &event, env),
        Err(error) => {
            let native = named.map_or_else(|| sniffed(&mended), Cow::Borrowed);
            let reason = format!("Stead could not read the call ({error}), so it is refused; try again");
            speak(&last_word::undecided(harness, &native, &reason))
        }
    }
}

/// The event name in a text that is not JSON, where one can be made out.
fn sniffed(text: &str) -> Cow<'_, str> {
    let name = text.split_once("\"hook_event_name\"").and_then(|(_, rest)| {
        let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        rest.split_once('"').map(|(name, _)| name)
    });
    Cow::Borrowed(name.unwrap_or_default())
}

/// Finds out who is calling. `None` when there is nothing to do: nobody we know, or a client that runs another
/// client's line while it has its own.
fn caller(call: &Call, text: &str, env: &Env) -> Option<Harness> {
    let lookup = |name: &str| env(name).and_then(|value: OsString| value.into_string().ok());
    let signs = Signs::new(text, &lookup);
    let Some(named) = call.harness else {
        return Harness::ALL.into_iter().find(|harness| (harness.doorway().claims)(&signs));
    };
    let found = detect(named, &signs);
    (found == named || !has_own_line(found, text, env)).then_some(found)
}

/// Says whether a client that runs a foreign line also has one of its own, which will answer for it.
fn has_own_line(harness: Harness, text: &str, env: &Env) -> bool {
    let doorway = harness.doorway();
    let Ok(event) = (doorway.decode)(text, None) else {
        return false;
    };
    let standing = Standing::of(harness, &event, env);
    let install = &doorway.facts.install;
    let project = [install.project, install.local].into_iter().flatten().map(|path| standing.found.work().join(path));
    let user = crate::fact::resolve(install.user, standing.found.work(), env);
    project.chain(user).any(|path| std::fs::read_to_string(path).is_ok_and(|text| has_our_lines(install.shape, &text)))
}

fn respond(harness: Harness, event: &Event<'_>, env: &Env) -> u8 {
    last_word::heard(Some(harness), &event.native);
    fault("decoded");
    let mut standing = Standing::of(harness, event, env);
    let policy = match standing.root() {
        Some(root) => PolicyText::load(root, env),
        None => outside(event, &mut standing, env),
    };
    let verdict = verdict(harness, event, &standing, &policy, env);
    let (verdict, judged) = guard::attend(harness, event, &standing, &policy, env, verdict);
    let verdict = verdict.and(arrival::attend(harness, event, &standing, &policy, env));
    let verdict = verdict.and(hold::hold(harness, event, &standing, &policy, env));
    fault("judged");
    let doorway = harness.doorway();
    let exit = speak(&doorway.reply(&doorway.heard(&event.native), &verdict));
    last_word::spoken(exit);
    if let Some(root) = standing.root()
        && env(DOCTOR).is_none()
    {
        fault("recording");
        record::record(&record::Told {
            harness,
            event,
            verdict: &verdict,
            judged: &judged,
            root,
            standing: &standing,
            policy: &policy,
            env,
            briefing_waits: arrival::waits(harness, event),
        });
        snapshot::take(harness, event, root, &policy, env, &verdict);
    }
    exit
}

/// The policy where there is no marked project; a session that starts may make one, if the person wants that.
fn outside(event: &Event<'_>, standing: &mut Standing, env: &Env) -> PolicyText {
    let policy = PolicyText::outside(env);
    if event.kind == EventKind::SessionStart
        && let stead_store::Found::Git { dir } = &standing.found
        && policy.records("auto_init", "STEAD_AUTO_INIT", env)
        && stead_store::init(dir, env, &record::now()).is_ok()
    {
        standing.found = stead_store::find_root(dir);
        if let Some(root) = standing.root() {
            return PolicyText::load(root, env);
        }
    }
    policy
}

fn verdict(harness: Harness, event: &Event<'_>, standing: &Standing, policy: &PolicyText, env: &Env) -> Verdict {
    let mut verdict = Verdict::allow();
    if policy.gates("gate.self_protection") {
        let place = Place { root: Some(standing.found.dir()), tree: standing.found.tree(), cwd: &standing.cwd, env };
        let facts = FileFacts::new(policy.indexes(standing.found.dir()), harness, event);
        verdict = verdict.and(judge(&Policy::parse(&policy.text), event, &place, &facts));
    }
    if event.kind == EventKind::SessionStart {
        for name in ["marker", "config"] {
            if let Some(problem) = policy.value("note", name) {
                let text = format!("Stead in this project is not whole: {problem}. `stead doctor` says more.");
                verdict = verdict.and(Verdict::inform(text));
            }
        }
    }
    verdict
}

/// Breaks here on purpose when a test asks for it. Release builds have no such door.
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
