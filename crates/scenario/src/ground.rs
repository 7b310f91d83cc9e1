use std::collections::BTreeMap;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use stead_client::Scope;
use stead_model::Base;
use stead_testkit::World;

use crate::client::Client;
use crate::page::OnDifference;
use crate::process::{End, Ended, Process};
use crate::witness::{HookCall, Orders};

/// How long one call of `stead` may take on a busy machine.
const SETUP: Duration = Duration::from_secs(60);

/// How long to wait for hooks that a client does not wait for.
const PATIENCE: Duration = Duration::from_secs(20);

/// The programs that a suite is made of, side by side where cargo built them.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    pub(crate) stead: PathBuf,
    pub(crate) witness: PathBuf,
    pub(crate) opaque: PathBuf,
    /// What to do with a screen that is not as it is kept.
    pub(crate) on_difference: OnDifference,
}

impl Programs {
    pub(crate) fn beside_this_one(on_difference: OnDifference) -> Result<Self> {
        let own = std::env::current_exe()?;
        let find = |name: &str| {
            let path = own.with_file_name(name);
            if path.is_file() { Ok(path) } else { bail!("`{}` is not built", path.display()) }
        };
        Ok(Self { stead: find("stead")?, witness: find("witness")?, opaque: find("opaque")?, on_difference })
    }
}

/// A fresh project and home with one client set up and Stead installed in it by `stead init`.
pub(crate) struct Ground {
    pub(crate) client: &'static Client,
    world: World,
    port: u16,
    programs: Programs,
}

impl Ground {
    pub(crate) fn new(client: &'static Client, programs: &Programs) -> Result<Self> {
        Self::together(&[client], programs)
    }

    /// A ground whose client also has Stead's MCP server.
    pub(crate) fn with_server(client: &'static Client, programs: &Programs) -> Result<Self> {
        Self::of(&[client], programs, &[])
    }

    /// A ground with several clients; it is the first one's in all that a ground tells of its client.
    pub(crate) fn together(clients: &[&'static Client], programs: &Programs) -> Result<Self> {
        Self::of(clients, programs, &["--no-mcp"])
    }

    /// A ground on which `stead init` gets further options.
    fn of(clients: &[&'static Client], programs: &Programs, options: &[&str]) -> Result<Self> {
        let [client, ..] = clients else { bail!("a ground needs a client") };
        // The network is ours alone, so a port that is free stays free until the model takes it.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let mut world = World::new(&programs.stead).with_stead_on_path();
        let temporary = world.folder().join("tmp");
        std::fs::create_dir_all(&temporary)?;
        for (name, value) in [
            ("TMPDIR", temporary.display().to_string().as_str()),
            ("SHELL", "/bin/bash"),
            ("USER", "person"),
            ("NO_COLOR", "1"),
        ] {
            world.set(name, value);
        }
        let ground = Self { client, world, port, programs: programs.clone() };
        for client in clients {
            (client.prepare)(&ground).with_context(|| format!("cannot prepare {}", client.harness))?;
            ground.init(client, options)?;
        }
        ground.post_witness(&[])?;
        Ok(ground)
    }

    /// Installs Stead as a person would. The program on PATH is still the real one, so that lines name its place.
    fn init(&self, client: &Client, options: &[&str]) -> Result<()> {
        let mut args = vec!["init", "--harness", client.harness.name(), "--yes"];
        args.extend(options);
        if client.scope == Scope::User {
            // Lines for every project leave this one alone, so it is made known by itself.
            self.stead(&["context", "init"])?;
            args.push("--user");
        }
        self.stead(&args)?;
        let settings = self.settings_of(client);
        let is_there = std::fs::read_to_string(&settings).is_ok_and(|text| text.contains("stead"));
        ensure!(is_there, "`stead init` left no line in `{}`", settings.display());
        Ok(())
    }

    /// Calls Stead in the project, as a person would, and gives what it says.
    pub(crate) fn stead(&self, args: &[&str]) -> Result<String> {
        let mut command = self.world.command(self.program(), &self.project());
        let process = Process::start(command.args(args), &self.world.folder(), "stead")?;
        let Ended { stdout, stderr, end } = process.finish(Instant::now() + SETUP)?;
        ensure!(end == End::Exit(0), "`stead {}` ended with {end:?}\n{stdout}{stderr}", args.join(" "));
        Ok(stdout)
    }

    /// Puts the witness in Stead's place; the real program gets these variables.
    pub(crate) fn post_witness(&self, env: &[(&str, &str)]) -> Result<()> {
        let env: BTreeMap<_, _> = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let orders = Orders { program: self.programs.stead.clone(), folder: self.calls_folder(), env };
        orders.post(&self.programs.witness, &self.program())
    }

    fn program(&self) -> PathBuf {
        self.world.folder().join("bin/stead")
    }

    /// The compiled program that runs what its argument encodes.
    pub(crate) fn opaque(&self) -> &Path {
        &self.programs.opaque
    }

    pub(crate) fn world(&self) -> &World {
        &self.world
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.world.project()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.world.home()
    }

    /// A path of the project, as a model would write it.
    pub(crate) fn path(&self, below: &str) -> String {
        self.project().join(below).display().to_string()
    }

    pub(crate) fn write_home(&self, below: &str, text: &str) -> Result<()> {
        write(&self.home().join(below), text)
    }

    pub(crate) fn write_project(&self, below: &str, text: &str) -> Result<()> {
        write(&self.project().join(below), text)
    }

    pub(crate) fn read_project(&self, below: &str) -> Option<String> {
        std::fs::read_to_string(self.project().join(below)).ok()
    }

    /// The settings file that holds Stead's lines.
    pub(crate) fn settings(&self) -> PathBuf {
        self.settings_of(self.client)
    }

    fn settings_of(&self, client: &Client) -> PathBuf {
        self.settings_in(client, client.scope)
    }

    /// The settings file of a scope; the person's if the client has none there.
    pub(crate) fn settings_in(&self, client: &Client, scope: Scope) -> PathBuf {
        let install = &client.harness.client().facts.install;
        match (scope, install.project, install.local) {
            (Scope::Project, Some(path), _) | (Scope::Local, _, Some(path)) => self.project().join(path),
            _ => match install.user.base {
                Base::Project => self.project().join(install.user.path),
                Base::Home => self.home().join(install.user.path),
                Base::Var { fallback, .. } => self.home().join(fallback).join(install.user.path),
            },
        }
    }

    /// Gives the project intents, each with its id and the pattern that it owns, so that a change needs one.
    pub(crate) fn write_intents(&self, intents: &[(&str, &str)]) -> Result<()> {
        let entry = |(id, scope): &(&str, &str)| {
            format!("  - id: {id}\n    name: Work on {scope}\n    status: PENDING\n    owned_scope: [\"{scope}\"]\n")
        };
        for (_, scope) in intents {
            // One client creates no folder for a file.
            std::fs::create_dir_all(self.project().join(scope.trim_end_matches("/**")))?;
        }
        let entries: String = intents.iter().map(entry).collect();
        self.write_project(".agent/intents/active_intents.yaml", &format!("active_intents:\n{entries}"))
    }

    /// The hash of a file as the ledger writes it, by another program than Stead.
    pub(crate) fn sha256(&self, below: &str) -> Result<String> {
        let output = self.world.command("sha256sum", &self.project()).arg(below).output()?;
        let said = String::from_utf8(output.stdout)?;
        Ok(format!("sha256:{}", said.split_whitespace().next().unwrap_or("(no such file)")))
    }

    /// What went through the witness so far.
    pub(crate) fn calls(&self) -> Vec<HookCall> {
        HookCall::read_all(&self.calls_folder())
    }

    /// Waits until so many calls of this sort have ended: some clients do not wait for a hook after a tool.
    pub(crate) fn wait_for_calls(
        &self,
        count: usize,
        is_one: impl Fn(&HookCall) -> bool + Send + Sync + 'static,
    ) -> impl Fn() + Send + Sync + 'static {
        let folder = self.calls_folder();
        let ended = move |call: &&HookCall| call.exit.is_some() && is_one(call);
        move || {
            let deadline = Instant::now() + PATIENCE;
            while HookCall::read_all(&folder).iter().filter(&ended).count() < count && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(50));
            }
        }
    }

    fn calls_folder(&self) -> PathBuf {
        self.world.folder().join("calls")
    }
}

fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    std::fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
}
