//! The check of a hash chain, the same for every log that is one.

use clap::Args;
use serde_json::json;
use stead_store::{Chain, Flaw, Verified};

use crate::answer;
use crate::cli::Exit;
use crate::error::CliError;
use crate::person::require_person;
use crate::project::Project;
use crate::ui::{Ui, counted};

#[derive(Args)]
pub(crate) struct ChainCheck {
    /// Take the present state as the right one, for a person who knows why it differs
    #[arg(long)]
    accept: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl ChainCheck {
    /// Checks every line; `what` names the log.
    pub(crate) fn run(&self, what: &str, chain: &Chain, project: &Project, ui: &mut Ui) -> Result<Exit, CliError> {
        self.run_with(what, chain, &|| Ok(chain.verify()?), project, ui)
    }

    /// The same for a log that has a check of its own.
    pub(crate) fn run_with(
        &self,
        what: &str,
        chain: &Chain,
        verify: &dyn Fn() -> Result<Verified, CliError>,
        project: &Project,
        ui: &mut Ui,
    ) -> Result<Exit, CliError> {
        if self.accept {
            require_person(&format!("accept a changed {what}"), project, ui)?;
            chain.accept()?;
        }
        let found = verify()?;
        let is_good = found.flaws.is_empty();
        if self.json {
            let flaw = |flaw: &Flaw| json!({"line": flaw.line, "kind": flaw.kind.name(), "count": flaw.count});
            ui.json(
                answer::CHAIN_CHECK,
                &json!({
                    "ok": is_good,
                    "path": chain.log,
                    "lines": found.lines,
                    "flaws": found.flaws.iter().map(flaw).collect::<Vec<_>>(),
                    "torn": found.torn,
                }),
            );
        } else {
            found.flaws.iter().for_each(|flaw| ui.line(flaw.to_string()));
            found.torn.iter().for_each(|line| ui.note(format!("note: line {line} was not finished by its writer")));
            if is_good {
                ui.line(format!("{} verified", counted(found.lines, "line")));
            }
        }
        Ok(if is_good { Exit::Done } else { Exit::Failed })
    }
}
