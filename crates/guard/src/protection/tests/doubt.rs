//! `stead` under another name, with words that only the shell can know, or by way of something else.

use super::{allow, deny};

#[test]
fn a_verb_behind_a_name_that_is_computed() {
    deny(
        r#"
        $(command -v stead) guard disable infra
        `which stead` guard disable infra
        "$(which stead)" guard disable infra
        $(type -P stead) guard demote infra
        S=$(which stead); $S guard disable infra
        S=$(command -v stead); "$S" config set gate.guards false
        $(readlink -f $(which stead)) uninstall
        $(find / -name stead -type f | head -1) guard disable infra
        $(find / -name stead | head -1) uninstall --yes
        $(ls -d /usr/local/bin/st*) config set gate.guards false
        $S guard disable infra
        $S config unset gate.guards
        $S allow v-1a2b --reason y
        $S uninstall
        ${S:-stead} uninstall
        $SUDO stead guard disable infra
        st${x}ead guard disable infra
        st${x}ad uninstall
        /usr/bin/st?ad uninstall
        /usr/bin/st*d uninstall
        eval "$(which stead) guard disable infra"
        bash -c '$(command -v stead) guard disable infra'
        "#,
    );
    allow(
        r#"
        which stead
        command -v stead
        $(which stead) status
        $(command -v stead) guard list
        S=$(which stead); $S guard list --json
        $(which python3) --version
        $NPM config set registry https://example.com
        $PIP uninstall -y requests
        $MAKE install
        $TOOL hook add
        "$KUBECTL" config set-context x
        npm config set fund false
        pip uninstall x
        direnv allow
        "#,
    );
}

#[test]
fn a_verb_that_is_computed() {
    deny(
        r#"
        stead gu${x}ard disable infra
        stead $X disable infra
        stead guard $X infra
        stead guard dis$X infra
        stead $X
        stead "$(cat verb)" infra
        stead --json $X infra
        stead guard *
        V=disable; stead guard $V infra
        v=zguard; stead ${v#z} disable infra
        v=zguard; stead ${v:1} disable infra
        v=guXard; stead ${v/X/} disable infra
        v=GUARD; stead ${v,,} disable infra
        v=zguard; stead ${v#[a-z]} disable infra
        a=guard; b=a; stead ${!b} disable infra
        x=Xstead; ${x#X} guard disable infra
        for v in disable; do stead guard $v infra; done
        echo disable infra | xargs stead guard
        cat x | xargs stead guard
        cat x | xargs stead
        cat x | xargs -I% stead guard % infra
        cat x | xargs -n1 sh -c 'stead guard "$@"' _
        echo guard disable infra | xargs env stead
        find . -name x -exec stead guard {} infra \;
        stead guard disable infra "$X" --help
        stead appeal $WHAT v-7k2m9qd4
        "#,
    );
    allow(
        r#"
        stead guard list
        stead guard list "$X"
        stead guard show $ID
        stead guard test *
        stead -C "$ROOT" status
        stead -C "$ROOT" guard list
        stead --config "$PAIR" status
        stead explain "$ID"
        stead note failed "$(cat why.txt)"
        stead check "$COMMAND"
        stead loop start why is it so slow?
        stead appeal v-7k2m9qd4 "$WHY"
        echo list | xargs stead guard
        echo infra | xargs stead guard show
        git diff --name-only | xargs stead files
        cat ids | xargs -n1 stead explain
        echo stead guard disable
        echo 'stead guard disable infra' | cat
        "#,
    );
}

#[test]
fn a_verb_by_way_of_something_else() {
    deny(
        r#"
        cp $(which stead) q; ./q guard disable infra
        cp /usr/local/bin/stead /tmp/q && /tmp/q uninstall
        ln -s $(which stead) /tmp/s2; /tmp/s2 guard disable infra
        ln -s $(which stead) /tmp; /tmp/stead uninstall
        install -m755 $(which stead) /tmp/bin/; PATH=/tmp/bin:$PATH; stead uninstall
        cp $(which stead) /tmp/bin/q; PATH=/tmp/bin:$PATH q uninstall
        ./q guard disable infra
        /tmp/s9 allow v-1a2b --reason y
        /tmp/s9 config set gate.guards false
        env -i HOME=$HOME setsid -f script -qec '/tmp/s9 allow v-1a2b --reason y' /tmp/o
        git config alias.x "!stead guard disable infra"; git x
        git config --global alias.x '!stead uninstall'
        git config set alias.x '!stead uninstall'
        git -c alias.x='!stead guard disable infra' x
        alias s=stead; s guard disable infra
        alias s='stead guard'; s disable infra
        f() { stead guard "$@"; }; f disable infra
        f() { stead uninstall; }; f
        f() { $1 guard disable infra; }; f stead
        hash -p /usr/bin/stead q; q uninstall
        exec -a x stead guard disable infra
        exec -cla x stead guard disable infra
        sudo -Eu ann stead uninstall
        time -p stead uninstall
        stead verify -- stead guard disable infra
        stead verify -- rm .agent/config.toml
        stead -C . verify -- sh -c 'echo x > .agent/config.toml'
        "#,
    );
    allow(
        r#"
        cp $(which stead) q; ./q status
        ln -s $(which stead) /tmp/s2; /tmp/s2 guard list
        ./manage config set colour red
        ./gradlew uninstall
        /opt/tool/bin/x hook
        git config alias.st status
        git config alias.x '!echo hello'
        git config --get alias.x
        alias s=stead; s status
        f() { stead "$@"; }; f guard list
        f() { stead guard "$@"; }; f show infra
        exec -a x ls
        sudo -uann ls
        stead verify -- cargo test
        stead verify -- cat .agent/config.toml
        stead verify login
        "#,
    );
}

#[test]
fn links_that_the_same_line_made() {
    deny(
        r#"
        ln -s . q; echo x > q/.agent/config.toml
        ln -s . q && rm q/.agent/config.toml
        ln -s ../.agent/config.toml src/x; echo x > src/x
        cp -al .agent hh; echo x > hh/config.toml
        cp -l .agent/config.toml x
        ln -sfn .. a/b; echo x > a/b/.agent/config.toml
        "#,
    );
    allow(
        r#"
        ln -s src q; echo x > q/main.rs
        ln -s ../src docs/code; ls docs/code
        mv a b; echo x > b
        cp -al src hh; echo x > hh/a
        "#,
    );
}
