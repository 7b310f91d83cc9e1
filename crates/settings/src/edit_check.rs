use serde_json::{Map, Value};

use crate::position::{Position, positions};
use crate::{Problem, SettingsError, Watch, document, line, structure};

impl Watch<'_> {
    /// Checks an edit of a settings file by its result: the client must still be able to parse it, run Stead's lines as
    /// before and have no new switch against them. Problems that existed before do not count.
    pub fn judge(&self, before: Option<&str>, after: &str) -> Vec<Problem> {
        let was = before.map(|text| document::read(self.shape, text));
        let is = match document::read(self.shape, after) {
            Ok(document) => document,
            // A file that the client could not parse before has nothing to lose.
            Err(_) if matches!(was, Some(Err(_))) && !before.is_some_and(|text| self.has_our_lines(text)) => {
                return Vec::new();
            }
            Err(error) => return vec![unreadable(error)],
        };
        let was = was.and_then(Result::ok).unwrap_or_else(|| Value::Object(Map::new()));

        let mut found = self.lost_lines(&was, &is);
        let known = structure::problems(self.shape, &was);
        found.extend(structure::problems(self.shape, &is).into_iter().filter(|problem| !known.contains(problem)));
        found.extend(self.broken(&was, &is));
        found
    }

    /// Returns true if the text contains one of Stead's lines.
    pub fn has_our_lines(&self, text: &str) -> bool {
        line::has_our_lines(self.shape, text)
    }

    /// The old lines without an equal among the new ones; each new line matches one old line.
    fn lost_lines(&self, was: &Value, is: &Value) -> Vec<Problem> {
        let is_still = self.wants_still_lines();
        let mut left = positions(self.shape, is);
        let mut found = Vec::new();
        for Position { line, path } in positions(self.shape, was) {
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
}

fn unreadable(error: SettingsError) -> Problem {
    match error {
        SettingsError::Parse { line, column, message } => Problem::Unreadable { line, column, message },
        SettingsError::Structure { place, expected } => Problem::Structure { place, expected },
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::LazyLock;

    use stead_model::Shape;

    use super::*;

    static PROJECT: LazyLock<[&Path; 1]> = LazyLock::new(|| [Path::new("/home/dev/project")]);

    const WATCH: &str = "off:/disableAllHooks=true env:/env same:/servers/*/name off:/servers/*/state=off only:/=hooks,env,servers,disableAllHooks";

    const OURS: &str =
        r#"{"hooks":{"Stop":[{"matcher":"*","hooks":[{"command":"stead hook claude Stop","timeout":9}]}]}}"#;

    fn watch(shape: Shape, clauses: &'static str) -> Watch<'static> {
        Watch {
            shape,
            clauses,
            variables: &["PATH", "LD_*"],
            project: &*PROJECT,
            file: Path::new("/home/dev/.tool/config"),
        }
    }

    #[track_caller]
    fn check(shape: Shape, before: Option<&str>, after: &str, expected: &[&str]) {
        let shown: Vec<String> = watch(shape, WATCH).judge(before, after).iter().map(ToString::to_string).collect();
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
        let said = |after: &str| watch(Shape::Groups, "still:lines").judge(Some(OURS), after);
        assert_eq!(said(&moved), [Problem::LineMoved { harness: "claude".into(), event: "Stop".into() }]);
        assert_eq!(said(&behind), []);
        assert_eq!(watch(Shape::Groups, "").judge(Some(OURS), &moved), []);
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

    #[test]
    fn trust_in_this_project_may_not_get_lost() {
        let said = |pointer: &'static str, before: &str, after: &str| {
            let found = watch(Shape::Groups, pointer).judge(Some(before), after);
            found.iter().map(|problem| (problem.to_string(), problem.is_damage())).collect::<Vec<_>>()
        };
        let lost =
            |place: &str| [(format!("it removes `{place}`, with which the client trusts this project's hooks"), true)];
        let folders = "trust:/projects/{here}/trusted";
        let of = |folder: &str, value: &str| format!(r#"{{"projects":{{"{folder}":{{"trusted":{value}}}}}}}"#);
        let project = "/home/dev/project";
        assert_eq!(said(folders, &of(project, "true"), "{}"), lost("/projects//home/dev/project/trusted"));
        assert_eq!(said(folders, &of("/home", "true"), &of("/home", "false")), lost("/projects//home/trusted"));
        assert_eq!(said(folders, "{}", &of(project, "true")), []);
        assert_eq!(said(folders, &of(project, "false"), &of(project, "true")), []);
        for other in ["/home/dev/project2", "/home/dev/other", "/srv", "project"] {
            assert_eq!(said(folders, &of(other, "true"), "{}"), [], "{other}");
        }
        let list = "trust:/trusted/{here}";
        assert_eq!(
            said(list, r#"{"trusted":["/srv","/home/dev"]}"#, r#"{"trusted":["/srv"]}"#),
            lost("/trusted//home/dev")
        );
        assert_eq!(said(list, r#"{"trusted":["/srv","/home/dev"]}"#, r#"{"trusted":["/home/dev","/x"]}"#), []);
        let state = |file: &str, hash: &str| format!(r#"{{"state":{{"{file}:stop:0:0":{{"hash":"{hash}"}}}}}}"#);
        let hashes = "trust:/state/{here}/hash";
        for file in ["/home/dev/project/.tool/hooks", "/home/dev/.tool/hooks"] {
            let place = format!("/state/{file}:stop:0:0/hash");
            assert_eq!(said(hashes, &state(file, "1"), "{}"), lost(&place));
            let changed = format!("it changes `{place}`, with which the client trusts this project's hooks");
            assert_eq!(said(hashes, &state(file, "1"), &state(file, "2")), [(changed, false)]);
        }
        assert_eq!(said(hashes, &state("/home/dev/other/.tool/hooks", "1"), "{}"), []);
    }
}
