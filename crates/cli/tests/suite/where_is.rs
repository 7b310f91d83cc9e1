//! `stead where-is`, and the intent map that hooks and commands write.

use serde_json::{Value, json};
use stead_testkit::World;

use crate::world::{marked, payload};

const MAP: &str = "project/.agent/intents/intent_map.md";

const INVOICE: &str = "pub struct Invoice;\n\nimpl Invoice {\n    pub fn total(&self) -> u64 {\n        7\n    }\n}\n";

/// A project with an intent and a change that the ledger has recorded for it.
fn recorded() -> World {
    let world = marked();
    world.write(
        "project/.agent/intents/active_intents.yaml",
        "active_intents:\n  - id: INT-1\n    name: Billing\n    status: IN_PROGRESS\n    owned_scope: [\"src/**\"]\n",
    );
    world.write("project/src/invoice.rs", INVOICE);
    let prompt = json!({"prompt": "customers need a VAT receipt"});
    world.hook("claude UserPromptSubmit", payload(&world, "UserPromptSubmit", prompt));
    append(&world, 1, "src/invoice.rs", "Invoice::total");
    world
}

fn append(world: &World, number: u32, path: &str, name: &str) {
    let line = json!({
        "version": "0.1.0",
        "id": format!("00000000-0000-4000-8000-{number:012}"),
        "timestamp": "2030-11-15T19:45:30.000Z",
        "files": [{"path": path, "conversations": [{"contributor": {"type": "ai"}, "ranges": [{"start_line": 4, "end_line": 4}]}]}],
        "metadata": {"dev.stead": {"v": 1, "session": "session-1", "intent": "INT-1", "class": "INTENT_EVOLUTION", "how": "x",
            "phase": "final", "seq": number, "files": [{"path": path, "op": "modify",
            "nodes": [{"lang": "rust", "kind": "method", "name": name, "start": 4, "end": 6, "raw": "", "normal": ""}]}]}},
    });
    let file = "project/.agent/intents/peers/ann.jsonl";
    let old = if world.exists(file) { world.read(file) } else { String::new() };
    world.write(file, format!("{old}{line}\n"));
}

fn stop(world: &World) {
    world.hook("claude Stop", payload(world, "Stop", json!({"stop_hook_active": false})));
}

#[test]
fn a_question_is_answered_with_file_line_and_reason() {
    let world = recorded();
    assert_eq!(
        world.stead(&["where-is", "billing logic"]).ok(),
        "src/invoice.rs:4  method `Invoice::total`  INT-1\n  intent (billing): INT-1 Billing\n"
    );
    let said = world.stead(&["where-is", "vat", "receipts", "--json"]).json();
    let first = &said["items"][0];
    assert_eq!((&first["path"], &first["line"], &first["end"]), (&json!("src/invoice.rs"), &json!(4), &json!(6)));
    assert_eq!(first["why"][0]["what"], "prompt");
    // Lines are those of the file now.
    world.write("project/src/invoice.rs", format!("// first\n{INVOICE}"));
    assert_eq!(world.stead(&["where-is", "total", "--json"]).json()["items"][0]["line"], 5);
}

#[test]
fn nothing_found_is_said_and_no_guess() {
    let world = recorded();
    let run = world.stead(&["where-is", "kubernetes ingress"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, "nothing found\n"));
    let run = world.stead(&["where-is", "kubernetes", "--json"]);
    assert_eq!(run.code, 1);
    assert_eq!(serde_json::from_str::<Value>(&run.stdout).unwrap()["items"], json!([]));
    assert_eq!(marked().stead(&["where-is", "billing"]).code, 1, "no ledger, no intents");
    assert_eq!(world.stead(&["where-is"]).code, 2);
}

#[test]
fn the_map_is_written_at_a_stop_and_keeps_notes() {
    let world = recorded();
    let call = json!({"tool_name": "Read", "tool_use_id": "c", "tool_input": {"file_path": "src/invoice.rs"}});
    world.hook("claude PreToolUse", payload(&world, "PreToolUse", call));
    assert!(!world.exists(MAP), "never before a tool");
    stop(&world);
    let page = world.read(MAP);
    assert!(page.contains("## INT-1 Billing\n") && page.contains("  - method `Invoice::total`, lines 4-6\n"), "{page}");
    let noted = page.replace("<!-- notes INT-1 -->\n", "<!-- notes INT-1 -->\nAsk Ann.\r\n\n");
    world.write(MAP, &noted);
    append(&world, 2, "src/invoice.rs", "Invoice");
    stop(&world);
    let after = world.read(MAP);
    assert!(after.contains("<!-- notes INT-1 -->\nAsk Ann.\r\n\n<!-- /notes -->\n"), "{after}");
    assert!(after.contains("`Invoice`, line 1"), "{after}");
    let added: Vec<&str> = after.lines().filter(|line| !noted.lines().any(|old| old == *line)).collect();
    assert_eq!(added.len(), 2, "struct and impl, and nothing else: {added:?}");
    stop(&world);
    assert_eq!(world.read(MAP), after);
}

#[test]
fn an_edit_that_a_hook_saw_is_mapped_and_found() {
    let world = marked();
    world.write(
        "project/.agent/intents/active_intents.yaml",
        "active_intents:\n  - id: INT-1\n    name: Billing\n    status: IN_PROGRESS\n    owned_scope: [\"src/**\"]\n",
    );
    world.write("project/.agent/context/indexes/sessions/session-1.intent", "-\tINT-1\t2026-11-15T19:45:30Z\t-\n");
    let file = world.write("project/src/invoice.rs", INVOICE);
    let input = json!({"file_path": file, "old_string": "7", "new_string": "8"});
    let mut call = json!({"tool_name": "Edit", "tool_use_id": "c1", "tool_input": input});
    world.hook("claude PreToolUse", payload(&world, "PreToolUse", call.clone())).ok();
    world.write("project/src/invoice.rs", INVOICE.replace('7', "8"));
    call["tool_response"] = json!({"filePath": file, "originalFile": INVOICE, "structuredPatch": []});
    world.hook("claude PostToolUse", payload(&world, "PostToolUse", call)).ok();
    assert!(!world.exists(MAP), "never after a tool");
    stop(&world);
    let page = world.read(MAP);
    assert!(page.contains("- `src/invoice.rs`\n  - method `Invoice::total`, lines 4-6\n\n## Notes"), "{page}");
    let first = &world.stead(&["where-is", "invoice total", "--json"]).json()["items"][0];
    assert_eq!((&first["line"], &first["intent"]), (&json!(4), &json!("INT-1")), "{first}");
}
