use super::target::{Target, target};

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    Forbids,
    Demands,
}

/// A line that tells an agent what it must or may not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProseRule {
    /// From 1.
    pub line: usize,
    pub text: String,
    pub sense: Sense,
    /// What it forbids, if it names something.
    pub(super) target: Option<Target>,
    /// The shipped guard with the same purpose.
    pub purpose: Option<&'static str>,
}

const FORBIDS: &[&str] = &[
    "never", "must not", "mustnt", "do not", "dont", "may not", "shall not", "shant", "forbidden", "prohibited",
    "not allowed", "not permitted", "under no circumstances", "no exceptions", "disallowed",
];
const DEMANDS: &[&str] = &["must", "always", "shall", "mandatory", "required to", "have to", "without exception"];
/// These count only in capitals.
const LOUD: &[&str] = &["CRITICAL", "REQUIRED", "ONLY"];

/// What the shipped guards are for: one word of each group must occur.
const PURPOSES: &[(&str, &[&[&str]])] = &[
    ("tested-needs-evidence", &[&["tested"], &["mark", "set", "true", "claim", "evidence", "proof", "change"]]),
    (
        "orchestrator-does-not-edit",
        &[&["implement", "code", "edit", "coding"], &["directly", "yourself", "delegate", "orchestrator", "sub-agent"]],
    ),
    (
        "tester-must-test",
        &[&["test", "tests"], &["stop", "stopping", "finish", "finishing", "return", "returning", "skip", "skipping"]],
    ),
    ("logs-through-tools", &[&["log", "logs"], &["mcp", "tool", "tools", "whole"]]),
    ("pr-needs-verification", &[&["pr", "pull request", "merge request"], &["test", "tests", "verify", "verified"]]),
    ("summaries-go-to", &[&["summary", "summaries"], &["write", "put", "save"]]),
];

/// Finds the rules in the text of an agent's definition. Front matter and code fences are no rules; the items below a
/// heading such as "Never:" are.
pub fn prose_rules(text: &str) -> Vec<ProseRule> {
    let mut rules = Vec::new();
    let mut fence: Option<&str> = None;
    let mut inherited = None;
    let head_end = front_matter(text);
    for (at, line) in text.lines().enumerate().skip(head_end) {
        let trimmed = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        if fence.is_some() || mark.is_some() || trimmed.starts_with("<!--") {
            continue;
        }
        let sense = sense(trimmed);
        let is_item = trimmed.starts_with(['-', '*', '+']) || trimmed.starts_with(|c: char| c.is_ascii_digit());
        let is_heading = trimmed.starts_with('#') || !is_item && trimmed.ends_with([':', '*']) && trimmed.len() < 80;
        if is_heading {
            inherited = sense;
            continue;
        }
        let Some(sense) = sense.or(inherited.filter(|_| is_item)) else { continue };
        let text = trimmed.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '`' && c != '.').to_owned();
        rules.push(ProseRule { line: at + 1, target: target(&text, sense), purpose: purpose(&text), text, sense });
    }
    rules
}

/// How many lines the front matter has.
fn front_matter(text: &str) -> usize {
    let mut lines = text.lines();
    if lines.next().is_none_or(|line| line.trim_end() != "---") {
        return 0;
    }
    lines.position(|line| line.trim_end() == "---").map_or(0, |at| at + 2)
}

fn sense(line: &str) -> Option<Sense> {
    let words = in_words(line);
    let has = |known: &&str| words.contains(&format!(" {known} "));
    match () {
        () if FORBIDS.iter().any(has) => Some(Sense::Forbids),
        () if DEMANDS.iter().any(has) => Some(Sense::Demands),
        () if line.split(|c: char| !c.is_alphanumeric()).any(|word| LOUD.contains(&word)) => Some(Sense::Demands),
        () => None,
    }
}

/// The words of a line in lower case, each between spaces.
fn in_words(line: &str) -> String {
    let line = line.to_lowercase().replace(['\'', '’'], "");
    let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '-').filter(|w| !w.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

fn purpose(line: &str) -> Option<&'static str> {
    let words = in_words(line);
    let has = |known: &&str| words.contains(&format!(" {known} "));
    PURPOSES.iter().find(|(_, groups)| groups.iter().all(|group| group.iter().any(has))).map(|(id, _)| *id)
}
