//! v2: a status derived from lines of the agent's answer, such as `PLATEAU: true`.

use serde_json::{Map, Value};

use crate::status::{Decision, Status, Work};

/// Derives a status from `output_parse`: pairs of a field and the word its line starts with. The last line counts.
/// `Err` is the deciding word that is missing.
pub(crate) fn derive(output_parse: &str, answer: &str, timestamp: String) -> Result<Status, String> {
    let mut status = Status {
        decision: Decision::Continue,
        reason: String::new(),
        summary: String::new(),
        work: Work::default(),
        errors: Vec::new(),
        blocked_on: None,
        timestamp: Some(timestamp),
        read_without: None,
        extra: Map::new(),
    };
    for pair in output_parse.split_whitespace() {
        let (field, word) = pair.split_once(':').unwrap_or((pair, pair));
        let value = last_line(answer, word);
        match (field, value) {
            ("plateau", None) => return Err(word.to_owned()),
            ("plateau", Some(value)) if is_true(value) => status.decision = Decision::Stop,
            ("reasoning" | "reason", Some(value)) => status.reason = value.to_owned(),
            ("summary", Some(value)) => status.summary = value.to_owned(),
            ("plateau", Some(_)) | (_, None) => {}
            (field, Some(value)) => {
                status.extra.insert(field.to_owned(), Value::from(value));
            }
        }
    }
    Ok(status)
}

fn is_true(value: &str) -> bool {
    ["true", "yes", "1"].iter().any(|yes| value.eq_ignore_ascii_case(yes))
}

/// The text after `WORD:` in the last line that starts with it, ignoring emphasis and list markers.
fn last_line<'a>(answer: &'a str, word: &str) -> Option<&'a str> {
    let dress = |c: char| c.is_whitespace() || "*_-`>#".contains(c);
    answer.lines().rev().find_map(|line| {
        let rest = line.trim_start_matches(dress).strip_prefix(word)?;
        let value = rest.trim_start_matches(['*', '_', '`']).strip_prefix(':')?;
        Some(value.trim_matches(dress))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output_parse: &str, answer: &str, expected: Result<(Decision, &str), &str>) {
        let got = derive(output_parse, answer, "T".into());
        let got = got.as_ref().map(|status| (status.decision, status.reason.as_str())).map_err(String::as_str);
        assert_eq!(got, expected, "{answer}");
    }

    #[test]
    fn lines_decide() {
        let both = "plateau:PLATEAU reasoning:REASONING";
        check(both, "PLATEAU: true\nREASONING: nothing left", Ok((Decision::Stop, "nothing left")));
        check(both, "text\n**PLATEAU:** Yes\n- REASONING: `x`", Ok((Decision::Stop, "x")));
        check(both, "PLATEAU: true\nPLATEAU: false", Ok((Decision::Continue, "")));
        check(both, "PLATEAUX: true", Err("PLATEAU"));
        check(both, "the PLATEAU: true is near", Err("PLATEAU"));
        check("changes:CHANGES summary:SUMMARY", "nothing", Ok((Decision::Continue, "")));
        let status = derive("changes:CHANGES", "CHANGES: 3", "T".into()).unwrap();
        assert_eq!(status.extra["changes"], "3");
    }
}
