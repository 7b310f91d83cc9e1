use clap::Args;
use stead_client::Harness;

use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

/// Answer one hook call of an agent program (called by the hooks that `stead init` installs)
///
/// Reads the client's JSON from standard input and answers in that client's format. Never fails: every problem becomes
/// an answer.
#[derive(Args)]
#[command(
    after_help = format!("Example:\n  echo '{{\"hook_event_name\": \"PreToolUse\", \"tool_name\": \"Bash\",\n    \"tool_input\": {{\"command\": \"ls\"}}}}' | stead hook {} PreToolUse", Harness::DEFAULT)
)]
pub(crate) struct HookArgs {
    #[arg(help = format!("The calling agent program: {}", Harness::NAMES.join(", ")))]
    harness: String,
    /// The client's own name for the event; a name in the payload takes precedence
    event: Option<String>,
}

/// Reached only for `--help` and for a call without a harness: every real call was answered before the parser ran.
pub(crate) fn run(args: HookArgs, _ui: &mut Ui) -> Result<Exit, CliError> {
    Err(CliError::internal(format!("the hook call for `{}` was not answered", args.harness)))
}
