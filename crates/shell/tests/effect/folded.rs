//! Inline programs that keep what they are about in lists, dictionaries and functions, or are fed with words.

use stead_model::Coverage;

use super::scene::{About, check, run, show};

const CONTAINERS: &str = r##"
    python3 -c "for p, old, new in [('infra/main.tf','a','b')]: open(p,'w').write(new)" => w infra/main.tf
    python3 -c "for p, old in [('docs/a','infra/main.tf')]: open(p,'w').write(old)" => w docs/a
    python3 -c "for (p, b) in {'infra/main.tf': 'x', 'docs/a': 'y'}.items(): open(p,'w').write(b)" => w infra/main.tf, w docs/a
    python3 -c "for p in {'infra/main.tf': 'x'}: open(p,'w')" => w infra/main.tf
    python3 -c "cfg={'path':'infra/main.tf','log':'docs/a'}; open(cfg['path'],'w')" => w infra/main.tf
    python3 -c "cfg={'path':'infra/main.tf','log':'docs/a'}; open(cfg.get('log'),'w')" => w docs/a
    python3 -c "cfg={}; cfg['path']='infra/main.tf'; open(cfg['path'],'w')" => w infra/main.tf
    python3 -c "cfg={'path':'a'}; cfg['path']='infra/main.tf'; open(cfg['path'],'w')" => w a, w infra/main.tf
    python3 -c "fs=['a']; fs.append('infra/main.tf')⏎for f in fs: open(f,'w')" => w a, w infra/main.tf
    python3 -c "fs=['a']; fs += ['infra/main.tf']⏎for f in fs: open(f,'w')" => w a, w infra/main.tf
    python3 -c "a, b = 'docs/a', 'infra/main.tf'; open(b,'w')" => w infra/main.tf
    python3 -c "p: str = 'infra/main.tf'; open(p,'w')" => w infra/main.tf
    python3 -c "for i, p in enumerate(['infra/main.tf']): open(p,'w')" => w infra/main.tf
    python3 -c "for a, p in zip(['x'],['infra/main.tf']): open(p,'w')" => w infra/main.tf
    python3 -c "[open(p,'w').write(t) for p, t in [('infra/main.tf','x')]]" => w infra/main.tf
    python3 -c "c=True; open('infra/main.tf' if c else 'docs/a','w')" => w infra/main.tf, w docs/a
    python3 -c "import subprocess; [subprocess.run(['rm', f]) for f in ['a','infra/main.tf']]" => d a, d infra/main.tf
    python3 -c "import glob, os⏎for f in glob.glob('infra/*.tf') + glob.glob('src/*.rs'): os.unlink(f)" => d infra/*.tf, d src/*.rs
    python3 -c "import glob, os⏎os.unlink(glob.glob('infra/*.tf')[0])" => d infra/*.tf
    python3 -c "import os⏎for r, d, fs in os.walk('infra'):⏎  for f in fs:⏎    p=os.path.join(r,f)⏎    open(p,'w')" => w infra/**/*
    python3 -c "import os⏎for r, d, fs in os.walk('infra'):⏎  for f in fs:⏎    if f.endswith('.md'):⏎      open(os.path.join(r,f),'w')" => w infra/**/*.md
    python3 -c "import os⏎for f in os.listdir('infra'):⏎  if not f.endswith('.md'): continue⏎  os.remove('infra/' + f)" => d infra/*.md
    python3 -c "import os⏎for f in os.listdir('infra'):⏎  if f.endswith('.md'): print(f)⏎  os.remove('infra/' + f)" => d infra/*
    python3 -c "import os⏎for r, d, fs in os.walk('.'):⏎  for f in fs:⏎    open(os.path.join(r,f),'w')" =>
    python3 -c "import zipfile; zipfile.ZipFile('x.zip').extractall('infra')" => w infra/
    python3 -c "import tarfile⏎with tarfile.open('x.tgz') as t: t.extractall(path='infra')" => w infra/
    python3 -c "import zipfile; zipfile.ZipFile('x.zip').namelist()" =>
    python3 -c "import zipfile; zipfile.ZipFile('out.zip','w').write('infra/main.tf')" => w out.zip
    node -e "for (const [f,a,b] of [['infra/main.tf','a','b']]) require('fs').writeFileSync(f,b)" => w infra/main.tf
    node -e "const fs=require('fs'); const edits=[{file:'infra/main.tf',to:'docs/a'}]; for (const e of edits) fs.writeFileSync(e.file,e.to)" => w infra/main.tf
    node -e "const fs=require('fs'); for (const {file, to} of [{file:'infra/main.tf',to:'docs/a'}]) fs.writeFileSync(file,to)" => w infra/main.tf
    node -e "const fs=require('fs'); for (const [f, s] of Object.entries({'infra/main.tf':'docs/a'})) fs.writeFileSync(f,s)" => w infra/main.tf
    node -e "const fs=require('fs'); Object.keys({'infra/main.tf':1}).forEach(f=>fs.unlinkSync(f))" => d infra/main.tf
    node -e "const fs=require('fs'); [['infra/main.tf','docs/a']].forEach(([f, s])=>{ const t = s; fs.writeFileSync(f, t) })" => w infra/main.tf
    node -e "const fs=require('fs'); ['main.tf'].map(f=>'infra/' + f).forEach(f=>fs.unlinkSync(f))" => d infra/main.tf
    node -e "const c={p:'infra/main.tf'}; require('fs').writeFileSync(c.p,'x')" => w infra/main.tf
    node -e "const fs=[]; fs.push('infra/main.tf'); for (const f of fs) require('fs').unlinkSync(f)" => d infra/main.tf
    node -e "require('fs').cpSync('/tmp/x','infra',{recursive:true})" => w infra/
    node -e "require('fs').cpSync('/tmp/x','infra/main.tf')" => w infra/main.tf
    node -e "require('fs').writeFileSync(process.env.NO || 'infra/main.tf','x')" => w infra/main.tf
    ruby -e '{"infra/main.tf"=>"docs/a"}.each { |f, s| File.write(f, s) }' => w infra/main.tf
    ruby -e '[["infra/main.tf","docs/a"]].each do |f, s| File.write(f, s) end' => w infra/main.tf
"##;

const FUNCTIONS: &str = r##"
    python3 <<'EOF'⏎def patch(path, old, new):⏎    s = open(path).read()⏎    open(path, 'w').write(s.replace(old, new))⏎patch('infra/main.tf', 'a', 'b')⏎EOF => w infra/main.tf
    python3 <<'EOF'⏎def patch(path, old, new):⏎    s = open(path).read()⏎    open(path, 'w').write(s.replace(old, new))⏎patch('docs/a', 'infra/main.tf', 'b')⏎EOF => w docs/a
    python3 -c "def w(p): open(p,'w')⏎w(p='infra/main.tf')" => w infra/main.tf
    python3 -c "def w(p='infra/main.tf'): open(p,'w')⏎w()" => w infra/main.tf
    python3 -c "def w(p='infra/main.tf'): open(p,'w')⏎w('docs/a')" => w docs/a
    python3 -c "def w(p: str, n: int = 1) -> None: open(p,'w')⏎w('infra/main.tf')" => w infra/main.tf
    python3 -c "def w(p): open(p,'w')⏎for e in [('infra/main.tf',)]: w(*e)" => w infra/main.tf
    python3 -c "def w(*ps):⏎  for p in ps: open(p,'w')⏎w('a','infra/main.tf')" => w a, w infra/main.tf
    python3 -c "def a(p): open(p,'w')⏎def b(q): a(q)⏎b('infra/main.tf')" => w infra/main.tf
    python3 -c "def name(): return 'infra/main.tf'⏎open(name(),'w')" => w infra/main.tf
    python3 -c "def main():⏎  open(P,'w')⏎P='infra/main.tf'⏎main()" => w infra/main.tf
    python3 -c "path='infra/main.tf'⏎def load(path):⏎  return open(path).read()⏎s=load('docs/a')⏎open(path,'w').write(s)" => w infra/main.tf
    python3 -c "class E:⏎  def go(self, p):⏎    open(p,'w')⏎E().go('infra/main.tf')" => w infra/main.tf
    python3 -c "def w(p): open(p,'w')⏎list(map(w, ['a','infra/main.tf']))" => w a, w infra/main.tf
    python3 -c "w = lambda p: open(p,'w')⏎w('infra/main.tf')" => w infra/main.tf
    node -e "const fs=require('fs'); function edit(file, cb) { fs.writeFileSync(file, cb(fs.readFileSync(file))) } edit('infra/main.tf', s=>s)" => w infra/main.tf
    node -e "const fs=require('fs'); edit('infra/main.tf'); function edit(file) { fs.writeFileSync(file, 'x') }" => w infra/main.tf
    node -e "const fs=require('fs'); const write=(p,s)=>fs.writeFileSync(p,s); write('infra/main.tf','docs/a')" => w infra/main.tf
    node -e "const fs=require('fs'); const write=p=>{ fs.writeFileSync(p,'x') }; write('infra/main.tf')" => w infra/main.tf
    node -e "const fs=require('fs'); const del=f=>fs.unlinkSync(f); ['a','infra/main.tf'].forEach(del)" => d a, d infra/main.tf
    node -e "(async ()=>{ const p='infra/main.tf'; await require('fs').promises.writeFile(p,'x') })()" => w infra/main.tf
    node -e "const fs=require('fs'); const p='infra/main.tf'; function log(p) { fs.appendFileSync(p,'x') } log('docs/a'); fs.unlinkSync(p)" => w docs/a, d infra/main.tf
    node -e "const fs=require('fs'); const at=f=>'infra/'+f; fs.unlinkSync(at('main.tf'))" => d infra/main.tf
    php -r 'function put($p) { file_put_contents($p, "x"); } put("infra/main.tf");' => w infra/main.tf
    python3 -c "import os, tempfile⏎fd, tmp = tempfile.mkstemp()⏎os.replace(tmp, 'infra/main.tf')" => w infra/main.tf
    python3 -c "import shutil, tempfile⏎with tempfile.NamedTemporaryFile('w', delete=False) as t: t.write('x')⏎shutil.move(t.name, 'infra/main.tf')" => w infra/main.tf
    python3 -c "import os, tempfile⏎os.replace('infra/main.tf', tempfile.mktemp())" => d infra/main.tf
    node -e "require('fs').renameSync(tmp(),'infra/main.tf')" => w infra/main.tf
"##;

const FED: &str = r##"
    python3 - infra/main.tf <<'EOF'⏎import sys⏎open(sys.argv[1],'w').write('x')⏎EOF => w infra/main.tf
    python3 - infra/main.tf <<'EOF'⏎import sys⏎print(open(sys.argv[1]).read())⏎EOF =>
    F=infra/main.tf; python3 - "$F" <<'EOF'⏎import sys⏎open(sys.argv[1],'w')⏎EOF => w infra/main.tf
    python3 - a infra/main.tf <<'EOF'⏎import sys⏎for p in sys.argv[1:]: open(p,'w')⏎EOF => w a, w infra/main.tf
    python3 - a infra/main.tf <<'EOF'⏎import sys⏎_, a, b = sys.argv⏎open(b,'w')⏎EOF => w infra/main.tf
    python3 /dev/stdin <<'EOF'⏎open('infra/main.tf','w')⏎EOF => w infra/main.tf
    node - infra/main.tf <<'EOF'⏎require('fs').unlinkSync(process.argv[2])⏎EOF => d infra/main.tf
    node - a infra/main.tf <<'EOF'⏎for (const f of process.argv.slice(2)) require('fs').unlinkSync(f)⏎EOF => d a, d infra/main.tf
    node -e "require('fs').unlinkSync(process.argv[1])" infra/main.tf => d infra/main.tf
    node arg.js infra/main.tf => d infra/main.tf
    ruby - infra/main.tf <<'EOF'⏎File.delete(ARGV[0])⏎EOF => d infra/main.tf
    ruby - infra/main.tf <<'EOF'⏎ARGV.each { |f| File.delete(f) }⏎EOF => d infra/main.tf
    perl - infra/main.tf <<'EOF'⏎unlink $ARGV[0];⏎EOF => d infra/main.tf
    bash -s -- infra/main.tf <<'EOF'⏎rm "$1"⏎EOF => d infra/main.tf
    bash -s infra/main.tf <<'EOF'⏎rm "$1"⏎EOF => d infra/main.tf
    bash /dev/stdin infra/main.tf <<'EOF'⏎rm "$1"⏎EOF => d infra/main.tf
    yarn node -e "require('fs').unlinkSync('infra/main.tf')" => d infra/main.tf
    pnpm node -e "require('fs').unlinkSync('infra/main.tf')" => d infra/main.tf
    ipython -c "open('infra/main.tf','w')" => w infra/main.tf
    python3 tools/run.py => w infra/main.tf
    node tools/run.js => d infra/main.tf/
    python3 tools/beside.py => w tools/out.txt
"##;

const RUNS: &str = r##"
    python3 - <<'EOF'⏎import subprocess⏎def sh(c): subprocess.run(c, shell=True)⏎sh("terraform apply")⏎EOF => python3 -, terraform apply
    python3 - <<'EOF'⏎import subprocess, shlex⏎subprocess.run(shlex.split('terraform apply'))⏎EOF => python3 -, terraform apply
    python3 - <<'EOF'⏎import subprocess⏎for c in [['ls'], ['terraform', 'apply']]: subprocess.run(c)⏎EOF => python3 -, ls, terraform apply
    node - <<'EOF'⏎const run = c=>require('child_process').execSync(c)⏎run('terraform apply')⏎EOF => node -, terraform apply
"##;

#[test]
fn containers_are_folded() {
    assert!(check(About::Changes, CONTAINERS) > 40);
}

#[test]
fn parameters_and_returns_are_folded() {
    assert!(check(About::Changes, FUNCTIONS) > 25);
}

#[test]
fn programs_that_are_fed_see_their_words() {
    assert!(check(About::Changes, FED) > 20);
}

#[test]
fn programs_that_functions_run() {
    check(About::Runs, RUNS);
}

#[test]
fn no_item_of_a_long_list_is_lost() {
    let items = |count: usize, quote: &str, between: &str| {
        let items = (0..count)
            .map(|number| format!("{quote}docs/{number}{quote}"))
            .chain([format!("{quote}infra/main.tf{quote}")]);
        items.collect::<Vec<_>>().join(between)
    };
    for (head, quote, between, tail) in [
        ("python3 -c \"paths=[", "'", ",", "]\nfor p in paths: open(p,'w')\""),
        ("node -e \"for (const f of [", "'", ",", "]) fs.writeFileSync(f,'x')\""),
        ("ruby -e '%w[", "", " ", "].each{|f| File.delete(f)}'"),
        ("python3 -c \"import subprocess\nfor p in [", "'", ",", "]: subprocess.run(['rm', p])\""),
    ] {
        for count in [16, 40] {
            let effects = run(&format!("{head}{}{tail}", items(count, quote, between)));
            assert!(show(&effects, About::Changes).ends_with("infra/main.tf"), "{head}: {:?}", effects.gaps);
        }
        let effects = run(&format!("{head}{}{tail}", items(2_000, quote, between)));
        assert!(effects.gave_up, "{head}");
    }
}

#[test]
fn what_is_folded_to_the_end_is_known_to_the_end() {
    let check = |command: &str, coverage: Coverage| {
        let effects = run(command);
        assert_eq!(effects.coverage, coverage, "{command}: {:?}", effects.gaps);
    };
    for command in [
        "python3 -c \"def w(p): open(p,'w')\nw('a')\"",
        "python3 -c \"for p, b in {'a': 'x'}.items(): open(p,'w').write(b)\"",
        "node -e \"const w = p => require('fs').writeFileSync(p,'x'); w('a')\"",
        "node -e \"const fs=require('fs'); ['a'].forEach(f => fs.unlinkSync(f))\"",
        "python3 - a <<'EOF'\nimport sys\nopen(sys.argv[1],'w')\nEOF",
    ] {
        check(command, Coverage::Full);
    }
    for command in [
        // Nobody calls it, or with what is not known.
        "python3 -c \"def w(p): open(p,'w')\"",
        "python3 -c \"def w(p): open(p,'w')\nw('a')\nw(input())\"",
        "python3 -c \"def w(p): open(p,'w')\nw('a')\nstart(w)\"",
        "python3 -c \"p = 'a'\ndef w(p): open(p,'w')\"",
        "python3 -c \"def w(p):\n  open(p,'w')\n  w(p + '/x')\nw('a')\"",
        "python3 -c \"find().write_text('x')\"",
        "python3 -c \"p = find()\nif p.endswith('.md'): open(p,'w')\"",
        "python3 -c \"import os, tempfile\nos.replace(tempfile.mktemp(), 'a')\"",
        "python3 -c \"cfg = load()\nopen(cfg['path'],'w')\"",
        "node -e \"const fs=require('fs'); const w = p => fs.writeFileSync(p,'x'); w('a'); run(w)\"",
        "python3 - <<'EOF'\nimport sys\nopen(sys.argv[1],'w')\nEOF",
        "python3 tools/run.py",
    ] {
        check(command, Coverage::Partial);
    }
}

#[test]
fn programs_that_call_themselves_end() {
    for program in [
        "def f(p):\n  f(p + p)\n  f(p + 'x')\nf('a')",
        "def f(p): return g(p)\ndef g(p): return f([p, p])\nf('a')",
        "f = lambda x: f(x)\nf(f)",
        "d = {}\nd['a'] = d\nfor k in d: d[k] = [d, d, d]\nopen(d['a'],'w')",
        "def f(*a): f(*a, *a)\nf('a', 'b')",
    ] {
        assert!(run(&format!("python3 -c \"{program}\"")).list.len() < 1_000);
    }
    let many: String = (0..300).map(|number| format!("def f{number}(p): f{}(p + 'x')\n", (number + 1) % 300)).collect();
    run(&format!("python3 - <<'EOF'\n{many}f0('a')\nEOF"));
    let wide = format!("a = [{}]\n{}open(a[0],'w')", "'x',".repeat(600), "a = a + a\n".repeat(40));
    run(&format!("python3 - <<'EOF'\n{wide}\nEOF"));
    let deep = "function f(){".repeat(3_000);
    run(&format!("node - <<'EOF'\n{deep}\nEOF"));
}
