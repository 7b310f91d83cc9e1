//! Spellings of a write.

use super::scene::{About, check};

pub(crate) const ROWS: &str = r##"
    echo x > infra/main.tf => w infra/main.tf
    echo x >infra/main.tf => w infra/main.tf
    echo x >> infra/main.tf => w infra/main.tf
    echo x >| infra/main.tf => w infra/main.tf
    echo x &> infra/main.tf => w infra/main.tf
    echo x &>> infra/main.tf => w infra/main.tf
    cmd 2> infra/err.tf => w infra/err.tf
    cmd 2>> infra/err.tf => w infra/err.tf
    cmd >& infra/main.tf => w infra/main.tf
    cat <> infra/main.tf => w infra/main.tf
    > infra/main.tf => w infra/main.tf
    : > infra/main.tf => w infra/main.tf
    echo x > ./infra/main.tf => w infra/main.tf
    echo x > src/../infra/main.tf => w infra/main.tf
    echo x > /home/ann/proj/infra/main.tf => w infra/main.tf
    echo x > ~/proj/infra/main.tf => w infra/main.tf
    echo x > $HOME/proj/infra/main.tf => w infra/main.tf
    echo x > "${HOME}/proj/infra/main.tf" => w infra/main.tf
    echo x > "$PWD/infra/main.tf" => w infra/main.tf
    echo x > "in"fra/'main.tf' => w infra/main.tf
    echo x > inf\ra/main.tf => w infra/main.tf
    echo x > $'infra/main.tf' => w infra/main.tf
    echo x > $'\x69nfra/main.tf' => w infra/main.tf
    echo x > $'\151nfra/main.tf' => w infra/main.tf
    echo x > {infra,docs}/main.tf => w infra/main.tf, w docs/main.tf
    echo x > `pwd`/infra/main.tf => w infra/main.tf
    echo x > "$(git rev-parse --show-toplevel)/infra/main.tf" => w infra/main.tf
    echo x > "$(printf 'infra/%s' main.tf)" => w infra/main.tf
    echo x > "$(echo infra)/main.tf" => w infra/main.tf
    echo x > "$UNSET_ROOT/infra/main.tf" => w infra/main.tf
    echo x > infra/"$NAME".tf => w infra/*.tf
    echo x > link/main.tf => w infra/main.tf, w link/main.tf
    { echo a; echo b; } > infra/main.tf => w infra/main.tf
    (echo a; echo b) > infra/main.tf => w infra/main.tf
    if true; then echo a; fi > infra/main.tf => w infra/main.tf
    for i in 1 2; do echo $i; done > infra/main.tf => w infra/main.tf
    while read l; do echo "$l"; done < list.txt > infra/main.tf => w infra/main.tf
    cat > infra/main.tf <<'EOF'⏎resource {}⏎EOF => w infra/main.tf
    cat <<EOF > infra/main.tf⏎resource {}⏎EOF => w infra/main.tf
    cat <<-EOF >> infra/main.tf⏎	x⏎	EOF => w infra/main.tf
    tee infra/main.tf <<'EOF'⏎x⏎EOF => w infra/main.tf
    echo x | tee infra/main.tf => w infra/main.tf
    echo x | tee -a infra/main.tf infra/b.tf => w infra/main.tf, w infra/b.tf
    echo x | sudo tee infra/main.tf > /dev/null => w infra/main.tf
    cat a | sponge infra/main.tf => w infra/main.tf
    dd if=/dev/zero of=infra/main.tf bs=1 count=1 => w infra/main.tf
    cp a.tf infra/main.tf => w infra/main.tf
    cp a.tf infra/ => w infra/a.tf
    cp a.tf infra => w infra/a.tf
    cp -t infra a.tf b.tf => w infra/a.tf, w infra/b.tf
    cp --target-directory=infra a.tf => w infra/a.tf
    cp a.tf b.tf infra => w infra/a.tf, w infra/b.tf
    cp -r mods infra/modules => w infra/modules/mods/
    cp -r mods/. infra => w infra/
    cp -a mods infra => w infra/mods/
    install -m 644 a.tf infra/main.tf => w infra/main.tf
    install -d infra/new => w infra/new
    ln -s /etc/passwd infra/main.tf => w infra/main.tf
    ln -sf ../x infra => w infra/x
    ln a.tf infra/main.tf => w infra/main.tf, w a.tf
    rsync -a mods/ infra/ => w infra/
    rsync a.tf infra/main.tf => w infra/main.tf
    rsync -a host:mods/ infra/ => w infra/
    scp host:a.tf infra/main.tf => w infra/main.tf
    sed -i s/a/b/ infra/main.tf => w infra/main.tf
    sed -i.bak s/a/b/ infra/main.tf => w infra/main.tf
    sed -i '' s/a/b/ infra/main.tf => w infra/main.tf
    sed -Ei 's/a+/b/' infra/main.tf => w infra/main.tf
    sed --in-place -e s/a/b/ -e s/c/d/ infra/main.tf infra/b.tf => w infra/main.tf, w infra/b.tf
    sed -i '/x/d' infra/*.tf => w infra/*.tf
    sed -n 'w infra/main.tf' a => w infra/main.tf
    gsed -i s/a/b/ infra/main.tf => w infra/main.tf
    perl -pi -e 's/a/b/' infra/main.tf => w infra/main.tf
    perl -i.bak -pe 's/a/b/' infra/main.tf => w infra/main.tf
    perl -0777 -pi -e 's/a/b/g' infra/main.tf => w infra/main.tf
    ruby -pi -e 'gsub(/a/,"b")' infra/main.tf => w infra/main.tf
    awk -i inplace '{print}' infra/main.tf => w infra/main.tf
    gawk -i inplace '{gsub(/a/,"b")}1' infra/main.tf => w infra/main.tf
    awk '{print > "infra/main.tf"}' a => w infra/main.tf
    awk 'BEGIN{print "x" >> "infra/main.tf"}' => w infra/main.tf
    awk 'BEGIN{system("rm infra/main.tf")}' => d infra/main.tf
    awk -f prog.awk data => w infra/awk.tf
    truncate -s 0 infra/main.tf => w infra/main.tf
    touch infra/new.tf => w infra/new.tf
    mkdir -p infra/new => w infra/new
    chmod 000 infra/main.tf => w infra/main.tf
    chmod -R u+w infra => w infra/
    chown root infra/main.tf => w infra/main.tf
    sort -o infra/main.tf a => w infra/main.tf
    sort a --output=infra/main.tf => w infra/main.tf
    uniq a infra/main.tf => w infra/main.tf
    find . -fprint infra/main.tf => w infra/main.tf
    split -l 10 big infra/part => w infra/part*
    curl -o infra/main.tf https://example.com/x => w infra/main.tf
    curl --output infra/main.tf https://example.com/x => w infra/main.tf
    curl -sSLo infra/main.tf https://example.com/x => w infra/main.tf
    cd infra && curl -O https://example.com/main.tf => w infra/main.tf
    wget -O infra/main.tf https://example.com/x => w infra/main.tf
    wget -P infra https://example.com/main.tf => w infra/main.tf
    cd infra; wget https://example.com/main.tf => w infra/main.tf
    jq . a > infra/main.tf => w infra/main.tf
    jq . infra/main.tf | sponge infra/main.tf => w infra/main.tf
    yq -i '.a=1' infra/values.yaml => w infra/values.yaml
    tar xzf a.tgz -C infra => w infra/
    tar -xf a.tar --directory=infra => w infra/
    cd infra && tar xf ../a.tar => w infra/
    tar xf a.tar infra/main.tf => w infra/main.tf
    tar czf infra/a.tgz src => w infra/a.tgz
    unzip a.zip -d infra => w infra/
    unzip -o a.zip => s ./
    zip -r infra/a.zip src => w infra/a.zip
    gunzip infra/a.tf.gz => w infra/a.tf, d infra/a.tf.gz
    gzip infra/main.tf => w infra/main.tf.gz, d infra/main.tf
    sqlite3 infra/state.db "delete from a" => w infra/state.db
    ed -s infra/main.tf <<< w => w infra/main.tf
    ex -sc '%s/a/b/|x' infra/main.tf => w infra/main.tf
    vim -es -c '%s/a/b/' -c wq infra/main.tf => w infra/main.tf
    vim -c 'w infra/main.tf' -c q a => w a, w infra/main.tf
    nano infra/main.tf => w infra/main.tf
    patch infra/main.tf < a.diff => w infra/main.tf
    patch -p1 < fix.patch => w infra/main.tf
    patch -p1 -i fix.patch => w infra/main.tf
    git apply fix.patch => w infra/main.tf, git paths
    git apply <<'EOF'⏎--- a/infra/main.tf⏎+++ b/infra/main.tf⏎@@ -1 +1 @@⏎-a⏎+b⏎EOF => w infra/main.tf, git paths
    cat fix.patch | git apply => w infra/main.tf, git paths
    patch -p1 <<'EOF'⏎--- a/infra/main.tf⏎+++ /dev/null⏎EOF => d infra/main.tf
    git apply <<'EOF'⏎diff --git a/infra/a.tf b/infra/b.tf⏎rename from infra/a.tf⏎rename to infra/b.tf⏎EOF => m infra/a.tf infra/b.tf, git paths
    prettier --write infra/main.json => w infra/main.json
    eslint --fix infra => s infra/
    terraform fmt infra => w infra/*.tf, w infra/*.tfvars
    gofmt -w infra/main.go => w infra/main.go
    black infra/main.py => w infra/main.py
    git diff --output=infra/main.tf => w infra/main.tf
    git archive -o infra/a.tar HEAD => w infra/a.tar
    git clone https://example.com/r.git infra/r => w infra/r/
    git mv a.tf infra/main.tf => m a.tf infra/main.tf, git paths
    mv a.tf infra/main.tf => m a.tf infra/main.tf
    mv a.tf infra/ => m a.tf infra/a.tf
    mv a.tf infra => m a.tf infra/a.tf
    mv infra old => m infra/ old/
    mv infra/main.tf infra/b.tf => m infra/main.tf infra/b.tf
    mytool --output infra/main.tf a => w infra/main.tf
    gcc -o infra/tool.o a.c => w infra/tool.o
    pandoc -o infra/a.html a.md => w infra/a.html
    openssl genrsa -out infra/key.pem 2048 => w infra/key.pem
    ssh-keygen -f infra/id_rsa => w infra/id_rsa
    docker cp box:/x infra => w infra/
    cd infra && echo x > main.tf => w infra/main.tf
    cd infra; echo x > main.tf => w infra/main.tf
    cd infra || exit 1; echo x > main.tf => w infra/main.tf
    cd infra && cd modules && echo x > ../main.tf => w infra/main.tf
    pushd infra && echo x > main.tf => w infra/main.tf
    (cd infra && echo x > main.tf); echo y > docs/a.md => w infra/main.tf, w docs/a.md
    cd /home/ann/proj/infra && echo x > main.tf => w infra/main.tf
    cd "$(git rev-parse --show-toplevel)/infra" && echo x > main.tf => w infra/main.tf
    F=infra/main.tf; echo x > $F => w infra/main.tf
    F=infra/main.tf && echo x > "$F" => w infra/main.tf
    export D=infra; echo x > $D/main.tf => w infra/main.tf
    D=infra sh -c 'echo x > $D/main.tf' => w infra/main.tf
    a=inf; b=ra; echo x > $a$b/main.tf => w infra/main.tf
    echo x > ${F:-infra/main.tf} => w infra/main.tf
    source vars.sh; echo x > $DIR/$NAME => w infra/main.tf
    for f in infra/a.tf infra/b.tf; do echo x > $f; done => w infra/a.tf, w infra/b.tf
    for f in infra/*.tf; do sed -i s/a/b/ "$f"; done => w infra/*.tf
    f() { echo x > "$1"; }; f infra/main.tf => w infra/main.tf
    f() { g "$1"; }; g() { echo x > "$1"; }; f infra/main.tf => w infra/main.tf
    function w { tee "$1"; }; echo x | w infra/main.tf => w infra/main.tf
    alias put='tee'; echo x | put infra/main.tf => w infra/main.tf
    env X=1 tee infra/main.tf => w infra/main.tf
    env -i X=1 tee infra/main.tf => w infra/main.tf
    X=1 tee infra/main.tf => w infra/main.tf
    sudo -u root tee infra/main.tf => w infra/main.tf
    nice -n 5 tee infra/main.tf => w infra/main.tf
    ionice -c 3 tee infra/main.tf => w infra/main.tf
    nohup tee infra/main.tf => w infra/main.tf
    timeout -s KILL 5s tee infra/main.tf => w infra/main.tf
    stdbuf -oL tee infra/main.tf => w infra/main.tf
    setsid tee infra/main.tf => w infra/main.tf
    command tee infra/main.tf => w infra/main.tf
    builtin command tee infra/main.tf => w infra/main.tf
    exec tee infra/main.tf => w infra/main.tf
    time tee infra/main.tf => w infra/main.tf
    busybox tee infra/main.tf => w infra/main.tf
    \tee infra/main.tf => w infra/main.tf
    /usr/bin/tee infra/main.tf => w infra/main.tf
    t''ee infra/main.tf => w infra/main.tf
    sudo env X=1 nice timeout 5 tee infra/main.tf => w infra/main.tf
    sh -c 'echo x > infra/main.tf' => w infra/main.tf
    bash -lc "echo x > infra/main.tf" => w infra/main.tf
    bash -c 'echo x > "$1"' _ infra/main.tf => w infra/main.tf
    bash -c 'sh -c "echo x > infra/main.tf"' => w infra/main.tf
    eval 'echo x > infra/main.tf' => w infra/main.tf
    eval "$(echo 'echo x > infra/main.tf')" => w infra/main.tf
    eval "$(echo ZWNobyB4ID4gaW5mcmEvbWFpbi50Zg== | base64 -d)" => w infra/main.tf
    echo ZWNobyB4ID4gaW5mcmEvbWFpbi50Zg== | base64 --decode | sh => w infra/main.tf
    base64 -d <<< ZWNobyB4ID4gaW5mcmEvbWFpbi50Zg== | bash => w infra/main.tf
    echo 6563686f2078203e20696e6672612f6d61696e2e7466 | xxd -r -p | sh => w infra/main.tf
    echo 'rpub k > vasen/znva.gs' | tr 'A-Za-z' 'N-ZA-Mn-za-m' | sh => w infra/main.tf
    echo 'ft.niam/arfni > x ohce' | rev | sh => w infra/main.tf
    echo 'echo x > infra/main.tf' | sh => w infra/main.tf
    printf 'echo x > infra/main.tf\n' | bash -s => w infra/main.tf
    bash <<< 'echo x > infra/main.tf' => w infra/main.tf
    sh <<'EOF'⏎cd infra⏎echo x > main.tf⏎EOF => w infra/main.tf
    bash <(echo 'echo x > infra/main.tf') => w infra/main.tf
    source <(echo 'echo x > infra/main.tf') => w infra/main.tf
    . <(printf 'echo x > infra/main.tf') => w infra/main.tf
    bash -s <<EOF⏎echo x > infra/main.tf⏎EOF => w infra/main.tf
    trap 'echo x > infra/main.tf' EXIT => w infra/main.tf
    watch 'echo x > infra/main.tf' => w infra/main.tf
    su -c 'echo x > infra/main.tf' ann => w infra/main.tf
    flock /tmp/l -c 'echo x > infra/main.tf' => w infra/main.tf
    echo infra/main.tf | xargs touch => w infra/main.tf
    echo infra/main.tf | xargs -I{} sh -c 'echo x > {}' => w infra/main.tf
    printf 'infra/a.tf\ninfra/b.tf\n' | xargs -n1 touch => w infra/a.tf, w infra/b.tf
    xargs touch <<< infra/main.tf => w infra/main.tf
    parallel touch ::: infra/a.tf infra/b.tf => w infra/a.tf, w infra/b.tf
    find infra -name '*.tf' -exec sed -i s/a/b/ {} + => w infra/**/*.tf
    find infra -name '*.tf' | xargs sed -i s/a/b/ => w infra/**/*.tf
    grep -rl foo infra | xargs sed -i s/foo/bar/ => w infra/**
    for f in $(find infra -name '*.tf'); do sed -i s/a/b/ "$f"; done => w infra/**/*.tf
    find infra -name '*.tf' | while read f; do sed -i s/a/b/ "$f"; done => w infra/**/*.tf
    fd -e tf . infra -x sed -i s/a/b/ => w infra/**/*.tf
    git ls-files infra | xargs sed -i s/a/b/ => w infra, w infra/**
    while read f; do touch "$f"; done < list.txt => w infra/a.tf, w infra/b.tf
    cat list.txt | xargs touch => w infra/a.tf, w infra/b.tf
    echo x | tee >(cat > infra/main.tf) => w infra/main.tf
    true && { echo x > infra/main.tf; } => w infra/main.tf
    if true; then echo x > infra/main.tf; fi => w infra/main.tf
    while true; do echo x > infra/main.tf; break; done => w infra/main.tf
    case x in x) echo x > infra/main.tf;; esac => w infra/main.tf
    ! echo x > infra/main.tf => w infra/main.tf
    echo $(echo x > infra/main.tf) => w infra/main.tf
    X=$(echo x > infra/main.tf) => w infra/main.tf
    echo "${x:-$(echo x > infra/main.tf)}" => w infra/main.tf
    echo $((1 + $(echo 1 > infra/main.tf; echo 2))) => w infra/main.tf
    cat <(echo x > infra/main.tf) => w infra/main.tf
    true &⏎echo x > infra/main.tf & => w infra/main.tf
    echo 'echo x > infra/main.tf' > /tmp/x.sh && sh /tmp/x.sh => w /tmp/x.sh, w infra/main.tf
    echo 'echo x > infra/main.tf' > x.sh; chmod +x x.sh; ./x.sh => w x.sh, w infra/main.tf
    cat > /tmp/y.py <<'EOF'⏎open('infra/main.tf','w')⏎EOF⏎python3 /tmp/y.py => w /tmp/y.py, w infra/main.tf
    cp /dev/stdin infra/main.tf => w infra/main.tf
    echo x > "in => w in
"##;

#[test]
fn every_spelling_of_a_write_is_seen() {
    assert!(check(About::Changes, ROWS) > 241);
}
