//! However a test run is spelled, it is seen; and whatever looks like one is not believed.

use super::*;

#[test]
fn a_program_that_may_be_another_one_proves_nothing() {
    let check = |command: &str, weak: Option<&str>| {
        let project = Project::new();
        project.write("fake/cargo", "#!/bin/sh\necho fake\n");
        project.write("odd.sh", "eval \"$(cat x)\"\n");
        project.write("plain.env", "A=1\nexport B=\"two words\"\n");
        project.write("names.sh", "cargo() { cat fake; }\n");
        let item = project.see(command, Some(0), GREEN);
        assert_eq!(item.as_ref().and_then(|item| item.weak.as_deref()), weak, "{command}");
        assert!(weak.is_some() || item.is_none(), "{command}");
        assert!(!standing(&project.ground, "search", &Bounds::command()).unwrap().is_proven(), "{command}");
    };
    // Another program of that name runs, and it is none that is known.
    for command in [
        "cargo() { echo; }; cargo test",
        "cargo() { cat fake; }; export -f cargo; bash -c 'cargo test'",
        "alias cargo=true; cargo test",
        "source ./names.sh; cargo test",
        "hash -p ./fake/cargo cargo; cargo test",
        "./cargo test",
        "./fake/cargo test",
    ] {
        check(command, None);
    }
    let root = |folder: &str| format!("PATH leads to `{folder}`, where agents write");
    for (command, weak) in [
        ("source ./gone.sh; cargo test", "`./gone.sh` was sourced before it and is not known".to_owned()),
        (". ./odd.sh && cargo test", "`eval` ran a text before it that is not known".to_owned()),
        ("eval \"$(cat x)\"; cargo test", "`eval` ran a text before it that is not known".to_owned()),
        ("PATH=fake:$PATH cargo test", root("fake")),
        ("export PATH=/tmp/x:$PATH; cargo test", root("/tmp/x")),
        ("env PATH=/tmp/x:$PATH cargo test", root("/tmp/x")),
        ("LD_PRELOAD=./x.so cargo test", "`LD_PRELOAD` may put something else in its place".to_owned()),
        (
            "export LD_PRELOAD=./x.so; bash -c 'cargo test'",
            "`LD_PRELOAD` may put something else in its place".to_owned(),
        ),
        ("./nice cargo test", "`./nice` started it and is not known".to_owned()),
        ("./bash -c 'cargo test'", "`./bash` started it and is not known".to_owned()),
    ] {
        check(command, Some(&weak));
    }
    let project = Project::new();
    let root = project.ground.root.display().to_string();
    for command in [
        "export PATH=$PWD/fake:$PATH; cargo test".to_owned(),
        "export PATH=\"$(pwd)/fake:$PATH\"; cargo test".to_owned(),
        format!("PATH={root}/fake:$PATH && cargo test"),
    ] {
        let item = project.see(&command, Some(0), GREEN).unwrap();
        assert_eq!(item.weak.unwrap(), format!("PATH leads to `{root}/fake`, where agents write"), "{command}");
    }
    for command in [
        "cp fake .venv/bin/pytest && .venv/bin/pytest",
        "ln -sf ../../fake .venv/bin/pytest; .venv/bin/pytest",
        "echo 'print(1)' > .venv/bin/pytest\n.venv/bin/pytest",
    ] {
        let item = project.see(command, Some(0), "== 2 passed in 0.1s ==\n").unwrap();
        assert_eq!(item.weak.unwrap(), format!("the call itself wrote `{root}/.venv/bin/pytest`"), "{command}");
    }
    project.check("search", "has no evidence");
}

#[test]
fn what_sets_up_a_shell_takes_nothing_away() {
    let project = Project::new();
    let root = project.ground.root.display().to_string();
    // As `python -m venv` and others write it, in short.
    let activate = format!(
        "deactivate () {{\n    if [ -n \"${{_OLD_VIRTUAL_PATH:-}}\" ] ; then\n        PATH=\"${{_OLD_VIRTUAL_PATH:-}}\"\n        \
         export PATH\n        unset _OLD_VIRTUAL_PATH\n    fi\n    hash -r 2> /dev/null || true\n    \
         if [ ! \"${{1:-}}\" = \"nondestructive\" ] ; then\n        unset -f deactivate\n    fi\n}}\n\
         deactivate nondestructive\nVIRTUAL_ENV='{root}/own'\nexport VIRTUAL_ENV\n_OLD_VIRTUAL_PATH=\"$PATH\"\n\
         PATH=\"$VIRTUAL_ENV/\"bin\":$PATH\"\nexport PATH\n"
    );
    let see = |text: &str| {
        project.write("own/bin/activate", text);
        project.see("source own/bin/activate && pytest", Some(0), "== 2 passed in 0.1s ==\n").unwrap().weak
    };
    assert_eq!(see(&activate), None);
    let unknown = format!("PATH leads to `{root}/own/bin`, where agents write");
    for more in
        ["pytest() { cat fake; }\n", "curl x | sh\n", "alias ls=rm\n", "PATH=fake:$PATH\n", "$(echo ls)\n", "X=1\n"]
    {
        project.write("own/bin/activate", &format!("{activate}{more}"));
        let item = project.see("source own/bin/activate && pytest", Some(0), "== 2 passed in 0.1s ==\n");
        assert!(item.is_none_or(|item| item.weak.is_some()), "{more}");
    }
    assert_eq!(
        see(&activate.replace("nondestructive\nVIRTUAL_ENV='", "nondestructive\nX='")).as_deref(),
        Some("PATH leads to `…/bin`, where agents write")
    );
    assert_eq!(
        see(&activate.replace(&format!("'{root}/own'"), "'/tmp/other'")).as_deref(),
        Some("PATH leads to `/tmp/other/bin`, where agents write")
    );
    assert_eq!(see(&format!("{activate}X=1\n")).as_deref(), Some(unknown.as_str()));
    project.write("plain.env", "A=1\nexport B=\"two words\"\n");
    for command in [
        "source plain.env; cargo test",
        "set -a; . ./plain.env; set +a; cargo test",
        "source \"$HOME/.cargo/env\" && cargo test",
        ". ~/.cargo/env; cargo test",
        "source $HOME/.local/bin/env && cargo test",
        "export NVM_DIR=\"$HOME/.nvm\"; [ -s \"$NVM_DIR/nvm.sh\" ] && \\. \"$NVM_DIR/nvm.sh\"; nvm use 20; cargo test",
        "source /opt/ros/humble/setup.bash && cargo test",
        "eval \"$(pyenv init -)\"; cargo test",
        "export PATH=\"$HOME/.cargo/bin:$PATH\"; cargo test",
        "PATH=/usr/local/go/bin:$PATH cargo test",
        "export PATH=$PWD/node_modules/.bin:$PATH && cargo test",
    ] {
        let item = project.see(command, Some(0), GREEN).unwrap();
        assert_eq!(item.weak, None, "{command}");
    }
}

/// Every way in which the same test run is spelt.
const SPELLINGS: &[&str] = &[
    "TT",
    "nice -n 5 TT",
    "bash -c 'TT'",
    "bash -lc 'TT'",
    "sh -lc 'TT'",
    "bash -euo pipefail -c 'TT'",
    "{ TT; }",
    "( TT )",
    "(TT)",
    "sudo TT",
    "sudo -E TT",
    "sudo -u me TT",
    "direnv exec . TT",
    "env -u X TT",
    "env A=1 TT",
    "A=1 TT",
    "time -p TT",
    "time TT",
    "timeout 60 TT",
    "stdbuf -oL TT",
    "command TT",
    "exec TT",
    "nohup TT",
    "xvfb-run -a TT",
    "uv run TT",
    "poetry run TT",
    "npx TT",
    "mise exec -- TT",
    "cd . && TT",
    "set -o pipefail; TT | tee out.log",
    "set -o pipefail; TT 2>&1 | tee -a out.log | tail -n 20",
    "TT 2>&1 | tail -5; exit ${PIPESTATUS[0]}",
    "TT; rc=$?; echo \"exit $rc\"; exit $rc",
    "TT || exit 1; echo done",
    "TT || { echo failed; exit 1; }\necho done",
    "set -e; TT; echo done",
    "set -euo pipefail\nTT\necho done",
    "mkdir x || true; TT",
    "for x in 1 2; do TT || exit 1; done",
    "f() { TT; }; f",
    "f() { TT \"$@\"; }; f",
    "f() { TT || return 1; echo ok; }; f",
    "alias t='TT'; t",
    "cargo() { command cargo \"$@\"; }; pytest() { command pytest \"$@\"; }; TT",
    "bash <<'E'\nTT\nE\n",
    "bash run.sh",
    "./run.sh",
    "sh ./run.sh",
    "make unit",
    "npm run unit",
    "just unit",
    "composer unit",
    "eval 'TT'",
    "cat > notes.txt <<E\nx\nE\nTT",
    "X=$(git rev-parse HEAD); TT",
    "TT # and more",
];

#[test]
fn every_spelling_of_a_test_run_is_seen() {
    let pytest = "== 2 passed in 0.1s ==\n";
    for (test, output) in [("cargo test", GREEN), ("pytest -q", pytest), ("cargo test login", GREEN)] {
        for spelling in SPELLINGS {
            let project = Project::new();
            let script = format!("#!/bin/sh\nset -e\n{test}\n");
            project.write("run.sh", &script);
            project.write("Makefile", &format!("unit: dep\n\t@{test}\ndep:\n\ttrue\n"));
            project.write("justfile", &format!("unit:\n    @{test}\n"));
            project.write("package.json", &format!(r#"{{"scripts":{{"unit":"{test}"}}}}"#));
            project.write("composer.json", &format!(r#"{{"scripts":{{"unit":["{test}"]}}}}"#));
            let command = spelling.replace("TT", test);
            let item = project.see(&command, Some(0), output);
            let item = item.unwrap_or_else(|| panic!("not seen: {command}"));
            assert_eq!((item.kind, item.about, item.weak), (Kind::Observed, About::Test, None), "{command}");
            let feature = if item.whole { "search" } else { "login" };
            // Another value of a variable makes it another command than the verifier.
            if item.whole || !spelling.contains("A=1") {
                let standing = standing(&project.ground, feature, &Bounds::command()).unwrap();
                assert!(standing.is_proven(), "{command}: {}", standing.why_not);
            }
            assert_eq!(item.whole, test != "cargo test login", "{command}");
            assert!(could_be_evidence(&command), "{command}");
        }
    }
}

#[test]
fn a_task_is_a_test_only_if_its_recipe_runs_one() {
    let check = |files: &[(&str, &str)], command: &str, weak: Option<&str>| {
        let project = Project::new();
        files.iter().for_each(|(path, text)| project.write(path, text));
        let item = project.see(command, Some(0), GREEN).unwrap();
        assert_eq!(item.weak.as_deref(), weak, "{command} {files:?}");
        let proven = standing(&project.ground, "search", &Bounds::command()).unwrap().is_proven();
        assert_eq!(proven, weak.is_none(), "{command} {files:?}");
    };
    let make = |recipe: &str| format!("test:\n\t{recipe}\n");
    let none = "the recipe of `make` runs no test runner that is known";
    check(&[("Makefile", &make("cargo test"))], "make test", None);
    check(&[("Makefile", &make("@echo go 1\n\tcargo test -p a"))], "make -j2 test", None);
    check(&[("Makefile", "CARGO ?= cargo\ntest: lint\n\t$(CARGO) test\nlint:\n\tcargo clippy\n")], "make test", None);
    check(&[("Makefile", "test:\n\t$(MAKE) unit\nunit:\n\tcargo test\n")], "make test", None);
    check(&[("Makefile", &make("@cat fake.log"))], "make test", Some(none));
    check(&[("Makefile", &make("./run-tests"))], "make test", Some(none));
    check(&[], "make test", Some("the recipe of `make` could not be read or runs nothing"));
    check(&[("Makefile", "include x.mk\n"), ("x.mk", &make("cargo test"))], "make test", None);
    check(
        &[("Makefile", "include x.mk\n")],
        "make test",
        Some("the recipe of `make` could not be read or runs nothing"),
    );
    check(
        &[("Makefile", &make("-cargo test"))],
        "make test",
        Some("`cargo test` in its recipe proves nothing: the program that started it hides how it ended"),
    );
    check(
        &[("Makefile", &make("cargo test || true"))],
        "make test",
        Some("`cargo test` in its recipe proves nothing: `||` hides how it ended"),
    );
    check(
        &[("Makefile", &make("@echo 'test result: ok. 3 passed; 0 failed; 0 ignored'; cargo test x"))],
        "make test",
        Some("the call itself printed `test result: ok. 3 passed; 0 failed; 0 ignored`"),
    );
    let npm = |script: &str| format!(r#"{{"scripts":{{"test":"{script}"}}}}"#);
    check(&[("package.json", &npm("eslint . && cargo test"))], "npm test", None);
    check(&[("package.json", &npm("cross-env CI=1 jest --ci"))], "npm test", None);
    check(&[("package.json", &npm("nyc mocha"))], "npm test", None);
    check(&[("package.json", &npm("playwright test"))], "pnpm test", None);
    check(
        &[("package.json", &npm("node fake.js"))],
        "npm test",
        Some("the recipe of `npm` runs no test runner that is known"),
    );
    check(
        &[(
            "justfile",
            "set shell := [\"bash\"]\ntest *args: build\n    cargo test {{args}}\nbuild:\n    cargo build\n",
        )],
        "just test",
        None,
    );
    check(
        &[("justfile", "test:\n    echo ok\n")],
        "just test",
        Some("the recipe of `just` runs no test runner that is known"),
    );
    check(&[("composer.json", r#"{"scripts":{"test":"phpunit"}}"#)], "composer test", None);
    check(&[], "npm test", Some("the recipe of `npm` could not be read or runs nothing"));
    check(&[], "task test", Some("the recipe of `task` could not be read or runs nothing"));
}
