use std::io::Cursor;
use std::path::Path;

use stead_ledger::trace::{Dialect, Record, TraceLines, export};
use stead_store::{Lines, Tail};

/// The records of a ledger are the same from either end, and what is exported can be read again.
pub fn ledger(data: &[u8]) {
    let name = Path::new("agent_trace.jsonl");
    let lines = TraceLines::new(Lines::new(Cursor::new(data), name));
    let records: Vec<Record> = lines.filter_map(Result::ok).map(|line| line.record).collect();
    let Ok(tail) = Tail::new(Cursor::new(data), name) else {
        panic!("a ledger in memory cannot be read backwards");
    };
    let back = TraceLines::new(tail.unchecked()).filter_map(Result::ok).map(|line| line.record);
    let mut back: Vec<Record> = back.collect();
    back.reverse();
    assert_eq!(records, back);
    for record in &records {
        for dialect in Dialect::ALL {
            let text = export(record, dialect).to_string();
            let Some(again) = Record::parse(&text) else { panic!("{dialect:?} is not read: {text}") };
            assert_eq!(again.id, record.id, "{dialect:?}");
            // Agent Trace has no place for the class of another writer.
            assert!(record.stead().is_none() || again.class() == record.class(), "{dialect:?}");
            assert!(again.paths().eq(record.paths()), "{dialect:?}: {text}");
        }
    }
}
