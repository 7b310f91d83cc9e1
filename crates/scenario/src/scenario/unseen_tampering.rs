//! What no hook can read before it runs, in real clients: whatever it does to Stead's files, nothing gets looser, it is
//! recorded, and the agent learns of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;
use stead_client::Scope;
use stead_model::{EventKind, Shape};
use stead_testkit::fake_model::{Call, Script, Turn};

use Weakened::{At, Lines, Settings};

use super::hook_removal::ours;
use super::{Scenario, cannot_deny_or_record, powers};
use crate::client::{Ask, Client};
use crate::ground::{Ground, Programs};
use crate::opaque;
use crate::play::{Played, play, play_ask};
use crate::record::Records;
use crate::witness::HookCall;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 25,
    title: "what no hook can foresee loosens nothing: it is put back or not in force, recorded, and told",
    obstacle: cannot_deny_or_record,
    play: check,
};

pub(super) const GUARD: &str = ".agent/guards/infra-is-reviewed.yaml";
const CONFIG: &str = ".agent/config.toml";
const MARKER: &str = ".agent/context/root.json";
pub(super) const SAYS: &str = "infra/ changes need an approved plan.";
/// What the guard denies as long as it is in force.
pub(super) const GUARDED: &str = "echo changed > infra/main.tf";
pub(super) const WEAKEN: &str = "sed -i s/enforce/off/ .agent/guards/infra-is-reviewed.yaml";

/// A way to weaken Stead that a client's agent takes.
struct Route {
    name: &'static str,
    /// Prepares it and returns the agent's command.
    command: fn(&Ground) -> Result<String>,
    became: Became,
    /// What it weakens.
    files: &'static [Weakened],
}

/// A file that a route weakens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weakened {
    /// Below the project.
    At(&'static str),
    /// The settings file of the client that has Stead's lines.
    Lines,
    /// A further settings file that the client reads.
    Settings(Scope),
}

/// What Stead makes of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Became {
    /// The call is named, the file is as it was.
    PutBack,
    /// The call is named, but the file stays as git checked it out.
    LeftToGit,
    /// It changed beside every call.
    Unclaimed,
}

const ROUTES: &[Route] = &[
    Route {
        name: "a merge",
        command: |_| Ok("git merge -q weak".to_owned()),
        became: Became::LeftToGit,
        files: &[At(GUARD), At(CONFIG)],
    },
    Route {
        name: "a compiled program that turns a guard off",
        command: |_| Ok(opaque::call(WEAKEN)),
        became: Became::PutBack,
        files: &[At(GUARD)],
    },
    Route {
        name: "a compiled program that removes Stead's lines from the client's settings",
        command: |ground| remove_lines(ground, ""),
        became: Became::PutBack,
        files: &[Lines],
    },
    Route {
        name: "an archive over the root",
        command: archive,
        became: Became::PutBack,
        files: &[At(GUARD), At(CONFIG)],
    },
    Route {
        name: "a child that outlives its call",
        command: |_| {
            let waits = format!("until [ -e \"$HOME/go\" ]; do sleep 0.1; done; {WEAKEN}");
            Ok(opaque::call(&format!("setsid timeout 120 sh -c '{waits}' < /dev/null > /dev/null 2>&1 &")))
        },
        became: Became::Unclaimed,
        files: &[At(GUARD)],
    },
    Route {
        name: "a compiled program that removes .agent",
        command: |_| Ok(opaque::call("rm -r .agent")),
        became: Became::PutBack,
        files: &[At(GUARD), At(MARKER)],
    },
];

/// Further ways in a client that reads changed settings at once. The call goes on until the client has read them, so the
/// hook after it is called only if the client was told to keep its settings.
const AT_ONCE: &[Route] = &[
    Route {
        name: "a call that goes on after it removed Stead's lines from the client's settings",
        command: |ground| remove_lines(ground, SLEEP),
        became: Became::PutBack,
        files: &[Lines],
    },
    Route {
        name: "a call that goes on after it turned hooks off in this checkout's settings",
        command: |ground| turn_off(ground, Scope::Local),
        became: Became::PutBack,
        files: &[Settings(Scope::Local)],
    },
    Route {
        name: "a call that goes on after it turned hooks off in the person's settings",
        command: |ground| turn_off(ground, Scope::User),
        became: Became::PutBack,
        files: &[Settings(Scope::User)],
    },
];

/// As long as a client that watches its settings needs to see that they changed.
const SLEEP: &str = "; sleep 4";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let at_once = if asks_first(client) { AT_ONCE } else { &[] };
    for route in ROUTES.iter().chain(at_once) {
        route.check(client, programs).with_context(|| format!("by {}", route.name))?;
    }
    Ok(())
}

impl Route {
    fn check(&self, client: &'static Client, programs: &Programs) -> Result<()> {
        let ground = Ground::new(client, programs)?;
        prepare(&ground)?;
        let lines = own_lines(&ground);
        let command = (self.command)(&ground)?;
        let played = play(&ground, self.script(&ground, command))?;
        self.ensure_in_force(&ground, &played)?;
        let now = own_lines(&ground);
        played.claim(now == lines, &format!("Stead's lines should be {lines:?}, not {now:?}"))?;
        for file in self.files.iter().filter(|file| matches!(file, Settings(_))) {
            let text = fs::read_to_string(file.path(&ground)).unwrap_or_default();
            played.claim(!text.contains(switch(client)?), &format!("hooks are still turned off: {text}"))?;
        }
        if self.goes_on() {
            let asked = played.calls.iter().any(|call| call.is(EventKind::ConfigChange));
            played.claim(asked, "the client did not ask whether the changed settings may count")?;
        }
        self.ensure_recorded(&ground, &played)?;
        self.ensure_told(&ground, &played)
    }

    fn goes_on(&self) -> bool {
        AT_ONCE.iter().any(|route| route.name == self.name)
    }

    /// The agent weakens something, tries what the guard denies, and makes a call that nothing is to be said about.
    fn script(&self, ground: &Ground, command: String) -> Script {
        // Some clients do not wait for a hook after a tool.
        let is_end = |call: &HookCall| call.is(EventKind::AfterTool) || call.is(EventKind::ToolFailed);
        let ended = ground.wait_for_calls(1, is_end);
        let (guard, go) = (ground.project().join(GUARD), ground.home().join("go"));
        let is_unclaimed = self.became == Became::Unclaimed;
        let meanwhile = move || {
            ended();
            // A failure shows in what the guard holds at the end.
            let _ = fs::write(&go, "");
            let deadline = Instant::now() + Duration::from_secs(20);
            while is_unclaimed && is_enforced(&guard) && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(50));
            }
        };
        // A client that watches its settings needs time to see that they changed, and changed again.
        let pause = if asks_first(ground.client) && self.files == [Lines] { 4_000 } else { 100 };
        Script::new([
            Turn::call(Call::shell(command)),
            Turn::call(Call::shell(GUARDED)).after(meanwhile, Duration::from_millis(pause)),
            Turn::call(Call::shell("true")),
            Turn::say("I was not allowed to."),
        ])
    }

    /// The session's hooks are alive, and the guard applies as it was sealed.
    fn ensure_in_force(&self, ground: &Ground, played: &Played) -> Result<()> {
        let text = ground.read_project("infra/main.tf");
        played.claim(text.as_deref() == Some("one\n"), &format!("the guarded file was written: {text:?}"))?;
        let denials = Records::read(&ground.project()).denials();
        let is_last = denials.last().is_some_and(|reason| reason.contains(SAYS));
        played.claim(is_last, &format!("the guard's denial should be on record, not {denials:?}"))?;
        played.claim_told(SAYS)?;
        let is_back = is_enforced(&ground.project().join(GUARD));
        let expected = self.became == Became::PutBack;
        played.claim(is_back == expected, &format!("the guard file is back: {is_back}, expected {expected}"))
    }

    fn ensure_recorded(&self, ground: &Ground, played: &Played) -> Result<()> {
        let said: Value = serde_json::from_str(&ground.stead(&["seal", "log", "--all", "--json"])?)?;
        let log = said["items"].as_array().map(Vec::as_slice).unwrap_or_default();
        let outcome = if self.became == Became::PutBack { "put-back" } else { "in-force" };
        for file in self.files {
            let path = file.path(ground);
            let file = path.strip_prefix(ground.project()).unwrap_or(&path).display().to_string();
            let is_one = |change: &&Value| change["path"] == file && change["outcome"] == outcome;
            let found: Vec<&Value> = log.iter().filter(is_one).collect();
            let [change] = found.as_slice() else {
                return played.claim(false, &format!("`{file}` should be {outcome} once in the log: {said}"));
            };
            let calls = change["calls"].as_array().map(Vec::as_slice).unwrap_or_default();
            if self.became == Became::Unclaimed {
                played.claim(calls.is_empty(), &format!("no call was under way: {change}"))?;
                continue;
            }
            let [call] = calls else { return played.claim(false, &format!("one call should be named: {change}")) };
            let session = played.session_id()?;
            played.claim(call["harness"] == ground.client.harness.name(), &format!("another client: {change}"))?;
            played.claim(call["session"] == session, &format!("another session than {session}: {change}"))?;
            played.claim(call["tool"].is_string(), &format!("no tool is named: {change}"))?;
        }
        if self.became == Became::LeftToGit {
            let status = ground.world().git(&["status", "--porcelain", "-uno"]).stdout;
            played.claim(status.is_empty(), &format!("git's tree should be clean: {status}"))?;
        }
        Ok(())
    }

    /// The model reads it after a call; where a client takes no text there, with the next prompt.
    fn ensure_told(&self, ground: &Ground, played: &Played) -> Result<()> {
        let text = if self.became == Became::PutBack { "was put back, because" } else { "stays in force until" };
        if powers(&ground.client.harness.client().facts, EventKind::AfterTool).context {
            return played.claim(!played.log.seen(text).is_empty(), &format!("the model was not told `{text}`"));
        }
        let ask = Ask::again("Go on.", played.session_id()?);
        let next = play_ask(ground, Script::new([Turn::say("I go on.")]), ask)?;
        next.claim(!next.log.seen(text).is_empty(), &format!("the model was not told `{text}` with the next prompt"))
    }
}

impl Weakened {
    fn path(self, ground: &Ground) -> PathBuf {
        match self {
            At(path) => ground.project().join(path),
            Lines => ground.settings(),
            Settings(scope) => ground.settings_in(ground.client, scope),
        }
    }
}

/// The client reads changed settings at once, and asks before.
fn asks_first(client: &Client) -> bool {
    powers(&client.harness.client().facts, EventKind::ConfigChange).deny
}

/// A commit with a guard, and a branch on which guard and settings are weaker.
pub(super) fn prepare(ground: &Ground) -> Result<()> {
    let guard = format!(
        "id: infra-is-reviewed\nmode: enforce\non: [before-tool]\nmatch:\n  writes: [\"infra/**\"]\nthen: deny\nsay: \
         \"{SAYS}\"\n"
    );
    ground.write_project(GUARD, &guard)?;
    ground.write_project("infra/main.tf", "one\n")?;
    opaque::put(ground)?;
    let weaken = format!("{WEAKEN} && printf '\\n[gate]\\nguards = false\\n' >> {CONFIG}");
    ground.world().git(&["add", "--all", ".agent", "infra"]).ok();
    ground.world().git(&["commit", "-qm", "base"]).ok();
    ground.world().git(&["checkout", "-q", "-b", "weak"]).ok();
    ground.world().sh(&weaken).ok();
    ground.world().git(&["add", "--all", ".agent"]).ok();
    ground.world().git(&["commit", "-qm", "weak"]).ok();
    ground.world().git(&["checkout", "-q", "main"]).ok();
    Ok(())
}

/// An archive of the weaker files. It is in the project, because some clients refuse to read files elsewhere.
fn archive(ground: &Ground) -> Result<String> {
    ground.world().sh("git archive --output=weak.tar weak .agent").ok();
    Ok("python3 -c \"import tarfile; tarfile.open('weak.tar').extractall()\"".to_owned())
}

/// The client's settings without Stead's lines, and otherwise as they are.
fn remove_lines(ground: &Ground, then: &str) -> Result<String> {
    let settings = ground.settings();
    let text = fs::read_to_string(&settings)?;
    let without = match ground.client.harness.client().facts.install.shape {
        Shape::Whole => "export const Stead = async () => ({})\n".to_owned(),
        Shape::TomlList | Shape::TomlGroups => text.split("[[hooks").next().unwrap_or_default().to_owned(),
        Shape::Groups | Shape::BareGroups | Shape::Flat => {
            let mut value: Value = serde_json::from_str(&text)?;
            value.as_object_mut().context("the settings are no object")?.remove("hooks");
            format!("{value:#}\n")
        }
    };
    ground.write_home("without-stead", &without)?;
    Ok(opaque::call(&format!("cat \"$HOME/without-stead\" > '{}'{then}", settings.display())))
}

/// A settings file that was not there and turns hooks off.
fn turn_off(ground: &Ground, scope: Scope) -> Result<String> {
    let path = ground.settings_in(ground.client, scope);
    let text = format!("{{\"{}\": true}}", switch(ground.client)?);
    let folder = path.parent().unwrap_or(&path).display();
    Ok(opaque::call(&format!("mkdir -p '{folder}'; printf '%s' '{text}' > '{}'{SLEEP}", path.display())))
}

/// The key of a client's settings that turns its hooks off.
fn switch(client: &Client) -> Result<&'static str> {
    let clauses = client.harness.client().facts.settings.iter().flat_map(|file| file.watch.split(' '));
    let mut keys = clauses.filter_map(|clause| clause.strip_prefix("off:/")?.strip_suffix("=true"));
    keys.next().context("no setting turns the client's hooks off")
}

fn own_lines(ground: &Ground) -> Vec<String> {
    ours(ground, &fs::read_to_string(ground.settings()).unwrap_or_default())
}

pub(super) fn is_enforced(guard: &Path) -> bool {
    fs::read_to_string(guard).is_ok_and(|text| text.contains("mode: enforce"))
}
