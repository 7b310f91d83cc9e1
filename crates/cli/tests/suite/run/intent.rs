//! An agent of a run has the intent that its stage or the command line names, from its first call on.

use serde_json::json;

use super::{STOP, fixed, with_stage};
use crate::intent::{FILE, INTENTS};
use crate::world::{denies, payload};

#[test]
fn the_engine_selects_the_intent_before_the_first_call() {
    let program = env!("CARGO_BIN_EXE_stead");
    let script = format!("{program} hook claude PreToolUse < call.json > reply.json\n{STOP}\n");
    let world = with_stage(&format!("{}intent: INT-002\n", fixed(1)), &script);
    world.write(FILE, INTENTS);
    let call = |file: &str| {
        let input = json!({"file_path": world.project().join(file), "content": "x"});
        let own = json!({"session_id": "new", "tool_name": "Write", "tool_input": input, "tool_use_id": "c"});
        world.write("project/call.json", payload(&world, "PreToolUse", own));
    };
    let reply = || world.read("project/reply.json");
    call("docs/x.md");
    world.stead(&["run", "stage", "chore", "one"]).ok();
    assert!(!denies(&reply()), "{}", reply());
    assert!(world.read(FILE).contains("name: Docs\n    status: IN_PROGRESS"));
    call("src/x.rs");
    world.stead(&["run", "stage", "chore", "two"]).ok();
    assert!(reply().contains("Scope Violation: INT-002 is not authorized to edit src/x.rs."), "{}", reply());
    world.stead(&["run", "stage", "chore", "three", "--intent", "INT-001"]).ok();
    assert!(!denies(&reply()), "{}", reply());
    world.stead(&["run", "stage", "chore", "four", "--intent", "NOPE"]).ok();
    assert!(reply().contains("There is no intent `NOPE`"), "{}", reply());
}
