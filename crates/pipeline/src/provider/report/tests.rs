//! What the programs printed is in the fixtures of `client`; here it is read as a run hears it.

use std::fs;
use std::path::Path;

use super::*;
use crate::custody::{Capture, Captured};

const LAST_WORDS: &str = "All is done. <promise>DONE</promise>";

fn recorded(harness: Harness, name: &str) -> Option<String> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../client/fixtures");
    let folder = fixtures.join(harness.name());
    [folder.join(name), folder.join("documented").join(name)].iter().find_map(|path| fs::read_to_string(path).ok())
}

/// Reads an output the way it is read when a run hears it.
fn report(harness: Harness, output: &str, how: How) -> Report {
    let mut said = Captured::new(Capture::Lines(harness.client().headless.heed));
    // In small pieces, as pipes deliver them.
    output.as_bytes().chunks(100).for_each(|piece| said.take(piece));
    let end = AgentEnd { how, said: said.finish(), ..AgentEnd::without_start(How::Cancelled) };
    read_end(&Provider::Known(harness.name().to_owned()), &end)
}

#[test]
fn every_programs_output_is_understood() {
    for harness in Harness::ALL {
        let output = recorded(harness, "headless.jsonl").unwrap_or_else(|| panic!("{harness} has no output on file"));
        let report = report(harness, &output, How::Exit(0));
        assert_eq!(report.message.as_deref(), Some(LAST_WORDS), "{harness}");
        assert!(report.session.is_some_and(|session| output.contains(&format!("\"{session}\""))), "{harness}");
        assert_eq!(report.quota, None, "{harness}");
        // The recorded work of these cost nothing.
        let is_free = matches!(harness, Harness::Grok | Harness::Kilo | Harness::Pi);
        let costs = report.cost_usd.is_some_and(|cost| if is_free { cost == 0.0 } else { cost > 0.0 });
        assert_eq!(costs, harness.client().headless.reports_cost, "{harness}");
    }
}

#[test]
fn a_quota_is_known_by_its_event_or_its_exit_code() {
    let mut told = Vec::new();
    for harness in Harness::ALL {
        let Some(output) = recorded(harness, "headless-429.jsonl") else { continue };
        let code = harness.client().headless.quota_exits.first();
        match report(harness, &output, How::Exit(*code.unwrap_or(&1))).quota {
            Some(quota) => assert!(!quota.reason.is_empty() && quota.until.is_none(), "{harness}: {quota:?}"),
            // Some tell it in prose only, which does not count.
            None => told.push(harness),
        }
        if code.is_some() {
            assert_eq!(report(harness, &output, How::Exit(1)).quota, None, "{harness}");
        }
    }
    assert_eq!(told, [Harness::Codex, Harness::Droid, Harness::Grok]);
}

#[test]
fn work_that_was_done_counts() {
    let recovered = r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected"}}
{"type":"result","is_error":false,"result":"done"}"#;
    assert_eq!(report(Harness::Claude, recovered, How::Exit(0)).quota, None);
    assert!(report(Harness::Claude, recovered, How::Exit(1)).quota.is_some());
}
