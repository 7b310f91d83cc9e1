//! Who is calling: every payload under every name, inside every other client.

use stead_client::{Harness, Members, Signs, detect};

use crate::fixture::Fixture;

/// What a client sets for its hooks, as far as it was seen or documented.
fn environment(harness: Harness, session: &str) -> Vec<(&'static str, String)> {
    let project = || "/home/dev/project".to_owned();
    match harness.name() {
        "claude" => vec![
            ("CLAUDECODE", "1".into()),
            ("CLAUDE_PROJECT_DIR", project()),
            ("CLAUDE_CODE_SESSION_ID", session.to_owned()),
        ],
        "codex" => vec![("CODEX_HOME", "/home/dev/.codex".into())],
        "gemini" => vec![
            ("GEMINI_PROJECT_DIR", project()),
            ("GEMINI_SESSION_ID", session.to_owned()),
            ("CLAUDE_PROJECT_DIR", project()),
        ],
        "qwen" => vec![
            ("QWEN_PROJECT_DIR", project()),
            ("GEMINI_PROJECT_DIR", project()),
            ("CLAUDE_PROJECT_DIR", project()),
            ("QWEN_CODE_SESSION_ID", session.to_owned()),
        ],
        "droid" => vec![
            ("DROID_PROJECT_DIR", project()),
            ("FACTORY_PROJECT_DIR", project()),
            ("CLAUDE_PROJECT_DIR", project()),
        ],
        "grok" => vec![
            ("GROK_WORKSPACE_ROOT", project()),
            ("CLAUDE_PROJECT_DIR", project()),
            ("GROK_SESSION_ID", session.to_owned()),
        ],
        "cursor" => vec![("CURSOR_VERSION", "2026.09.18".into()), ("CLAUDE_PROJECT_DIR", project())],
        "copilot" => vec![("COPILOT_CLI", "1".into())],
        _ => Vec::new(),
    }
}

fn found(named: Harness, payload: &str, env: &[(&str, String)]) -> Harness {
    let lookup = |key: &str| env.iter().rev().find(|(name, _)| *name == key).map(|(_, value)| value.clone());
    detect(named, &Signs::new(&Members::of(payload), &lookup))
}

/// Payloads that say nothing about their sender; nothing of ours asks for them.
const SILENT: [&str; 3] = ["opencode/config.json", "opencode/dispose.json", "opencode/plugin.init.json"];

#[test]
fn a_payload_is_its_senders_whatever_the_line_says() {
    for fixture in Fixture::all() {
        let session = fixture.session();
        for named in Harness::ALL {
            for outer in Harness::ALL {
                // The outer client started the sender in a shell and left its variables behind.
                let mut env = environment(outer, "another-session");
                env.extend(environment(fixture.harness, &session));
                let expected = if SILENT.contains(&&*fixture.file) { named } else { fixture.harness };
                let found = found(named, &fixture.payload, &env);
                assert_eq!(found, expected, "{} named {named} inside {outer}", fixture.file);
            }
        }
    }
}

#[test]
fn without_a_sign_the_line_is_right() {
    for named in Harness::ALL {
        for payload in ["{}", r#"{"hook_event_name":"PreToolUse","session_id":"x"}"#, "", "not json", "[1]"] {
            assert_eq!(found(named, payload, &[]), named, "{payload}");
            let env: Vec<_> = Harness::ALL.into_iter().flat_map(|outer| environment(outer, "outer")).collect();
            assert_eq!(found(named, payload, &env), named, "{payload}");
        }
    }
}

#[test]
fn an_editor_that_is_not_known_is_not_taken_for_another() {
    let payload = r#"{"timestamp":"2026-08-01T10:00:00.000Z","cwd":"/p","session_id":"s","hook_event_name":"PreToolUse","transcript_path":"/t.json","tool_name":"editFiles","tool_input":{}}"#;
    assert_eq!(found(Harness::Claude, payload, &[]), Harness::Claude);
}
