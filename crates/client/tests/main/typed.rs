//! Which recorded events prove that a person typed a command of Stead.

use stead_client::Harness;

use crate::fixture::Fixture;

/// The recorded payloads in which a person typed a command, and what replaces that command and its text.
const TYPED: &[(&str, &[(&str, &str)])] = &[
    ("claude/UserPromptExpansion.json", &[("\"greet\"", "\"stead:loop\""), ("\"Bob\"", "\"cancel x\"")]),
    ("codex/UserPromptSubmit.json", &[("$myskill do the thing", "$stead-loop cancel x")]),
    ("qwen/UserPromptExpansion.json", &[("\"hello\"", "\"stead:loop\""), ("\"world\"", "\"cancel x\"")]),
    ("opencode/command.execute.before.json", &[("\"hello\"", "\"stead-loop\""), ("\"world\"", "\"cancel x\"")]),
    ("kilo/command.execute.before.json", &[("\"hello\"", "\"stead-loop\""), ("\"world\"", "\"cancel x\"")]),
];

fn typed(fixture: &Fixture, payload: &str) -> Option<(String, String)> {
    let event = fixture.harness.client().decode(payload, Some(&fixture.named)).unwrap();
    event.typed.map(|typed| (typed.name.into_owned(), typed.arguments.into_owned()))
}

#[test]
fn a_typed_command_shows_in_the_recorded_events_and_in_no_other() {
    let mut proven = Vec::new();
    for fixture in Fixture::all() {
        assert_eq!(typed(&fixture, &fixture.payload), None, "{}", fixture.file);
        let known = TYPED.iter().find(|(file, _)| *file == fixture.file);
        let changed = match known {
            Some((_, changes)) => {
                changes.iter().fold(fixture.payload.clone(), |text, (from, to)| text.replace(from, to))
            }
            // Elsewhere, the command as text proves nothing.
            None => {
                let commands = &fixture.harness.client().facts.commands;
                let text = commands.typed.replace("{name}", "loop") + " cancel x";
                match fixture.harness {
                    // This client's prompt is the proof, except a sub-agent's.
                    Harness::Codex if !fixture.file.contains("in-subagent") => continue,
                    _ => with_prompt(&fixture.payload, &text),
                }
            }
        };
        let expected = known.map(|_| ("loop".to_owned(), "cancel x".to_owned()));
        assert_eq!(typed(&fixture, &changed), expected, "{}", fixture.file);
        proven.extend(known.map(|_| fixture.harness));
    }
    proven.sort();
    let claimed: Vec<_> =
        Harness::ALL.into_iter().filter(|harness| harness.client().facts.typed_by.is_some()).collect();
    assert_eq!(proven, claimed);
}

/// The payload with another prompt.
fn with_prompt(payload: &str, text: &str) -> String {
    let mut value: serde_json::Value = serde_json::from_str(payload).unwrap();
    if let Some(prompt) = value.get_mut("prompt") {
        *prompt = text.into();
    }
    value.to_string()
}

#[test]
fn a_client_that_proves_it_has_the_event_and_names_its_sub_agents() {
    for harness in Harness::ALL {
        let client = harness.client();
        let Some(event) = client.facts.typed_by else { continue };
        assert!(client.event(event).is_some(), "{harness}");
        assert!(client.facts.install.lines.iter().any(|line| line.event == event), "{harness}");
        // Otherwise a sub-agent could use what was granted to the main agent.
        assert!(client.facts.marks_calls, "{harness}");
    }
}

#[test]
fn a_skill_in_a_sentence_is_not_a_command() {
    let fixture = Fixture::all().into_iter().find(|fixture| fixture.file == "codex/UserPromptSubmit.json").unwrap();
    let check = |prompt: &str, expected: Option<(&str, &str)>| {
        let found = typed(&fixture, &with_prompt(&fixture.payload, prompt));
        let found = found.as_ref().map(|(name, arguments)| (name.as_str(), arguments.as_str()));
        assert_eq!(found, expected, "{prompt}");
    };
    check("$stead-loop cancel x", Some(("loop", "cancel x")));
    check("  $stead-loop\n", Some(("loop", "")));
    check("$stead-loop\tcancel 'a b'", Some(("loop", "cancel 'a b'")));
    check("please $stead-loop cancel x", None);
    check("run `$stead-loop cancel x`", None);
    check("$steady cancel x", None);
    check("stead loop cancel x", None);
    check("", None);
}

#[test]
fn a_client_that_will_prompt_itself_says_so() {
    for file in ["claude/Stop.json", "qwen/Stop.json"] {
        let fixture = Fixture::all().into_iter().find(|fixture| fixture.file == file).unwrap();
        let scheduled =
            |payload: &str| fixture.harness.client().decode(payload, Some(&fixture.named)).unwrap().scheduled;
        assert!(!scheduled(&fixture.payload), "{file}");
        let full = fixture.payload.replace("crons\": []", "crons\": [{}]").replace("crons\":[]", "crons\":[{}]");
        assert!(scheduled(&full), "{file}");
    }
}
