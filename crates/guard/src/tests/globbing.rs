//! Patterns of the shell and whole folders against patterns of guards.

use stead_model::Level;

use super::{ask, guard, run, sound};

/// Commands beside a guard: what it stops, and their benign twins.
#[track_caller]
fn check(rest: &str, files: &[&str], stopped: &[&str], passed: &[&str]) {
    let guards = sound(&[&guard("g", rest)]);
    let list = stopped.iter().map(|command| (command, Level::Deny));
    for (command, expected) in list.chain(passed.iter().map(|command| (command, Level::Allow))) {
        let mut example = run(command);
        example.scene.files = files.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect();
        let judgement = ask(&guards, &example);
        assert_eq!(judgement.verdict.level, expected, "{command}: {:?}", judgement.hits);
    }
}

#[test]
fn a_search_stops_only_where_it_can_lead() {
    let files = ["infra/main.tf", "src/a.py", "README.md", "infra/a/x.tf"];
    check(
        "match: {writes: 'infra/**/*.tf'}",
        &files,
        &[
            "find . -name '*.tf' | xargs sed -i s/a/b/",
            "find . -name '*.tf' -delete",
            "find . -name main.tf -exec rm {} +",
            "find . -type f -exec sed -i s/a/b/ {} +",
            "rm **/*.tf",
            "rm infra/*",
            "rm */*.tf",
            "rm -rf *",
            "rm -rf infra",
            "fd -e tf -x sed -i s/a/b/",
            "touch infra/$NAME.tf",
            "rg -l foo | xargs sed -i s/foo/bar/",
            "sed -i s/a/b/ $(git ls-files '*.tf')",
        ],
        &[
            "find . -name '*.py' | xargs sed -i s/a/b/",
            "find . -name '*.pyc' -delete",
            "rm **/*.pyc",
            "find . -name '*.orig' | xargs rm",
            "find . -type d -name node_modules -prune -exec rm -rf {} +",
            "find . -name __pycache__ -exec rm -rf {} +",
            "fd -e py -x sed -i s/a/b/",
            "rg -l foo | xargs cat",
            "rg -l foo src | xargs sed -i s/foo/bar/",
            "sed -i s/a/b/ $(git ls-files '*.md')",
            "rm -f */*.o",
            "touch */__init__.py",
            "rm *",
            "find src -name '*.tf' | xargs rm",
            "find . -name '*.tf' | xargs grep x",
            "rm -rf target",
        ],
    );
    // A pattern that can lead there does not, where no such file is.
    let elsewhere = ["rg -l foo | xargs sed -i s/foo/bar/", "rm */*.tf", "find . -type f -exec sed -i s/a/b/ {} +"];
    check(
        "match: {writes: 'infra/**/*.tf'}",
        &["src/a.py", "infra/README.md"],
        &["touch infra/$X.tf", "rm infra/$X.tf"],
        &elsewhere,
    );
    // However much else is not known, and only for the path that has the piece.
    let many: String = (0..40).map(|number| format!("./program-{number} $(date); ")).collect();
    check(
        "match: {writes: 'infra/**/*.tf'}",
        &["src/a.py", "infra/README.md"],
        &[&format!("{many} rm infra/$X.tf"), "rm docs/$X */*.tf infra/$X.tf"],
        &[&format!("{many} rm */*.tf"), "rm docs/$X */*.tf"],
    );
    check(
        "match: {writes: 'infra/**'}",
        &["infra/main.tf", "src/x.pyc"],
        &["rm */*.tf"],
        &["find . -name '*.pyc' -delete"],
    );
    check("match: {writes: infra}", &["infra/main.tf", "src/x.tf"], &["find . -name '*.tf' -delete"], &["rm src/*.tf"]);
}

#[test]
fn a_star_is_no_secret() {
    let commands = [
        "cat *",
        "head -5 *",
        "grep x *",
        "ls | xargs cat",
        "cat */*.md",
        "find . -name '*.py' | xargs grep x",
        "find src -name '*.py' -exec cat {} +",
        "cat $(git ls-files '*.md')",
        "find . -name __pycache__ -exec rm -rf {} +",
        "find . -type d -name target -exec rm -rf {} +",
        "git diff --name-only | xargs cat",
        "git ls-files | xargs wc -l",
        "rg -l x | xargs cat",
        "cat src/*.py",
    ];
    let guards = sound(&["id: destructive\nuse: destructive\n"]);
    for command in commands {
        for files in [&["src/a.py", "docs/a.md", ".env"][..], &[]] {
            let mut example = run(command);
            example.scene.files = files.iter().map(|name| ((*name).to_owned(), String::new())).collect();
            let judgement = ask(&guards, &example);
            assert_eq!(judgement.verdict.level, Level::Allow, "{command} {files:?}: {:?}", judgement.hits);
        }
    }
    for command in
        ["cat *", "cat *.pem", "find . -name '*.pem' -exec cat {} +", "cat .e*", "find . -type f | xargs cat"]
    {
        let mut example = run(command);
        example.scene.files = vec![("server.pem".into(), String::new()), (".env".into(), String::new())];
        let judgement = ask(&guards, &example);
        assert_eq!(judgement.verdict.level, Level::Deny, "{command}");
    }
    let mut example = run("cat *");
    example.scene.files = vec![("server.pem".into(), String::new())];
    assert!(ask(&guards, &example).verdict.reason_text().contains("server.pem contains secrets"));
}

#[test]
fn a_folder_that_is_written_is_all_in_it() {
    check(
        "match: {writes: 'infra/**/*.tf'}",
        &["infra/main.tf", "src/a"],
        &[
            "tar -xf x.tar -C infra",
            "unzip x.zip -d infra",
            "cp -r src/. infra/",
            "git checkout HEAD~1 -- infra",
            "git restore infra",
            "mv src infra",
        ],
        &[
            "tar -xf x.tar -C out", "unzip x.zip -d src", "cp -r infra out", "git restore src", "git log -- infra",
            "git pull",
        ],
    );
}
