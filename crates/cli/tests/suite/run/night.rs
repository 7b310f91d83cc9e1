//! A whole night: the time is up, in the morning somebody gives the run more, it ends unverified, and its page says so.

use super::{events, run_file, state, with_stage};

const HEAD: &str = "termination:\n  type: judgment\n  min_iterations: 1\n  consensus: 1\nguardrails:\n  max_iterations: 3\n  \
    max_runtime_seconds: 8\nverify: [\"echo checked\", \"test -e proof\"]\n";

/// It hangs in its second iteration, until it is morning.
const AGENT: &str = r#"
echo "$STEAD_ITERATION" >> "$STEAD_PROGRESS"
say() { printf '{"decision":"%s","reason":"%s","summary":"%s","work":{"files_touched":["src/parse.rs"]}}' "$@" > "$STEAD_STATUS"; }
[ $STEAD_ITERATION = 1 ] && { say continue "the parser is next" "Rewrote the lexer."; exit; }
[ -e morning ] || exec sleep 600
say stop "nothing is left" "Repaired the parser | and its tests."
"#;

#[test]
fn a_night_that_was_too_short_is_extended_and_told_on_one_page() {
    let world = with_stage(HEAD, AGENT);
    let night = world.stead(&["run", "stage", "chore", "night"]);
    assert_eq!((night.code, &state(&world, "night")["status"]), (3, &"limit".into()), "{night}");
    let resume = "stead run stage chore night --resume --max-runtime 16s";
    assert!(night.stderr.contains(resume), "{night}");
    assert_eq!(world.stead(&["wait", "night"]).code, 3);

    world.write("project/morning", "");
    let morning = world.stead(&["run", "stage", "chore", "night", "--resume", "--max-runtime", "1h"]);
    assert_eq!((morning.code, &state(&world, "night")["status"]), (6, &"unverified".into()), "{morning}");
    assert_eq!(events(&world, "night", "plan-amended").len(), 1);
    assert_eq!(events(&world, "night", "withheld").len(), 2);
    let notes = world.read(run_file("night/stage-00-chore/progress.md"));
    assert_eq!(notes, "# Progress of chore\n1\n2\n3\n", "the attempt that hung is not in it");

    let written = world.stead(&["report", "night"]).ok();
    assert_eq!(written, ".agent/runs/night/report/index.md\n");
    insta::assert_snapshot!(timeless(&world.read(run_file("night/report/index.md"))));
    let image = world.read(run_file("night/report/timeline.svg"));
    assert_eq!((image.matches("<rect ").count(), image.matches(">resumed<").count()), (1 + 6 + 4, 1), "{image}");
    let page = world.stead(&["report", "night", "--json"]).json();
    assert_eq!((page["attempts"].as_array().map(Vec::len), &page["status"]), (Some(4), &"unverified".into()), "{page}");
    world.stead(&["report", "night", "--output", "docs/night"]).ok();
    assert!(world.exists("project/docs/night/timeline.svg"));
}

/// The page without what differs from one night to the next.
pub(super) fn timeless(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some(c) = rest.chars().next() {
        let is_number = c.is_ascii_digit() && !out.ends_with(|c: char| c.is_alphanumeric() || "./$`".contains(c));
        let length = if is_number { moment(rest).max(span(rest)) } else { 0 };
        if length == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            out.push_str(if moment(rest) > 0 { "DATE" } else { "TIME" });
            rest = &rest[length..];
        }
    }
    out
}

/// How long a date with its time is at the start of a text.
fn moment(text: &str) -> usize {
    let is_one = text.get(..19).is_some_and(|text| {
        text.chars()
            .zip("dddd-dd-dd dd:dd:dd".chars())
            .all(|(c, form)| if form == 'd' { c.is_ascii_digit() } else { c == form })
    });
    if is_one { 19 } else { 0 }
}

/// How long a span such as `3 s` or `2 min 3 s` is at the start of a text.
fn span(text: &str) -> usize {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let unit = [" h", " min", " s"].into_iter().find(|unit| {
        let behind = text[digits..].strip_prefix(unit);
        behind.is_some_and(|behind| !behind.starts_with(char::is_alphanumeric))
    });
    let Some(unit) = unit.filter(|_| digits > 0) else { return 0 };
    let end = digits + unit.len();
    match text[end..].strip_prefix(' ').map(span) {
        Some(more) if more > 0 && unit != " s" => end + 1 + more,
        _ => end,
    }
}
