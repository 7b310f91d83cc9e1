//! Protected names that are put together, decoded, or written in a script.

use super::{Allow, Deny, World, check, deny, expect, judge};

#[test]
fn names_in_disguise() {
    deny(
        r#"
        python3 -c "open('.ag'+'ent/config.toml','w')"
        python3 -c "import os; os.remove('.ag' + 'ent' + '/config.toml')"
        python3 -c "import base64; open(base64.b64decode('LmFnZW50L2NvbmZpZy50b21s').decode(),'w')"
        python3 -c "import os; os.system('rm -rf .ag' + 'ent')"
        python3 -c "import os; p=['.ag','ent']; os.remove(os.path.join(''.join(p),'config.toml'))"
        python3 -c "import codecs,shutil; shutil.rmtree(codecs.decode('.ntrag','rot13'))"
        python3 -c "exec(bytes.fromhex('6f70656e28272e6167656e742f636f6e6669672e746f6d6c272c27772729'))"
        node -e "require('fs').rmSync('.ag'+'ent',{recursive:true})"
        node -e "import('fs').then(fs => fs.rmSync('.ag'+'ent',{recursive:true}))"
        node -e "import('node:fs/promises').then(({rm}) => rm('.ag'+'ent',{recursive:true}))"
        node -e "import('node:child_process').then(c => c.execSync('rm -rf .agent'))"
        node -e "load().then(c => c.execSync('rm -rf .agent'))"
        ruby -e 'def f(p) File.delete(p) end; f(".agent/config.toml")'
        perl -e 'sub f { my ($p) = @_; unlink $p } f(".agent/config.toml")'
        lua -e 'function f(p) os.remove(p) end f(".agent/config.toml")'
        node -e "require('fs').unlinkSync(Buffer.from('LmFnZW50L2NvbmZpZy50b21s','base64').toString())"
        ruby -e 'File.delete(".ag" + "ent/config.toml")'
        perl -e 'unlink(".ag" . "ent/config.toml")'
        php -r 'unlink(".ag"."ent/config.toml");'
        eval "$(echo cm0gLXJmIC5hZ2VudA== | base64 -d)"
        echo cm0gLXJmIC5hZ2VudA== | base64 -d | sh
        base64 -d <<< cm0gLXJmIC5hZ2VudA== | bash
        echo 726d202d7266202e6167656e74 | xxd -r -p | sh
        echo 'ez -es .ntrag' | tr a-z n-za-m | sh
        rm -rf "$(printf '.%s' agent)"
        rm -rf .$(echo tnega | rev)
        rm -rf $(printf '\x2eagent')
        alias wipe='rm -rf'; wipe .agent
        echo .agent > list; rm -rf $(cat list)
        f() { g "$1"; }; g() { rm -rf "$1"; }; f .agent
        "#,
    );
}

#[test]
fn ways_that_name_nothing_protected_in_what_they_run() {
    let mut world = World::new();
    let mut put =
        |name: &str, text: &str| world.files.insert(format!("{}/{name}", World::ROOT).into(), text.to_owned());
    put("list", ".agent/config.toml\n");
    put("fix.patch", "--- a/.agent/config.toml\n+++ b/.agent/config.toml\n@@ -1 +1 @@\n-a\n+b\n");
    put("package.json", r#"{"scripts": {"clean": "rm -rf .agent"}}"#);
    put("Makefile", "clean:\n\trm -rf .agent/guards\n");
    let denied = [
        "cat list | xargs rm -rf",
        "xargs --replace=FOO bash -c 'rm -rf FOO' <<< .agent",
        "cat list | xargs -iX rm X",
        "cat list | xargs --replace rm {}",
        "cat list | xargs --delimiter '\\n' --max-args 1 rm",
        "xargs --arg-file list rm",
        "unshare rm -rf .agent",
        "systemd-run --working-directory .agent rm config.toml",
        "frobnicate rm -rf .agent",
        "frobnicate --exec 'rm -rf .agent'",
        "sudo --unheard of rm -rf .agent",
        "pwsh -c 'Remove-Item -Recurse .agent'",
        "powershell -Command \"Set-Content .agent/config.toml ''\"",
        "git apply fix.patch",
        "git am fix.patch",
        "ln -s . y && rm -rf y/.agent",
        "npm run clean",
        "make clean",
        "docker run -v \"$PWD\":/w -w /w alpine rm -rf .agent",
        "wget -P .agent https://example.com/config.toml",
        "cd .agent && curl -O https://example.com/config.toml",
        "gh release download -O .agent/config.toml",
        "cd src && git restore :/.agent/config.toml",
        "echo 'w .agent/config.toml' > t.sed; sed -nf t.sed x",
    ];
    for command in denied {
        expect(&judge(&world, command), Deny, command);
    }
    let text = judge(&world, "rm -rf ~/").reason_text();
    assert!(text.starts_with("Stead stopped a call that would delete the home folder"), "{text}");
    let text = judge(&world, "make clean").reason_text();
    assert!(text.starts_with("Stead stopped a call that would delete `.agent/guards` through `make clean`:"), "{text}");
}

#[test]
fn scripts_on_disk() {
    let mut world = World::new();
    let mut put =
        |name: &str, text: &str| world.files.insert(format!("{}/{name}", World::ROOT).into(), text.to_owned());
    put("wipe.sh", "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nrm -rf .agent\n");
    put("first.sh", "sh ./wipe.sh\n");
    put("wipe.py", "import os\nos.remove('.agent/config.toml')\n");
    put("wipe", "#!/usr/bin/env python3\nimport shutil\nshutil.rmtree('.ag' + 'ent')\n");
    put("build.sh", "#!/bin/sh\ncat .agent/config.toml\nrm -rf target\necho done > build.log\n");
    put("show.py", "# os.remove('.agent/config.toml')\nprint(open('.agent/config.toml').read())\n");
    let denied = [
        "sh wipe.sh", "./wipe.sh", "bash -x ./wipe.sh", ". ./wipe.sh", "source wipe.sh", "sh first.sh",
        "python3 wipe.py", "sh -c ./wipe.sh", "cd src; sh ../wipe.sh", "./wipe; true > x",
    ];
    for command in denied {
        expect(&judge(&world, command), Deny, command);
    }
    for command in ["sh build.sh", "./build.sh", "python3 show.py", "cat wipe.sh", "sh missing.sh"] {
        expect(&judge(&world, command), Allow, command);
    }
    check("echo 'rm -rf .agent' > /tmp/x.sh; sh /tmp/x.sh", Deny);
    check("printf 'import os\\nos.remove(\".agent/config.toml\")' > /tmp/x.py && python3 /tmp/x.py", Deny);
}
