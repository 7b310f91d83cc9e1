//! `cargo xtask eval`: how often an answer of Stead is right, over labelled examples.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::arguments::Arguments;
use crate::program;

pub(crate) fn run(mut arguments: Arguments) -> Result<ExitCode> {
    let cases = arguments.flag("--cases");
    let model = arguments.value("--model")?;
    let subject = arguments.word();
    arguments.finish()?;
    match subject.as_deref() {
        Some("mutation") => {
            // A test judges the examples and prints the table.
            let mut cargo = program::cargo();
            cargo.args(["test", "--quiet", "--package", "stead-code", "--test", "suite", "labelled_changes", "--"]);
            program::run(cargo.arg("--nocapture").envs(cases.then_some(("STEAD_EVAL_CASES", "1"))))?;
            Ok(ExitCode::SUCCESS)
        }
        Some("search") => {
            // Without a model, only the rows that need none are printed and compared with the page.
            let mut cargo = program::cargo();
            cargo.args(["test", "--quiet", "--package", "stead-memory", "--lib", "labelled_queries", "--"]);
            let model = model.map(std::path::absolute).transpose()?;
            program::run(cargo.arg("--nocapture").envs(model.map(|dir| ("STEAD_EVAL_MODEL", dir))))?;
            Ok(ExitCode::SUCCESS)
        }
        Some(other) => bail!("there are no examples of `{other}`; expected `mutation` or `search`"),
        None => bail!("`eval` needs a subject: `mutation` or `search`"),
    }
}
