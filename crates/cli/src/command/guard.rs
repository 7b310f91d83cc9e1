//! Guards: list, create, test them, and change their modes.

pub(super) mod accept;
mod bench;
mod history;
mod lint;
mod list;
mod mode;
mod new;
mod review;
mod rollback;
mod show;
pub(super) mod starter;
mod stats;
mod test;

use clap::{Args, Subcommand};

use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;
use mode::Step;

/// Manage guards: rules for what agents may do
///
/// A guard is a small file in `.agent/guards/` (or, for all your projects, in `~/.config/stead/guards/`) that says what
/// agents may not do. It matches what a call does, not how it is written, and applies from the next call on. In mode
/// `shadow` it only records, in `warn` it tells the agent, in `enforce` it blocks. Agents may read guards, but not
/// change them.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead guard list\n  stead guard new infra-is-reviewed --writes 'infra/**'\n  stead guard promote infra-is-reviewed\n  stead guard enable destructive"
)]
pub(crate) struct GuardArgs {
    #[command(subcommand)]
    command: GuardCommand,
}

#[derive(Subcommand)]
enum GuardCommand {
    List(list::ListArgs),
    Show(show::ShowArgs),
    New(new::NewArgs),
    Lint(lint::LintArgs),
    Test(test::TestArgs),
    Enable(mode::EnableArgs),
    /// Switch a guard off; only a person at a terminal may do this
    #[command(after_help = "Example:\n  stead guard disable destructive")]
    Disable(mode::Which),
    Promote(mode::PromoteArgs),
    /// Move a guard one step down: enforce, warn, shadow; only a person at a terminal may do this
    #[command(after_help = "Example:\n  stead guard demote infra-is-reviewed")]
    Demote(mode::Which),
    Bench(bench::BenchArgs),
    Stats(stats::StatsArgs),
    Accept(accept::AcceptArgs),
    Review(review::ReviewArgs),
    History(history::HistoryArgs),
    Rollback(rollback::RollbackArgs),
}

pub(crate) fn run(args: GuardArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    match args.command {
        GuardCommand::List(args) => list::run(&args, ui),
        GuardCommand::Show(args) => show::run(&args, ui),
        GuardCommand::New(args) => new::run(&args, ui),
        GuardCommand::Lint(args) => lint::run(&args, ui),
        GuardCommand::Test(args) => test::run(&args, ui),
        GuardCommand::Enable(args) => mode::enable(&args, ui),
        GuardCommand::Disable(args) => mode::step(&args, Step::Off, ui),
        GuardCommand::Promote(args) => mode::promote(&args, ui),
        GuardCommand::Demote(args) => mode::step(&args, Step::Down, ui),
        GuardCommand::Bench(args) => bench::run(&args, ui),
        GuardCommand::Stats(args) => stats::run(&args, ui),
        GuardCommand::Accept(args) => accept::run(&args, ui),
        GuardCommand::Review(args) => review::run(&args, ui),
        GuardCommand::History(args) => history::run(&args, ui),
        GuardCommand::Rollback(args) => rollback::run(&args, ui),
    }
}
