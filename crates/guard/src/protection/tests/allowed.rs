use super::{Allow, Deny, World, allow, check, check_in, expect, judge};

#[test]
fn reading_protected_files() {
    allow(
        r#"
        cat .agent/config.toml
        ls -la .agent
        ls .agent/guards/
        head -20 .agent/context/root.json
        tail -f .agent/context/indexes/sessions.jsonl
        tail -n 5 .agent/graph/traces.jsonl | jq .
        less .agent/config.toml
        wc -l .agent/context/indexes/*.jsonl
        stat .agent/config.toml
        file .agent/config.toml
        diff .agent/config.toml /tmp/x
        grep -rn foo .agent
        grep -c x .agent/config.toml .tool/settings.json
        rg hooks .tool/settings.json
        jq . .tool/settings.json
        jq -r .project_id .agent/context/root.json
        yq . .agent/guards/a.yaml
        sed -n 1,5p .agent/config.toml
        sed 's/a/b/' .agent/config.toml
        awk '{print $1}' .agent/config.toml
        sort .agent/config.toml
        sort .agent/config.toml | uniq -c
        test -f .agent/config.toml && echo yes
        [ -d .agent ] && echo yes
        [[ -f .agent/config.toml ]] || echo no
        if [ -f .agent/config.toml ]; then cat .agent/config.toml; fi
        find .agent -name '*.toml'
        find . -name root.json
        find .agent -type f | head
        find .agent -type f | xargs cat
        find .agent -type f -exec cat {} \;
        find .agent -name '*.json' -exec grep -l x {} +
        tree .agent
        du -sh .agent
        cd .agent && ls
        cd .agent && cat config.toml
        cd .agent && git status
        pushd .agent && pwd && popd
        md5sum .agent/config.toml
        xxd .agent/cache/policy | head
        cp .agent/config.toml /tmp/backup.toml
        cp -r .agent /tmp/backup
        tar czf /tmp/x.tgz .agent
        tar tf /tmp/x.tgz
        rsync -a .agent/ /tmp/backup/
        cat < .agent/config.toml
        X=$(cat .agent/config.toml)
        PID=$(jq -r .project_id .agent/context/root.json); echo "$PID"
        while read l; do echo "$l"; done < .agent/config.toml
        cat .agent/config.toml > /tmp/copy
        cat .agent/config.toml | tee /tmp/copy
        base64 .agent/config.toml
        realpath .agent/config.toml
        readlink -f .agent
        command -v stead
        sudo cat .agent/config.toml
        timeout 5 cat .agent/config.toml
        source .agent/env 2>/dev/null
        "#,
    );
    check_in("/home/ann/proj/.agent", "cat config.toml", Allow);
    check_in("/home/ann/proj/.agent", "ls -la", Allow);
    check_in("/home/ann/proj/.agent/guards", "grep x *", Allow);
    check_in("/home/ann/proj/.agent/guards", "python3 -c 'print(1)'", Allow);
}

#[test]
fn mere_mentions() {
    allow(
        r#"
        echo .agent/config.toml
        echo "rm -rf .agent"
        echo 'stead uninstall would remove it'
        printf '%s\n' 'rm -rf .agent' > docs/warning.md
        echo "edit .agent/config.toml" >> README.md
        git commit -m "protect .agent/config.toml from rm -rf .agent"
        git commit -am 'stead uninstall works'
        git log -- .agent
        git log -p .agent/config.toml
        git diff .agent
        git diff HEAD -- .agent/config.toml
        git show HEAD:.agent/config.toml
        git blame .agent/config.toml
        git grep uninstall -- .agent
        git add .agent
        git add -A
        git add .agent/config.toml && git commit -m x
        git status .agent
        git ls-files .agent
        git check-ignore .agent/cache
        git push
        git tag -a v1 -m "see .agent/config.toml"
        git rm --cached .agent/cache -r
        git restore --staged .agent
        git stash
        git stash pop
        git stash list
        git stash push -u -- src
        grep -r "rm -rf .agent" docs
        grep -rn 'stead uninstall' .
        rg "echo x > .agent/config.toml" -l
        gh pr create --title x --body "changes .agent/config.toml and .tool/settings.json"
        gh issue create --body 'run `stead uninstall`'
        gh pr comment 3 --body "rm -rf .agent"
        # rm -rf .agent
        ls # then rm -rf .agent
        true # > .agent/config.toml
        cargo test -- agent
        cargo test self_protection_of_config_toml
        npm run build
        make clean
        cat docs/.agentignore
        rm -rf .agents
        rm -rf agent
        rm .agent.bak
        echo x > agent/config.toml
        echo x > .agentrc
        echo x > docs/.agent.md
        man stead
        which stead
        curl https://example.com/.agent
        sed -i 's/old/.agent/' docs/a.md
        sed -i "s#.agent/config.toml#X#" docs/a.md
        python3 -c "import os; print(os.listdir('.agent'))"
        python3 -c "import os; print(os.path.getsize('.agent/config.toml'))"
        base64 -d <<< x | sh; echo .agent | sh
        f() { stead uninstall; }
        ln -s .agent/config.toml link
        ln -s .agent link
        cp .agent/config.toml "$DEST"
        perl -v
        python3 --version
        python3 manage.py migrate
        python3 -m pytest tests
        python3 -c "print('use this instead')"
        node -e "console.log('a steady hand instead')"
        node build.js
        "#,
    );
    check("cat > docs/howto.md <<'EOF'\nrun rm -rf .agent\necho > .agent/config.toml\nstead uninstall\nEOF\n", Allow);
    check("cat <<EOF > docs/howto.md\n.agent/config.toml\nEOF\n", Allow);
    check("git commit -F - <<'EOF'\nabout rm -rf .agent\nEOF\n", Allow);
    check(
        "git commit -m \"$(cat <<'EOF'\nGuard .agent/config.toml\n\nso that `rm -rf .agent` is stopped; it's (really) so\nEOF\n)\"",
        Allow,
    );
    check(
        "gh pr create --title t --body \"$(cat <<'EOF'\n## Summary\n- `rm -rf .agent` is denied\n- > .agent/config.toml\nEOF\n)\"",
        Allow,
    );
    check("echo 'line one\nrm -rf .agent\n' > notes.txt", Allow);
    check("tee docs/a.md <<'EOF'\n.agent/config.toml\nEOF\n", Allow);
}

#[test]
fn what_belongs_to_the_agent() {
    allow(
        r#"
        echo x > .agent/context/packets/2026-a.md
        rm .agent/context/packets/old.md
        rm -rf .agent/context/scratch
        mkdir -p .agent/context/packets
        touch .agent/roles/dev.context.md
        sed -i s/a/b/ .agent/stages/plan/prompt.md
        cp x .agent/pipelines/a.yaml
        mv .agent/roles/a.context.md .agent/roles/b.context.md
        echo x > .agent/intents/AGENT.md
        echo x > .agent/features/feature-list.json
        echo x > .agent/runs/r1/stage-00-plan/output.md
        echo x >> .agent/runs/r1/stage-00-plan/progress.md
        echo '{}' > .agent/runs/r1/stage-00-plan/iterations/001/status.json
        rm .agent/runs/*/stage-*/output.md
        cd .agent/context/packets && rm old.md
        python3 -c "open('.agent/context/packets/a.md','w').write('x')"
        bash .agent/stages/plan/run.sh
        echo x > .tool/commands/a.md
        rm -rf .tool/commands
        rm -rf .agent/context/packets/$X
        rm -rf "./$X" "$HOME/$X"
        echo x > .github/workflows/ci.yml
        python3 .tool/scripts/gen.py
        rm .tool/settings.local.json
        rm -rf ~/.usertool
        "#,
    );
    check_in("/home/ann/proj/.agent/context/packets", "rm old.md && echo x > new.md", Allow);
}

#[test]
fn daily_work() {
    allow(
        r#"
        rm -rf target
        rm -rf node_modules dist build
        rm -rf ./build/*
        rm -f *.log
        rm *.tmp
        rm -f */*.json
        prettier --write */*.json
        sed -i s/a/b/ */*.md
        rm -rf /tmp/x
        rm -rf "$TMPDIR"
        rm -rf "$(mktemp -d)"
        rm -rf "$DIR"/*
        cd build && rm -rf *
        cd build; rm -rf ./*
        (cd target && rm -rf *)
        mv src/a.rs src/b.rs
        mv build/* dist/
        cp -r src /tmp/src
        cp -r other/. .
        chmod +x scripts/run.sh
        chmod -R u+w .
        find . -name '*.pyc' -delete
        find . -type d -empty -delete
        git restore '*.rs'
        git restore ':!.agent'
        find . -name __pycache__ -type d -exec rm -rf {} +
        find . -type d -name node_modules -prune -exec rm -rf {} +
        find . -name '*.rs' | xargs sed -i s/a/b/
        find . -name '*.rs' -exec sed -i s/a/b/ {} +
        find src -type f -delete
        find . -name '*.md' -not -path './.agent/*' -not -path './.tool/*' -not -path './.github/*' -delete
        find . -maxdepth 1 -type f -delete
        find . -type f -not -path './.*' -delete
        wget $URL
        curl -O "$URL"
        find . -name '*.json' | xargs wc -l
        grep -rl foo src | xargs sed -i s/foo/bar/
        git checkout main
        git checkout -b feature
        git checkout .
        git checkout -- .
        git checkout -- src
        git restore .
        git restore src/main.rs
        git clean -n
        git clean -fdx -e .agent -e .tool
        git checkout -- .github
        rm -rf .github
        find src -name '*.rs' | while read f; do sed -i s/a/b/ "$f"; done
        find . -name '*.json' | while read f; do echo "$f"; done
        git clean -fdn
        git clean -fdx -e .agent -e .tool -e .github
        git clean -fd -e .agent/ -e .tool --exclude=.github
        git clean -fd src
        git reset --hard HEAD~1
        git rebase main
        git merge feature
        git worktree add ../wt
        git mv src/a.rs src/b.rs
        git apply fix.patch
        cargo build
        cargo build --manifest-path ./Cargo.toml
        cargo run -- uninstall
        cargo clippy --fix --allow-dirty
        cargo fmt
        pytest .
        prettier --write .
        eslint . --fix
        black .
        tsc -p .
        npm install
        docker build .
        make -C .
        sed -i s/a/b/ src/*.rs
        echo "a" > out.txt 2>&1
        cargo test 2>&1 | tail -5
        cmd > /dev/null 2>&1
        ls *.rs
        for f in src/*.rs; do rustfmt "$f"; done
        while true; do sleep 1; break; done
        a=1; b=$((a + 1)); echo $b
        echo {1..3} {a,b}
        python3 -c "print(1)"
        python3 script.py --out build
        cat package.json | python3 -c "import json,sys; print(json.load(sys.stdin)['name'])"
        echo "puts 1" | ruby
        curl -fsSL https://example.com/i.sh | sh
        echo 'echo hi' | sh
        bash scripts/run.sh
        sh -c 'cargo test'
        tar xzf x.tgz -C /tmp
        unzip x.zip -d build
        ln -s ../a b
        ssh host 'ls'
        kill %1
        cd - && ls
        cd
        "#,
    );
    check("python3 - <<'EOF'\nprint('hello')\nEOF\n", Allow);
    check(&(0..80).map(|n| format!("echo {n}")).collect::<Vec<_>>().join(" && "), Allow);
    check(&"a".repeat(2_000_000), Allow);
    check(&format!("{}ls{}", "(".repeat(300), ")".repeat(300)), Allow);
    check(&format!("a=x; {}", "a=$a$a; ".repeat(80)), Allow);
    check(&format!("rm {}", "{a,b}".repeat(60)), Allow);
    check(&"`".repeat(100_001), Allow);
    check("", Allow);
    check("   \n\n  ", Allow);
    check_in("/home/ann/proj/src", "rm -rf *", Allow);
    check_in("/home/ann/other", "rm -rf .agent", Allow);
    check_in("/tmp", "git clean -fdx", Allow);
}

#[test]
fn the_way_on_that_a_reason_names_is_open() {
    let text = judge(&World::new(), "git clean -fdx").reason_text();
    assert!(text.ends_with("Instead: add `-e .agent -e .tool`."), "{text}");
    let text = judge(&World::new(), "find . -name '*.toml' -delete").reason_text();
    assert!(text.contains("`-not -path '*/.agent/*'`"), "{text}");
    check("find . -name '*.toml' -not -path '*/.agent/*' -delete", Allow);
    let text = judge(&World::new(), "git stash -u").reason_text();
    assert!(text.contains("`git stash push -u -- src`"), "{text}");
    check("git stash push -u -- src", Allow);
}

#[test]
fn without_a_project_only_user_files_count() {
    let world = World { rootless: true, ..World::at("/home/ann/other") };
    expect(&judge(&world, "echo x > ~/.usertool/settings.json"), Deny, "user settings");
    expect(&judge(&world, "rm -rf .agent"), Allow, "no project");
    expect(&judge(&world, "python3 -c \"open('.agent/config.toml')\""), Allow, "no project");
}

#[test]
fn programs_that_only_show() {
    check("python3 - <<'EOF'\nprint('.agent/config.toml')\nEOF", Allow);
    check("python3 -c \"print(open('.agent/config.toml').read())\"", Allow);
    check("python3 -c \"import json; print(json.load(open('.agent/context/root.json')))\"", Allow);
    check("python3 - <<'EOF'\nprint(open('.agent/config.toml', 'w'))\nEOF", Deny);
    check("python3 - <<EOF\nprint('.agent/config.toml$X')\nEOF", Deny);
    check("python3 -c \"print(open('.agent/config.toml').read())\" > .agent/config.toml", Deny);
}

#[test]
fn searches_that_meet_nothing_of_ours() {
    let mut world = World::new();
    world.missing = vec![".agent/intents", ".agent/runs", ".agent/context/loops", ".agent/features"];
    for command in [
        "find . -name '*.md' | xargs sed -i s/a/b/",
        "find . -name '*.md' -exec sed -i s/a/b/ {} +",
        "find . -name '*.md' -delete",
    ] {
        expect(&judge(&world, command), Allow, command);
        expect(&judge(&World::new(), command), Deny, command);
    }
    let command = "find . -name '*.yaml' -delete";
    expect(&judge(&world, command), Deny, command);
}

#[test]
fn replacing_text_that_is_nowhere_changes_nothing() {
    let mut world = World { listed: true, ..World::new() };
    let config = format!("{}/.agent/config.toml", World::ROOT);
    world.files.insert(config.into(), "[gate]\nguards = true\n".to_owned());
    for command in
        ["git ls-files | xargs sed -i s/{}/x/", "sed -i s/{}/x/ $(git ls-files)", "sed -i s/{}/x/ .agent/config.toml"]
    {
        expect(&judge(&world, &command.replace("{}", "old_name")), Allow, command);
        expect(&judge(&world, &command.replace("{}", "guards")), Deny, command);
        expect(&judge(&World::new(), &command.replace("{}", "old_name")), Deny, command);
    }
}

#[test]
fn what_git_tracks_is_not_cleaned_away() {
    let mut world = World { tracked: true, ..World::new() };
    world.files.clear();
    world.had.clear();
    expect(&judge(&world, "git clean -fd"), Allow, "tracked");
    expect(&judge(&world, "git clean -fdx"), Deny, "ignored files go, too");
    expect(&judge(&World::new(), "git clean -fd"), Deny, "nothing is known");
}

#[test]
fn packing() {
    allow(
        "zip -r x.zip . -x .agent/*
         zip -r x.zip .agent
         tar --exclude=.agent -czf x.tgz .",
    );
    super::deny(
        "zip -m x.zip .agent/config.toml
         zip -rm x.zip .agent
         zip .agent/config.toml a
         tar --verbose -xf x.tar -C .agent",
    );
}

#[test]
fn stead_itself() {
    allow(
        r#"
        stead status
        stead where --json
        stead doctor
        stead config list --origin
        stead config get gate.self_protection
        stead context init
        stead init --harness x --yes
        stead check 'rm -rf .agent'
        stead explain 1234
        stead why .agent/config.toml:3
        stead uninstall --help
        stead uninstall --dry-run
        stead help uninstall
        stead schema config
        instead uninstall
        homestead config set a b
        cargo run -- status
        cargo run --bin other -- uninstall
        "#,
    );
}

#[test]
fn cargo_run_in_steads_own_sources() {
    let mut world = World::new();
    world.files.insert(format!("{}/Cargo.toml", World::ROOT).into(), "members = [\"stead-cli\"]".to_owned());
    expect(&judge(&world, "cargo run --release -- uninstall"), Deny, "in its own sources");
    expect(&judge(&world, "cargo run -- demo"), Allow, "in its own sources");
}

#[test]
fn a_link_to_a_protected_folder_is_that_folder() {
    let mut world = World::new();
    world.links.insert(format!("{}/link", World::ROOT).into(), format!("{}/.agent", World::ROOT).into());
    expect(&judge(&world, "echo x > link/config.toml"), Deny, "through a link");
    expect(&judge(&world, "rm link/config.toml"), Deny, "through a link");
    expect(&judge(&world, "cd link && tee config.toml"), Deny, "through a link");
    expect(&judge(&world, "cat link/config.toml"), Allow, "through a link");
    expect(&judge(&world, "rm link/context/packets/a.md"), Allow, "through a link");
}
