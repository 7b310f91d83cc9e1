//! How each program is run without a person.

use std::collections::BTreeSet;

use stead_client::Harness;

#[test]
fn tables_are_whole_and_harmless() {
    let dangerous = ["yolo", "danger", "bypass", "skip-permissions"];
    for harness in Harness::ALL {
        let headless = &harness.client().headless;
        assert!(!headless.args.is_empty() && !headless.may.is_empty() && !headless.heed.is_empty(), "{harness}");
        assert!(!headless.args.iter().any(|arg| dangerous.iter().any(|word| arg.contains(word))), "{harness}");
    }
}

#[test]
fn no_variable_of_a_session_is_listed_twice() {
    let all: Vec<_> = Harness::session_vars().collect();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
    assert!(all.len() > 20);
}

#[test]
fn any_output_is_read_without_harm() {
    for harness in Harness::ALL {
        let read = harness.client().headless.read;
        for garbage in
            ["", "{}", "{", "null\n[]\n{\"type\":7}", "{\"type\":\"result\"}\n{\"role\":\"assistant\"}", "\u{0}"]
        {
            let report = read(garbage);
            assert_eq!((report.message, report.cost_usd, report.quota), (None, None, None), "{harness} {garbage}");
        }
        let nonsense = r#"{"type":"result","total_cost_usd":-1e999,"result":["x"],"session_id":{}}
{"type":"step_finish","part":{"cost":-3}}"#;
        assert_eq!(read(nonsense).cost_usd, None, "{harness}");
    }
}
