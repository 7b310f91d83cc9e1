//! The command line: global options, the list of commands, and what happens around each of them.

use std::io;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use stead_pipeline::RunStatus;
use stead_store::terminal_columns;

use crate::command;
use crate::error::CliError;
use crate::project::env;
use crate::ui::Ui;

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

#[derive(Subcommand)]
enum Command {
    Init(command::init::InitArgs),
    Uninstall(command::uninstall::UninstallArgs),
    Doctor(command::doctor::DoctorArgs),
    Migrate(command::migrate::MigrateArgs),
    Context(command::context::ContextArgs),
    Handoff(Box<command::handoff::HandoffArgs>),
    Pickup(command::pickup::PickupArgs),
    Packet(command::packet::PacketArgs),
    Note(command::note::NoteArgs),
    Files(command::files::FilesArgs),
    Loop(command::loop_::LoopArgs),
    Role(command::role::RoleArgs),
    Verify(command::verify::VerifyArgs),
    Evidence(command::evidence::EvidenceArgs),
    Logs(command::logs::LogsArgs),
    Run(command::run::RunArgs),
    Status(command::status::StatusArgs),
    Runs(command::runs::RunsArgs),
    Tail(command::tail::TailArgs),
    Stop(command::stop::StopArgs),
    Test(command::test::TestArgs),
    DryRun(command::dry_run::DryRunArgs),
    Lint(command::lint::LintArgs),
    Stage(command::stage::StageArgs),
    Pipeline(command::pipeline::PipelineArgs),
    Guard(command::guard::GuardArgs),
    Check(command::check::CheckArgs),
    Explain(command::explain::ExplainArgs),
    Allow(command::allow::AllowArgs),
    Appeal(command::appeal::AppealArgs),
    Agent(command::agent::AgentArgs),
    Where(command::where_::WhereArgs),
    Config(command::config::ConfigArgs),
    Schema(command::schema::SchemaArgs),
    Demo(command::demo::DemoArgs),
    Hook(command::hook::HookArgs),
}

/// How a command ended if it did what it was asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Done,
    /// The thing checked or asked for failed; the output says how.
    Failed,
    /// A run ended, but a stage reached its limit.
    Limit,
    /// A run is blocked on a person.
    Blocked,
    /// A run is waiting for a provider's quota.
    Quota,
    /// A run was stopped by a person.
    Cancelled,
}

impl Exit {
    /// The exit of a command whose run has this status.
    pub(crate) fn of_run(status: RunStatus) -> Self {
        match status {
            RunStatus::Done => Self::Done,
            RunStatus::Failed | RunStatus::Running => Self::Failed,
            RunStatus::Limit => Self::Limit,
            RunStatus::Blocked => Self::Blocked,
            RunStatus::Quota => Self::Quota,
            RunStatus::Cancelled => Self::Cancelled,
        }
    }

    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Limit => 3,
            Self::Blocked => 4,
            Self::Quota => 5,
            Self::Cancelled => 130,
        }
    }
}

/// Parses the command line, runs the command, prints its error and returns the exit code.
pub(crate) fn run() -> u8 {
    let cli = parse();
    let mut ui = Ui::new(cli.global.clone());
    match dispatch(cli.command, &mut ui) {
        Ok(exit) => exit.code(),
        Err(error) => {
            ui.error(&error);
            error.exit_code()
        }
    }
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

fn dispatch(command: Command, ui: &mut Ui) -> Result<Exit, CliError> {
    match command {
        Command::Init(args) => command::init::run(args, ui),
        Command::Uninstall(args) => command::uninstall::run(args, ui),
        Command::Doctor(args) => command::doctor::run(args, ui),
        Command::Migrate(args) => command::migrate::run(args, ui),
        Command::Context(args) => command::context::run(args, ui),
        Command::Handoff(args) => command::handoff::run(*args, ui),
        Command::Pickup(args) => command::pickup::run(args, ui),
        Command::Packet(args) => command::packet::run(args, ui),
        Command::Note(args) => command::note::run(args, ui),
        Command::Files(args) => command::files::run(args, ui),
        Command::Loop(args) => command::loop_::run(args, ui),
        Command::Role(args) => command::role::run(args, ui),
        Command::Verify(args) => command::verify::run(args, ui),
        Command::Evidence(args) => command::evidence::run(args, ui),
        Command::Logs(args) => command::logs::run(args, ui),
        Command::Run(args) => command::run::run(args, ui),
        Command::Status(args) => command::status::run(args, ui),
        Command::Runs(args) => command::runs::run(args, ui),
        Command::Tail(args) => command::tail::run(args, ui),
        Command::Stop(args) => command::stop::run(args, ui),
        Command::Test(args) => command::test::run(args, ui),
        Command::DryRun(args) => command::dry_run::run(args, ui),
        Command::Lint(args) => command::lint::run(args, ui),
        Command::Stage(args) => command::stage::run(args, ui),
        Command::Pipeline(args) => command::pipeline::run(args, ui),
        Command::Guard(args) => command::guard::run(args, ui),
        Command::Check(args) => command::check::run(args, ui),
        Command::Explain(args) => command::explain::run(args, ui),
        Command::Allow(args) => command::allow::run(args, ui),
        Command::Appeal(args) => command::appeal::run(args, ui),
        Command::Agent(args) => command::agent::run(args, ui),
        Command::Where(args) => command::where_::run(args, ui),
        Command::Config(args) => command::config::run(args, ui),
        Command::Schema(args) => command::schema::run(args, ui),
        Command::Demo(args) => command::demo::run(args, ui),
        Command::Hook(args) => command::hook::run(args, ui),
    }
}
