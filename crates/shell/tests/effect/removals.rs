//! Spellings of a deletion, in the shell, in scripts and in other languages.

use super::scene::{About, check};

pub(crate) const ROWS: &str = r##"
    rm infra/main.tf => d infra/main.tf
    rm -f infra/main.tf => d infra/main.tf
    rm -- infra/main.tf => d infra/main.tf
    rm -rf infra => d infra/
    rm -r -f infra/ => d infra/
    rm -R infra => d infra/
    rm --recursive infra => d infra/
    rm -rf infra/* => d infra/*/
    rm -rf ./infra => d infra/
    rm -rf ../proj/infra => d infra/
    rm -rf /home/ann/proj/infra => d infra/
    rm -rf {infra,docs} => d infra/, d docs/
    rm -rf $(echo infra) => d infra/
    rm -rf `echo infra` => d infra/
    rm -rf ~ => d /home/ann/
    rm -rf / => d //
    rm -rf $HOME => d /home/ann/
    rm -rf .. => d /home/ann/
    rm -rf . => d ./
    rm -rf * => d */
    rm -rf /etc/nginx => d /etc/nginx/
    rm -rf "$TMPDIRX/x" => d x/
    unlink infra/main.tf => d infra/main.tf
    shred -u infra/main.tf => d infra/main.tf
    shred infra/main.tf => w infra/main.tf
    rmdir infra/modules => d infra/modules
    trash infra/main.tf => d infra/main.tf/
    rimraf infra => d infra/
    npx rimraf infra => d infra/
    cd infra && rm main.tf => d infra/main.tf
    cd infra; rm -rf * => d infra/*/
    cd infra && rm -rf . => d infra/
    cd .. && rm -rf proj => d ./
    (cd infra && rm main.tf) => d infra/main.tf
    find infra -delete => d infra/
    find infra -name '*.tf' -delete => d infra/**/*.tf
    find . -name '*.pyc' -delete => d **/*.pyc
    find infra -type f -exec rm {} \; => d infra/
    find ~/work -exec rm {} \; => d /home/ann/work/
    find ~/work -exec rm -rf {} + => d /home/ann/work/
    find ~/work -name '*.tmp' -exec rm {} \; => d /home/ann/work/**/*.tmp
    find infra -exec sh -c 'rm "$1"' _ {} \; => d infra/**
    find infra -name '*.tf' | xargs rm => d infra/**/*.tf
    find infra -name '*.tf' -print0 | xargs -0 rm -f => d infra/**/*.tf
    rm $(find infra -name '*.tf') => d infra/**/*.tf
    find infra -maxdepth 1 -name '*.tf' -delete => d infra/*.tf
    ls infra/*.tf | xargs rm => d infra/*.tf
    ls infra | xargs -I{} rm infra/{} => d infra/*
    fd -e tf . infra -x rm => d infra/**/*.tf
    printf '%s\0' infra/main.tf | xargs -0 rm => d infra/main.tf
    for f in infra/a.tf infra/b.tf; do rm $f; done => d infra/a.tf, d infra/b.tf
    while read f; do rm "$f"; done < list.txt => d infra/a.tf, d infra/b.tf
    read F <<< infra/main.tf; rm $F => d infra/main.tf
    git rm infra/main.tf => d infra/main.tf, git paths
    git rm -r infra => d infra/, git paths
    git -C infra rm main.tf => d infra/main.tf, git paths
    git clean -fd infra => d infra/, git paths
    rsync -a --delete empty/ infra/ => w infra/, d infra/
    mv infra /tmp/gone => m infra/ /tmp/gone/
    mv infra/main.tf /tmp => m infra/main.tf /tmp
    tar czf a.tgz --remove-files infra => w a.tgz, d infra/
    ./clean.sh => d infra/old/, w status.txt
    sh clean.sh => d infra/old/, w status.txt
    bash ./clean.sh => d infra/old/, w status.txt
    source clean.sh => d infra/old/, w status.txt
    sh bin/here.sh => d infra/old/
    cd src && ../bin/here.sh => d infra/old/
    sh args.sh infra/main.tf => d infra/main.tf
    sh < clean.sh => d infra/old/, w status.txt
    cat clean.sh | sh => d infra/old/, w status.txt
    python3 tool.py => d infra/main.tf
    bin/deploy => w infra/out.tf
    ./bin/deploy => w infra/out.tf
    sh -c ./clean.sh => d infra/old/, w status.txt
    nohup ./clean.sh & => d infra/old/, w status.txt
    python3 -c "import os; os.remove('infra/main.tf')" => d infra/main.tf
    python3 -c "import shutil; shutil.rmtree('infra')" => d infra/
    python3 -c "import os as o; o.unlink('infra/main.tf')" => d infra/main.tf
    python3 -c "from os import remove as r; r('infra/main.tf')" => d infra/main.tf
    python3 -c "from shutil import rmtree; rmtree('inf' + 'ra')" => d infra/
    python3 -c "from pathlib import Path; Path('infra/main.tf').unlink()" => d infra/main.tf
    python3 -c "from pathlib import Path; (Path('infra') / 'main.tf').unlink()" => d infra/main.tf
    python3 -c "import pathlib; [p.unlink() for p in pathlib.Path('infra').glob('*.tf')]" => d infra/*.tf
    python3 -c "import os; [os.remove(f) for f in ['infra/a.tf', 'infra/b.tf']]" => d infra/a.tf, d infra/b.tf
    python3 -c "import os; os.system('rm -rf infra')" => d infra/
    python3 -c "import subprocess; subprocess.run(['rm', '-rf', 'infra'])" => d infra/
    python3 -c "import subprocess as s; s.check_call('rm -rf infra', shell=True)" => d infra/
    python3 -c "import subprocess; subprocess.run(['rm', 'main.tf'], cwd='infra')" => d infra/main.tf
    python3 -c "__import__('os').remove('infra/main.tf')" => d infra/main.tf
    python3 -c "getattr(__import__('os'), 'remove')('infra/main.tf')" => d infra/main.tf
    python3 -c "exec('import os; os.remove(\'infra/main.tf\')')" => d infra/main.tf
    python3 -c "import base64; exec(base64.b64decode('aW1wb3J0IG9zOyBvcy5yZW1vdmUoJ2luZnJhL21haW4udGYnKQ=='))" => d infra/main.tf
    python3 -c "import os; os.chdir('infra'); os.remove('main.tf')" => d infra/main.tf
    python3 -c "import os; os.rename('infra/main.tf', 'x')" => m infra/main.tf x
    python3 -c "import os, shutil; shutil.move('infra', '/tmp/x')" => m infra/ /tmp/x/
    python3 -c "import os; os.execvp('rm', ['rm', '-rf', 'infra'])" => d infra/
    node -e "require('fs').rmSync('infra', {recursive: true})" => d infra/
    node -e "require('fs').unlinkSync('infra/main.tf')" => d infra/main.tf
    node -e "const fs = require('fs'); fs.unlinkSync('infra/' + 'main.tf')" => d infra/main.tf
    node -e "const {unlinkSync: u} = require('node:fs'); u('infra/main.tf')" => d infra/main.tf
    node -e "const fs = require('fs').promises; fs.rm('infra', {recursive: true})" => d infra/
    node -e "require('child_process').execSync('rm -rf infra')" => d infra/
    node -e "require('child_process').spawnSync('rm', ['-rf', 'infra'])" => d infra/
    node --input-type=module -e "import fs from 'fs'; fs.unlinkSync('infra/main.tf')" => d infra/main.tf
    deno eval "Deno.removeSync('infra')" => d infra/
    ruby -e 'File.delete("infra/main.tf")' => d infra/main.tf
    ruby -e 'File.delete "infra/main.tf"' => d infra/main.tf
    ruby -rfileutils -e 'FileUtils.rm_rf("infra")' => d infra/
    ruby -e 'system("rm -rf infra")' => d infra/
    ruby -e '`rm -rf infra`' => d infra/
    ruby -e 'Dir.glob("infra/*.tf").each { |f| File.delete(f) }' => d infra/*.tf
    perl -e 'unlink "infra/main.tf"' => d infra/main.tf
    perl -e 'unlink("infra/main.tf")' => d infra/main.tf
    perl -e 'system "rm -rf infra"' => d infra/
    perl -e 'system("rm", "-rf", "infra")' => d infra/
    perl -e '`rm -rf infra`' => d infra/
    perl -e 'rename "infra/main.tf", "x"' => m infra/main.tf x
    php -r 'unlink("infra/main.tf");' => d infra/main.tf
    php -r 'shell_exec("rm -rf infra");' => d infra/
    lua -e 'os.remove("infra/main.tf")' => d infra/main.tf
    lua -e 'os.execute("rm -rf infra")' => d infra/
    osascript -e 'do shell script "rm -rf infra"' => d infra/
    awk 'BEGIN { system("rm -rf infra") }' => d infra/
    echo "import os; os.remove('infra/main.tf')" | python3 => d infra/main.tf
    python3 - <<'EOF'⏎import os⏎os.remove('infra/main.tf')⏎EOF => d infra/main.tf
    node <<'EOF'⏎require('fs').unlinkSync('infra/main.tf')⏎EOF => d infra/main.tf
    perl <<'EOF'⏎unlink 'infra/main.tf';⏎EOF => d infra/main.tf
    ruby <<'EOF'⏎File.delete 'infra/main.tf'⏎EOF => d infra/main.tf
    uv run python -c "import os; os.remove('infra/main.tf')" => d infra/main.tf
    sudo python3 -c "import os; os.remove('infra/main.tf')" => d infra/main.tf
"##;

#[test]
fn every_spelling_of_a_deletion_is_seen() {
    assert!(check(About::Changes, ROWS) > 124);
}
