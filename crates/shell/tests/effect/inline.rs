//! Writes by programs given inline in other languages.

use super::scene::{About, check};

pub(crate) const ROWS: &str = r##"
    node -e "import('fs').then(fs=>fs.unlinkSync('infra/main.tf'))" => d infra/main.tf
    node -e "import('node:fs/promises').then(({unlink})=>unlink('infra/main.tf'))" => d infra/main.tf
    node -e "import('fs').then(({default: fs})=>fs.unlink('infra/main.tf'))" => d infra/main.tf
    node -e "import('fs').then(m=>m.default.promises.unlink('infra/main.tf'))" => d infra/main.tf
    node -e "import('fs').then(function(fs) { fs.unlink('infra/main.tf') })" => d infra/main.tf
    node -e "import('node:child_process').then(c=>c.exec('rm infra/main.tf'))" => d infra/main.tf
    node -e "(async ()=>{ const fs = await import('fs'); await fs.promises.unlink('infra/main.tf') })()" => d infra/main.tf
    node -e "const {unlink} = await import('fs/promises'); unlink('infra/main.tf')" => d infra/main.tf
    node -e "(await import('fs')).unlink('infra/main.tf')" => d infra/main.tf
    node -e "load().then(c=>c.execSync('rm infra/main.tf'))" => d infra/main.tf
    python3 -c "open('infra/main.tf','w')" => w infra/main.tf
    python3 -c "open('infra/main.tf','w').write('x')" => w infra/main.tf
    python3 -c "open('infra/main.tf', mode='a').write('x')" => w infra/main.tf
    python3 -c "open(file='infra/main.tf', mode='w')" => w infra/main.tf
    python3 -c "open('infra/main.tf','r+').write('x')" => w infra/main.tf
    python3 -c "with open('infra/main.tf', 'w') as f: f.write('x')" => w infra/main.tf
    python3 -c "f = open('infra/' + 'main.tf', 'wb'); f.write(b'x')" => w infra/main.tf
    python3 -c "import os; open(os.path.join('infra', 'main.tf'), 'w')" => w infra/main.tf
    python3 -c "from os.path import join as j; open(j('infra','main.tf'),'w')" => w infra/main.tf
    python3 -c "import os; open(os.path.expanduser('~/proj/infra/main.tf'),'w')" => w infra/main.tf
    python3 -c "import os; open(os.environ['HOME'] + '/proj/infra/main.tf','w')" => w infra/main.tf
    python3 -c "from pathlib import Path; Path('infra/main.tf').write_text('x')" => w infra/main.tf
    python3 -c "from pathlib import Path; (Path.home() / 'proj' / 'infra' / 'main.tf').write_text('x')" => w infra/main.tf
    python3 -c "from pathlib import Path; p = Path('infra'); p.joinpath('main.tf').write_text('x')" => w infra/main.tf
    python3 -c "import pathlib; pathlib.Path('infra', 'main.tf').touch()" => w infra/main.tf
    python3 -c "d='infra'; open(f'{d}/main.tf','w')" => w infra/main.tf
    python3 -c "open('%s/main.tf' % 'infra','w')" => w infra/main.tf
    python3 -c "open('{}/main.tf'.format('infra'),'w')" => w infra/main.tf
    python3 -c "open('/'.join(['infra','main.tf']),'w')" => w infra/main.tf
    python3 -c "open('arfni'[::-1] + '/main.tf','w')" => w infra/main.tf
    python3 -c "import base64; open(base64.b64decode('aW5mcmEvbWFpbi50Zg==').decode(),'w')" => w infra/main.tf
    python3 -c "import base64 as b; open(b.b64decode(b'aW5mcmEvbWFpbi50Zg=='),'w')" => w infra/main.tf
    python3 -c "open(bytes.fromhex('696e6672612f6d61696e2e7466').decode(),'w')" => w infra/main.tf
    python3 -c "import codecs; open(codecs.decode('vasen/znva.gs','rot13'),'w')" => w infra/main.tf
    python3 -c "open('\x69nfra/main.tf','w')" => w infra/main.tf
    python3 -c "open(chr(105)+'nfra/main.tf','w')" => w infra/main.tf
    python3 -c "open(r'infra/main.tf','w')" => w infra/main.tf
    python3 -c "import shutil; shutil.copy('a','infra/main.tf')" => w infra/main.tf
    python3 -c "import shutil; shutil.copytree('a','infra')" => w infra/
    python3 -c "import os; os.symlink('a','infra/main.tf')" => w infra/main.tf
    python3 -c "import sqlite3; sqlite3.connect('infra/a.db').execute('delete from t')" => w infra/a.db
    python3 -c "from sqlite3 import connect as c; d = c(database='infra/a.db'); d.execute('select 1')" => w infra/a.db
    python3 -c "import sqlite3; sqlite3.connect('file:infra/a.db?mode=rw', uri=True)" => w infra/a.db
    python3 -c "import os; os.makedirs('infra/new')" => w infra/new
    python3 -c "import json; json.dump({}, open('infra/main.json','w'))" => w infra/main.json
    python3 -c "for f in ['infra/a.tf','infra/b.tf']: open(f,'w')" => w infra/a.tf, w infra/b.tf
    python3 -c "print('x', file=open('infra/main.tf','w'))" => w infra/main.tf
    python3 -c "import sys; open(sys.argv[1],'w')" infra/main.tf => w infra/main.tf
    P=infra/main.tf python3 -c "import os; open(os.environ['P'],'w')" => w infra/main.tf
    python3 -c "import os; os.system('echo x > infra/main.tf')" => w infra/main.tf
    python3 -c "import subprocess; subprocess.run('sed -i s/a/b/ infra/main.tf', shell=True)" => w infra/main.tf
    python3 -c "import urllib.request as u; u.urlretrieve('https://example.com/x','infra/main.tf')" => w infra/main.tf
    python3 -c "import fileinput; [print(l) for l in fileinput.input('infra/main.tf', inplace=True)]" => w infra/main.tf
    node -e "require('fs').writeFileSync('infra/main.tf','x')" => w infra/main.tf
    node -e "require('fs').appendFileSync('infra/main.tf','x')" => w infra/main.tf
    node -e "const p=require('path'); require('fs').writeFileSync(p.join('infra','main.tf'),'x')" => w infra/main.tf
    node -e "const d='infra'; require('fs').writeFileSync(\`\${d}/main.tf\`,'x')" => w infra/main.tf
    node -e "require('fs').writeFileSync(Buffer.from('aW5mcmEvbWFpbi50Zg==','base64').toString(),'x')" => w infra/main.tf
    node -e "require('fs').writeFileSync(atob('aW5mcmEvbWFpbi50Zg=='),'x')" => w infra/main.tf
    node -e "require('fs').writeFileSync(require('os').homedir()+'/proj/infra/main.tf','x')" => w infra/main.tf
    node -e "require('fs').writeFileSync(process.env.HOME+'/proj/infra/main.tf','x')" => w infra/main.tf
    node -e "require('fs').createWriteStream('infra/main.tf').write('x')" => w infra/main.tf
    node -e "require('fs').copyFileSync('a','infra/main.tf')" => w infra/main.tf
    node -e "require('fs').renameSync('a','infra/main.tf')" => m a infra/main.tf
    node -e "require('fs').promises.writeFile('infra/main.tf','x')" => w infra/main.tf
    node -p "require('fs').writeFileSync('infra/main.tf','x')" => w infra/main.tf
    bun -e "await Bun.write('infra/main.tf','x')" => w infra/main.tf
    deno eval "Deno.writeTextFileSync('infra/main.tf','x')" => w infra/main.tf
    ruby -e 'File.write("infra/main.tf","x")' => w infra/main.tf
    ruby -e 'File.open("infra/main.tf","w") { |f| f.write("x") }' => w infra/main.tf
    ruby -e 'File.write(File.join("infra","main.tf"),"x")' => w infra/main.tf
    ruby -e 'd="infra"; File.write("#{d}/main.tf","x")' => w infra/main.tf
    ruby -e 'IO.write "infra/main.tf", "x"' => w infra/main.tf
    ruby -rfileutils -e 'FileUtils.touch "infra/main.tf"' => w infra/main.tf
    ruby -e 'require "base64"; File.write(Base64.decode64("aW5mcmEvbWFpbi50Zg=="),"x")' => w infra/main.tf
    perl -e 'open(F,">infra/main.tf"); print F "x"' => w infra/main.tf
    perl -e 'open(my $f,">","infra/main.tf"); print $f "x"' => w infra/main.tf
    perl -e 'open F, ">>infra/main.tf"' => w infra/main.tf
    perl -e '$d="infra"; open(F,">$d/main.tf")' => w infra/main.tf
    perl -MMIME::Base64 -e 'open(F,">".decode_base64("aW5mcmEvbWFpbi50Zg=="))' => w infra/main.tf
    php -r 'file_put_contents("infra/main.tf","x");' => w infra/main.tf
    php -r 'file_put_contents("infra"."/main.tf","x",FILE_APPEND);' => w infra/main.tf
    php -r 'fwrite(fopen("infra/main.tf","w"),"x");' => w infra/main.tf
    lua -e 'io.open("infra/main.tf","w"):write("x")' => w infra/main.tf
    lua -e 'local d="infra"; io.open(d.."/main.tf","w")' => w infra/main.tf
    python3 <<EOF⏎with open("infra/main.tf", "w") as f:⏎    f.write("x")⏎EOF => w infra/main.tf
    python3 <<'EOF'⏎from pathlib import Path⏎p = Path("infra/main.tf")⏎t = p.read_text()⏎p.write_text(t.replace("a", "b"))⏎EOF => w infra/main.tf
    python3 <<'EOF'⏎import re⏎s = open('infra/main.tf').read()⏎s = re.sub(r"a'b", 'c', s)⏎open('infra/main.tf', 'w').write(s)⏎EOF => w infra/main.tf
    cat <<'EOF' | python3⏎open('infra/main.tf','w')⏎EOF => w infra/main.tf
    node - <<'EOF'⏎import { writeFileSync } from 'fs'⏎writeFileSync('infra/main.tf', 'x')⏎EOF => w infra/main.tf
"##;

#[test]
fn constants_are_folded() {
    assert!(check(About::Changes, ROWS) > 76);
}
