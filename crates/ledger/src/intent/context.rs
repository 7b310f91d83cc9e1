//! The `<intent_context>` block that an agent gets when it selects an intent: what it needs for this intent and nothing
//! of others, within a budget.

use stead_model::BYTES_PER_TOKEN;

use super::item::Intent;

/// One past session that worked on the intent, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistoryLine {
    pub session: String,
    pub time: String,
    /// Paths and content hashes.
    pub files: Vec<(String, Option<String>)>,
    /// Such as `INTENT_EVOLUTION`.
    pub outcome: String,
}

/// Renders the block within a number of tokens. Over it, history goes first, then related files, then the ends of the
/// other lists; what was left out is counted.
pub fn context_block(intent: &Intent, history: &[HistoryLine], tokens: usize) -> String {
    let most = tokens.saturating_mul(BYTES_PER_TOKEN);
    let constraints: Vec<String> = intent.constraints.iter().map(|one| one.shown()).collect();
    let criteria: Vec<String> = intent.acceptance_criteria.iter().map(|one| one.shown()).collect();
    let history: Vec<String> = history.iter().map(line).collect();
    let lists = [
        ("constraints", "constraint", constraints),
        ("owned_scope", "path", intent.owned_scope.clone()),
        ("acceptance_criteria", "criterion", criteria),
        ("related_files", "file", intent.related_files.clone()),
        ("recent_history", "session", history),
    ];
    let mut text = String::from("<intent_context>\n");
    for (name, value) in [("id", &intent.id), ("name", &intent.name), ("status", &intent.status.name().to_owned())] {
        text.push_str(&format!("  <{name}>{}</{name}>\n", escape(value)));
    }
    let end = "</intent_context>\n";
    for (name, item, values) in lists.into_iter().filter(|(_, _, values)| !values.is_empty()) {
        let (open, close) = (format!("  <{name}>\n"), format!("  </{name}>\n"));
        let mut inner = String::new();
        let mut left = values.len();
        for value in &values {
            let next = format!("    <{item}>{}</{item}>\n", escape(value));
            let reserved = open.len() + close.len() + end.len() + 40;
            if text.len() + inner.len() + next.len() + reserved > most {
                break;
            }
            inner.push_str(&next);
            left -= 1;
        }
        if left > 0 {
            inner.push_str(&format!("    <omitted count=\"{left}\"/>\n"));
        }
        text.push_str(&open);
        text.push_str(&inner);
        text.push_str(&close);
    }
    text + end
}

fn line(history: &HistoryLine) -> String {
    let files: Vec<String> = history
        .files
        .iter()
        .map(|(path, hash)| match hash {
            Some(hash) => format!("{path} {}", hash.get(..19).unwrap_or(hash)),
            None => path.clone(),
        })
        .collect();
    format!("{} {} {}: {}", history.time, history.session, history.outcome, files.join(", "))
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Not allowed in XML, and a terminal would obey them.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::item::{Constraint, Criterion, Proof, Status};
    use super::*;

    fn intent() -> Intent {
        Intent {
            id: "INT-001".into(),
            name: "Sign <in> & out".into(),
            status: Status::InProgress,
            owned_scope: vec!["src/auth/**".into()],
            constraints: vec![Constraint::Text("no new \"tables\"".into()), Constraint::Guard("no-main".into())],
            acceptance_criteria: vec![Criterion {
                text: "tests pass".into(),
                proof: Some(Proof::Verify("make t".into())),
            }],
            ..Intent::default()
        }
    }

    #[test]
    fn the_block_holds_one_intent() {
        let history = [HistoryLine {
            session: "s1".into(),
            time: "2026-11-15".into(),
            files: vec![("src/auth/a.rs".into(), Some(format!("sha256:{}", "0".repeat(64))))],
            outcome: "AST_REFACTOR".into(),
        }];
        let text = context_block(&intent(), &history, 1_500);
        let expected = "<intent_context>\n  <id>INT-001</id>\n  <name>Sign &lt;in&gt; &amp; out</name>\n  \
            <status>IN_PROGRESS</status>\n  <constraints>\n    <constraint>no new &quot;tables&quot;</constraint>\n    \
            <constraint>guard `no-main` applies</constraint>\n  </constraints>\n  <owned_scope>\n    \
            <path>src/auth/**</path>\n  </owned_scope>\n  <acceptance_criteria>\n    <criterion>tests pass (`make t` \
            succeeds)</criterion>\n  </acceptance_criteria>\n  <recent_history>\n    <session>2026-11-15 s1 \
            AST_REFACTOR: src/auth/a.rs sha256:000000000000</session>\n  </recent_history>\n</intent_context>\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_budget_holds_and_says_what_is_missing() {
        let mut big = intent();
        big.owned_scope = (0..500).map(|n| format!("src/{n}/**")).collect();
        big.related_files = (0..500).map(|n| format!("docs/{n}.md")).collect();
        for tokens in [150, 400, 1_500] {
            let text = context_block(&big, &[], tokens);
            assert!(text.len() <= tokens * 4 + 200, "{tokens}: {}", text.len());
            assert!(text.contains("<omitted count=") && text.ends_with("</intent_context>\n"));
        }
    }
}
