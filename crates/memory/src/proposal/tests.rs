use std::path::Path;

use stead_guard::{Caller, ProjectRooms, RecordedCall, Source, State, Trial, Tried, inventory, lint, test};
use stead_model::{Action, Effects, ToolCall};
use stead_shell::{NoFacts, Place as Spot, effects};

use super::*;
use crate::history::History;
use crate::pattern::{Cause, Incident, Marks, Pattern, PatternKind, Touch};
use crate::{MemoryError, TraceEvent};

const ROOT: &str = "/home/ann/proj";

fn read(command: &str) -> Effects {
    let root = Path::new(ROOT);
    let env = |name: &str| (name == "HOME").then(|| "/home/ann".into());
    let place = Spot { root: Some(root), tree: None, others: &[], cwd: root, env: &env };
    let action = Action::Run { command: command.into(), dir: None };
    effects(&ToolCall { tool: "Bash".into(), id: None, action, input: "".into() }, &place, &NoFacts)
}

struct World {
    dir: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn history(&self) -> History {
        History { indexes: self.dir.path().to_owned(), root: ROOT.into(), home: Some("/home/ann".into()) }
    }

    /// Records an allowed call with these effects.
    fn allowed(&self, list: &str) {
        use std::io::Write;
        let log = self.dir.path().join(History::LOG);
        let mut file = std::fs::File::options().create(true).append(true).open(log).unwrap();
        let effects = format!(r#"{{"v":1,"coverage":"full","list":[{list}]}}"#);
        writeln!(
            file,
            r#"{{"v":1,"ts":"t","harness":"claude","session":"z","event":"before-tool","tool":"Bash","action":"run","verdict":"allow","effects":{effects}}}"#
        )
        .unwrap();
    }

    fn pattern(&self, commands: &[&str]) -> Pattern {
        let history = self.history();
        let incident = |(at, command): (usize, &&str)| {
            let effects = read(command);
            Incident {
                cause: Cause::Correction,
                evidence: vec![format!("t-{at}")],
                ts: String::new(),
                session: Some(format!("s{at}")),
                caller: Caller::Main { role: None },
                harness: "claude".into(),
                tool: "Bash".into(),
                call: None,
                twin: None,
                touches: Touch::all(&effects, history.home()),
                effects: Some(effects),
                text: TraceEvent { what_was_correct: "ask `{first}`".into(), ..TraceEvent::default() },
            }
        };
        let incidents: Vec<Incident> = commands.iter().enumerate().map(incident).collect();
        let verb = incidents[0].touches.iter().map(|touch| touch.verb).min();
        Pattern {
            id: "p-1".into(),
            kind: PatternKind::Correction,
            verb,
            count: incidents.len(),
            summary: "something went wrong".into(),
            evidence: incidents.iter().flat_map(|incident| incident.evidence.clone()).collect(),
            incidents,
            ..Pattern::default()
        }
    }

    fn draft(&self, commands: &[&str], limit: usize) -> Result<Draft, MemoryError> {
        let pattern = self.pattern(commands);
        let request = DraftRequest {
            history: &self.history(),
            pattern: &pattern,
            marks: &Marks::default(),
            rooms: &ProjectRooms::usual(),
            sources: &[],
            taken: &[],
            limit,
        };
        draft_guard_of(&request, &mut |_| {})
    }
}

fn stops(text: &str, command: &str) -> bool {
    let trial = Trial::of(&Source::project("g.yaml", text), &ProjectRooms::usual()).unwrap();
    let effects = read(command);
    let caller = Caller::Main { role: None };
    let home = Some("/home/ann");
    trial.judge(&RecordedCall { harness: "claude", tool: "Bash", caller, effects: &effects, root: ROOT, home })
        == Tried::Matched
}

fn line<'t>(draft: &'t Draft, key: &str) -> &'t str {
    draft.text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default().trim()
}

#[test]
fn a_guard_matches_the_common_effect() {
    let check = |commands: [&str; 3], expected: &str, fourth: &[&str], others: &[&str]| {
        let draft = World::new().draft(&commands, 0).unwrap_or_else(|error| panic!("{commands:?}: {error}"));
        assert_eq!(line(&draft, "match:"), expected, "{commands:?}");
        for command in commands.iter().chain(fourth) {
            assert!(stops(&draft.text, command), "{expected} must stop {command}");
        }
        for command in others {
            assert!(!stops(&draft.text, command), "{expected} must not stop {command}");
        }
        let source = Source::project(format!("{}.yaml", draft.id), draft.text.clone());
        let rooms = ProjectRooms::usual();
        assert_eq!(lint(&source, std::slice::from_ref(&source), &rooms), [], "{}", draft.text);
        let results = test(&source, &rooms).unwrap();
        assert!(results.iter().any(|result| result.must) && results.iter().any(|result| !result.must));
        assert!(results.iter().all(|result| result.passed), "{results:?}");
        let (list, _) = inventory(std::slice::from_ref(&source), &rooms);
        assert!(list.iter().any(|guard| guard.id == draft.id && guard.state == State::Active), "{}", draft.text);
    };
    check(
        ["sed -i s/a/b/ infra/a.tf", "rm infra/b.tf", "cd infra && tee c.tf"],
        r#"{writes: "infra/*.tf"}"#,
        &[
            "python3 -c \"open('infra/new.tf','w')\"",
            "mv x infra/d.tf",
            "sudo sh -c 'echo > infra/e.tf'",
            "rm -rf infra",
        ],
        &["cat infra/a.tf", "touch infra/a.md", "git commit -m infra/a.tf"],
    );
    check(
        ["rm -rf data", "rm data/a", "find data -delete"],
        r#"{deletes: "data/**"}"#,
        &["mv data/x /tmp", "unlink data/y"],
        &["touch data/x", "ls data"],
    );
    check(
        ["npm publish", "cd pkg && npm publish --tag next", "sudo npm publish"],
        r#"{runs: "npm publish"}"#,
        &["env A=b npm --silent publish", "bash -c 'npm publish'"],
        &["npm test", "echo npm publish"],
    );
    check(
        ["git push -f", "git push --force origin x", "git push origin +main"],
        r#"{git: "force-push"}"#,
        &["git -C . push -f"],
        &["git push", "git commit -m 'git push -f'"],
    );
    check(
        ["cat .env", "head -1 .env", "grep A .env"],
        r#"{reads: "./.env"}"#,
        &["python3 -c \"print(open('.env').read())\"", "cp .env /tmp/x"],
        &["cat a.env.md", "echo .env"],
    );
    check(
        ["curl https://x.invalid/a", "wget https://x.invalid/b", "curl -X POST https://x.invalid"],
        r#"{network: "x.invalid"}"#,
        &["sudo curl -s https://x.invalid/zzz"],
        &["curl https://y.invalid", "echo https://x.invalid"],
    );
}

/// Every spelling of the effects tables that does the same is stopped by a guard drafted from any three of them.
#[test]
fn the_spelling_does_not_matter() {
    let table = include_str!("../../../shell/tests/effect/writes.rs");
    let rows = table.lines().filter_map(|row| row.trim().strip_suffix(" => w infra/main.tf"));
    // Some rows need the files of that table's project.
    let is_known = |command: &String| {
        let touches = Touch::all(&read(command), World::new().history().home());
        touches.iter().any(|touch| touch.place().is_some_and(|place| place.path == "infra/main.tf"))
    };
    let rows: Vec<String> = rows.map(|row| row.replace('⏎', "\n")).filter(is_known).collect();
    assert!(rows.len() > 60, "{}", rows.len());
    for at in (0..rows.len() - 2).step_by(17) {
        let three = [&rows[at], &rows[at + 1], &rows[at + 2]].map(String::as_str);
        let draft = World::new().draft(&three, 0).unwrap_or_else(|error| panic!("{three:?}: {error}"));
        let wrong: Vec<&String> = rows.iter().filter(|row| !stops(&draft.text, row)).collect();
        assert!(wrong.is_empty(), "{} does not stop {wrong:?}", line(&draft, "match:"));
    }
}

#[test]
fn a_guard_that_stops_allowed_calls_is_narrowed_or_refused() {
    let world = World::new();
    let three = ["touch infra/a.tf", "touch infra/b.tf", "touch infra/c.tf"];
    world.allowed(r#"{"write":"infra/z.tf","how":"edit"}"#);
    world.allowed(r#"{"write":"docs/z.md","how":"edit"}"#);
    let draft = world.draft(&three, 0).unwrap();
    assert_eq!(line(&draft, "match:"), r#"{writes: ["infra/a.tf","infra/b.tf","infra/c.tf"]}"#);
    assert_eq!((draft.back_test.fired, draft.back_test.own_incidents, draft.back_test.silent), (3, 3, 2));
    assert_eq!(line(&world.draft(&three, 1).unwrap(), "match:"), r#"{writes: "infra/*.tf"}"#);
    world.allowed(r#"{"write":"infra/a.tf","how":"edit"}"#);
    world.allowed(r#"{"run":["touch","x"],"part":"touch x"}"#);
    let error = world.draft(&three, 0).unwrap_err();
    assert!(error.to_string().contains("would have stopped 1 allowed calls"), "{error}");
    assert!(error.hint().unwrap().contains("--limit 1"), "{error:?}");
    // A plain program is not narrowed by its flags if that is not needed.
    let world = World::new();
    let three = ["deploy now --force", "deploy now --force -x", "deploy now -x --force"];
    assert_eq!(line(&world.draft(&three, 0).unwrap(), "match:"), r#"{runs: "deploy now"}"#);
    world.allowed(r#"{"run":["deploy","now"],"part":"deploy now"}"#);
    assert_eq!(line(&world.draft(&three, 0).unwrap(), "match:"), r#"{runs: "deploy now --force"}"#);
}

#[test]
fn what_has_nothing_in_common_is_refused() {
    let error = World::new().draft(&["touch a/x.rs", "touch b/y.py", "git push -f"], 0).unwrap_err();
    assert!(matches!(error, MemoryError::NotDrafted { .. }), "{error}");
}

#[test]
fn a_message_is_data_and_no_template() {
    let draft = World::new().draft(&["touch infra/a", "touch infra/b", "touch infra/c"], 0).unwrap();
    assert!(line(&draft, "say:").contains("ask first"), "{}", draft.text);
}

#[test]
fn proposals_are_kept_until_they_are_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let proposals = Proposals::of(&dir.path().join("graph"));
    let one = Proposal { id: "p-1".into(), guard: "no-x".into(), kind: ProposalKind::Guard, ..Proposal::default() };
    proposals.write(&one).unwrap();
    std::fs::write(dir.path().join("graph/proposals/torn.json"), "{").unwrap();
    assert_eq!(proposals.find("no-x").unwrap().id, "p-1");
    assert_eq!(proposals.list().len(), 1);
    assert!(proposals.write(&Proposal { id: "../x".into(), ..Proposal::default() }).is_err());
    let error = proposals.find("p-2").unwrap_err();
    assert_eq!(error.hint().as_deref(), Some("expected one of p-1"));
    proposals.remove(&one);
    assert!(proposals.list().is_empty());
}
