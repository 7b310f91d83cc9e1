use clap::{Args, ValueEnum};
use clap_complete::{Shell, generate};

use crate::cli::{Exit, command};
use crate::error::CliError;
use crate::ui::Ui;

/// Print a script that lets a shell complete Stead's commands and options
///
/// The script has everything in it, so that completing starts no program. Print it again after an update.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  stead completions bash > ~/.local/share/bash-completion/completions/stead\n  stead completions zsh > ~/.zfunc/_stead\n  stead completions fish > ~/.config/fish/completions/stead.fish\n  stead completions powershell >> $PROFILE\n  stead completions elvish > ~/.config/elvish/lib/stead.elv"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: ForShell,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ForShell {
    Bash,
    Zsh,
    Fish,
    #[value(name = "powershell", alias = "pwsh")]
    PowerShell,
    Elvish,
}

pub(crate) fn run(args: CompletionsArgs, ui: &mut Ui) -> Result<Exit, CliError> {
    let shell = match args.shell {
        ForShell::Bash => Shell::Bash,
        ForShell::Zsh => Shell::Zsh,
        ForShell::Fish => Shell::Fish,
        ForShell::PowerShell => Shell::PowerShell,
        ForShell::Elvish => Shell::Elvish,
    };
    let mut script = Vec::new();
    generate(shell, &mut command(), "stead", &mut script);
    ui.raw(String::from_utf8_lossy(&script));
    Ok(Exit::Done)
}
