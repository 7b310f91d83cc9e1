//! For the benchmark of the ledger: `chain append FOLDER COUNT NAME` appends so many lines to one chain, as other
//! processes do at the same time; `chain verify FOLDER` checks it and writes into `verified` how many lines it has, or its
//! first flaw.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;
use stead_store::{Chain, Durability};

#[expect(clippy::disallowed_methods, reason = "an example is started by Rust's own runtime")]
fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["append", folder, count, name] => append(Path::new(folder), count.parse().unwrap_or(0), name),
        ["verify", folder] => verify(Path::new(folder)),
        _ => Err("expected `append FOLDER COUNT NAME` or `verify FOLDER`".into()),
    };
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn chain(folder: &Path) -> Chain {
    Chain {
        log: folder.join("log.jsonl"),
        head: folder.join("log.head"),
        copy: Some(folder.join("state/log.head")),
        link: &["metadata", "dev.stead"],
    }
}

fn append(folder: &Path, count: usize, name: &str) -> Outcome {
    let chain = chain(folder);
    for n in 0..count {
        let record = json!({"writer": name, "n": n, "pad": "x".repeat(400)});
        let record = record.as_object().cloned().unwrap_or_default();
        chain.append(record, Durability::Quick, Duration::from_secs(120))?;
    }
    Ok(())
}

fn verify(folder: &Path) -> Outcome {
    let found = chain(folder).verify()?;
    let said = found.flaws.first().map_or_else(|| found.lines.to_string(), ToString::to_string);
    std::fs::write(folder.join("verified"), said)?;
    Ok(())
}
