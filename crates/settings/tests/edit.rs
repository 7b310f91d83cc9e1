//! Lines go in and come out without a trace, whatever the person's file looks like.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::path::Path;

use proptest::prelude::*;
use serde_json::json;
use stead_model::Shape;
use stead_settings::{NewLine, SettingsError, Watch, has_our_lines, insert, our_lines, remove};

fn lines(program: &str) -> Vec<NewLine<'static>> {
    let entry =
        |event: &str| json!({"type": "command", "command": format!("{program} hook claude {event}"), "timeout": 10});
    vec![
        NewLine { event: "SessionStart", matcher: None, entry: entry("SessionStart") },
        NewLine { event: "PreToolUse", matcher: Some("*"), entry: entry("PreToolUse") },
        NewLine { event: "Stop", matcher: None, entry: entry("Stop") },
    ]
}

fn watch(shape: Shape, clauses: &'static str) -> Watch<'static> {
    Watch { shape, clauses, variables: &["HOME"], project: &[], file: Path::new("/settings") }
}

fn list_lines() -> Vec<NewLine<'static>> {
    let entry = |event: &str| json!({"command": format!("stead hook kimi {event}"), "timeout": 10});
    vec![
        NewLine { event: "PreToolUse", matcher: Some(".*"), entry: entry("PreToolUse") },
        NewLine { event: "Stop", matcher: None, entry: entry("Stop") },
    ]
}

/// Puts lines in twice and takes them out again; gives the text with the lines.
#[track_caller]
fn round_trip(shape: Shape, lines: &[NewLine<'_>], text: &str) -> String {
    let with = insert(shape, Some(text), lines).unwrap();
    assert_eq!(insert(shape, Some(&with), lines).unwrap(), with, "inserting twice");
    assert_eq!(our_lines(shape, &with).unwrap().len(), lines.len(), "{with}");
    assert!(watch(shape, "").judge(Some(&with), &with).is_empty(), "{with}");
    let without = remove(shape, &with).unwrap().unwrap();
    assert_eq!(without, text, "with the lines it was:\n{with}");
    with
}

#[test]
fn a_new_json_document() {
    let text = insert(Shape::Groups, None, &lines("stead")[..2]).unwrap();
    assert_eq!(
        text,
        r#"{
  "hooks": {
    "SessionStart": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "stead hook claude SessionStart",
            "timeout": 10
          }
        ]
      }
    ],
    "PreToolUse": [
      {
        "matcher": "*",
        "hooks": [
          {
            "type": "command",
            "command": "stead hook claude PreToolUse",
            "timeout": 10
          }
        ]
      }
    ]
  }
}
"#
    );
    assert_eq!(insert(Shape::Groups, Some(""), &lines("stead")[..2]).unwrap(), text);
}

#[test]
fn a_new_flat_document_has_a_version() {
    let line = NewLine { event: "stop", matcher: None, entry: json!({"command": "stead hook cursor stop"}) };
    let text = insert(Shape::Flat, None, &[line]).unwrap();
    assert!(text.starts_with("{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n"), "{text}");
}

#[test]
fn a_new_toml_document() {
    let text = insert(Shape::TomlList, None, &list_lines()).unwrap();
    assert_eq!(
        text,
        r#"[[hooks]]
event = "PreToolUse"
matcher = ".*"
command = "stead hook kimi PreToolUse"
timeout = 10

[[hooks]]
event = "Stop"
command = "stead hook kimi Stop"
timeout = 10
"#
    );
}

#[test]
fn odd_texts_come_back_byte_for_byte() {
    for text in [
        "{}",
        "{}\n",
        "{\"a\":1}",
        "{\"a\":1,}\n",
        "{ \"a\": 1 }",
        "\u{feff}{\r\n\t\"a\": 1 // one\r\n}\r\n",
        "// head\n{\n    /* in */ \"a\": [1, 2,], // tail\n    // last\n}\n// foot",
        "{\n  \"hooks\": {\n    \"Stop\": [ {\"hooks\": [{\"command\": \"mine\"}]} ] // keep\n  },\n}\n",
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"mine\"}]}]}}",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": []\n      },\n      // why\n    ]\n  }\n}",
    ] {
        round_trip(Shape::Groups, &lines("stead"), text);
    }
    round_trip(Shape::BareGroups, &lines("stead"), "{\n  \"Stop\": [\n    {\"hooks\": []}\n  ]\n}\n");
    round_trip(Shape::Flat, &lines("stead"), "{\"version\": 1, \"x\": [\n]}\n");
    for text in [
        "",
        "a = 1",
        "a = 1\n",
        "a = 1\r\n# c\r\n[b]\r\n",
        "# only\n\n\n",
        "[[hooks]]\nevent = \"Stop\"\ncommand = \"x\" # c\n",
    ] {
        if text.is_empty() {
            continue;
        }
        round_trip(Shape::TomlList, &list_lines(), text);
    }
    round_trip(Shape::TomlGroups, &lines("stead"), "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"x\"\n[z]\n");
}

#[test]
fn our_groups_come_after_the_persons() {
    let mine = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"command\": \"mine\"}]}\n    ]\n  }\n}\n";
    let with = round_trip(Shape::Groups, &lines("stead"), mine);
    assert!(with.find("mine").unwrap() < with.find("stead hook claude Stop").unwrap());
    let with =
        round_trip(Shape::TomlList, &list_lines(), "[[hooks]]\nevent = \"Stop\"\ncommand = \"mine\"\n[z]\na = 1\n");
    assert!(with.find("[z]").unwrap() < with.find("stead hook kimi").unwrap());
}

#[test]
fn an_outdated_line_is_replaced_where_it_stands() {
    let old = insert(Shape::Groups, None, &lines("/old/stead")).unwrap();
    let old = old.replace("\"Stop\": [", "\"Stop\": [ // first");
    let then = insert(
        Shape::Groups,
        Some(&old.replace("      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"/old/stead hook claude Stop\"", "      {\n        \"hooks\": [\n          {\"command\": \"before\"},\n          {\n            \"type\": \"command\",\n            \"command\": \"/old/stead hook claude Stop\"")),
        &lines("stead"),
    )
    .unwrap();
    let stop = &then[then.find("\"Stop\"").unwrap()..];
    assert!(stop.starts_with("\"Stop\": [ // first"), "{stop}");
    assert!(stop.find("before").unwrap() < stop.find("stead hook claude Stop").unwrap());
    assert!(!then.contains("/old/stead"), "{then}");
    assert_eq!(our_lines(Shape::Groups, &then).unwrap().len(), 3);

    let toml = insert(Shape::TomlList, Some("a = 1\n"), &list_lines()).unwrap();
    let aged = toml.replace("timeout = 10", "timeout = 3");
    assert_eq!(insert(Shape::TomlList, Some(&aged), &list_lines()).unwrap(), toml);
}

#[test]
fn a_line_with_another_matcher_or_of_a_past_event_goes() {
    let with = insert(Shape::Groups, None, &lines("stead")).unwrap();
    let aged =
        with.replace("\"matcher\": \"*\"", "\"matcher\": \"Bash\"").replace("\"SessionStart\": [", "\"Setup\": [");
    let renewed = insert(Shape::Groups, Some(&aged), &lines("stead")).unwrap();
    let events: Vec<_> = our_lines(Shape::Groups, &renewed).unwrap().into_iter().map(|line| line.event).collect();
    assert_eq!(events, ["PreToolUse", "Stop", "SessionStart"]);
    assert!(!renewed.contains("Setup") && !renewed.contains("Bash"), "{renewed}");
}

#[test]
fn lines_of_another_harness_stay() {
    let other = insert(
        Shape::Groups,
        None,
        &[NewLine { event: "Stop", matcher: None, entry: json!({"command": "stead hook qwen Stop"}) }],
    )
    .unwrap();
    let both = insert(Shape::Groups, Some(&other), &lines("stead")).unwrap();
    assert_eq!(our_lines(Shape::Groups, &both).unwrap().len(), 4);
}

#[test]
fn texts_that_cannot_take_lines_give_errors() {
    let fails = |shape, text: &str| insert(shape, Some(text), &lines("stead")).unwrap_err();
    assert!(matches!(fails(Shape::Groups, "{\n \"a\" 1}"), SettingsError::Parse { line: 2, column: 6, .. }));
    assert_eq!(fails(Shape::Groups, "[]").to_string(), "`/` is not an object");
    assert_eq!(fails(Shape::Groups, "{\"hooks\": []}").to_string(), "`/hooks` is not an object");
    assert_eq!(fails(Shape::Groups, "{\"hooks\": {\"Stop\": {}}}").to_string(), "`/hooks/Stop` is not a list");
    assert!(matches!(fails(Shape::TomlList, "a = 1\nb ="), SettingsError::Parse { line: 2, .. }));
    assert_eq!(fails(Shape::TomlList, "hooks = []\n").to_string(), "`hooks` is not written as `[[…]]` tables");
    assert_eq!(fails(Shape::Whole, "export default 1").to_string(), "`/` is not a file that Stead wrote");
    assert!(remove(Shape::Groups, "{").is_err());
    assert!(has_our_lines(Shape::Groups, "{ broken stead hook claude"));
}

/// Blank space and comments as they stand between tokens.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        4 => Just(" ".to_owned()),
        3 => Just("\n  ".to_owned()),
        2 => Just("\n\t".to_owned()),
        1 => Just("\n\n    ".to_owned()),
        1 => Just(" /* why */ ".to_owned()),
        1 => Just(" // because\n ".to_owned()),
    ]
}

/// A JSON value as text, with gaps everywhere.
fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("-1.5e3".to_owned()),
        "[a-z {}\\[\\],:/*é]{0,6}".prop_map(|text| json!(text).to_string()),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec((gap(), inner.clone(), gap()), 1..4).prop_flat_map(|items| {
                let body: Vec<String> = items.iter().map(|(a, item, b)| format!("{a}{item}{b}")).collect();
                (Just(body.join(",")), any::<bool>(), gap()).prop_map(|(body, trailing, end)| {
                    if trailing { format!("[{body},{end}]") } else { format!("[{body}]") }
                })
            }),
            members(inner).prop_map(|body| format!("{{{body}}}")),
        ]
    })
}

fn members(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let member = (gap(), gap(), gap(), value, gap());
    (prop::collection::vec(member, 1..4), any::<bool>(), gap()).prop_map(|(members, trailing, end)| {
        let body: Vec<String> = members
            .iter()
            .enumerate()
            .map(|(index, (a, b, c, value, d))| format!("{a}\"key{index}\"{b}:{c}{value}{d}"))
            .collect();
        if trailing { format!("{},{end}", body.join(",")) } else { body.join(",") }
    })
}

/// A settings document: the person's members, perhaps with hooks of their own.
fn settings() -> impl Strategy<Value = String> {
    let foreign =
        (gap(), gap(), gap()).prop_map(|(a, b, c)| format!("{a}{{\"hooks\":{b}[{{\"command\":\"mine\"}}]{c}}}"));
    let hooks = prop::option::of((prop::collection::vec(foreign, 1..3), gap(), gap(), any::<bool>()));
    (gap(), members(json_text()), hooks, gap(), any::<bool>(), any::<bool>()).prop_map(
        |(head, members, hooks, foot, is_crlf, has_bom)| {
            let hooks = hooks.map_or_else(String::new, |(groups, a, b, trailing)| {
                let comma = if trailing { "," } else { "" };
                format!("\"hooks\":{a}{{\"Stop\":[{}{comma}{b}]{a}}},", groups.join(","))
            });
            let text = format!("{head}{{{hooks}{members}}}{foot}");
            let text = if is_crlf { text.replace('\n', "\r\n") } else { text };
            if has_bom { format!("\u{feff}{text}") } else { text }
        },
    )
}

fn toml_text() -> impl Strategy<Value = String> {
    let block = prop_oneof![
        Just("a = 1\n".to_owned()),
        Just("# words\n".to_owned()),
        Just("\n".to_owned()),
        Just("list = [\n  1, # one\n]\n".to_owned()),
    ];
    let table = (0..9u8, any::<bool>()).prop_map(|(index, is_hook)| {
        if is_hook {
            "[[hooks]]\nevent = \"Stop\" # mine\ncommand = '''\n[[x]]\n'''\n".to_owned()
        } else {
            format!("[[t{index}]] # t\n  b = {{ c = 1 }}\n\n")
        }
    });
    (prop::option::of(block.clone()), prop::collection::vec(table, 1..4), prop::option::of("# end"), any::<bool>())
        .prop_map(|(head, tables, end, is_crlf)| {
            let text = format!("{}{}{}", head.unwrap_or_default(), tables.concat(), end.unwrap_or_default());
            if is_crlf { text.replace('\n', "\r\n") } else { text }
        })
}

proptest! {
    #[test]
    fn json_comes_back_byte_for_byte(text in settings()) {
        round_trip(Shape::Groups, &lines("stead"), &text);
    }

    #[test]
    fn other_json_shapes_come_back_byte_for_byte(text in settings()) {
        round_trip(Shape::BareGroups, &lines("stead"), &text);
        round_trip(Shape::Flat, &lines("stead"), &text.replacen('{', "{\"version\": 1,", 1));
    }

    #[test]
    fn toml_comes_back_byte_for_byte(text in toml_text()) {
        round_trip(Shape::TomlList, &list_lines(), &text);
    }

    #[test]
    fn any_text_gives_an_answer(text in ".{0,40}", shape in prop::sample::select(Shape::ALL.to_vec())) {
        let _ = insert(shape, Some(&text), &lines("stead"));
        let _ = remove(shape, &text);
        let watch = watch(shape, "same:/a/* off:/b=1 env:/c trust:/d/{here}");
        let _ = watch.judge(Some(&text), &text);
        let _ = watch.restore(Some("{\"d\": [\"/p\"]}"), &text);
    }
}
