//! Last words from transcripts. Droid's was recorded; the other lines are written after the clients' documents and
//! sources.

use proptest::prelude::*;
use stead_client::{Harness, last_message};

/// Reads a transcript that is written oldest line first, as it lies on disk.
#[track_caller]
fn check(client: &str, lines: &[&str], expected: Option<&str>) {
    let read = Harness::from_name(client).unwrap().client().transcript.expect("this client has a transcript");
    assert_eq!(last_message(read, lines.iter().rev().copied()).as_deref(), expected, "{lines:#?}");
}

#[test]
fn claude_code() {
    let user = r#"{"type":"user","message":{"role":"user","content":"do it"},"uuid":"1"}"#;
    let call = r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}"#;
    let result = r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}"#;
    let said = r#"{"type":"assistant","isSidechain":false,"message":{"role":"assistant","content":[{"type":"text","text":"All \"done\"."}]}}"#;
    let side = r#"{"type":"assistant","isSidechain":true,"message":{"role":"assistant","content":[{"type":"text","text":"sub"}]}}"#;
    let thought =
        r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"}]}}"#;
    let system = r#"{"type":"system","subtype":"stop_hook_summary"}"#;
    check("claude", &[user, said], Some("All \"done\"."));
    check("claude", &[user, call, result, said, side, system], Some("All \"done\"."));
    check("claude", &[user, said, call, result], None);
    check("claude", &[user, said, call], None);
    check("claude", &[said, user], None);
    check("claude", &[user, said, thought, r#"{"type":"assis"#], Some("All \"done\"."));
    check("claude", &[], None);
}

#[test]
fn codex_cli() {
    let user = r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]}}"#;
    let said = r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"one"},{"type":"output_text","text":"two"}]}}"#;
    let call = r#"{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}"}}"#;
    let output = r#"{"type":"response_item","payload":{"type":"function_call_output","output":"x"}}"#;
    let event = r#"{"type":"event_msg","payload":{"type":"token_count"}}"#;
    check("codex", &[user, call, output, said, event], Some("one\ntwo"));
    check("codex", &[user, said, call, output, event], None);
    check("codex", &[said, user, event], None);
}

#[test]
fn copilot_cli() {
    let user = r#"{"type":"user.message","data":{"content":"go"},"id":"1","parentId":null}"#;
    let asked = r#"{"type":"assistant.message","data":{"content":"","toolRequests":[{}]}}"#;
    let ran = r#"{"type":"tool.execution_complete","data":{"success":true}}"#;
    let said = r#"{"type":"assistant.message","data":{"messageId":"m","content":"All done.","toolRequests":[]}}"#;
    let side = r#"{"type":"assistant.message","data":{"content":"sub","parentToolCallId":"c"}}"#;
    let end = r#"{"type":"assistant.turn_end","data":{}}"#;
    check("copilot", &[user, asked, ran, end, said, side, end], Some("All done."));
    check("copilot", &[user, said, asked, ran, end], None);
    check("copilot", &[said, user], None);
}

#[test]
fn factory_droid() {
    let text = std::fs::read_to_string(crate::fixture::folder().join("droid/transcript.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let after = |words: &str| lines.iter().position(|line| line.contains(words)).unwrap() + 1;
    check("droid", &lines, Some("All is done. <promise>DONE</promise>"));
    // What stands there at each stop, before the hook's own line.
    check("droid", &lines[..after("DONE</promise>")], Some("All is done. <promise>DONE</promise>"));
    check("droid", &lines[..after("\"Not yet.\"")], Some("Not yet."));
    // The reason of the blocked stop is the next prompt.
    check("droid", &lines[..after("[{\"type\":\"text\",\"text\":\"Go on, iteration 2.\"}]")], None);
    check("droid", &lines[..after("\"Do it.\"}]")], None);
    // Text in front of a call is not the last message.
    check("droid", &lines[..after("Now it is shown.")], None);
    let torn = [&lines[..after("\"Not yet.\"")], &["{\"type\":\"mess"]].concat();
    check("droid", &torn, Some("Not yet."));
}

#[test]
fn others_have_none_that_is_known() {
    let with: Vec<_> = Harness::ALL.into_iter().filter(|client| client.client().transcript.is_some()).collect();
    assert_eq!(with, [Harness::Claude, Harness::Codex, Harness::Copilot, Harness::Droid]);
}

proptest! {
    #[test]
    fn any_line_can_be_read(line in "\\PC{0,80}", kind in "user|assistant|response_item|assistant.message") {
        for client in Harness::ALL {
            if let Some(read) = client.client().transcript {
                let _ = read(&line);
                let _ = read(&serde_json::json!({"type": kind, "message": line, "payload": line, "data": line}).to_string());
            }
        }
    }
}
