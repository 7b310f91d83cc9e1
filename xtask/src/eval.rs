//! `cargo xtask eval`: how often an answer of Stead is right, over labelled examples.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::arguments::Arguments;
use crate::{program, repository};

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
        Some("redact") => redact(cases),
        Some(other) => bail!("there are no examples of `{other}`; expected `mutation`, `redact` or `search`"),
        None => bail!("`eval` needs a subject: `mutation`, `redact` or `search`"),
    }
}

/// How often ordinary lines are covered, over this repository and the sources of its dependencies, and how often random
/// strings are not.
fn redact(cases: bool) -> Result<ExitCode> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let registry = home.map(|home| home.join("registry/src")).filter(|dir| dir.is_dir());
    let folders: Vec<PathBuf> = [Some(repository::root().to_owned()), registry].into_iter().flatten().collect();
    let figures = program::redaction("eval", &folders)?;
    println!("{:<12} {:>8} {:>10} {:>16} {:>22}", "", "files", "lines", "random per 1000", "names, keys per 1000");
    for (folder, name) in folders.iter().zip(["repository", "registry"]) {
        let row = &figures["folders"][folder.display().to_string()];
        let number = |key: &str| row[key].as_f64().unwrap_or_default();
        let (files, lines) = (number("files"), number("lines"));
        let (random, known) = (number("random_per_1000"), number("known_per_1000"));
        println!("{name:<12} {files:>8} {lines:>10} {random:>16.3} {known:>22.3}");
        for example in row["examples"].as_array().into_iter().flatten().filter(|_| cases) {
            println!("  {}", example.as_str().unwrap_or_default());
        }
    }
    for (length, percent) in figures["missed_percent"].as_object().into_iter().flatten() {
        println!("random strings of {length} letters that are missed: {percent} %");
    }
    Ok(ExitCode::SUCCESS)
}
