//! The mock: an agent that answers from fixtures, without a process. For rehearsals and tests of stages.
//!
//! A fixture's text is what the agent says and what it writes as its output. It may begin with lines for the mock: a
//! first line `---exit N` makes the agent fail with that code; a line `---status`, JSON, and a line `---` make its
//! status. Without them the status is the `status.json` beside the fixtures, else the agent goes on.

use std::io;
use std::path::Path;

use stead_store::read_capped;

use super::ProviderError;
use crate::Node;

/// The status of a fixture that has none.
const GO_ON: &str = r#"{"decision":"continue","reason":"mock"}"#;

/// The answer of a stage without fixtures.
const ANSWER: &str = "Nothing to report.\n";

/// No fixture is longer.
const LIMIT: usize = 16 << 20;

/// A mock agent's answer to one iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mocked {
    /// What it says, and what it writes as its output.
    pub output: String,
    /// What it writes as its status; not checked in any way.
    pub status: String,
    pub exit: i32,
}

/// Finds the answer of a node's agent: `iteration-<n>.txt`, else `default.txt`, else a minimal one.
pub fn answer(node: &Node, iteration: u32) -> Result<Mocked, ProviderError> {
    for name in [format!("iteration-{iteration}.txt"), "default.txt".to_owned()] {
        if let Some(text) = read(node, &name)? {
            return parse(&name, &text, || read(node, "status.json"));
        }
    }
    let status = read(node, "status.json")?.unwrap_or_else(|| GO_ON.to_owned());
    Ok(Mocked { output: ANSWER.to_owned(), status, exit: 0 })
}

fn read(node: &Node, name: &str) -> Result<Option<String>, ProviderError> {
    if let Some((_, text)) = node.fixture_texts.iter().find(|(known, _)| known == name) {
        return Ok(Some(text.clone()));
    }
    let Some(folder) = &node.fixtures else { return Ok(None) };
    let path = Path::new(folder).join(name);
    match read_capped(&path, LIMIT) {
        Ok(bytes) => Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) => Err(ProviderError::Fixture { path, source: io::Error::other(error) }),
    }
}

pub(crate) fn parse(
    name: &str,
    text: &str,
    status_beside: impl FnOnce() -> Result<Option<String>, ProviderError>,
) -> Result<Mocked, ProviderError> {
    let damaged = |why: &str| ProviderError::DamagedFixture { name: name.to_owned(), why: why.to_owned() };
    // Some editors put a mark before the text.
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut exit = 0;
    if let Some(number) = first_line(rest).strip_prefix("---exit") {
        exit = number.trim().parse().map_err(|_| damaged("`---exit` needs a number"))?;
        rest = behind_first_line(rest);
    }
    let status = if first_line(rest).trim_end() == "---status" {
        rest = behind_first_line(rest);
        let mut status = String::new();
        loop {
            if rest.is_empty() {
                return Err(damaged("`---status` is not closed by a line `---`"));
            }
            let line = first_line(rest);
            rest = behind_first_line(rest);
            if line.trim_end() == "---" {
                break status;
            }
            status.push_str(line);
            status.push('\n');
        }
    } else {
        status_beside()?.unwrap_or_else(|| GO_ON.to_owned())
    };
    Ok(Mocked { output: rest.to_owned(), status, exit })
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn behind_first_line(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, output: &str, status: &str, exit: i32) {
        let mocked = parse("x.txt", text, || Ok(None)).unwrap();
        assert_eq!((mocked.output.as_str(), mocked.status.as_str(), mocked.exit), (output, status, exit), "{text}");
    }

    #[test]
    fn a_fixture_is_text_with_lines_for_the_mock_before_it() {
        check("hello\nworld\n", "hello\nworld\n", GO_ON, 0);
        check("", "", GO_ON, 0);
        check(
            "---status\n{\"decision\":\n\"stop\"}\n---\nbody\n---\n",
            "body\n---\n",
            "{\"decision\":\n\"stop\"}\n",
            0,
        );
        check("---status\r\n{}\r\n---\r\nbody", "body", "{}\n", 0);
        check("\u{feff}---status\n{}\n---\nbody", "body", "{}\n", 0);
        check("---exit 3\nlast words", "last words", GO_ON, 3);
        check("---exit 1\n---status\nnot json\n---\n", "", "not json\n", 1);
        check("body\n---status\n{}\n---\n", "body\n---status\n{}\n---\n", GO_ON, 0);
    }

    #[test]
    fn a_damaged_fixture_is_said_to_be() {
        for text in ["---exit\n", "---exit now", "---status\n{}\n", "---status"] {
            assert!(parse("x.txt", text, || Ok(None)).is_err(), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_an_answer_or_an_error(text in "(---(exit|status)?[ 0-9]*\n|.|\n){0,40}") {
            if let Ok(mocked) = parse("x.txt", &text, || Ok(None)) {
                proptest::prop_assert!(text.ends_with(&mocked.output));
            }
        }
    }
}
