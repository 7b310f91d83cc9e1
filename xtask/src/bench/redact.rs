//! What redaction costs, against its limits.

use std::process::ExitCode;

use anyhow::Result;
use serde_json::Value;

use crate::program;

/// What is measured, its name in the figures, and the most microseconds it may take.
const LIMITS: &[(&str, &str, Option<f64>)] = &[
    ("a line of 400 bytes", "line_400b_us", None),
    ("a prompt of 4 KB", "prompt_4kb_us", Some(100.0)),
    ("1 MB", "text_1mb_us", Some(20_000.0)),
    ("1 MB with a secret", "text_1mb_with_secret_us", Some(20_000.0)),
];

pub(super) fn run(json: bool) -> Result<ExitCode> {
    let figures: Value = program::redaction("bench", &[])?;
    if json {
        println!("{}", serde_json::to_string_pretty(&figures)?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut code = ExitCode::SUCCESS;
    println!("{:<22} {:>12} {:>12}", "redaction of", "CPU (us)", "limit (us)");
    for (what, key, limit) in LIMITS {
        let took = figures[key].as_f64().unwrap_or(f64::INFINITY);
        let shown = limit.map_or_else(|| "-".to_owned(), |limit| format!("{limit:.0}"));
        println!("{what:<22} {took:>12.1} {shown:>12}");
        if limit.is_some_and(|limit| took > limit) {
            code = ExitCode::FAILURE;
        }
    }
    Ok(code)
}
