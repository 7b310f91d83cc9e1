use clap::Args;
use stead_client::Harness;
use stead_hook::StatusCall;

use crate::cli::Exit;
use crate::error::CliError;
use crate::ui::Ui;

/// Print a line about the session for an agent program's status line (`stead init --statusline` installs it)
///
/// Reads the JSON that the program gives its status line command, and prints one line: the intent, the loop, how many
/// calls were denied or would have been, whether files changed since the last tests, and what waits for you. Without a
/// session it is about the project; outside a project nothing is printed. Never fails.
#[derive(Args)]
#[command(
    after_help = format!("Examples:\n  stead statusline\n  echo '{{\"session_id\": \"7c0e\", \"cwd\": \"/home/me/project\"}}' | stead statusline {}", Harness::DEFAULT)
)]
pub(crate) struct StatuslineArgs {
    #[arg(help = format!("The calling agent program, for colours if it shows them: {}", shown_by()))]
    harness: Option<String>,
}

/// The programs that show a status line.
fn shown_by() -> String {
    let shows = |harness: &Harness| harness.client().facts.status_line.is_some();
    Harness::ALL.into_iter().filter(shows).map(Harness::name).collect::<Vec<_>>().join(", ")
}

/// Without options of the program, a call is answered before the parser runs.
pub(crate) fn run(args: StatuslineArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let harness = args.harness.as_deref().and_then(Harness::from_name);
    StatusCall { harness, folder: Some(ui.dir()?) }.answer();
    Ok(Exit::Done)
}
