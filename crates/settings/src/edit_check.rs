use serde_json::{Map, Value};
use stead_model::Shape;

use crate::position::{Position, positions};
use crate::{Problem, SettingsError, document, line, structure, watch};

/// Checks an edit of a settings file by its result: the client must still be able to parse it, run Stead's lines as
/// before and have no new switch against them. `watch` holds the file's clauses, `variables` the names of variables that its
/// environment may not set. Problems that existed before do not count.
pub fn judge_edit(shape: Shape, watch: &str, variables: &[&str], before: Option<&str>, after: &str) -> Vec<Problem> {
    let was = before.map(|text| document::read(shape, text));
    let is = match document::read(shape, after) {
        Ok(document) => document,
        // A file that the client could not parse before has nothing to lose.
        Err(_) if matches!(was, Some(Err(_))) && !before.is_some_and(|text| line::has_our_lines(shape, text)) => {
            return Vec::new();
        }
        Err(error) => return vec![unreadable(error)],
    };
    let was = was.and_then(Result::ok).unwrap_or_else(|| Value::Object(Map::new()));

    let mut found = lost_lines(shape, watch, &was, &is);
    let known = structure::problems(shape, &was);
    found.extend(structure::problems(shape, &is).into_iter().filter(|problem| !known.contains(problem)));
    found.extend(watch::broken(watch, variables, &was, &is));
    found
}

fn unreadable(error: SettingsError) -> Problem {
    match error {
        SettingsError::Parse { line, column, message } => Problem::Unreadable { line, column, message },
        SettingsError::Structure { place, expected } => Problem::Structure { place, expected },
    }
}

/// The old lines without an equal among the new ones; each new line matches one old line.
fn lost_lines(shape: Shape, watch: &str, was: &Value, is: &Value) -> Vec<Problem> {
    let is_still = watch::wants_still_lines(watch);
    let mut left = positions(shape, is);
    let mut found = Vec::new();
    for Position { line, path } in positions(shape, was) {
        let same = |kept: &Position| kept.line == line;
        let (harness, event) = (line.harness.clone(), line.event.clone());
        let index = left.iter().position(|kept| same(kept) && kept.path == path).or(left.iter().position(same));
        match index.map(|index| left.swap_remove(index)) {
            Some(kept) if is_still && kept.path != path => found.push(Problem::LineMoved { harness, event }),
            Some(_) => {}
            None => found.push(Problem::LineLost { harness, event }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const WATCH: &str = "off:/disableAllHooks=true env:/env same:/servers/*/name off:/servers/*/state=off only:/=hooks,env,servers,disableAllHooks";

    const OURS: &str =
        r#"{"hooks":{"Stop":[{"matcher":"*","hooks":[{"command":"stead hook claude Stop","timeout":9}]}]}}"#;

    #[track_caller]
    fn check(shape: Shape, before: Option<&str>, after: &str, expected: &[&str]) {
        let variables = ["PATH", "LD_*"];
        let shown: Vec<String> =
            judge_edit(shape, WATCH, &variables, before, after).iter().map(ToString::to_string).collect();
        assert_eq!(shown, expected, "{after}");
    }

    #[test]
    fn edits_beside_our_lines_pass() {
        let groups = Shape::Groups;
        check(groups, None, "{}", &[]);
        check(groups, Some(OURS), OURS, &[]);
        check(
            groups,
            Some(OURS),
            &OURS.replace("{\"hooks\":{", "{ // why\n \"env\": {\"A\": \"b\"}, \"hooks\": {"),
            &[],
        );
        let more = r#"{"hooks":{"Stop":[{"hooks":[{"command":"x"}]},{"matcher":"*","hooks":[{"command":"stead hook claude Stop","timeout":9}]}]}}"#;
        check(groups, Some(OURS), more, &[]);
    }

    #[test]
    fn our_lines_must_stay_as_they_are() {
        let lost = ["it removes or changes Stead's `Stop` line for claude"];
        let groups = Shape::Groups;
        check(groups, Some(OURS), "{}", &lost);
        check(groups, Some(OURS), &OURS.replace("\"*\"", "\"Bash\""), &lost);
        check(groups, Some(OURS), &OURS.replace('9', "1"), &lost);
        check(groups, Some(OURS), &OURS.replace("stead hook", "echo stead hook"), &lost);
        check(groups, Some(OURS), &OURS.replace("\"Stop\"", "\"Halt\""), &lost);
        // A later key of the same name wins in every client.
        check(groups, Some(OURS), &OURS.replace("}]}]}}", "}]}]}, \"hooks\": {}}"), &lost);
        check(
            Shape::Whole,
            Some("// stead hook opencode\nx"),
            "// stead hook opencode\ny",
            &["it changes Stead's own file for opencode"],
        );
    }

    #[test]
    fn where_trust_goes_by_position_lines_must_not_move() {
        let first = r#"{"hooks":{"Stop":[{"hooks":[{"command":"x"}]},"#;
        let moved = OURS.replace(r#"{"hooks":{"Stop":["#, first);
        let behind = OURS.replace("}]}]}}", r#"}]},{"hooks":[{"command":"x"}]}]}}"#);
        let said = |after: &str| judge_edit(Shape::Groups, "still:lines", &[], Some(OURS), after);
        assert_eq!(said(&moved), [Problem::LineMoved { harness: "claude".into(), event: "Stop".into() }]);
        assert_eq!(said(&behind), []);
        assert_eq!(judge_edit(Shape::Groups, "", &[], Some(OURS), &moved), []);
    }

    #[test]
    fn the_result_must_be_readable() {
        let groups = Shape::Groups;
        check(groups, Some(OURS), "{", &["it no longer parses (line 1, column 1: unterminated object)"]);
        check(groups, None, "{", &["it no longer parses (line 1, column 1: unterminated object)"]);
        check(groups, Some("{"), "{{", &[]);
        check(
            groups,
            Some("{ stead hook claude"),
            "{{",
            &["it no longer parses (line 1, column 2: unexpected token in object)"],
        );
    }

    #[test]
    fn switches_and_watched_values_may_not_change() {
        let groups = Shape::Groups;
        check(groups, None, r#"{"disableAllHooks": true}"#, &["it disables hooks: `/disableAllHooks` = true"]);
        check(groups, Some(r#"{"disableAllHooks": true}"#), r#"{"disableAllHooks": true, "env": {}}"#, &[]);
        check(groups, None, r#"{"disableAllHooks": false}"#, &[]);
        let path = ["it changes `/env/PATH`, which decides whether Stead runs"];
        check(groups, None, r#"{"env": {"PATH": "/x"}}"#, &path);
        check(groups, Some(r#"{"env": {"PATH": "/x"}}"#), r#"{"env": {"PATH": "/y"}}"#, &path);
        check(groups, Some(r#"{"env": {"PATH": "/x"}}"#), "{}", &path);
        check(
            groups,
            None,
            r#"{"env": {"A": "1", "OLD_PATH": "/x", "LD_PRELOAD": "x"}}"#,
            &["it changes `/env/LD_PRELOAD`, which decides whether Stead runs"],
        );
        check(groups, Some(r#"{"env": {"LD_A": "x"}}"#), r#"{"env": {"LD_A": "x", "A": "b"}}"#, &[]);
        check(
            groups,
            None,
            r#"{"servers": {"a": {"state": "off"}}}"#,
            &["it disables hooks: `/servers/a/state` = \"off\""],
        );
        check(
            groups,
            None,
            r#"{"extra": 1}"#,
            &["`extra` in `/` is unknown to the client, which would ignore the file"],
        );
    }

    #[test]
    fn shapes_that_make_a_client_drop_the_file_are_named() {
        let groups = |group: &str| format!(r#"{{"hooks":{{"Stop":[{group}]}}}}"#);
        let matcher = ["`/hooks/Stop/0/matcher` is not a string, so the client would ignore the hooks"];
        check(Shape::Groups, None, &groups(r#"{"matcher":{"a":1},"hooks":[]}"#), &matcher);
        check(Shape::Groups, None, &groups(r#"{"matcher":["a"],"hooks":[]}"#), &matcher);
        check(
            Shape::Groups,
            Some(&groups(r#"{"matcher":{},"hooks":[]}"#)),
            &groups(r#"{"matcher":[],"hooks":[]}"#),
            &[],
        );
        check(
            Shape::Groups,
            None,
            r#"{"hooks": []}"#,
            &["`/hooks` is not an object, so the client would ignore the hooks"],
        );
        check(
            Shape::Groups,
            None,
            r#"{"hooks": {"Stop": "x"}}"#,
            &["`/hooks/Stop` is not a list of objects, so the client would ignore the hooks"],
        );
        check(Shape::Groups, None, r#"{"hooks": {"disabled": ["x"]}}"#, &[]);
        check(
            Shape::Flat,
            None,
            r#"{"hooks": {}}"#,
            &["`/version` is not a number, so the client would ignore the hooks"],
        );
        let table = "[[hooks]]\nevent = \"Stop\"\ncommand = \"x\"\n";
        check(Shape::TomlList, None, table, &[]);
        check(
            Shape::TomlList,
            None,
            &format!("{table}async = true\n"),
            &["`async` in `/hooks/0` is unknown to the client, which would ignore the file"],
        );
    }
}
