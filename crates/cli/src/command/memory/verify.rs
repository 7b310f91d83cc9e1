use clap::Args;

use super::Here;
use crate::chain_check::ChainCheck;
use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

/// Check the hash chain of this machine's traces; exits with 1 if a line was changed, added, moved or removed
#[derive(Args)]
#[command(after_help = "Examples:\n  stead memory verify\n  stead memory verify --json")]
pub(crate) struct VerifyArgs {
    #[command(flatten)]
    check: ChainCheck,
}

pub(super) fn run(args: &VerifyArgs, here: &Here, ui: &mut Ui) -> Result<Exit, CliError> {
    args.check.run("trace log", here.memory.book.chain(), &here.project, ui)
}
