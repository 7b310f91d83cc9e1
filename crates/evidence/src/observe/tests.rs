mod spelling;

use std::fs;

use super::*;
use crate::verifier::read_on_disk;
use crate::{TestsRan, fresh_verification, standing, tests_ran};

const GREEN: &str =
    "running 3 tests\n...\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
const RED: &str = "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";

/// A project with two features: `login` proves itself by one command, `search` by the whole suite.
struct Project {
    folder: tempfile::TempDir,
    _state: tempfile::TempDir,
    ground: Ground,
    clock: std::cell::Cell<u32>,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (root, state) = (folder.path().canonicalize().unwrap(), tempfile::tempdir().unwrap());
        let room = |name: &str| root.join(".agent").join(name);
        let ground = Ground {
            features: room("features"),
            indexes: room("context/indexes"),
            cache: room("cache"),
            root: root.clone(),
            state: stead_store::ProjectState::of(state.path(), "test", &root),
        };
        let project = Self { folder, _state: state, ground, clock: std::cell::Cell::new(0) };
        project.write(
            ".agent/features/feature-list.json",
            r#"{"features":[
                {"id":"login","files":["src/login.rs"],"verifiers":["cargo test login"],"tested":false},
                {"id":"search","files":["src/search/**"]}]}"#,
        );
        project.write("src/login.rs", "one");
        project.write("src/search/a.rs", "one");
        project
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn see(&self, command: &str, exit: Option<i32>, output: &str) -> Option<Item> {
        self.see_in("", command, exit, output)
    }

    fn start(&self, command: &str) -> Option<Item> {
        self.see_at(Phase::Started, "", command, None, "")
    }

    fn see_in(&self, dir: &str, command: &str, exit: Option<i32>, output: &str) -> Option<Item> {
        self.see_at(Phase::Ended, dir, command, exit, output)
    }

    fn see_at(&self, phase: Phase, dir: &str, command: &str, exit: Option<i32>, output: &str) -> Option<Item> {
        self.clock.set(self.clock.get() + 1);
        let now = stead_model::rfc3339(1_794_771_930_000 + i64::from(self.clock.get()));
        let who = Who { session: Some("s1".into()), agent: Some("a1".into()), ..Who::default() };
        let dir = if dir.is_empty() { self.ground.root.clone() } else { self.ground.root.join(dir) };
        let effects = read_on_disk(command, &dir, Tools::of(&self.ground.root));
        let seen = Seen {
            phase,
            command,
            effects: &effects,
            dir: &dir,
            exit,
            output,
            who,
            wrote: &|_, _| Vec::new(),
            now: &now,
        };
        observe(&self.ground, &seen, &Bounds::command()).unwrap()
    }

    #[track_caller]
    fn check(&self, feature: &str, expected: &str) {
        let standing = standing(&self.ground, feature, &Bounds::command()).unwrap();
        let shown = if standing.is_proven() { "proven".to_owned() } else { standing.why_not };
        assert_eq!(shown, expected, "{feature}");
    }
}

#[test]
fn a_verifier_that_a_hook_saw_proves_its_feature_until_its_files_change() {
    let project = Project::new();
    project.check("login", "has no evidence");
    let item = project.see("RUST_BACKTRACE=1 cargo test login 2>&1", Some(0), GREEN).unwrap();
    assert_eq!((item.kind, item.counts.unwrap().passed), (Kind::Observed, 3));
    project.check("login", "proven");
    project.check("search", "has no evidence");
    project.write("src/login.rs", "two");
    project.check("login", "changed since its evidence of 2026-11-15T19:45:30.001Z");
    project.write("src/login.rs", "one");
    project.check("login", "proven");
    fs::remove_file(project.folder.path().join("src/login.rs")).unwrap();
    project.check("login", "names no files that exist");
}

#[test]
fn a_run_of_everything_speaks_for_features_without_verifiers() {
    let project = Project::new();
    project.see("cargo test search", Some(0), GREEN);
    project.check("search", "has no evidence");
    project.see("cd . && cargo test --workspace", Some(0), GREEN);
    project.check("search", "proven");
    project.check("login", "has no evidence");
    project.write("src/login.rs", "two");
    project.check("search", "proven");
    project.write("src/search/b.rs", "new");
    project.check("search", "changed since its evidence of 2026-11-15T19:45:30.002Z");
}

#[test]
fn the_last_run_on_the_same_files_decides() {
    let project = Project::new();
    project.see("cargo test", Some(0), GREEN);
    project.check("search", "proven");
    project.see("cargo test", Some(101), RED);
    project.check("search", "was last tried by `cargo test`: it ended with exit 101");
    project.see("cargo test", Some(0), GREEN);
    project.check("search", "proven");
}

#[test]
fn what_proves_nothing() {
    let check = |command: &str, exit: Option<i32>, output: &str, weak: &str| {
        let project = Project::new();
        let item = project.see(command, exit, output).unwrap();
        assert_eq!(item.weak.as_deref(), Some(weak), "{command}");
        assert!(!standing(&project.ground, "search", &Bounds::command()).unwrap().is_proven(), "{command}");
    };
    check("cargo test", None, GREEN, "its exit status is not known");
    check("cargo test", Some(0), "", "its output is empty");
    check("cargo test", Some(0), RED, "1 test failed");
    check("cargo test", Some(0), "test result: ok. 0 passed; 0 failed; 0 ignored", "no test ran");
    check("cargo test | tail -5", Some(0), GREEN, "the pipe hides how it ended");
    check("cargo test || true", Some(0), GREEN, "`||` hides how it ended");
    check("cargo test; echo done", Some(0), GREEN, "the command behind it hides how it ended");
    check("cargo test &", Some(0), GREEN, "`&` hides how it ended");
    check("cargo test > log && echo ok", Some(0), GREEN, "its output went elsewhere");
    check("cargo test && cat fake", Some(0), GREEN, "`cat` beside it may have written the summary");
    check("{ cat fake; cargo test; }", Some(0), GREEN, "`cat` beside it may have written the summary");
    check("bash -c 'cat fake; cargo test'", Some(0), GREEN, "`cat` beside it may have written the summary");
    check("bash <<E\ncat fake\ncargo test\nE\n", Some(0), GREEN, "`cat` beside it may have written the summary");
    check("echo \"$(cat fake)\" && cargo test", Some(0), GREEN, "`cat` beside it may have written the summary");
    for print in [
        "printf '%s\\n' 'test result: ok. 9 passed; 0 failed; 0 ignored'",
        "echo -e 'x\\ntest result: ok. 9 passed; 0 failed; 0 ignored'",
    ] {
        check(
            &format!("{print} && cargo test"),
            Some(0),
            GREEN,
            "the call itself printed `test result: ok. 9 passed; 0 failed; 0 ignored`",
        );
    }
    for (command, weak) in [
        ("! cargo test", "`!` hides how it ended"),
        ("if cargo test; then echo ok; fi", "a condition hides whether it ran and how it ended"),
        ("while cargo test; do :; done", "how often it ran is not known"),
        ("for x in *; do cargo test; done", "how often it ran is not known"),
        ("find . -name x -exec cargo test ;", "how often it ran is not known"),
        ("X=$(cargo test)", "its output went elsewhere"),
        ("[ -f x ] && exit 0; cargo test", "an `exit` or `return` before it may have ended the call"),
        ("trap 'exit 0' EXIT; cargo test", "an `exit` or `return` before it may have ended the call"),
        ("[ -f x ] && { cargo test || exit 1; }; echo done", "the command behind it hides how it ended"),
        ("(cargo test); echo done", "the command behind it hides how it ended"),
        ("set -e; cd . && cargo test; echo done", "the command behind it hides how it ended"),
        ("cargo test | tee out.log", "the pipe hides how it ended"),
        ("set -o pipefail; cargo test | python3 tally.py", "its output went elsewhere"),
        ("set -o pipefail; cargo test | tee out.log > /dev/null", "its output went elsewhere"),
        ("exec > log; cargo test", "its output went elsewhere"),
        ("{ cargo test; } > log", "its output went elsewhere"),
        ("tmux new-session -d 'cargo test'", "the program that started it hides how it ended"),
        (
            "python3 -c \"import subprocess; subprocess.run(['cargo', 'test'])\"",
            "the program that started it hides how it ended",
        ),
        ("docker run -v $PWD:/w image cargo test", "it ran in a container or on another machine"),
        ("cargo test; exit 0", "the command behind it hides how it ended"),
    ] {
        check(command, Some(0), GREEN, weak);
    }
}

#[test]
fn ordinary_company_takes_nothing_away() {
    for command in [
        "cargo build && cargo test",
        "cargo test && echo ok",
        "cd . ; cargo test",
        "export CI=1\ncargo test",
        "set -o pipefail; cargo test 2>&1 | tail -40",
        "mkdir -p out && git add -A && timeout 600 cargo test",
        "(cargo test)",
        "set -o pipefail; cargo test 2>&1 | grep -E 'passed|failed' | tail -n 5",
        "cat notes.md > copy.md; cargo test",
    ] {
        let project = Project::new();
        let item = project.see(command, Some(0), GREEN).unwrap();
        assert_eq!(item.weak, None, "{command}");
        project.check("search", "proven");
    }
}

#[test]
fn a_run_in_another_folder_is_another_run() {
    let project = Project::new();
    fs::create_dir_all(project.folder.path().join("sub")).unwrap();
    for (dir, command) in [("sub", "cargo test"), ("", "cd sub && cargo test"), ("", "cd \"$X\" && cargo test")] {
        let item = project.see_in(dir, command, Some(0), GREEN).unwrap();
        assert!(!item.whole, "{command}");
        project.check("search", "has no evidence");
    }
    project.see_in("sub", "cd .. && cargo test", Some(0), GREEN);
    project.check("search", "proven");
}

#[test]
fn other_commands_leave_no_trace() {
    let project = Project::new();
    for command in ["ls", "echo cargo test", "git commit -m 'cargo test'", "cargo fmt", ""] {
        assert_eq!(project.see(command, Some(0), GREEN), None, "{command}");
    }
    assert!(!project.ground.log().exists());
    assert!(!could_be_evidence("ls -la") && could_be_evidence("go test ./..."));
}

#[test]
fn the_log_says_who_tested() {
    let project = Project::new();
    let ran = |session: &str, agent: Option<&str>| tests_ran(&project.ground, session, agent).unwrap();
    assert_eq!(ran("s1", None), TestsRan::default());
    project.see("cargo build", Some(0), "Finished");
    assert_eq!(ran("s1", None), TestsRan::default());
    project.see("cargo test", None, GREEN);
    assert_eq!(ran("s1", Some("a1")), TestsRan { ran: 1, passed: 0 });
    project.see("cargo test", Some(0), GREEN);
    project.see("cargo test x", Some(0), "test result: ok. 0 passed; 0 failed; 0 ignored");
    assert_eq!(ran("s1", Some("a1")), TestsRan { ran: 2, passed: 1 });
    assert_eq!((ran("s1", Some("a2")), ran("s2", None), ran("", None)), Default::default());
}

#[test]
fn the_project_is_verified_until_it_changes() {
    let project = Project::new();
    let why_not = || fresh_verification(&project.ground, &Bounds::command()).unwrap().why_not;
    assert_eq!(why_not(), "no run of the whole test suite was recorded");
    project.see("cargo test login", Some(0), GREEN);
    assert_eq!(why_not(), "no run of the whole test suite was recorded");
    project.see("cargo test", Some(0), GREEN);
    assert_eq!(why_not(), "");
    project.write("README.md", "new");
    assert_eq!(why_not(), "", "every feature is still proven");
    project.write("src/login.rs", "two");
    assert_eq!(why_not(), "files changed since the tests of 2026-11-15T19:45:30.002Z");
    project.see("cargo test", Some(1), RED);
    assert_eq!(why_not(), "`cargo test` failed: it ended with exit 1");
}

#[test]
fn hooks_do_not_pile_up_evidence() {
    let project = Project::new();
    for _ in 0..60 {
        project.see("cargo test", Some(0), GREEN);
    }
    let folder = project.ground.features.join("evidence/search");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 50);
    project.check("search", "proven");
}

#[test]
fn secrets_are_covered() {
    let project = Project::new();
    let item = project.see("API_TOKEN=abc123 cargo test", Some(0), &format!("{GREEN}password=hunter2\n")).unwrap();
    let text = serde_json::to_string(&item).unwrap();
    assert!(!text.contains("abc123") && !text.contains("hunter2"), "{text}");
}

#[test]
fn a_script_of_ones_own_is_seen_where_it_is_a_verifier() {
    let project = Project::new();
    project.write(
        ".agent/features/feature-list.json",
        r#"{"features":[{"id":"login","files":["src/login.rs"],"verifiers":["sh test.sh login"]}]}"#,
    );
    assert_eq!(project.see("sh test.sh search", Some(0), "fine\n"), None, "nobody's verifier");
    assert_eq!(project.see("sh test.sh", Some(0), "fine\n"), None);
    let weak = [
        ("sh test.sh login | tail", Some(0), "fine\n"),
        ("sh test.sh login || true", Some(0), "fine\n"),
        ("sh test.sh login", None, "fine\n"),
        ("sh test.sh login", Some(1), "fine\n"),
        ("sh test.sh login", Some(0), ""),
        ("sh test.sh login", Some(0), "0 passed\n"),
        ("cd src && sh test.sh login", Some(0), "fine\n"),
        ("cat summary && sh test.sh login", Some(0), "fine\n"),
    ];
    for (command, exit, output) in weak {
        project.see(command, exit, output).unwrap();
        let standing = standing(&project.ground, "login", &Bounds::command()).unwrap();
        assert!(!standing.is_proven(), "{command} {exit:?} {output}");
    }
    let item = project.see("timeout 60 sh test.sh login", Some(0), "fine\n").unwrap();
    assert_eq!((item.kind, item.about, item.runner), (Kind::Observed, About::Check, None));
    project.check("login", "proven");
}

#[test]
fn a_verifier_of_several_commands_is_known_where_it_is_typed_as_written() {
    let project = Project::new();
    project.write("api/x", "");
    project.write(
        ".agent/features/feature-list.json",
        r#"{"features":[
            {"id":"login","files":["src/login.rs"],"verifiers":["cd api && pytest tests/login"]},
            {"id":"search","files":["src/search/a.rs"],"verifiers":["./prepare && ./own-check"]}]}"#,
    );
    let check = |verifier: &str, feature: &str, output: &str| {
        for (dir, command, exit) in [
            ("", format!("{verifier}; true"), Some(0)),
            ("", format!("{verifier} | tail"), Some(0)),
            ("src", verifier.to_owned(), Some(0)),
            ("", verifier.to_owned(), None),
            ("", verifier.to_owned(), Some(1)),
        ] {
            project.see_in(dir, &command, exit, output);
            let standing = standing(&project.ground, feature, &Bounds::command()).unwrap();
            assert!(!standing.is_proven(), "{dir} {command} {exit:?}");
        }
        project.see(&format!(" {verifier}\n"), Some(0), output).unwrap();
        project.check(feature, "proven");
    };
    check("cd api && pytest tests/login", "login", "== 2 passed in 0.1s ==\n");
    check("./prepare && ./own-check", "search", "fine\n");
    project.write("src/login.rs", "two");
    // The client tells the folder that the line has led to.
    project.see_in("api", "cd api && pytest tests/login", Some(0), "== 2 passed in 0.1s ==\n").unwrap();
    project.check("login", "proven");
}

#[test]
fn a_run_that_counts_no_tests_says_so_and_takes_nothing_away() {
    let project = Project::new();
    project.write("Makefile", "test:\n\tctest\n");
    project.see("make test", Some(0), "all is well\n").unwrap();
    let standing = standing(&project.ground, "search", &Bounds::command()).unwrap();
    assert!(!standing.is_proven() && standing.why_not.contains("counts no tests"), "{}", standing.why_not);
    project.see("cargo test", Some(0), GREEN).unwrap();
    project.check("search", "proven");
    project.see("make test", Some(0), "all is well\n").unwrap();
    project.check("search", "proven");
    project.see("make test", Some(2), "all is not well\n").unwrap();
    project.check("search", "was last tried by `make test`: it ended with exit 2");
}

#[test]
fn what_only_has_a_runners_name_proves_nothing() {
    let project = Project::new();
    for command in ["./cargo test", "/tmp/evil/cargo test"] {
        assert_eq!(project.see(command, Some(0), GREEN), None, "{command}");
    }
    project.check("search", "has no evidence");
    project.see("cargo test", Some(0), GREEN).unwrap();
    project.check("search", "proven");
}

/// Some clients say nothing after a command that failed.
#[test]
fn a_run_that_started_proves_nothing_until_its_success_is_reported() {
    let project = Project::new();
    project.see("cargo test login", Some(0), GREEN);
    project.see("cargo test", Some(0), GREEN);
    project.check("login", "proven");
    project.check("search", "proven");
    project.start("cargo test login");
    project.check("login", &format!("was last tried by `cargo test login`: {UNREPORTED}"));
    project.check("search", "proven");
    project.see("cargo test login", Some(0), GREEN);
    project.check("login", "proven");
    project.start("cargo test");
    project.check("search", &format!("was last tried by `cargo test`: {UNREPORTED}"));
    assert!(!fresh_verification(&project.ground, &Bounds::command()).unwrap().is_fresh());
    assert_eq!(tests_ran(&project.ground, "s1", None).unwrap(), TestsRan { ran: 3, passed: 3 });
    // The success of this line would not be the run's own, so its start counts for nothing.
    project.see("cargo test", Some(0), GREEN);
    assert_eq!(project.start("cargo test | tail -5"), None);
    project.check("search", "proven");
    assert_eq!(project.start("ls"), None);
}
