//! How often search finds the right trace, over the labelled queries in `eval`. Weights were chosen on the half `tune`;
//! the figures are those of the half `report`.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use serde::Deserialize;

use super::*;
use crate::semantic::{SemanticModel, trace_text};

/// Names the folder of the model, whose figures are printed too if it is set.
const MODEL: &str = "STEAD_EVAL_MODEL";

/// Names the half to judge, `report` unless it is set.
const HALF: &str = "STEAD_EVAL_HALF";

/// The files of labelled queries, and what their columns are called.
const SETS: [(&str, &str); 3] = [
    ("natural.jsonl", "paraphrases"),
    ("paraphrase.jsonl", "without a shared word"),
    ("words.jsonl", "word-sharing queries"),
];

/// Finds the ids of traces, the best first.
type Ranker<'a> = Box<dyn FnMut(&str) -> Vec<String> + 'a>;

#[derive(Deserialize)]
struct Labelled {
    query: String,
    id: String,
    half: String,
}

fn lines<T: for<'a> Deserialize<'a>>(file: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("eval").join(file);
    let text = fs::read_to_string(path).expect("the labelled queries are there");
    text.lines().map(|line| serde_json::from_str(line).expect("a labelled line")).collect()
}

fn labelled(file: &str, half: &str) -> Vec<Labelled> {
    lines::<Labelled>(file).into_iter().filter(|line| line.half == half).collect()
}

/// How often the right trace comes first, and how often it is among the first five, in percent.
fn score(queries: &[Labelled], find: &mut dyn FnMut(&str) -> Vec<String>) -> (f64, f64) {
    let (mut first, mut five) = (0, 0);
    for labelled in queries {
        let place = find(&labelled.query).iter().take(5).position(|id| *id == labelled.id);
        first += usize::from(place == Some(0));
        five += usize::from(place.is_some());
    }
    let percent = |count: usize| count as f64 * 100.0 / queries.len() as f64;
    (percent(first), percent(five))
}

/// FTS5 as it comes, with its own ranking and one of its tokenizers; any word counts.
fn fts5(traces: &[Trace], tokenizer: &str) -> Ranker<'static> {
    let database = Connection::open_in_memory().expect("SQLite works");
    let table = format!("CREATE VIRTUAL TABLE t USING fts5(id UNINDEXED, text, tokenize='{tokenizer}')");
    database.execute_batch(&table).expect("FTS5 is there");
    for trace in traces {
        let row = [trace.id.as_str(), &trace_text(trace)];
        database.execute("INSERT INTO t VALUES(?1, ?2)", row).expect("a row");
    }
    Box::new(move |query| {
        let mut words = Vec::new();
        stead_model::each_word(query, |word| words.push(format!("\"{word}\"")));
        let sql = "SELECT id FROM t WHERE t MATCH ?1 ORDER BY rank LIMIT 5";
        let mut statement = database.prepare_cached(sql).expect("a query");
        let rows = statement.query_map([words.join(" OR ")], |row| row.get(0)).expect("rows");
        rows.map(|row| row.expect("an id")).collect()
    })
}

/// What a person does with grep: lines that contain the most words of the query, the newest first.
fn grep(traces: &[Trace]) -> Ranker<'static> {
    let texts: Vec<(String, String)> =
        traces.iter().map(|trace| (trace.id.to_string(), trace_text(trace).to_lowercase())).collect();
    Box::new(move |query| {
        let mut words = Vec::new();
        stead_model::each_word(query, |word| words.push(word.to_owned()));
        let mut found: Vec<(usize, usize)> = texts
            .iter()
            .enumerate()
            .map(|(at, (_, text))| (words.iter().filter(|word| text.contains(word.as_str())).count(), at))
            .filter(|(count, _)| *count > 0)
            .collect();
        found.sort_by(|a, b| b.cmp(a));
        found.into_iter().take(5).map(|(_, at)| texts[at].0.clone()).collect()
    })
}

#[test]
fn labelled_queries() {
    let traces: Vec<Trace> = lines("traces.jsonl");
    let half = std::env::var(HALF).unwrap_or_else(|_| "report".to_owned());
    let sets = SETS.map(|(file, title)| (labelled(file, &half), title));
    let world = World::new();
    world.add(&traces);
    let search = world.search();
    search.update();
    let model = std::env::var(MODEL).ok().map(|dir| SemanticModel::open(Path::new(&dir)).expect("the model opens"));
    if let Some(model) = &model {
        assert_eq!(search.embed(model, Duration::from_secs(600)), 0);
    }
    let ask = |query: &str, embedder: Option<&dyn Embedder>| -> Vec<String> {
        let query = Query { level: Level::Metadata, count: Some(5), max_tokens: Some(5_000), ..full(query) };
        let items = search.query(&query, embedder, NOW).items;
        items.iter().filter_map(|item| Some(item["id"].as_str()?.to_owned())).collect()
    };
    let mut rankers: Vec<(&str, Ranker<'_>)> = vec![
        ("ripgrep, most words", grep(&traces)),
        ("BM25, FTS5 as it comes", fts5(&traces, "unicode61")),
        ("trigrams, FTS5 as it comes", fts5(&traces, "trigram")),
        ("stead, `--lexical`", Box::new(|query| ask(query, None))),
    ];
    if let Some(model) = &model {
        rankers.push(("stead", Box::new(|query| ask(query, Some(model)))));
    }
    let mut table = format!("| R@1 and R@5 in percent, {} traces |", traces.len());
    for (queries, title) in &sets {
        let _ = write!(table, " {} {title} | |", queries.len());
    }
    table.push_str("\n|---|---:|---:|---:|---:|---:|---:|\n");
    let mut scores = HashMap::new();
    for (name, find) in &mut rankers {
        let found = sets.each_ref().map(|(queries, _)| score(queries, find));
        let row = found.map(|(first, five)| format!("{first:.1} | {five:.1}"));
        let _ = writeln!(table, "| {name} | {} |", row.join(" | "));
        scores.insert(*name, found);
    }
    println!("{table}");
    let [.., lexical] = scores["stead, `--lexical`"];
    let [.., plain] = scores["BM25, FTS5 as it comes"];
    assert!(lexical.0 >= plain.0 - 1.0, "R@1 of words: {} after {}", lexical.0, plain.0);
    if let Some([paraphrases, _, words]) = scores.get("stead") {
        assert!(paraphrases.1 >= 85.0, "R@5 of paraphrases: {}", paraphrases.1);
        assert!(words.0 >= lexical.0 - 1.0, "R@1 of words: {} after {}", words.0, lexical.0);
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/search.md");
    let page = fs::read_to_string(page).unwrap_or_default();
    if half == "report" {
        let rows = table.lines().filter(|row| !row.starts_with("|---"));
        let missing: Vec<&str> = rows.filter(|row| !page.contains(*row)).collect();
        assert!(missing.is_empty(), "docs/search.md lacks:\n{}", missing.join("\n"));
    }
}
