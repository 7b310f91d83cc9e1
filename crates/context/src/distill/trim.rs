use std::collections::HashSet;

use stead_model::BYTES_PER_TOKEN;

use super::field::{ReturnRole, is_labelled};
use super::layout::{Layout, Line};

/// How long a line may be, and one that stands for a whole field.
const LINE: usize = 400;
/// How many files of the history stay.
const RECENT_FILES: usize = 5;

/// How much a line is worth, from most to least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    /// Without it, a field would be missing.
    Owed,
    /// Decisions, open bugs, paths of artifacts and evidence.
    Kept,
    /// A heading above something that stays.
    Heading,
    /// Implementation details, and what else belongs to a field.
    Detail,
    Rest,
    History,
    /// Raw logs and what was said before.
    Dropped,
}

const KEPT: &[&str] = &[
    "decision", "decisions", "decided", "bug", "bugs", "issue", "issues", "unresolved", "open questions", "blocked",
    "blockers", "risks", "evidence", "artifacts", "artefacts", "files changed", "verdict", "failures",
];
const DETAIL: &[&str] = &["implementation", "details", "design", "approach", "changes", "how"];
const HISTORY: &[&str] = &[
    "history", "background", "previous", "previously", "earlier", "past", "timeline", "steps taken", "log", "logs",
    "output", "raw", "transcript",
];
/// Words that make a line worth keeping wherever it stands.
const TELLING: &[&str] = &["decided", "decision", "unresolved", "known bug", "still fails", "blocked", "workaround"];

/// Shortens a result to its role's budget. A result within the budget is returned as it is; otherwise the lines that are
/// worth most stay, in their order, and every field that was there is still there.
pub fn trim_return(role: ReturnRole, text: &str) -> String {
    let most = role.budget() * BYTES_PER_TOKEN;
    if text.len() <= most {
        return text.to_owned();
    }
    let layout = Layout::of(text);
    let worths = worths(role, &layout);
    let mut order: Vec<usize> = (0..worths.len()).filter(|&at| worths[at] < Worth::Dropped).collect();
    // Of the history, the end matters most.
    order.sort_by_key(|&at| (worths[at], if worths[at] == Worth::History { worths.len() - at } else { at }));
    let mut room = most;
    let mut chosen: Vec<(usize, String)> = Vec::new();
    for at in order {
        let line = shortened(&layout.lines[at]);
        if line.len() < room {
            room -= line.len() + 1;
            chosen.push((at, line));
        }
    }
    chosen.sort_by_key(|(at, _)| *at);
    chosen.into_iter().map(|(_, line)| line + "\n").collect()
}

fn worths(role: ReturnRole, layout: &Layout) -> Vec<Worth> {
    let lines = &layout.lines;
    let mut worths = Vec::with_capacity(lines.len());
    let mut section = Worth::Rest;
    let mut said = HashSet::new();
    for line in lines {
        let is_new = said.insert(line.text.trim());
        if let Some(label) = &line.label {
            section = section_worth(role, &label.words).unwrap_or(section.max(Worth::Rest));
        }
        worths.push(match () {
            () if line.text.trim().is_empty() || line.is_fenced || is_raw(&line.text) => Worth::Dropped,
            () if !is_new => Worth::Dropped,
            () if is_telling(&line.text) => Worth::Kept,
            () if line.text.trim_start().starts_with('#') && section < Worth::History => Worth::Heading,
            () => section,
        });
    }
    forget_old_files(lines, &mut worths);
    for (label, content) in role.fields().iter().filter_map(|field| layout.content_of(field)) {
        worths[label] = Worth::Owed;
        worths[content] = Worth::Owed;
    }
    worths
}

fn section_worth(role: ReturnRole, label: &str) -> Option<Worth> {
    let is_owed = role.fields().iter().any(|field| is_labelled(label, field.labels));
    match () {
        () if is_labelled(label, KEPT) => Some(Worth::Kept),
        () if is_owed || is_labelled(label, DETAIL) => Some(Worth::Detail),
        () if is_labelled(label, HISTORY) => Some(Worth::History),
        () => None,
    }
}

fn is_telling(line: &str) -> bool {
    let line = line.to_lowercase();
    TELLING.iter().any(|word| line.contains(word)) || is_result(&line)
}

/// The line that an orchestrator waits for.
fn is_result(line: &str) -> bool {
    ["implementation complete", "passed - feature", "failed - feature"].iter().any(|start| line.starts_with(start))
}

/// A line that a program printed: a time stamp in front, a stack frame, a bar of progress.
fn is_raw(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.trim_start_matches('[').chars().take(4).filter(char::is_ascii_digit).count();
    let stamp = digits == 4 && line.chars().take(24).filter(|c| ":-/.T".contains(*c)).count() >= 4;
    let frame = line.starts_with("at ") && line.contains(':') || line.starts_with("File \"");
    let level = ["DEBUG", "TRACE", "INFO ", "INFO:", "[INFO]", "[DEBUG]"].iter().any(|level| line.starts_with(level));
    let signs = line.chars().filter(|c| !c.is_alphanumeric() && !c.is_whitespace()).count();
    stamp || frame || level || signs > 10 && signs * 2 > line.chars().count()
}

/// In the history, the lines about all but the last files go.
fn forget_old_files(lines: &[Line], worths: &mut [Worth]) {
    let names_file = |line: &Line| line.text.split_whitespace().any(|word| word.contains('/') || is_file_name(word));
    let files = (0..lines.len()).rev().filter(|&at| worths[at] == Worth::History && names_file(&lines[at]));
    let old: Vec<usize> = files.skip(RECENT_FILES).collect();
    old.into_iter().for_each(|at| worths[at] = Worth::Dropped);
}

fn is_file_name(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    word.rsplit_once('.').is_some_and(|(stem, end)| {
        !stem.is_empty() && (1..=5).contains(&end.len()) && end.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// A line within its limit; what a tool printed is marked as a quotation.
fn shortened(line: &Line) -> String {
    let text = if line.is_fenced { format!("> {}", line.text.trim()) } else { line.text.clone() };
    if text.len() <= LINE {
        return text;
    }
    let end = text.floor_char_boundary(LINE - '…'.len_utf8());
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stead_model::tokens;

    use super::super::missing;
    use super::*;

    const LOG: &str = "2026-11-17T09:00:00Z INFO worker did something that nobody will ever read again\n";

    #[test]
    fn what_matters_stays_and_the_rest_goes() {
        let log = LOG.repeat(30);
        let files: String = (0..20).map(|n| format!("- looked at src/old{n}.rs for a while\n")).collect();
        let text = format!(
            "I started by reading the code.\n## Decisions\n- use an index\n```\n{log}\n```\n{log}## History\n{files}\
             ## Files changed\n- src/a.rs\n## Tests run\n```\nrunning 3 tests\n{log}```\n## Issues found\n- the cache \
             still fails on Windows\n## Implementation\n- `Index::open` reads lazily\nIMPLEMENTATION COMPLETE - \
             Feature A ready for testing\n",
        );
        let short = trim_return(ReturnRole::Coding, &text);
        for kept in ["- use an index", "- src/a.rs", "> running 3 tests", "still fails on Windows", "`Index::open`"] {
            assert!(short.contains(kept), "{kept}: {short}");
        }
        assert!(short.ends_with("IMPLEMENTATION COMPLETE - Feature A ready for testing\n"), "{short}");
        assert!(!short.contains("INFO worker") && !short.contains("```"), "{short}");
        assert_eq!(short.matches("looked at").count(), 5, "{short}");
        assert!(short.contains("old19") && !short.contains("old14."), "{short}");
    }

    #[test]
    fn json_is_trimmed_field_by_field() {
        let noise: Vec<String> = (0..400).map(|n| format!("line {n} of a log")).collect();
        let text =
            serde_json::json!({"raw": noise, "test_results": "3 passed", "evidence": ["e-1"], "verdict": "PASSED"});
        let short = trim_return(ReturnRole::Tester, &text.to_string());
        assert_eq!(missing(ReturnRole::Tester, &short), [""; 0]);
        assert!(short.contains("- 3 passed\n") && short.contains("- e-1\n"), "{short}");
    }

    fn piece() -> impl Strategy<Value = String> {
        let label = prop::sample::select(vec![
            "Files changed", "Tests run", "Issues found", "Test results", "Evidence paths", "Verdict", "Feature list",
            "Setup summary", "Next steps", "Decisions", "History", "Other thing", "Logs",
        ]);
        let value = prop_oneof!["[a-z./ ]{0,60}", "\\PC{0,80}", Just(String::new()), Just("none".to_owned())];
        let written = (label, value.clone(), 0..6_usize).prop_map(|(label, value, form)| match form {
            0 => format!("## {label}\n{value}\n"),
            1 => format!("{label}: {value}\n"),
            2 => format!("- **{label}**\n  {value}\n"),
            3 => format!("## {label}\n```\n{value}\n# not a heading: {value}\n```\n"),
            4 => format!("```json\n{}\n```\n", serde_json::json!({ label: value })),
            _ => format!("{}\n{value}\n", label.to_uppercase()),
        });
        prop_oneof![
            4 => written,
            2 => value.prop_map(|value| value + "\n"),
            1 => Just(LOG.repeat(12)),
            1 => Just("```\n".to_owned()),
            1 => "[a-z ]{900,1200}\n",
            1 => Just("PASSED - Feature A validated\n".to_owned()),
        ]
    }

    proptest! {
        #[test]
        fn within_budget_with_every_field_and_stable(
            pieces in prop::collection::vec(piece(), 0..40),
            role in prop::sample::select(ReturnRole::ALL.to_vec()),
        ) {
            let text = pieces.concat();
            let short = trim_return(role, &text);
            prop_assert!(tokens(&short) <= role.budget());
            let before = missing(role, &text);
            for field in missing(role, &short) {
                prop_assert!(before.contains(&field), "{field} was lost in\n{short}\nof\n{text}");
            }
            prop_assert_eq!(trim_return(role, &short), short.clone());
            if tokens(&text) <= role.budget() {
                prop_assert_eq!(short, text);
            }
        }

        #[test]
        fn any_text_is_shortened(text in "\\PC{0,9000}", role in prop::sample::select(ReturnRole::ALL.to_vec())) {
            prop_assert!(tokens(&trim_return(role, &text)) <= role.budget());
        }
    }
}
