use super::{Deny, check, check_in, deny};

#[test]
fn writing_by_redirection() {
    deny(
        r#"
        echo x > .agent/config.toml
        echo x >.agent/config.toml
        echo x >> .agent/config.toml
        echo x >| .agent/config.toml
        echo x &> .agent/config.toml
        echo x &>> .agent/config.toml
        cmd 2> .agent/context/root.json
        cmd >& .agent/context/root.json
        cat <> .agent/config.toml
        > .agent/config.toml
        : > .agent/context/indexes/sessions.jsonl
        echo x > ./.agent/config.toml
        echo x > src/../.agent/config.toml
        echo x > /home/ann/proj/.agent/config.toml
        echo x > ~/proj/.agent/config.toml
        echo x > $HOME/proj/.agent/config.toml
        echo x > "${HOME}/proj/.agent/config.toml"
        echo x > $PWD/.agent/config.toml
        echo x > .AGENT/Config.toml
        echo x > '.agent/config.toml'
        echo x > ".agent"/'config.toml'
        echo x > .ag""ent/config.toml
        echo x > .a\gent/config.toml
        echo x > $'.agent/config.toml'
        echo x > $'\x2eagent/config.toml'
        echo x > $'\056agent/config.toml'
        echo x > .agent/config.*
        echo x > .a*/config.toml
        echo x > .agen?/config.toml
        echo x > .agen[t]/config.toml
        echo x > {.agent,y}/config.toml
        echo x > "$(git rev-parse --show-toplevel)/.agent/config.toml"
        echo x > "$ROOT/.agent/config.toml"
        echo x > "${X}/.agent/config.toml"
        echo x > `pwd`/.agent/config.toml
        { echo a; echo b; } > .agent/config.toml
        (echo a) > .agent/config.toml
        if true; then echo a; fi > .agent/config.toml
        for i in 1 2; do echo $i; done >> .agent/graph/traces.jsonl
        while read l; do echo $l; done < x > .agent/guards/a.yaml
        exec > .agent/config.toml
        echo x > .tool/settings.json
        echo x > .tool/settings.local.json
        echo x > ~/.usertool/settings.json
        echo x > .github/hooks/new.json
        echo x > ~/.config/stead/config.toml
        echo x > ~/.local/share/stead/traces.jsonl
        echo x > .agent/intents/active_intents.yaml
        echo x > .agent/intents/.intentignore
        echo x > .agent/features/evidence/f1/a.json
        echo x > .agent/features/session-state.json
        rm .agent/features/agent-verifiers.jsonl
        echo x > .agent/runs/r1/plan.json
        echo x > .agent/runs/r1/stage-00-a/iterations/001/context.json
        echo x > .agent/cache/policy
        "#,
    );
    check("cat > .agent/config.toml <<'EOF'\n[gate]\nEOF\n", Deny);
    check("cat <<EOF > .agent/config.toml\n[gate]\nEOF\n", Deny);
    check("cat <<-EOF >> .agent/config.toml\n\tx\n\tEOF\n", Deny);
    check("echo a \\\n > .agent/config.toml", Deny);
}

#[test]
fn writing_by_program() {
    deny(
        r#"
        tee .agent/config.toml
        echo x | tee -a .agent/config.toml
        echo x | sudo tee .agent/config.toml
        dd if=/dev/zero of=.agent/config.toml
        cp x .agent/config.toml
        cp -f x .agent/config.toml
        cp root.json .agent/context/
        cp root.json .agent/context
        cp -t .agent/context root.json
        cp --target-directory=.agent/context root.json
        cp -r backup/.agent .
        cp -r backup/. .agent
        cp -r backup/* .agent/
        mv x .agent/config.toml
        mv root.json .agent/context
        ln -sf /tmp/x .agent/config.toml
        ln .agent/config.toml hard
        install -m 644 x .agent/config.toml
        rsync -a x/ .agent/
        rsync x .agent/config.toml
        rsync -a --delete empty/ .agent/
        rsync -a --delete empty/ .
        scp host:x .agent/config.toml
        sed -i s/a/b/ .agent/config.toml
        sed -i '' s/a/b/ .agent/config.toml
        sed -i.bak s/a/b/ .agent/config.toml
        sed -Ei s/a/b/ .agent/config.toml
        sed --in-place s/a/b/ .agent/config.toml
        sed -i s/a/b/ .agent/*
        sed -i '/stead/d' .tool/settings.json
        sed -n 'w .agent/config.toml' x
        truncate -s 0 .agent/context/indexes/sessions.jsonl
        touch .agent/config.local.toml
        chmod 000 .agent/config.toml
        chmod -R 000 .agent
        chmod a-w .tool/settings.json
        chown nobody .agent/config.toml
        sort -o .agent/config.toml x
        sort x --output=.agent/config.toml
        uniq x .agent/config.toml
        find . -fprint .agent/config.toml
        patch .agent/config.toml x.diff
        curl -o .agent/config.toml https://example.com
        curl --output=.agent/config.toml https://example.com
        wget -O .agent/config.toml https://example.com
        jq . x | sponge .agent/config.toml
        yq -i '.a=1' .agent/guards/a.yaml
        git diff --output=.agent/config.toml
        vim .agent/config.toml
        vim -c 'wq' .agent/config.toml
        ed .agent/config.toml
        nano .tool/settings.json
        code .agent/config.toml
        prettier --write .agent/context/root.json
        prettier --write .tool/settings.json
        mytool --config=.agent/config.toml
        mytool -o.agent/config.toml
        tar xf x.tgz -C .agent
        tar -xzf x.tgz --directory=.agent/guards
        tar czf .agent/config.toml src
        unzip x.zip -d .agent
        split x .agent/guards/
        mkdir .agent/config.local.toml
        "#,
    );
    check("patch -p1 <<'EOF'\n--- a/.agent/config.toml\n+++ b/.agent/config.toml\nEOF\n", Deny);
    check("git apply <<'EOF'\n+++ b/.agent/config.toml\nEOF\n", Deny);
    check("ed -s <<< $'r .agent/config.toml\\nw'", Deny);
}

#[test]
fn taking_away() {
    deny(
        r#"
        rm .agent/config.toml
        rm -f .agent/config.toml
        rm -- .agent/config.toml
        rm -rf .agent
        rm -rf .agent/
        rm -rf ./.agent
        rm -r -f .agent/context
        rm -R .agent
        rm --recursive .agent
        rm -rf .agent/*
        rm -rf .a*
        rm -rf .*
        rm -rf *
        find . -name '*.toml' -not -name .agent -delete
        find . -type f -not -path './.AGENT/*' -delete
        find . -type f | grep -v '\.agent$' | xargs rm
        wget -P .agent $URL
        rm "$(command -v stead)"
        chmod -x $(which stead)
        rm -rf .
        rm -rf ./*
        rm -rf ..
        rm -rf ../proj
        rm -rf /home/ann/proj
        rm -rf ~/proj
        rm -rf ~
        rm -rf $HOME
        rm -rf /
        rm -rf "$PWD"
        rm -rf {src,.agent}
        rm -rf src .agent docs
        rm src/a.rs .agent/config.toml
        rm -rf .agent/context/loops
        rm -rf .agent/runs/r1
        rm -rf .agent/$X
        rm ".agent/context/$X.json"
        echo > .agent/guards/$X.yaml
        rm -rf .tool
        rm .tool/settings.json
        rm .tool/*.json
        rm -rf ~/.config/stead
        rm -rf ~/.config
        rm -rf ~/.local/share/stead
        \rm -rf .agent
        /bin/rm -rf .agent
        'rm' -rf .agent
        r''m -rf .agent
        unlink .agent/config.toml
        shred -u .agent/config.toml
        rmdir .agent/guards
        trash .agent
        mv .agent /tmp/x
        mv .agent .agent.bak
        mv . ../old
        mv * /tmp/x
        mv .agent/config.toml /tmp
        mv .tool/settings.json .tool/settings.json.off
        mv ../proj ../old
        mv /home/ann /home/bob
        git rm -rf .agent
        git rm .agent/config.toml
        git mv .agent agent
        git checkout -- .agent
        git checkout -- .agent/config.toml
        git checkout HEAD~3 -- .agent/guards
        git checkout main .agent/config.toml
        git restore .agent
        git restore '.agent/*'
        git restore ':(top).agent/config.toml'
        git restore --source=HEAD~1 .agent/config.toml
        git restore .tool/settings.json
        git -C /home/ann/proj checkout -- .agent
        git -C .agent checkout -- config.toml
        git clean -fdx
        git clean -fd
        git clean -f -d .
        git clean -ffdx .agent
        git clean -fdx -e node_modules
        git stash -u
        git stash -a
        git stash push --include-untracked
        git stash push -u -m wip
        git stash push -u -- .agent
        git -c alias.x='!rm -rf .agent' x
        git submodule foreach 'rm -rf ../.agent'
        git filter-branch --tree-filter 'rm -rf .agent' HEAD
        git worktree remove --force ../proj
        find .agent -delete
        find . -name root.json -delete
        find . -name '*.json' -delete
        find . -name '*.toml' -exec rm {} \;
        find . -type f -delete
        find . -type f -exec sed -i s/a/b/ {} +
        find .agent -type f -exec rm -f {} +
        find .agent -exec sh -c 'rm "$1"' _ {} \;
        find . -maxdepth 1 -name '.a*' -exec rm -rf {} +
        find / -name config.toml -delete
        find .agent -name '*.md' | xargs rm
        find . -name '*.json' | xargs rm -f
        find . -type f -print0 | xargs -0 sed -i s/a/b/
        ls -d .* | xargs rm -rf
        echo .agent/config.toml | xargs rm
        printf '%s\n' .agent | xargs -I{} rm -rf {}
        ls .agent | xargs -I{} rm .agent/{}
        xargs rm < .agent/list <<< .agent/config.toml
        grep -rl x .agent | xargs sed -i s/x/y/
        rm $(find .agent -name '*.toml')
        rm -rf $(echo .agent)
        rm $(find . -name '*.json')
        for f in $(find . -name '*.toml'); do rm "$f"; done
        find .agent -type f | while read f; do rm "$f"; done
        find . -name '*.json' | while IFS= read -r f; do rm -f "$f"; done
        while read f; do rm "$f"; done < <(find .agent -type f)
        read F <<< .agent/config.toml; rm $F
        git clean -fdx -e .agent
        rm -rf `echo .agent`
        rm -rf "$(git rev-parse --show-toplevel)/.agent"
        fd . .agent -x rm
        rsync -a --remove-source-files .agent/ /tmp/x/
        tar czf /tmp/x.tgz --remove-files .agent
        "#,
    );
}

#[test]
fn variables_and_folders() {
    deny(
        r#"
        D=.agent; rm -rf $D
        D=.agent && rm -rf "$D"
        D=.agent; rm -rf ${D}
        D=.agent; rm -rf ${D%/}/context
        a=.ag; b=ent; rm -rf $a$b
        export D=.agent; rm -rf $D
        local D=.agent; rm -rf $D
        F=".agent/config.toml src/x"; rm $F
        rm -rf ${D:-.agent}
        rm -rf "${D:=.agent}"
        for f in .agent/config.toml x; do rm $f; done
        for f in .agent/*; do rm -rf "$f"; done
        for f in $(ls .agent/guards); do rm .agent/guards/$f; done
        D=.agent sh -c 'rm -rf $D'
        cd .agent && rm config.toml
        cd .agent; rm -rf *
        cd .agent && rm -rf .
        cd .agent/context && rm root.json
        cd .agent && cd context && rm root.json
        cd .agent/context/packets && rm ../root.json
        cd .agent && echo x > config.toml
        cd ./.agent/guards && touch a
        cd /home/ann/proj/.agent && truncate -s0 config.toml
        cd ~/proj && rm -rf .agent
        cd "$HOME/proj/.agent" && rm config.toml
        cd $ROOT/.agent && rm config.toml
        cd "$(git rev-parse --show-toplevel)" && rm -rf .agent
        pushd .agent; rm config.toml
        cd .agent || exit 1; rm config.toml
        cd nowhere || cd .agent; rm config.toml
        cd src && rm -rf ../.agent
        cd .. && rm -rf proj
        cd /tmp && rm -rf /home/ann/proj/.agent
        cd / && rm -rf home/ann/proj
        (cd .agent && rm config.toml)
        if cd .agent; then rm config.toml; fi
        cd .agent && python3 -c "open('config.toml','w')"
        cd .agent/guards && python3 -c "open('x','w')"
        cd .agent && git checkout -- config.toml
        env -C .agent rm config.toml
        f() { rm -rf "$1"; }; f .agent
        f() { rm -rf .agent; }; f
        function f { rm -rf $@; }; f src .agent
        "#,
    );
    check_in("/home/ann/proj/.agent", "rm config.toml", Deny);
    check_in("/home/ann/proj/.agent", "rm -rf context", Deny);
    check_in("/home/ann/proj/.agent", "rm -rf ./*", Deny);
    check_in("/home/ann/proj/.agent/context", "echo > root.json", Deny);
    check_in("/home/ann/proj/.agent/context/packets", "rm ../root.json", Deny);
    check_in("/home/ann/proj/.agent/guards", "touch x", Deny);
    check_in("/home/ann/proj/.agent", "sh -c 'rm config.toml'", Deny);
    check_in("/home/ann", "rm -rf proj", Deny);
    check_in("/home/ann", "rm -rf proj/.agent", Deny);
    check_in("/tmp", "rm -rf /home/ann/proj/.agent", Deny);
    check_in("/home/ann/.usertool", "echo > settings.json", Deny);
}

#[test]
fn wrapped_and_joined() {
    deny(
        r#"
        true && rm -rf .agent
        false || rm -rf .agent
        true; rm -rf .agent; true
        true & rm -rf .agent
        true | rm -rf .agent
        ! rm -rf .agent
        time rm -rf .agent
        (rm -rf .agent)
        { rm -rf .agent; }
        if true; then rm -rf .agent; fi
        if false; then true; elif true; then rm -rf .agent; else true; fi
        while true; do rm -rf .agent; break; done
        until false; do rm -rf .agent; done
        for ((i=0;i<1;i++)); do rm -rf .agent; done
        case x in y) true;; x) rm -rf .agent;; esac
        case x in (x) rm -rf .agent ;; esac
        echo $(rm -rf .agent)
        echo "$(rm -rf .agent)"
        echo `rm -rf .agent`
        echo $((1 + $(rm -rf .agent)))
        echo "${x:-$(rm -rf .agent)}"
        cat <(rm -rf .agent)
        echo x | tee >(cat > .agent/config.toml)
        X=$(rm -rf .agent)
        [[ -n x && $(rm -rf .agent) ]]
        env rm -rf .agent
        env X=1 Y=2 rm -rf .agent
        env -i -u HOME rm -rf .agent
        env -S 'rm -rf .agent'
        X=1 rm -rf .agent
        sudo rm -rf .agent
        sudo -u root -E rm -rf .agent
        doas rm -rf .agent
        nice -n 10 rm -rf .agent
        ionice -c 3 rm -rf .agent
        nohup rm -rf .agent &
        timeout 5 rm -rf .agent
        timeout -s KILL 5s rm -rf .agent
        stdbuf -oL rm -rf .agent
        setsid rm -rf .agent
        command rm -rf .agent
        builtin command rm -rf .agent
        exec rm -rf .agent
        busybox rm -rf .agent
        sudo env X=1 nice timeout 5 rm -rf .agent
        sh -c 'rm -rf .agent'
        bash -c "rm -rf .agent"
        bash -lc 'rm -rf .agent'
        zsh -c 'rm -rf .agent'
        dash -c 'cd .agent && rm config.toml'
        bash -c 'sh -c "rm -rf .agent"'
        bash -c 'rm -rf $1' _ .agent
        bash -x -c 'rm -rf .agent'
        eval 'rm -rf .agent'
        eval rm -rf .agent
        eval "$(echo rm -rf .agent)"
        trap 'rm -rf .agent' EXIT
        watch 'rm -rf .agent'
        su -c 'rm -rf .agent' ann
        flock /tmp/l rm -rf .agent
        flock /tmp/l -c 'rm -rf .agent'
        hyperfine 'rm -rf .agent'
        npx rimraf .agent
        uv run python -c "import shutil; shutil.rmtree('.agent')"
        parallel rm -rf ::: .agent
        echo 'rm -rf .agent' | sh
        echo 'rm -rf *' | bash
        printf 'rm -rf .agent' | bash -s
        cat .agent/guards/x | sh
        bash <(echo 'rm -rf .agent')
        . <(echo 'rm -rf .agent')
        bash <<< 'rm -rf .agent'
        bash <(echo rm -rf .agent)
        source <(rm -rf .agent)
        "#,
    );
    check("sh <<'EOF'\nrm -rf .agent\nEOF\n", Deny);
    check("bash -s <<EOF\ncd .agent\nrm config.toml\nEOF\n", Deny);
    check("# a comment\nrm -rf .agent", Deny);
    check("echo a # it's\nrm -rf .agent", Deny);
    check("echo 'a\nb'\nrm -rf .agent", Deny);
    check("cat <<'EOF'\ntext\nEOF\nrm -rf .agent", Deny);
    check("cat <<A <<'B'\na\nA\nb\nB\nrm -rf .agent", Deny);
    check("rm \\\n  -rf \\\n  .agent", Deny);
    check("echo \"$(cat <<'EOF'\nhi\nEOF\n)\" && rm -rf .agent", Deny);
    check(&format!("{}rm -rf .agent", "true && ".repeat(70)), Deny);
    check(&format!("{}; rm -rf .agent", (0..70).map(|n| format!("echo {n}")).collect::<Vec<_>>().join("; ")), Deny);
    check(&format!("a=x; {} rm -rf .agent", "a=$a$a; ".repeat(80)), Deny);
    check(&format!("F='{} .agent'; rm -rf $F", "x ".repeat(5_000)), Deny);
    check(&format!("rm -rf {} .agent", "x ".repeat(5_000)), Deny);
    check(&format!("{}rm -rf .agent{}", "(".repeat(200), ")".repeat(200)), Deny);
}

#[test]
fn interpreters() {
    deny(
        r#"
        python3 -c "open('.agent/config.toml','w').write('')"
        python -c "import shutil; shutil.rmtree('.agent')"
        python3.12 -c "import os; os.remove('.agent/config.toml')"
        python3 -c 'import os; os.rename(".agent", "x")'
        python3 -c "open('.ag'+'ent/config.toml','w')" .agent/config.toml
        node -e "require('fs').rmSync('.agent',{recursive:true})"
        node -e 'fs.writeFileSync(".tool/settings.json","{}")'
        deno eval "Deno.removeSync('.agent')"
        bun -e "await Bun.write('.agent/config.toml','')"
        perl -pi -e 's/a/b/' .agent/config.toml
        perl -e 'unlink ".agent/config.toml"'
        ruby -e 'File.delete(".agent/config.toml")'
        php -r 'unlink(".agent/config.toml");'
        osascript -e 'do shell script "rm -rf .agent"'
        lua -e 'os.remove(".agent/config.toml")'
        awk 'BEGIN{print "" > ".agent/config.toml"}'
        awk 'BEGIN{system("rm -rf .agent")}'
        gawk -i inplace '{print}' .agent/config.toml
        python3 script.py .agent/config.toml
        P=.agent/config.toml python3 -c 'import os; os.remove(os.environ["P"])'
        export P=.agent; python3 -c 'import os,shutil; shutil.rmtree(os.environ["P"])'
        echo "import os; os.remove('.agent/config.toml')" | python3
        python3 -c "import os; os.system('stead uninstall')"
        node -e "child_process.execSync('stead config set gate.self_protection false')"
        python3 -c "import subprocess as s; s.run(['stead','uninstall','--yes'])"
        python3 -c "import foo; foo.wipe('.agent/config.toml')"
        python3 -c "getattr(__import__('os'), 'remove')('.agent/config.toml')"
        python3 -c "import os; f=os.remove; f('.agent/config.toml')"
        python3 -c "from foo import *; helper('.agent/config.toml')"
        python3 -c "import os; os.truncate('.agent/config.toml', 0)"
        python3 -c "import os; os.posix_spawn('/bin/rm', ['rm', '.agent/config.toml'], {})"
        python3 -c "import shutil; shutil.copymode('x', '.agent/config.toml')"
        node -e "require('fs').lutimesSync('.agent/config.toml', 0, 0)"
        node -e "require('rimraf').sync('.agent')"
        perl -e 'use File::Path; rmtree(".agent")'
        ruby -e 'require "fileutils"; FileUtils.rm_rf(".agent")'
        python3 -c "import pathlib; (pathlib.Path.home()/'.usertool'/'settings.json').write_text('')"
        "#,
    );
    check("python3 - <<'EOF'\nimport os\nos.remove('.agent/config.toml')\nEOF\n", Deny);
    check("python3 <<EOF\nopen('.agent/guards/a.yaml','w')\nEOF\n", Deny);
    check("node <<'EOF'\nrequire('fs').unlinkSync('.tool/settings.json')\nEOF\n", Deny);
    check("perl <<'EOF'\nunlink glob '.agent/*'\nEOF\n", Deny);
}

#[test]
fn weakening_verbs() {
    deny(
        r#"
        stead uninstall
        stead uninstall --yes
        stead --quiet uninstall
        stead --config a=b uninstall
        stead config set gate.self_protection false
        stead config --user set gate.self_protection false
        stead config unset gate.self_protection
        stead --json config set a b
        ./target/release/stead uninstall
        /usr/local/bin/stead uninstall
        ~/.cargo/bin/stead config set a b
        "stead" uninstall
        st''ead uninstall
        env X=1 stead uninstall
        sh -c 'stead uninstall'
        true && stead uninstall
        S=stead; $S uninstall
        S="stead uninstall"; $S
        yes | stead uninstall
        echo uninstall | xargs stead
        xargs stead <<< uninstall
        echo "stead uninstall" | sh
        cargo run --bin stead -- uninstall
        cargo run -p stead-cli -- config set a b
        "#,
    );
}
