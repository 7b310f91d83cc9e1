//! Files under other names: links, moves and copies within one line, patterns, patches, and files that are read by way
//! of something else.

use super::scene::{About, check};

#[test]
fn links_and_moves_are_followed() {
    check(
        About::Changes,
        r"
        ln -s infra q; rm q/main.tf => w q, d q/main.tf, d infra/main.tf
        ln -s infra/main.tf q; echo x > q => w q, w infra/main.tf
        ln -s infra/main.tf q; sed -i s/a/b/ q => w q, w infra/main.tf
        ln -sf ../infra/main.tf docs/y; tee docs/y => w docs/y, w infra/main.tf
        ln -s $PWD/infra /tmp/i && rm -rf /tmp/i/old => w /tmp/i, d /tmp/i/old/, d infra/old/
        ln -s infra a; ln -s a b; rm b/x.tf => w a, w b, d b/x.tf, d infra/x.tf
        ln infra/main.tf h; echo x > h => w h, w infra/main.tf
        cp -al infra hh; rm hh/main.tf => w infra/, w hh/, d hh/main.tf, d infra/main.tf
        cp -l infra/main.tf h => w infra/main.tf, w h
        ln -s infra q; rm q => w q, d q
        ln -s /bin/rm q; ./q infra/main.tf => w q, d infra/main.tf
        cp /bin/rm /tmp/q; /tmp/q infra/main.tf => w /tmp/q, d infra/main.tf
        ln -s clean.sh c.sh; sh c.sh => w c.sh, d infra/old/, w status.txt
        $SUDO rm infra/main.tf => d infra/main.tf
        r${x}m infra/main.tf => d infra/main.tf
        time -p rm infra/main.tf => d infra/main.tf
        jq . a > zz && mv zz infra/doc => w zz, m zz infra/doc
        mv absent infra/doc.json => m absent infra/doc.json
        mkdir d; mv d infra/e => w d, m d/ infra/e/
        mv infra/modules x => m infra/modules/ x/
        stead verify -- touch infra/w => w infra/w
        stead verify -- 'touch infra/w && true' => w infra/w
        stead -C . verify login -- rm infra/main.tf => d infra/main.tf
        stead verify login =>
        echo infra/w | xargs stead verify -- touch => w infra/w
        ",
    );
    check(
        About::Reads,
        "
        ln -s .env x; cat x => r x, r .env
        ln .env x; cat x => r x, r .env
        mv .env a.txt; cat a.txt => r a.txt, r .env
        mv .env a; mv a b; cat b => r b, r .env
        cat x; ln -s .env x => r x
        mv a.txt b.txt; cat c.txt => r c.txt
        ",
    );
}

#[test]
fn what_unpacks_or_copies_into_a_folder_writes_it() {
    check(
        About::Changes,
        "
        tar -xf x.tar -C infra => w infra/
        unzip x.zip -d infra => w infra/
        cp -r src/. infra/ => w infra/
        cp -r src infra => w infra/src/
        rsync -a src/ infra/ => w infra/
        cd infra && tar xf ../x.tar => w infra/
        tar xf x.tar => s ./
        unzip -o x.zip => s ./
        cp -r template/. . => s ./
        rsync -a template/ ./ => s ./
        black . => s ./
        prettier --write src => s src/
        prettier --write src/a.ts => w src/a.ts
        ",
    );
}

#[test]
fn patterns_keep_what_is_known_of_the_names() {
    check(
        About::Changes,
        r#"
        find . -name list.json -exec sed -i s/false/true/ {} + => w **/list.json
        find . -name list.json | xargs sed -i s/false/true/ => w **/list.json
        sed -i s/false/true/ **/list.json => w **/list.json
        sed -i s/false/true/ $(git ls-files '*.json') => w **/*.json
        sed -i s/false/true/ $(git ls-files) => w **/**
        sed -i s/false/true/ $(git ls-files docs) => w docs, w docs/**
        git ls-files '*.json' | xargs sed -i s/false/true/ => w **/*.json
        git grep -l x -- '*.json' | xargs sed -i s/a/b/ => w **/*.json
        rg -l x -g '*.json' | xargs sed -i s/a/b/ => w **/*.json
        rg -l foo | xargs sed -i s/foo/bar/ => w **
        git diff --name-only | xargs sed -i s/a/b/ => w **
        python3 -c "from pathlib import Path⏎for p in Path('.').rglob('list.json'): p.write_text('x')" => w **/list.json
        "#,
    );
}

#[test]
fn patches_for_agents_are_read_in_the_shell() {
    check(
        About::Changes,
        r#"
        apply_patch <<'EOF'⏎*** Begin Patch⏎*** Delete File: infra/main.tf⏎*** End Patch⏎EOF => d infra/main.tf
        apply_patch '*** Begin Patch⏎*** Update File: infra/main.tf⏎@@⏎-a⏎+b⏎*** End Patch' => w infra/main.tf
        applypatch <<'EOF'⏎*** Begin Patch⏎*** Add File: infra/n.tf⏎+x⏎*** End Patch⏎EOF => w infra/n.tf
        cat <<'EOF' | apply_patch⏎*** Begin Patch⏎*** Delete File: infra/main.tf⏎*** End Patch⏎EOF => d infra/main.tf
        bash -lc "apply_patch <<'EOF'⏎*** Begin Patch⏎*** Delete File: infra/main.tf⏎*** End Patch⏎EOF⏎" => d infra/main.tf
        cd infra && apply_patch <<'EOF'⏎*** Begin Patch⏎*** Update File: a⏎*** Move to: b⏎*** End Patch⏎EOF => m infra/a infra/b
        cat > p.txt <<'EOF'⏎*** Delete File: infra/main.tf⏎EOF => w p.txt
        "#,
    );
}

#[test]
fn commands_by_way_of_something_else() {
    check(
        About::Changes,
        r#"
        source /dev/stdin <<< 'rm infra/main.tf' => d infra/main.tf
        . /dev/stdin <<'EOF'⏎rm infra/main.tf⏎EOF => d infra/main.tf
        echo 'rm infra/main.tf' | source /dev/stdin => d infra/main.tf
        { bash; } <<< 'rm infra/main.tf' => d infra/main.tf
        BASH_ENV=<(echo rm infra/main.tf) bash -c true => d infra/main.tf
        BASH_ENV=clean.sh bash -c true => d infra/old/, w status.txt
        PROMPT_COMMAND='rm infra/main.tf' bash -i => d infra/main.tf
        GIT_EDITOR='rm infra/main.tf' git commit => d infra/main.tf
        git -c core.editor='rm infra/main.tf' commit => d infra/main.tf
        git -c core.pager='rm infra/main.tf;cat' log => d infra/main.tf
        GIT_EDITOR=true git rebase --continue => git refs
        tar --to-command='rm infra/main.tf' -xf x -C build => d infra/main.tf, w build/
        sqlite3 x.db '.output infra/main.tf' => w infra/main.tf
        sqlite3 x.db '.shell rm infra/main.tf' => d infra/main.tf
        sqlite3 x.db 'select 1' =>
        sqlite3 x.db 'delete from a' => w x.db
        python3 -c "import tools.x" => d infra/main.tf
        python3 -c "from tools import x" =>
        python3 -m tools.x => d infra/main.tf
        uv run tools/x.py => d infra/main.tf
        uv run --with rich tools/x.py => d infra/main.tf
        at now <<< 'rm infra/main.tf' => d infra/main.tf
        ls | entr rm infra/main.tf => d infra/main.tf
        screen -dmS x rm infra/main.tf => d infra/main.tf
        x=abcrm; ${x#abc} infra/main.tf => d infra/main.tf
        f=infra/main.tf; rm "${f%.tf}.bak" => d infra/main.bak
        f=infra/main.tf; echo x > "out/${f##*/}" => w out/main.tf
        echo ${x#$(rm infra/main.tf)} => d infra/main.tf
        set -- rm infra/main.tf; "$@" => d infra/main.tf
        arr=(rm infra/main.tf); "${arr[@]}" => d infra/main.tf
        arr=(rm "infra/main.tf"⏎ infra/b.tf); ${arr[@]} => d infra/main.tf, d infra/b.tf
        printf -v c 'rm %s' infra/main.tf; eval "$c" => d infra/main.tf
        set -euo pipefail; ls =>
        printf '%s' 'rm infra/main.tf' =>
        source .venv/bin/activate =>
        "#,
    );
}

#[test]
fn files_that_are_read_by_way_of_something_else() {
    check(
        About::Reads,
        "
        stead logs .env => r .env
        stead logs big.log --grep error --tokens 400 => r big.log
        stead evidence add login --file .env => r .env
        stead evidence add login --file=.env => r .env
        stead evidence list login =>
        stead logs --help =>
        grep -r S= --include=.env . => r **/.env, r ./
        rg --hidden S= -g .env => r **/.env
        rg S= -g '!*.log' src => r src/ !**/*.log
        git grep S -- .env => r .env
        git grep S .env => r .env
        git show HEAD:.env => r .env
        git show HEAD~1:src/a.rs => r src/a.rs
        git show HEAD =>
        git cat-file -p HEAD:.env => r .env
        git diff --no-index /dev/null .env => r .env
        git diff HEAD -- a.rs => r a.rs
        curl file://$PWD/.env => r .env
        ",
    );
}
