//! The command line: global options, the list of commands, and what happens around each of them.

use std::io;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use stead_pipeline::RunStatus;
use stead_store::{UserDirs, keep_private, terminal_columns};

use crate::command;
use crate::error::CliError;
use crate::person::remember_person;
use crate::project::env;
use crate::session::Caller;
use crate::settle::settle;
use crate::ui::{Captured, Ui};
use crate::{ledger, memory, precedents, seal};

/// Keeps coding agents in check: context that survives, rules that are enforced, evidence instead of claims.
#[derive(Parser)]
#[command(
    name = "stead",
    version,
    after_help = "Start here:\n  stead demo            see it work in a throw-away project\n  stead init            set Stead up in this project\n  stead doctor          prove that it works"
)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Options that every command takes.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Global {
    /// Run as if started in this folder
    #[arg(short = 'C', long = "dir", value_name = "DIR", global = true)]
    pub(crate) dir: Option<PathBuf>,
    /// Set one config value for this call, e.g. `record.sessions=false`; can be repeated
    #[arg(long = "config", value_name = "KEY=VALUE", global = true)]
    pub(crate) config: Vec<String>,
}

macro_rules! commands {
    ($($name:ident $room:ident $args:ident,)+) => {
        #[derive(Subcommand)]
        enum Command {
            $($name(Box<command::$room::$args>),)+
        }

        impl Command {
            fn run(self, ui: &mut Ui) -> Result<Exit, CliError> {
                match self {
                    $(Self::$name(args) => command::$room::run(*args, ui),)+
                }
            }
        }
    };
}

// In the order in which help lists them.
commands! {
    Init init InitArgs,
    Uninstall uninstall UninstallArgs,
    Trust trust TrustArgs,
    Doctor doctor DoctorArgs,
    Migrate migrate MigrateArgs,
    Context context ContextArgs,
    Handoff handoff HandoffArgs,
    Pickup pickup PickupArgs,
    Packet packet PacketArgs,
    Note note NoteArgs,
    Lesson lesson LessonArgs,
    Files files FilesArgs,
    Loop loop_ LoopArgs,
    Role role RoleArgs,
    Intent intent IntentArgs,
    Feature feature FeatureArgs,
    Orchestrate orchestrate OrchestrateArgs,
    Verify verify VerifyArgs,
    Evidence evidence EvidenceArgs,
    Reflect reflect ReflectArgs,
    Memory memory MemoryArgs,
    Stats stats StatsArgs,
    Trace trace TraceArgs,
    Model model ModelArgs,
    Why why WhyArgs,
    Blame blame BlameArgs,
    Logs logs LogsArgs,
    Run run RunArgs,
    Status status StatusArgs,
    Runs runs RunsArgs,
    Tail tail TailArgs,
    Stop stop StopArgs,
    Test test TestArgs,
    DryRun dry_run DryRunArgs,
    Lint lint LintArgs,
    Stage stage StageArgs,
    Pipeline pipeline PipelineArgs,
    Guard guard GuardArgs,
    Seal seal SealArgs,
    Check check CheckArgs,
    Explain explain ExplainArgs,
    Allow allow AllowArgs,
    Appeal appeal AppealArgs,
    Agent agent AgentArgs,
    Agents agents AgentsArgs,
    Where where_ WhereArgs,
    WhereIs where_is WhereIsArgs,
    Config config ConfigArgs,
    Schema schema SchemaArgs,
    Mcp mcp McpArgs,
    Demo demo DemoArgs,
    Hook hook HookArgs,
}

impl Command {
    /// Returns true for a command that ends a piece of work or looks at it: what happened until then becomes traces. So does
    /// a reflection, which may help in the same trial.
    fn is_boundary(&self) -> bool {
        let ends = matches!(self, Self::Handoff(_) | Self::Run(_) | Self::Orchestrate(_) | Self::Reflect(_));
        ends || matches!(self, Self::Status(_) | Self::Pickup(_))
    }
}

/// A parser of one of several names.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    all: impl IntoIterator<Item = T>,
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let all: Vec<T> = all.into_iter().collect();
    let names: Vec<&'static str> = all.iter().map(|one| name(*one)).collect();
    PossibleValuesParser::new(names).try_map(move |typed| {
        let chosen = all.iter().find(|one| name(**one) == typed);
        chosen.copied().ok_or("unknown value")
    })
}

/// How a command ended if it did what it was asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    /// The thing checked or asked for failed; the output says how.
    Failed,
    /// As the run that it was about.
    Run(RunStatus),
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Run(status) => status.exit_code(),
        }
    }
}

/// Parses the command line, runs the command, prints its error and returns the exit code.
pub(crate) fn run() -> u8 {
    let cli = parse();
    let mut ui = Ui::new(cli.global.clone());
    let is_boundary = cli.command.is_boundary();
    if let Some(dirs) = UserDirs::from_env(&env) {
        keep_private(&dirs.state, "");
    }
    seal::look(&mut ui);
    let outcome = cli.command.run(&mut ui);
    ledger::finish_waiting(&ui);
    if is_boundary {
        memory::capture_quietly(&ui);
    }
    settle(&mut ui);
    precedents::refresh(&ui);
    remember_person(&ui);
    match outcome {
        Ok(exit) => exit.code(),
        Err(error) => {
            ui.error(&error);
            error.exit_code()
        }
    }
}

/// Runs a command, given as the words after `stead`, for a program that reads its answer. What is due afterwards is done
/// only if the command `changes` something: nobody waits longer for something that was only read.
pub(crate) fn run_for(words: &[String], dir: &Path, caller: Caller, changes: bool) -> Result<Captured, CliError> {
    let words = std::iter::once("stead").chain(words.iter().map(String::as_str));
    let matches = Cli::command().try_get_matches_from(words);
    let cli = matches.and_then(|matches| Cli::from_arg_matches(&matches)).map_err(|error| wrong_words(&error))?;
    let mut ui = Ui::capturing(Global { dir: Some(dir.to_owned()), ..cli.global }, caller);
    seal::look(&mut ui);
    let outcome = cli.command.run(&mut ui);
    ledger::finish_waiting(&ui);
    if changes {
        settle(&mut ui);
    }
    precedents::refresh(&ui);
    outcome.map(|_| ui.captured())
}

/// What the parser has against a command, without the usage of the command line.
fn wrong_words(error: &clap::Error) -> CliError {
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default();
    CliError::usage(first.strip_prefix("error: ").unwrap_or(first))
}

/// Parses the command line.
fn parse() -> Cli {
    let matches = Cli::command().term_width(width()).get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// The width of help: the terminal's, at most a hundred columns; eighty if it is unknown.
fn width() -> usize {
    let told = || env("COLUMNS").and_then(|columns| columns.to_str()?.parse().ok());
    let seen = terminal_columns(io::stdout()).or_else(|| terminal_columns(io::stderr()));
    seen.or_else(told).unwrap_or(80).clamp(40, 100)
}
