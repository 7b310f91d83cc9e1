//! What redaction costs, and how often it is wrong. `cargo xtask bench redact` and `cargo xtask eval redact` build and run
//! this. It is here and not in `store`, whose tests need many crates that a release build would have to build.
//!
//! The first argument says what to measure, the second where to write the figures; folders follow.

use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use stead_store::{redact, redact_known};

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

#[expect(clippy::disallowed_methods, reason = "an example is started by Rust's own runtime")]
fn main() -> io::Result<()> {
    let mut words = std::env::args().skip(1);
    let (what, out) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let figures = if what == "bench" { bench() } else { eval(&words.map(PathBuf::from).collect::<Vec<_>>()) };
    std::fs::write(out, figures.to_string())
}

/// The time that this process had on a processor, in microseconds: other work of the machine does not count.
fn processor_time(since: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos: Option<f64> = text.split_whitespace().next().and_then(|first| first.parse().ok());
    nanos.map_or_else(|| since.elapsed().as_secs_f64() * 1e6, |nanos| nanos / 1e3)
}

/// The median of several rounds, in microseconds. A round repeats what is short: the clock has its own cost.
fn median(rounds: usize, text: &str) -> f64 {
    let repeats = ((1 << 18) / text.len()).max(1);
    let begin = Instant::now();
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            let since = processor_time(begin);
            for _ in 0..repeats {
                black_box(redact(black_box(text)));
            }
            (processor_time(begin) - since) / repeats as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[rounds / 2]
}

fn bench() -> Value {
    let ordinary = "Please fix the test in crates/store/src/redact.rs:42: `assert_eq!(found.count, 2)` fails since commit \
        3f786850e387550fdab836ed7e6dc881de23001b, see https://example.invalid/issues/7?q=a&page=2. Run cargo test -p stead-store \
        and keep {\"max_tokens\": 200000, \"name\": \"x\"} as it is.\n";
    let repeated = |bytes: usize| ordinary.repeat(bytes / ordinary.len() + 1)[..bytes].to_owned();
    let secret = format!("export API_TOKEN={}\n", random(7, 32));
    let mut with_secret = repeated(1 << 20);
    with_secret.insert_str(1 << 19, &secret);
    json!({
        "prompt_4kb_us": median(100, &repeated(4 << 10)),
        "text_1mb_us": median(30, &repeated(1 << 20)),
        "text_1mb_with_secret_us": median(30, &with_secret),
        "line_400b_us": median(100, &repeated(400)),
    })
}

fn random(seed: u64, length: usize) -> String {
    let mut state = (seed + 11).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(LETTERS[(state >> 33) as usize % LETTERS.len()])
    });
    next.take(length).collect()
}

#[derive(Default)]
struct Counts {
    files: u64,
    lines: u64,
    /// Strings that only look random.
    random: u64,
    /// Keys, and values of names and options.
    known: u64,
    examples: Vec<String>,
}

fn eval(folders: &[PathBuf]) -> Value {
    let mut tables = serde_json::Map::new();
    for folder in folders {
        let mut counts = Counts::default();
        walk(folder, &mut counts);
        let per_thousand = |count: u64| count as f64 * 1000.0 / counts.lines.max(1) as f64;
        tables.insert(
            folder.display().to_string(),
            json!({
                "files": counts.files, "lines": counts.lines, "random_per_1000": per_thousand(counts.random),
                "known_per_1000": per_thousand(counts.known), "examples": counts.examples,
            }),
        );
    }
    let missed = |length: usize| {
        let kept = (0..20_000).filter(|seed| {
            let secret = random(*seed, length);
            redact(&format!("key {secret} x")).contains(&secret)
        });
        kept.count() as f64 / 200.0
    };
    json!({"folders": tables, "missed_percent": {"24": missed(24), "32": missed(32), "40": missed(40), "64": missed(64)}})
}

fn walk(path: &Path, counts: &mut Counts) {
    const LONGEST: u64 = 1 << 20;
    let Ok(data) = std::fs::symlink_metadata(path) else { return };
    if data.is_dir() {
        let is_skipped =
            path.file_name().is_some_and(|name| ["target", ".git", ".agent"].iter().any(|skip| name == *skip));
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.filter(|_| !is_skipped).for_each(|entry| walk(&entry.path(), counts));
        return;
    }
    let text = (data.is_file() && data.len() <= LONGEST).then(|| std::fs::read_to_string(path).ok()).flatten();
    let Some(text) = text else { return };
    counts.files += 1;
    counts.lines += text.lines().count() as u64;
    let (all, known) = (redact(&text).count(), redact_known(&text).count());
    counts.known += known as u64;
    counts.random += all.saturating_sub(known) as u64;
    if all > known {
        for line in text.lines().filter(|line| redact(line).count() > redact_known(line).count()).take(5) {
            if counts.examples.len() < 200 {
                counts.examples.push(format!(
                    "{}: {}",
                    path.display(),
                    line.trim().chars().take(200).collect::<String>()
                ));
            }
        }
    }
}
