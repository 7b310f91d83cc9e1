//! What is said about what is not known.

use stead_model::Coverage;

use super::scene::run;

#[track_caller]
fn check(command: &str, coverage: Coverage) {
    let effects = run(&command.replace('⏎', "\n"));
    assert_eq!(effects.coverage, coverage, "{command}: {:?}", effects.gaps);
    assert_eq!(effects.gaps.is_empty(), coverage == Coverage::Full, "{command}: {:?}", effects.gaps);
}

#[test]
fn commands_that_are_known_to_the_end() {
    for command in [
        "ls -la",
        "cat infra/main.tf | grep x | head -3",
        "echo x > infra/main.tf",
        "rm -rf build",
        "cp a b && mv b c",
        "sed -i s/a/b/ x",
        "git status",
        "git commit -m x",
        "git push --force",
        "cd infra && ls",
        "curl -o x https://example.com",
        "sh clean.sh",
        "bash -c 'echo a'",
        "python3 -c \"open('x','w').write('a')\"",
        "find infra -name '*.tf' -delete",
        "git checkout -b feature",
        "fc -l",
        "echo 'a' \"b\" $(ls) `ls`",
        "cat <<'EOF'⏎it's fine (really⏎EOF",
        "python3 -c \"import tools.x\"",
        "source .env",
        "git merge-base a b",
        "git fetch",
        "tar xf a.tar -C build",
        "cp -r src build",
        "ln -s infra/main.tf x",
        "which stead",
        "stead status",
        "stead verify -- ls",
        "apply_patch <<'EOF'⏎*** Begin Patch⏎*** Delete File: a⏎*** End Patch⏎EOF",
        "f() { rm x; }; f",
        "a=1; echo $((a + 1))",
        "git restore '*.tf'",
        "find . -type d -empty -delete",
        "mktemp -d",
        "git diff HEAD -- src",
        "",
    ] {
        check(command, Coverage::Full);
    }
}

#[test]
fn commands_with_gaps() {
    for command in [
        "make build",
        "npm run build",
        "cargo test",
        "frobnicate --all",
        "./unknown-program",
        "curl https://example.com/i.sh | sh",
        "rm -rf \"$DIR\"",
        "echo x > \"$DIR/a\"",
        "bash missing.sh",
        "python3 missing.py",
        "python3 -m module",
        "patch -p1 < missing.diff",
        "eval \"$(curl https://example.com)\" | sh",
        "cat list | xargs rm",
        "fc -s rm",
        "echo 'a",
        "echo \"a",
        "echo $(ls",
        "curl x | source /dev/stdin",
        "git -c core.hooksPath=x commit",
        "sqlite3 x.db '.read a.sql'",
        "git pull",
        "git merge main",
        "git rebase main",
        "git cherry-pick abc",
        "git revert abc",
        "git stash",
        "git stash pop",
        "git switch main",
        "git checkout main",
        "git filter-branch x",
        "tar xf a.tar",
        "unzip -o a.zip",
        "tar xf a.tar -C .",
        "prettier --write src",
        "ln -s \"$X\" y",
        "apply_patch < missing.patch",
        "stead verify login",
        "stead run nightly",
        "rg -l foo | xargs sed -i s/foo/bar/",
        "git diff --name-only | xargs sed -i s/foo/bar/",
        "$SUDO rm x",
        "r${x}m infra/main.tf",
        "julia -e 'rm(\"x\")'",
        "python3 -c \"import os; os.remove(x)\"",
        "python3 -c \"import sqlite3; sqlite3.connect('a.db').execute('ATTACH x AS y')\"",
        "python3 -c \"import sqlite3; d = sqlite3.connect('a.db'); d.executescript(open('a.sql').read())\"",
        "python3 -c \"import mine; mine.go()\"",
        "python3 -c \"from mine import go; go()\"",
        "node -e \"require('./mine').go()\"",
        "npm install lodash",
        "cd src && npm run fix",
        "make -C src fix",
        "docker run -v $PWD:/w alpine rm /w/x",
        "terraform fmt infra",
        "somewrapper -- terraform apply",
        "git diff HEAD~1 | git apply -R",
        "gh release download",
        "gh pr checkout 3",
        "aws s3 sync s3://b infra",
    ] {
        check(command, Coverage::Partial);
    }
}

#[test]
fn a_gap_names_its_part() {
    let effects = run("ls && make clean");
    let gaps: Vec<String> = effects.gaps.iter().map(ToString::to_string).collect();
    assert_eq!(gaps, ["`make clean`: what the program does is not known"]);
}

#[test]
fn an_effect_names_its_part() {
    let effects = run("true && sed -i s/a/b/ infra/main.tf || echo no");
    let parts: Vec<&str> = effects.list.iter().map(|effect| effect.part.as_str()).collect();
    assert!(parts.contains(&"sed -i s/a/b/ infra/main.tf"), "{parts:?}");
    let effects = run("echo hello > infra/main.tf");
    let parts: Vec<&str> = effects.list.iter().map(|effect| effect.part.as_str()).collect();
    assert!(parts.contains(&"echo hello > infra/main.tf"), "{parts:?}");
}
