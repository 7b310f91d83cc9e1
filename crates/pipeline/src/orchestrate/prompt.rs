use stead_feature::{Agent, Command, Failure};

const INITIALIZER: &str = include_str!("prompt/initializer.md");
const CODING: &str = include_str!("prompt/coding.md");
const TESTER: &str = include_str!("prompt/tester.md");
const JUDGE: &str = include_str!("prompt/judge.md");
const REPORT: &str = include_str!("prompt/report.md");

/// The prompt of a headless agent: its role, the command object, what failed before, and how to report.
pub(crate) fn prompt(command: &Command, status: &str) -> String {
    let role = match command.agent {
        Agent::Initializer => INITIALIZER,
        Agent::Tester => TESTER,
        Agent::Coding | Agent::Main => CODING,
    };
    let object = serde_json::to_string_pretty(command).unwrap_or_default();
    let note = command.context.precedents_note();
    let mut text = format!("{role}\n## Command\n{note}\n```json\n{object}\n```\n");
    if let Some(failure) = &command.context.last_attempt {
        text.push_str(&last_attempt(failure));
    }
    text.push_str(&REPORT.replace("${STATUS}", status));
    text
}

/// The prompt of the judge: the task, the change, and how to report.
pub(crate) fn judge_prompt(more: &str, command: &Command, change: &str, status: &str) -> String {
    let object = serde_json::to_string_pretty(command).unwrap_or_default();
    format!(
        "{JUDGE}\n{more}\n\n## Task\n\n```json\n{object}\n```\n\n## Change\n\n````diff\n{change}\n````\n\n## Report\n\n\
         Write `{status}`: `{{\"decision\": \"stop\", \"result\": \"accept\"}}`, or `{{\"decision\": \"stop\", \
         \"result\": \"veto\", \"reason\": \"what is wrong\"}}`.\n"
    )
}

/// What the next attempt has to know about the last one.
fn last_attempt(failure: &Failure) -> String {
    let line = |name: &str, text: &str| match text.trim() {
        "" => String::new(),
        text => format!("{name}: {text}\n"),
    };
    let mut text = "\n## LAST_ATTEMPT_AND_REFLEXION\n\n".to_owned();
    text.push_str(&line("What failed", &failure.summary));
    text.push_str(&line("Evidence", &failure.evidence.join(", ")));
    text.push_str(&line("Assumption that was wrong", failure.assumption.as_deref().unwrap_or_default()));
    text.push_str(&line("How to prevent it", failure.prevention.as_deref().unwrap_or_default()));
    if failure.assumption.is_none() {
        text.push_str(
            "Before you change anything, name the assumption that was wrong and how this attempt prevents it:\n\
             `stead reflect --failed \"…\"`, then `stead reflect --prevent \"…\"`.\n",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_retry_says_what_failed_before() {
        let mut command = Command::read(
            &json!({"agent": "coding-agent", "task": "fix_feature", "context": {"feature_id": "a"},
                "next_agent": "tester-agent"})
            .to_string(),
        )
        .unwrap();
        assert!(!prompt(&command, "/s").contains("LAST_ATTEMPT_AND_REFLEXION"));
        command.context.last_attempt = Some(Failure {
            summary: "2 tests failed".into(),
            prevention: Some("run them".into()),
            ..Failure::default()
        });
        let text = prompt(&command, "/run/status.json");
        for part in ["LAST_ATTEMPT_AND_REFLEXION", "What failed: 2 tests failed", "prevent it: run them", "/run/status"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        let object = text.split("```json\n").nth(1).and_then(|rest| rest.split("\n```").next()).unwrap();
        assert_eq!(Command::read(object).unwrap(), command);
    }
}
