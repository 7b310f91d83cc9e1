//! What a sub-agent returns to the agent that started it: short, with the fields that its role owes.
//!
//! [`check_return`] says what a result lacks, in words that can be sent back. [`trim_return`] shortens one that is still
//! too long, by rule: decisions, open bugs, implementation details and paths of artifacts and evidence stay; raw logs,
//! repeated tool output and old history go. Both are pure; how a label is recognised is in `docs/agents.md`.

mod field;
mod layout;
mod trim;

pub use field::ReturnRole;
pub use trim::trim_return;

use layout::Layout;
use stead_model::tokens;

/// What a result lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReturnCheck {
    Fine,
    /// Fields are missing or empty; it may be too long as well.
    Missing {
        fields: Vec<&'static str>,
        tokens: usize,
        budget: usize,
    },
    TooLong {
        tokens: usize,
        budget: usize,
    },
}

impl ReturnCheck {
    /// What the agent is told; `None` if nothing is wrong.
    pub fn message(&self) -> Option<String> {
        let too_long = |tokens: usize, budget: usize| {
            format!(
                "Your result has about {tokens} tokens; the limit is {budget}. Leave out raw logs, tool output and \
                 history beyond the last five files. Keep decisions, open bugs, implementation details and paths."
            )
        };
        match self {
            Self::Fine => None,
            Self::TooLong { tokens, budget } => Some(too_long(*tokens, *budget)),
            Self::Missing { fields, tokens, budget } => {
                let names: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
                let missing = format!(
                    "Your result lacks {}. Send it again with a heading or a `Label:` line for each; write \"none\" if \
                     there is nothing to say.",
                    names.join(", ")
                );
                let excess = (tokens > budget).then(|| too_long(*tokens, *budget));
                Some(std::iter::once(missing).chain(excess).collect::<Vec<_>>().join(" "))
            }
        }
    }
}

/// Checks what an agent with a role returned.
pub fn check_return(role: ReturnRole, text: &str) -> ReturnCheck {
    let fields = missing(role, text);
    let (tokens, budget) = (tokens(text), role.budget());
    match fields.is_empty() {
        false => ReturnCheck::Missing { fields, tokens, budget },
        true if tokens > budget => ReturnCheck::TooLong { tokens, budget },
        true => ReturnCheck::Fine,
    }
}

fn missing(role: ReturnRole, text: &str) -> Vec<&'static str> {
    let layout = Layout::of(text);
    let owed = role.fields().iter();
    owed.filter(|field| layout.content_of(field).is_none()).map(|field| field.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(role: ReturnRole, text: &str, expected: &[&str]) {
        assert_eq!(missing(role, text), expected, "{text}");
    }

    #[test]
    fn fields_are_found_however_they_are_written() {
        use ReturnRole::{Coding, Initializer, Tester};
        for whole in [
            "## Files changed\n- src/a.rs\n\n## Tests run\ncargo test: 12 passed\n\n## Issues found\nnone\n",
            "**Files changed**: src/a.rs\n**Tests run**: all pass\n**Issues found**: none",
            "- Files modified: a.rs\n- Tests: 3 passed\n- Known issues: none\n",
            "1. **Changed files (2)**\n   - a.rs\n2. Testing\n   - pytest: ok\n3. Open issues — none\nnone\n",
            "{\"files_changed\": [\"a.rs\"], \"tests_run\": {\"passed\": 3}, \"issuesFound\": \"none\"}",
            "Done.\n```json\n{\"result\": {\"files-changed\": [\"a\"], \"tests\": \"ok\", \"issues\": [\"x\"]}}\n```\n",
            "FILES CHANGED\na.rs\nTESTS RUN\n5 passed\nISSUES FOUND\nnone\n",
            "| Files changed | a.rs |\n| Tests run | ok |\n| Issues found | none |\n",
        ] {
            check(Coding, whole, &[]);
        }
        check(Tester, "### Test results\n3 passed\n### Evidence paths\nshots/a.png\nPASSED - Feature A validated", &[]);
        check(Tester, "Results: unit 3/3\nEvidence: e-12\n**FAILED** - Feature A: no data", &[]);
        check(Tester, "Tests: ok\nScreenshots: a.png\nVerdict: it works", &[]);
        check(Initializer, "# Features\n- A\n# Setup\nnpm\n# Next steps\nA first\n", &[]);
    }

    #[test]
    fn what_is_missing_or_empty_is_named() {
        use ReturnRole::{Coding, Tester};
        check(Coding, "", &["Files changed", "Tests run", "Issues found"]);
        check(
            Coding,
            "I changed many files and ran the tests; no issues were found.",
            &["Files changed", "Tests run", "Issues found"],
        );
        check(Coding, "## Files changed\n\n## Tests run\nok\n\n## Issues found\n", &["Files changed", "Issues found"]);
        check(Coding, "Files changed:\nTests run: ok\nIssues found: -\n", &["Files changed", "Issues found"]);
        check(
            Coding,
            "{\"files_changed\": [], \"tests_run\": null, \"issues_found\": \"none\"}",
            &["Files changed", "Tests run"],
        );
        // What a tool printed is not what the agent says.
        check(
            Tester,
            "```\nTest results: 3\nEvidence: x\nPASSED\n```\n",
            &["Test results", "Evidence paths", "Verdict"],
        );
        check(Tester, "Test results: ok\nEvidence: a\nIt never PASSED before.", &["Verdict"]);
    }

    #[test]
    fn the_message_says_exactly_what_to_send() {
        let told = |role, text: &str| check_return(role, text).message().unwrap_or_default();
        let message = told(ReturnRole::Coding, "Files changed: a\nTests run: ok");
        assert!(message.starts_with("Your result lacks `Issues found`. "), "{message}");
        assert!(!message.contains("tokens"), "{message}");
        let long = format!("Test results: ok\nEvidence: a\nPASSED\n{}", "word ".repeat(1_000));
        let message = told(ReturnRole::Tester, &long);
        assert!(message.starts_with("Your result has about 1259 tokens; the limit is 1000. "), "{message}");
        let both = told(ReturnRole::Initializer, &"word ".repeat(2_000));
        assert!(both.contains("`Feature list`, `Setup summary`, `Next steps`") && both.contains("1500"), "{both}");
        assert_eq!(told(ReturnRole::Coding, "Files: a\nTests: b\nIssues: none"), "");
    }

    #[test]
    fn roles_are_known_by_the_names_that_guards_use() {
        let check =
            |name: &str, expected: Option<ReturnRole>| assert_eq!(ReturnRole::of_agent(name), expected, "{name}");
        check("coding-agent", Some(ReturnRole::Coding));
        check("coder", Some(ReturnRole::Coding));
        check("backend-coder", Some(ReturnRole::Coding));
        check("Tester", Some(ReturnRole::Tester));
        check("tester-agent", Some(ReturnRole::Tester));
        check("initializer-agent", Some(ReturnRole::Initializer));
        check("explore", None);
        check("decoder", None);
        check("", None);
    }
}
