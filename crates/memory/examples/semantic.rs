//! For `cargo xtask bench semantic`: `semantic FOLDER FILE` opens the model in the folder and writes into the file how long
//! it takes to load and to turn texts into vectors, as JSON.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use stead_memory::semantic::SemanticModel;

/// As short as a query.
const SHORT: &str = "the agent deleted the migration that a test needed";

#[expect(clippy::disallowed_methods, reason = "an example is started by Rust's own runtime")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, file] = words.as_slice() else { return Err("expected FOLDER FILE".into()) };
    let start = Instant::now();
    let model = SemanticModel::open(Path::new(folder))?;
    let load = start.elapsed();
    let first = time(|| model.embed(SHORT));
    let mut short: Vec<_> = (0..50).map(|_| time(|| model.embed(SHORT))).collect();
    short.sort_unstable();
    let paragraph = [SHORT; 6].join(", and then ");
    let texts = vec![paragraph.as_str(); 100];
    let pieces = texts.len() * model.pieces(&paragraph).len();
    let many = time(|| model.embed_batch(&texts));
    let figures = json!({
        "load_ms": milliseconds(load),
        "first_ms": milliseconds(first),
        "short_ms": milliseconds(short[short.len() / 2]),
        "pieces_per_second": (pieces as f64 / many.as_secs_f64()).round(),
    });
    Ok(std::fs::write(file, figures.to_string())?)
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(work());
    start.elapsed()
}

fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 10_000.0).round() / 10.0
}
