//! Search over real files: what is found, what holds, what an answer costs, and what a damaged index does.

mod budget;
mod eval;
mod finding;
mod holding;
mod index;
mod meaning;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use serde_json::Value;
use stead_model::rfc3339;
use tempfile::TempDir;

use super::{Answer, Embedder, Query, TraceSearch};
use crate::{Level, Trace, TraceBook, TraceEvent, TraceId, TraceKind};

/// The moment at which queries are asked.
const NOW: i64 = 1_800_000_000_000;

/// A project with traces.
struct World {
    dir: TempDir,
}

impl World {
    fn new() -> Self {
        Self { dir: TempDir::new().expect("a temporary folder") }
    }

    /// A world with traces about some texts, an hour apart, the last one an hour ago.
    fn with(texts: &[&str]) -> Self {
        let world = Self::new();
        let traces: Vec<Trace> = texts.iter().zip(0..).map(|(text, at)| about(text, texts.len() - at)).collect();
        world.add(&traces);
        world
    }

    fn graph(&self) -> PathBuf {
        self.dir.path().join(".agent/graph")
    }

    fn log(&self) -> PathBuf {
        self.graph().join(TraceBook::FILE)
    }

    fn cache(&self) -> PathBuf {
        self.dir.path().join(".agent/cache")
    }

    fn add(&self, traces: &[Trace]) {
        self.add_to("traces.jsonl", traces);
    }

    fn add_to(&self, file: &str, traces: &[Trace]) {
        let lines = traces.iter().map(|trace| serde_json::to_string(trace).expect("a trace is JSON") + "\n");
        self.add_text(file, &lines.collect::<String>());
    }

    fn add_text(&self, file: &str, text: &str) {
        let path = self.graph().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is created");
        let mut file = fs::File::options().create(true).append(true).open(path).expect("the log opens");
        file.write_all(text.as_bytes()).expect("the log is written");
    }

    fn search(&self) -> TraceSearch {
        let (book, own) = (TraceBook::of(&self.graph(), None), TraceBook::of(&self.dir.path().join("data"), None));
        TraceSearch::of(&book, Some(&own), &self.cache(), self.dir.path())
    }

    fn ask(&self, query: &Query) -> Answer {
        self.search().query(query, None, NOW)
    }

    /// What the traces are about that a text finds.
    fn find(&self, text: &str) -> Vec<String> {
        told(&self.ask(&full(text)))
    }
}

fn full(text: &str) -> Query {
    Query { text: text.to_owned(), level: Level::Full, ..Query::default() }
}

fn told(answer: &Answer) -> Vec<String> {
    let text = |item: &Value| item["event"]["what_happened"].as_str().unwrap_or_default().to_owned();
    answer.items.iter().map(text).collect()
}

fn about(text: &str, hours_ago: usize) -> Trace {
    Trace {
        v: 1,
        id: TraceId::random(),
        timestamp: rfc3339(NOW - hours_ago as i64 * 3_600_000),
        kind: TraceKind::Correction,
        event: TraceEvent { what_happened: text.to_owned(), ..TraceEvent::default() },
        ..Trace::default()
    }
}
