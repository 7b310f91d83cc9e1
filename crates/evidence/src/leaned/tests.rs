use super::*;
use crate::definition::rows;
use crate::runner::other_runners;
use crate::verifier::read_on_disk;

struct Project {
    folder: tempfile::TempDir,
    ground: Ground,
}

impl Project {
    fn new(files: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let room = |name: &str| root.join(".agent").join(name);
        let (features, indexes, cache) = (room("features"), room("indexes"), room("cache"));
        let project = Self { folder, ground: Ground { features, indexes, cache, root, state: None } };
        files.iter().for_each(|file| project.write(file, "x"));
        project
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn all(&self, dir: &str, command: &str) -> Vec<Leaned> {
        let effects = read_on_disk(command, &self.ground.root.join(dir), Tools::of(&self.ground.root));
        let wrote = |who: &Who, paths: &[&str]| match who.session.as_deref() {
            Some("s1") => paths.iter().filter(|path| path.starts_with("Make")).map(|path| (*path).to_owned()).collect(),
            _ => Vec::new(),
        };
        let who = Who { session: Some("s1".into()), ..Who::default() };
        leaned(&self.ground, &effects, &who, &wrote, &Bounds::command())
    }
}

#[track_caller]
fn check(files: &[&str], dir: &str, command: &str, expected: &[&str]) {
    let project = Project::new(files);
    let found: Vec<String> = project.all(dir, command).into_iter().map(|file| file.path).collect();
    assert_eq!(found, expected, "{command}");
}

/// A call of a runner that does nothing special.
fn call(program: &str) -> String {
    let verb = match program {
        "cargo" | "go" | "npm" | "pnpm" | "yarn" | "bun" | "make" | "gmake" | "just" | "task" | "rake" | "ninja"
        | "composer" | "mvn" | "mvnw" | "mvn.cmd" | "gradle" | "dotnet" | "swift" | "mix" | "deno" | "rails" => " test",
        _ => "",
    };
    format!("{program}{verb}")
}

/// Each file of each row is found in the run's folder and above it, by the program and by the runner's name.
#[test]
fn every_definition_of_every_row_is_found() {
    for row in rows() {
        assert!(!row.files.is_empty(), "{:?}", row.programs);
        for file in row.files {
            let file = file.replace('*', "x");
            for program in row.programs {
                let (inner, outer) = (format!("web/app/{file}"), file.as_str());
                let project = Project::new(&[&inner, outer, "other/unrelated.txt"]);
                let mut found =
                    Found { root: &project.ground.root, bounds: &Bounds::command(), files: BTreeSet::new(), seen: 0 };
                let dir = project.ground.root.join("web/app");
                let argv: Vec<String> = call(program).split(' ').map(str::to_owned).collect();
                found.take_run(&argv, &dir, Tools::of(&project.ground.root));
                for wanted in [inner.as_str(), outer] {
                    assert!(found.files.contains(wanted), "{program}: {wanted} is not in {:?}", found.files);
                }
                assert!(!found.files.contains("other/unrelated.txt"), "{program}");
            }
        }
        for flag in row.flags {
            for spelling in [vec![(*flag).to_owned(), "own.cfg".into()], vec![format!("{flag}=own.cfg")]] {
                let project = Project::new(&["own.cfg"]);
                let mut found =
                    Found { root: &project.ground.root, bounds: &Bounds::command(), files: BTreeSet::new(), seen: 0 };
                found.take_definition(row, &spelling, &project.ground.root);
                assert!(found.files.contains("own.cfg"), "{:?} {flag}", row.programs);
            }
        }
    }
}

/// No runner is recognised without a row that says what it leans on.
#[test]
fn every_runner_has_a_row() {
    let known = [
        "cargo", "nextest", "pytest", "unittest", "python-session", "jest", "vitest", "mocha", "node-test", "go",
        "script", "make", "just", "task", "ninja", "rake", "ctest", "maven", "gradle", "rspec", "minitest", "phpunit",
        "dotnet", "swift", "mix", "deno", "bun",
    ];
    for runner in known.into_iter().chain(other_runners()) {
        assert!(definitions("", runner).next().is_some(), "{runner}");
    }
}

#[test]
fn what_a_command_leans_on() {
    check(&["Makefile", "x.mk"], "", "make test", &["Makefile"]);
    check(&["Makefile", "x.mk"], "", "make -f x.mk test", &["Makefile", "x.mk"]);
    check(&["web/Makefile"], "", "make -C web test", &["web/Makefile"]);
    check(
        &["conftest.py", "tests/conftest.py", "tests/unit/conftest.py", "pytest.ini", "node_modules/a/conftest.py"],
        "",
        "python3 -m pytest tests/unit",
        &["conftest.py", "pytest.ini", "tests/conftest.py", "tests/unit/conftest.py"],
    );
    check(&["run-tests.sh"], "", "./run-tests.sh", &["run-tests.sh"]);
    check(&["scripts/test.py"], "", "python3.12 scripts/test.py", &["scripts/test.py"]);
    check(&["test.js", "package.json"], "", "node test.js", &["test.js"]);
    check(&["pytest.py"], "", "python -m pytest", &["pytest.py"]);
    check(&["api/go.mod", "go.mod"], "", "cd api && go test ./...", &["api/go.mod", "go.mod"]);
    check(&["a.txt"], "", "cat a.txt", &[]);
    // The recipe's own programs lean on their files, too.
    let project = Project::new(&["pyproject.toml"]);
    project.write("Makefile", "test:\n\tpytest\n");
    let found: Vec<String> = project.all("", "make test").iter().map(Leaned::describe).collect();
    assert_eq!(found, ["Makefile (changed in this session)", "pyproject.toml"]);
    // Nothing outside the project is listed.
    check(&["sub/package.json"], "sub", "npm test --prefix ../..", &["sub/package.json"]);
}

#[test]
fn a_later_change_is_seen() {
    let project = Project::new(&["Makefile"]);
    let found = project.all("", "make test");
    assert!(!found[0].has_changed(&project.ground));
    assert_eq!(Leaned::note(&found).as_deref(), Some("leaned on: Makefile (changed in this session)"));
    project.write("Makefile", "y");
    assert!(found[0].has_changed(&project.ground));
    fs::remove_file(project.folder.path().join("Makefile")).unwrap();
    assert!(found[0].has_changed(&project.ground));
}
