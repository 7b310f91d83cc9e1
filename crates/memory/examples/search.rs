//! Generates traces, indexes and searches them in a process of its own: `cargo xtask bench memory` measures it.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use rusqlite::Connection;
use stead_memory::semantic::DIMENSIONS;
use stead_memory::{Embedder, Level, Query, TraceBook, TraceSearch};

/// How many different words the traces have; the frequency of each follows its rank.
const VOCABULARY: usize = 20_000;

const NOW: i64 = 1_800_000_000_000;

type Outcome = Result<(), Box<dyn Error>>;

#[expect(clippy::disallowed_methods, reason = "an example is started by Rust's own runtime")]
fn main() -> Outcome {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["generate", dir, count] => generate(Path::new(dir), count.parse()?),
        ["index", dir] => {
            search(Path::new(dir)).update();
            Ok(())
        }
        ["vectors", dir] => {
            search(Path::new(dir)).embed(&Spread, std::time::Duration::from_secs(3_600));
            Ok(())
        }
        ["query", dir, text] => write_answer(dir, answer(Path::new(dir), text, None)?),
        ["meaning", dir, text] => write_answer(dir, answer(Path::new(dir), text, Some(&Spread))?),
        ["words", dir, ranks @ ..] => {
            let ranks = ranks.iter().map(|rank| rank.parse().map(word)).collect::<Result<Vec<_>, _>>()?;
            write_answer(dir, ranks.join(" "))
        }
        ["fts5-index", dir] => fts5_index(Path::new(dir)),
        ["fts5-query", dir, text] => write_answer(dir, fts5_query(Path::new(dir), text)?),
        _ => Err("expected `generate DIR COUNT`, `index DIR`, `vectors DIR`, `query DIR TEXT`, `meaning DIR TEXT`, \
                  `words DIR RANK…`, `fts5-index DIR` or `fts5-query DIR TEXT`"
            .into()),
    }
}

/// The benchmark reads the answer from a file.
fn write_answer(dir: &str, answer: String) -> Outcome {
    Ok(fs::write(Path::new(dir).join("answer"), answer)?)
}

fn search(dir: &Path) -> TraceSearch {
    TraceSearch::of(&TraceBook::of(dir, None), None, &dir.join("cache"), dir)
}

fn answer(dir: &Path, text: &str, embedder: Option<&dyn Embedder>) -> Result<String, Box<dyn Error>> {
    let query = Query { text: text.to_owned(), level: Level::Summary, ..Query::default() };
    Ok(serde_json::to_string(&search(dir).query(&query, embedder, NOW))?)
}

/// Numbers that are the same on each machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The word of a rank: `w` and its number in letters, so that no two are spelt alike by rule.
fn word(rank: usize) -> String {
    let mut random = Random(rank as u64);
    let syllables = ["ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "zu", "che"];
    let count = 2 + rank % 3;
    let mut text: String = (0..count).map(|_| syllables[random.next() as usize % 16]).collect();
    let mut rest = rank;
    while rest > 0 {
        text.push(char::from(b'a' + (rest % 26) as u8));
        rest /= 26;
    }
    text
}

fn generate(dir: &Path, count: usize) -> Outcome {
    fs::create_dir_all(dir)?;
    let words: Vec<String> = (0..VOCABULARY).map(word).collect();
    let total: f64 = (1..=VOCABULARY).map(|rank| 1.0 / rank as f64).sum();
    let mut sum = 0.0;
    let up_to: Vec<f64> = (1..=VOCABULARY)
        .map(|rank| {
            sum += 1.0 / rank as f64 / total;
            sum
        })
        .collect();
    let mut random = Random(1);
    let mut out = BufWriter::new(File::create(dir.join(TraceBook::FILE))?);
    for at in 0..count {
        let mut text = |least: usize| -> String {
            let length = least + random.next() as usize % 12;
            let pick = |random: &mut Random| {
                // Drawn once: the search compares it many times.
                let drawn = random.unit();
                words[up_to.partition_point(|up| *up < drawn).min(VOCABULARY - 1)].as_str()
            };
            (0..length).map(|_| pick(&mut random)).collect::<Vec<_>>().join(" ")
        };
        let (what, correct, why) = (text(8), text(5), text(4));
        let id = format!("{:08x}-0000-4000-8000-{:012x}", random.next() as u32, at);
        let agent = ["coder", "reviewer", "tester"][at % 3];
        let kind = ["correction", "violation", "decision", "approval", "reflection"][at % 5];
        let time = stead_model::rfc3339(NOW - (count - at) as i64 * 30_000);
        writeln!(
            out,
            "{{\"v\":1,\"id\":\"{id}\",\"project\":\"bench\",\"timestamp\":\"{time}\",\"type\":\"{kind}\",\
             \"status\":\"recorded\",\"scope\":\"project\",\"source\":\"auto_detected\",\
             \"context\":{{\"agent\":\"{agent}\",\"feature\":\"F-{:03}\"}},\
             \"event\":{{\"what_happened\":\"{what}\",\"what_was_correct\":\"{correct}\",\"why\":\"{why}\"}}}}",
            at % 400
        )?;
    }
    Ok(out.flush()?)
}

/// Stands in for the model, whose own cost `bench semantic` measures: a direction for each text.
struct Spread;

impl Embedder for Spread {
    fn id(&self) -> &str {
        "spread/1"
    }

    fn embed_all(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let embed = |text: &&str| {
            let seed = text.bytes().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
            let mut random = Random(seed);
            let vector: Vec<f32> = (0..DIMENSIONS).map(|_| random.unit() as f32 - 0.5).collect();
            let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
            vector.into_iter().map(|number| number / length).collect()
        };
        texts.iter().map(embed).collect()
    }
}

/// FTS5 as it comes: without a copy of the texts, with its own ranking.
fn fts5_index(dir: &Path) -> Outcome {
    let mut database = Connection::open(dir.join("fts5.sqlite"))?;
    database.execute_batch("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")?;
    database.execute_batch("CREATE VIRTUAL TABLE t USING fts5(text, content='', tokenize='porter')")?;
    let change = database.transaction()?;
    let mut insert = change.prepare("INSERT INTO t(rowid, text) VALUES(?1, ?2)")?;
    for (at, trace) in TraceBook::of(dir, None).read()?.enumerate() {
        insert.execute((at as i64, stead_memory::semantic::trace_text(&trace)))?;
    }
    drop(insert);
    Ok(change.commit()?)
}

fn fts5_query(dir: &Path, text: &str) -> Result<String, Box<dyn Error>> {
    let database = Connection::open(dir.join("fts5.sqlite"))?;
    let words: Vec<String> = text.split(' ').map(|word| format!("\"{word}\"")).collect();
    let mut statement = database.prepare("SELECT rowid FROM t WHERE t MATCH ?1 ORDER BY rank LIMIT 5")?;
    let rows = statement.query_map([words.join(" OR ")], |row| row.get::<_, i64>(0))?;
    Ok(format!("{:?}", rows.collect::<Result<Vec<_>, _>>()?))
}
