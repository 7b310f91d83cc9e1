//! How a file is written, and what will stand in it.

use stead_model::{Content, How, Op};

use super::scene::run;

/// Shows the last write: how, and what.
fn last(command: &str) -> (How, Content) {
    let effects = run(&command.replace('⏎', "\n"));
    let write = effects.list.iter().rev().find_map(|effect| match &effect.op {
        Op::Write { how, content, .. } => Some((*how, content.clone())),
        _ => None,
    });
    write.unwrap_or_else(|| panic!("nothing is written: {command}"))
}

#[track_caller]
fn text(command: &str, how: How, text: &str) {
    assert_eq!(last(command), (how, Content::Text(text.to_owned())), "{command}");
}

#[track_caller]
fn unknown(command: &str, how: How) {
    assert_eq!(last(command), (how, Content::Unknown), "{command}");
}

#[track_caller]
fn replaced(command: &str, parts: &[(&str, &str)]) {
    let parts = parts.iter().map(|(old, new)| ((*old).to_owned(), (*new).to_owned(), true)).collect();
    assert_eq!(last(command), (How::Edit, Content::Replacements(parts)), "{command}");
}

#[test]
fn text_that_the_command_holds() {
    text("echo a b > x", How::Replace, "a b\n");
    text("echo -n a > x", How::Replace, "a");
    text("echo -e 'a\\tb' > x", How::Replace, "a\tb\n");
    text("echo a >> x", How::Append, "a\n");
    text("printf 'a\\nb' > x", How::Replace, "a\nb");
    text("printf '%s=%d\\n' a 1 b 2 > x", How::Replace, "a=1\nb=2\n");
    text("cat > x <<'EOF'⏎{\"a\": $b}⏎EOF", How::Replace, "{\"a\": $b}\n");
    text("cat <<EOF > x⏎a⏎b⏎EOF", How::Replace, "a\nb\n");
    text("cat <<EOF | tee x⏎a⏎EOF", How::Replace, "a\n");
    text("tee x <<< a", How::Replace, "a");
    text("echo a | tee -a x", How::Append, "a\n");
    text("{ echo a; echo b; } > x", How::Replace, "a\nb\n");
    text("(echo a && echo b) > x", How::Replace, "a\nb\n");
    text("echo $(echo a) > x", How::Replace, "a\n");
    text("V=a; echo $V > x", How::Replace, "a\n");
    text("echo YQ== | base64 -d > x", How::Replace, "a");
    text(": > x", How::Replace, "");
    text("> x", How::Replace, "");
    text("truncate -s 0 x", How::Replace, "");
    text("touch x", How::Append, "");
    text("sh -c 'echo a > x'", How::Replace, "a\n");
    text("cp new.json x", How::Replace, "{\"a\":1}\n");
    text("echo b > t; cp t x", How::Replace, "b\n");
    text("cat new.json > x", How::Replace, "{\"a\":1}\n");
    text("python3 -c \"open('x','w').write('a')\"", How::Replace, "a");
    text("python3 -c \"f=open('x','w'); f.write('a'); f.write('b')\"", How::Replace, "ab");
    text("python3 -c \"from pathlib import Path; Path('x').write_text('a')\"", How::Replace, "a");
    text("python3 -c \"open('x','a').write('a')\"", How::Append, "a");
    text("node -e \"require('fs').writeFileSync('x','a')\"", How::Replace, "a");
    text("ruby -e 'File.write(\"x\",\"a\")'", How::Replace, "a");
    text("perl -e 'open(my $f,\">\",\"x\"); print $f \"a\"'", How::Replace, "a");
    text("php -r 'file_put_contents(\"x\",\"a\");'", How::Replace, "a");
}

#[test]
fn text_that_only_the_run_can_tell() {
    unknown("date > x", How::Replace);
    unknown("jq . a > x", How::Replace);
    unknown("echo $UNSET > x", How::Replace);
    unknown("echo *.rs > x", How::Replace);
    unknown("echo a 2> x", How::Replace);
    unknown("if true; then echo a; fi > x", How::Replace);
    unknown("test -f y || echo a > x; cat z > x", How::Replace);
    unknown("echo b > t; jq . a >> t; cp t x", How::Replace);
    unknown("for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; done > x", How::Replace);
    unknown("python3 -c \"import json; json.dump({}, open('x','w'))\"", How::Replace);
    unknown("python3 -c \"open('x','w').write(input())\"", How::Replace);
    unknown("sed -i '2s/a/b/' x", How::Edit);
    unknown("sed -i 's/a.*/b/' x", How::Edit);
    unknown("perl -pi -e 's/(a)/$1/' x", How::Edit);
    unknown("ln -s a x", How::Link);
    unknown("chmod +x x", How::Attributes);
    unknown("tar xf a.tar -C build", How::Into);
    unknown("git checkout -- x.rs", How::Replace);
}

#[test]
fn replacements_that_are_literal() {
    replaced("sed -i s/a/b/ x", &[("a", "b")]);
    replaced("sed -i 's/a/b/g' x", &[("a", "b")]);
    replaced("sed -i -e s/a/b/ -e s/c/d/ x", &[("a", "b"), ("c", "d")]);
    replaced("sed -i 's/\"tested\": false/\"tested\": true/' f.json", &[("\"tested\": false", "\"tested\": true")]);
    replaced("sed -i.bak 's|a/b|c|' x", &[("a/b", "c")]);
    replaced("perl -pi -e 's/a/b/g' x", &[("a", "b")]);
}
