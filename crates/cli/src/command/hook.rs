use std::ffi::OsString;

use clap::Args;
use stead_client::Harness;
use stead_hook::Call;

use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

/// Answer one hook call of an agent program (called by the hooks that `stead init` installs)
///
/// Reads the client's JSON from standard input and answers in that client's format. Never fails: every problem becomes
/// an answer. Arguments that it does not know are ignored; without a client that it knows, the JSON shows who calls.
#[derive(Args)]
#[command(
    override_usage = "stead hook <HARNESS> [EVENT]",
    after_help = format!("Example:\n  echo '{{\"hook_event_name\": \"PreToolUse\", \"tool_name\": \"Bash\",\n    \"tool_input\": {{\"command\": \"ls\"}}}}' | stead hook {} PreToolUse", Harness::DEFAULT)
)]
pub(crate) struct HookArgs {
    #[arg(allow_hyphen_values = true, help = format!("The calling agent program: {}", Harness::NAMES.join(", ")))]
    harness: Option<OsString>,
    /// The client's own name for the event; a name in the payload takes precedence
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    event: Vec<OsString>,
}

/// Reached with options in front of `hook`, and by a person who typed it: every other call was answered before the parser ran.
pub(crate) fn run(args: HookArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let Some(call) = Call::parse(args.harness.into_iter().chain(args.event)) else {
        return Err(CliError::user("`stead hook` is called by agent programs, which write JSON to its standard input")
            .hinted("`stead hook --help` has an example; `stead init` installs the hooks, `stead doctor` tests them"));
    };
    // As other arguments, a folder that is not there is ignored.
    let _ = ui.dir().map(std::env::set_current_dir);
    Ok(Exit::Answered(stead_hook::answer(&call)))
}
