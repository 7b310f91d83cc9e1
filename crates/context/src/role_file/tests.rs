use proptest::prelude::*;

use super::fix::Fixed;
use super::template::NAMED;
use super::*;
use crate::RoleName;

const GOOD: &str = "\
# OOSH Expert — Session Context

**Updated**: 2026-02-03T12:15Z
**Role**: oosh-expert (implementation)
**Pane**: 0.4 in work

## Recovery Steps
1. Read this file
2. Go on

## Completed Work
### Task 8: Navigation (DONE — commit c2c326f)
- tree output

## Pending
- nothing

## Key Files
- `a`: why
";

fn role() -> RoleName {
    RoleName::check("oosh-expert").unwrap()
}

fn mended(text: &str) -> String {
    fix(text, &role(), "2026-11-15T20:00Z").text
}

/// Replaces one piece of the good file and gives `line severity rule` of each finding.
#[track_caller]
fn check_changed(old: &str, new: &str, expected: &[&str]) {
    assert!(GOOD.contains(old), "{old:?} is not in the good file");
    check_text(&GOOD.replacen(old, new, 1), expected);
}

#[track_caller]
fn check_text(text: &str, expected: &[&str]) {
    let shown: Vec<String> = check(text)
        .iter()
        .map(|finding| format!("{} {} {}", finding.line, finding.severity.name(), finding.rule))
        .collect();
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn the_title_is_a_rule() {
    check_text(GOOD, &[]);
    check_changed("Session Context", "Context", &[]);
    check_changed("# OOSH Expert — Session Context", "# X — Context  ", &[]);
    check_changed("# OOSH", "## OOSH", &["1 error title"]);
    check_changed("# OOSH", "#OOSH", &["1 error title"]);
    check_changed("# OOSH", "\n# OOSH", &["1 error title"]);
    check_changed("Session Context", "Session Notes", &["1 error title"]);
    check_changed("Session Context", "NonContext", &["1 error title"]);
    check_changed("Session Context", "session context", &["1 error title"]);
    check_changed("—", "-", &["1 error title"]);
    check_changed("—", "–", &["1 error title"]);
    check_changed("OOSH Expert ", "", &["1 error title"]);
}

#[test]
fn the_fields_are_rules() {
    check_changed("**Updated**: 2026-02-03T12:15Z", "**Updated**: 2026-02-03", &[]);
    check_changed("2026-02-03T12:15Z", "yesterday", &["3 error updated"]);
    check_changed("2026-02-03T12:15Z", "2026-2-3", &["3 error updated"]);
    check_changed("2026-02-03T12:15Z", "2026-13-03", &["3 error updated"]);
    check_changed("2026-02-03T12:15Z", "12026-02-034", &["3 error updated"]);
    check_changed("2026-02-03T12:15Z", "", &["3 error field-empty"]);
    check_changed("**Updated**: 2", "**Updated:** 2", &["3 error field-form"]);
    check_changed("**Role**: ", "Role: ", &["4 error field-form"]);
    check_changed("**Pane**: 0.4 in work\n", "", &["6 error field-missing"]);
    check_changed("**Role**: oosh-expert", "**Pane**: 1\n**Role**: oosh-expert", &["6 error field-repeated"]);
    check_changed(
        "**Updated**",
        "\n\n\n\n**Updated**",
        &["7 error field-place", "8 error field-place", "9 error field-place"],
    );
    // Below the head the words are free.
    check_changed("- nothing", "**Role**: somebody else's", &[]);
    check_changed("**Pane**: 0.4 in work\n\n", "```\n**Pane**: example\n```\n", &["6 error field-missing"]);
}

#[test]
fn the_required_sections_are_rules() {
    check_changed("## Recovery Steps", "## Recovery Steps After Compact", &[]);
    check_changed("## Completed Work", "## Completed Work This Session", &[]);
    check_changed("## Recovery Steps", "## Recovery", &["19 error recovery-missing"]);
    check_changed("## Recovery Steps", "### Recovery Steps", &["19 error recovery-missing"]);
    check_changed("## Completed Work", "## Completed This Session", &["19 error completed-missing"]);
    check_changed("1. Read this file\n2. Go on", "- Read this file", &["7 error recovery-steps"]);
    check_changed("1. Read this file\n2. Go on", "1.\n2.", &["7 error recovery-steps"]);
    check_changed("1. Read this file\n2. Go on", "```\n1. Read this file\n```", &["7 error recovery-steps"]);
    check_changed("## Recovery Steps", "```\n## Recovery Steps\n```", &["21 error recovery-missing"]);
    // A block that is never closed hides nothing.
    check_changed("## Recovery Steps", "```\n## Recovery Steps", &[]);
}

#[test]
fn what_should_be_is_a_warning() {
    check_changed("1. Read this file", "1. read this file first", &[]);
    check_changed("1. Read this file", "1. Look around", &["8 warning first-step"]);
    check_changed("### Task 8: Navigation (DONE — commit c2c326f)\n- tree", "1. tree (DONE)\n   2. nested", &[]);
    check_changed("### Task 8: Navigation (DONE — commit c2c326f)\n- tree output\n", "", &[]);
    check_changed("### Task 8: Navigation (DONE — commit c2c326f)\n", "", &["11 warning completed-form"]);
    check_changed(" (DONE — commit c2c326f)", "", &["12 warning done-mark"]);
    check_changed(" (DONE — commit c2c326f)", " (DONENESS)", &["12 warning done-mark"]);
    check_changed("## Pending", "## Pending Tasks", &[]);
    check_changed("## Pending\n- nothing\n", "", &["17 warning pending-missing"]);
    check_changed("## Key Files", "## Other Files", &["19 warning key-files-missing"]);
    check_changed("## Key Files", "## Key Rules\n\n## Anything\n\n## Key Files", &[]);
}

#[test]
fn odd_files_are_read() {
    check_text(&GOOD.replace('\n', "\r\n"), &[]);
    check_text(&format!("\u{feff}{GOOD}"), &[]);
    check_text(
        "",
        &[
            "1 error title",
            "1 error field-missing",
            "1 error field-missing",
            "1 error field-missing",
            "1 error recovery-missing",
            "1 error completed-missing",
            "1 warning pending-missing",
            "1 warning key-files-missing",
        ],
    );
    check_text(&format!("{GOOD}\n{}", "x\n".repeat(400_000)), &[]);
    // Many openings without an end once took quadratic time.
    check_text(&format!("{GOOD}\n{}", "```x\n".repeat(200_000)), &[]);
}

#[test]
fn files_beyond_reason_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.context.md");
    assert!(read_role_file(&path).unwrap().is_none());
    std::fs::write(&path, "x".repeat(10 * 1024 * 1024)).unwrap();
    let error = read_role_file(&path).unwrap_err();
    assert!(std::error::Error::source(&error).unwrap().to_string().contains("more than 1048576 bytes"), "{error:?}");
    std::fs::write(&path, b"# A\n\xff\n").unwrap();
    assert!(read_role_file(&path).unwrap_err().to_string().ends_with("line 2: the bytes are not UTF-8 text"));
}

#[test]
fn a_new_file_has_nothing_to_find() {
    check_text(&template(&role(), Some("implements"), "unknown", "2026-11-15T20:00Z"), &[]);
    for name in NAMED {
        assert!(FORMAT.contains(name), "the printed format does not mention {name:?}");
    }
    assert!(FORMAT.contains(&format!("the first {HEAD} lines")));
}

#[test]
fn a_good_file_is_left_alone() {
    for text in [GOOD.to_owned(), GOOD.replace('\n', "\r\n"), format!("\u{feff}{GOOD}"), GOOD.trim_end().to_owned()] {
        assert_eq!(fix(&text, &role(), "x"), Fixed { text: text.clone(), done: Vec::new() });
    }
}

#[track_caller]
fn check_mended(old: &str, new: &str, expected: &str) {
    assert!(GOOD.contains(old), "{old:?} is not in the good file");
    assert_eq!(mended(&GOOD.replacen(old, new, 1)), GOOD.replacen(old, expected, 1));
}

#[test]
fn mechanical_faults_are_mended() {
    let title = "# OOSH Expert — Session Context";
    check_mended(title, "# OOSH Expert - Session Context", title);
    check_mended(title, "# OOSH Expert: Context", title);
    check_mended(title, "# OOSH Expert", title);
    check_mended(title, "\n\n## OOSH Expert -- session context", title);
    check_mended(title, "# Context", "# Oosh Expert — Session Context");
    check_mended("**Updated**: 2", "- **Last Updated:** 2", "**Updated**: 2");
    check_mended("**Role**: ", "role : ", "**Role**: ");
    check_mended("**Pane**: 0.4 in work", "**Pane**:", "**Pane**: unknown");
    check_mended("**Pane**: 0.4 in work\n", "", "**Pane**: unknown\n");
    check_mended("## Completed Work", "## Completed This Session", "## Completed Work");
    check_mended("## Recovery Steps", "## recovery steps (short)", "## Recovery Steps (short)");
    check_mended("## Pending", "## TODO:", "## Pending");
    check_mended("1. Read this file\n2. Go on", "- Read this file\n- Go on", "1. Read this file\n2. Go on");
    check_mended("1. Read this file\n2. Go on\n", "", "1. Read this file\n");
}

#[test]
fn a_file_without_form_gets_one() {
    let text = mended("some notes\r\nfrom before\r\n");
    assert_eq!(
        text,
        "# Oosh Expert — Session Context\n\n**Updated**: 2026-11-15T20:00Z\n**Role**: oosh-expert\n**Pane**: unknown\n\n\
         some notes\nfrom before\n\n## Recovery Steps\n1. Read this file\n\n## Completed Work\n"
            .replace('\n', "\r\n")
    );
    check_text(&text, &["13 warning pending-missing", "13 warning key-files-missing"]);
}

#[test]
fn what_only_the_author_knows_stays_wrong() {
    assert_eq!(mended(&GOOD.replace("2026-02-03T12:15Z", "today")), GOOD.replace("2026-02-03T12:15Z", "today"));
}

fn lines() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("# A — Session Context".to_owned()),
        Just("# Context".to_owned()),
        Just("## Context notes".to_owned()),
        Just("Updated: 2026-01-01".to_owned()),
        Just("**Updated**: 2026-01-01".to_owned()),
        Just("**Role**:".to_owned()),
        Just("- **Pane:** 1".to_owned()),
        Just("## Recovery Steps".to_owned()),
        Just("## recovery".to_owned()),
        Just("## Done".to_owned()),
        Just("1. Read this file".to_owned()),
        Just("- item".to_owned()),
        Just("```".to_owned()),
        Just("~~~~ x".to_owned()),
        Just(String::new()),
        "\\PC{0,20}",
    ];
    let end = prop_oneof![Just("\n"), Just("\r\n")];
    (prop::collection::vec((line, end), 0..14), prop::bool::ANY).prop_map(|(lines, last)| {
        let mut text: String = lines.iter().map(|(line, end)| format!("{line}{end}")).collect();
        if last {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    })
}

proptest! {
    #[test]
    fn mending_twice_is_mending_once(text in lines()) {
        let once = mended(&text);
        let twice = fix(&once, &role(), "2027-01-01");
        prop_assert_eq!(&twice.text, &once, "{:?}", twice.done);
        prop_assert!(twice.done.is_empty());
    }

    #[test]
    fn mending_leaves_only_what_the_author_must_do(text in lines()) {
        for finding in check(&mended(&text)) {
            let known = matches!(finding.rule, "updated" | "field-repeated");
            prop_assert!(!finding.is_error() || known, "{finding}");
        }
    }

    #[test]
    fn reading_keeps_every_byte(text in "(?s).{0,80}") {
        prop_assert_eq!(outline::Outline::read(&text).write(), text);
    }

    #[test]
    fn words_of_the_author_survive(text in "[a-z]{4,8}( [a-z]{4,8}){0,3}") {
        let file = format!("# X Context\n\n## Notes\n{text}\n");
        prop_assert!(mended(&file).contains(&text));
    }
}
