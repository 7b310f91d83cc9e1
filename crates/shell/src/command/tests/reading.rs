//! How text falls into commands, shown in one line each.

use crate::parse::parse;
use crate::parse::syntax::{Command, GroupKind, Output, Part, Redirect, Script, Word, mark};

fn show(script: &Script) -> String {
    let items: Vec<String> =
        script.0.iter().map(|item| item.pipeline.iter().map(command).collect::<Vec<_>>().join(" | ")).collect();
    items.join(" ; ")
}

fn command(command: &Command) -> String {
    let (mut parts, redirects) = match command {
        Command::Simple(simple) => {
            let assigned = simple.assignments.iter().map(|assignment| {
                let values: Vec<String> = assignment.value.words().into_iter().map(word).collect();
                let sign = if assignment.adds { "+:=" } else { ":=" };
                format!("{}{sign}{}", assignment.name, values.join(","))
            });
            (assigned.chain(simple.words.iter().map(word)).collect::<Vec<_>>(), &simple.redirects)
        }
        Command::Group(group) => {
            let body = show(&group.body);
            let shown = match &group.kind {
                GroupKind::Arm(arm) if body.is_empty() => format!("{arm:?}").to_lowercase(),
                GroupKind::Brace | GroupKind::Not | GroupKind::Arm(_) => format!("brace({body})"),
                GroupKind::Subshell => format!("sub({body})"),
                GroupKind::Maybe => format!("maybe({body})"),
                GroupKind::Loop => format!("loop({body})"),
                GroupKind::For { variable, values } => {
                    format!("for {variable}={}({body})", values.iter().map(word).collect::<Vec<_>>().join(","))
                }
                GroupKind::Function { name } => format!("{name}={body}"),
            };
            (vec![shown], &group.redirects)
        }
    };
    parts.extend(redirects.iter().map(|redirect| match redirect {
        Redirect::Read(target) => format!("<{}", word(target)),
        Redirect::Write { target, kind: Output::Append } => format!(">>{}", word(target)),
        Redirect::Write { target, .. } => format!(">{}", word(target)),
        Redirect::Text(text) => format!("<<{}", word(text)),
    }));
    parts.join(" ")
}

fn word(word: &Word) -> String {
    let parts = word.0.iter().map(|part| match part {
        Part::Text(text) => text
            .chars()
            .map(|c| match c {
                mark::MANY => '∗',
                mark::ONE => '¿',
                '\n' => '⏎',
                c if mark::is_mark(c) => '·',
                c => c,
            })
            .collect(),
        Part::Variable { name, instead, .. } => {
            format!(
                "${name}{}",
                instead.as_ref().map(|(_, other)| format!("?{}", self::word(other))).unwrap_or_default()
            )
        }
        Part::Substitution { script, .. } => format!("$({})", show(script)),
        Part::Process(script) => format!("<({})", show(script)),
        Part::Arithmetic(inner) => format!("$({})", self::word(inner)),
        Part::Altered { name, sign, operand, .. } => format!("${name}{sign}{}", self::word(operand)),
        Part::Unknown => "…".to_owned(),
    });
    let text: String = parts.collect();
    if text.is_empty() { "''".to_owned() } else { text }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let reading = parse(text, 0).expect("not too deep");
    assert_eq!(show(&reading.script), expected, "{text}");
}

#[test]
fn words_and_quotes() {
    check("a b  c", "a b c");
    check(r#"a 'b c' "d e" f\ g"#, "a b c d e f g");
    check(r#"a '' """#, "a '' ''");
    check(r#"echo "a \"b\" \x""#, r#"echo a "b" \x"#);
    check(r"echo $'a\tb\x41\101\u00e9'", "echo a\tbAAé");
    check("echo 'it'\"'\"'s'", "echo it's");
    check("ls *.rs a?b '*'", "ls ∗.rs a¿b *");
    check("echo a#b #c", "echo a#b");
    check("echo $a ${b} ${c:-d} ${#e} $1 $@ $", "echo $a $b $c?d … $1 $@ $");
    check("echo a\\\nb", "echo ab");
    check("echo 'open", "echo open");
}

#[test]
fn lists_and_pipes() {
    check("a; b && c || d & e\nf", "a ; b ; c ; d ; e ; f");
    check("a | b |& c", "a | b | c");
    check("a |\n b", "a | b");
    check("a &&\n b", "a ; b");
    check("A=1 B=x cmd C=2", "A:=1 B:=x cmd C=2");
    check("A+=1 B=(x y)", "A+:=1 B:=x,y");
    check("local A=1 B+=(x) -r", "A:=1 B+:=x local -r");
    check("m[k]=1; m[$i]+=2", "m[k]:=1 ; m[]+:=2");
    check(";; a", "a");
    check(") a (", "a ; sub()");
}

#[test]
fn redirections() {
    check("a > b 2>&1 >>c <d 2>e &>f >|g <>h", "a >b >>c <d >e >f >g >h");
    check("a >&b", "a >b");
    check("a >b c", "a c >b");
    check("a 2>&- x", "a x");
    check("a <<< 'b c'", "a <<b c");
    check("cat <<EOF > x\na $b\nEOF\nls", "cat <<a $b⏎ >x ; ls");
    check("cat <<'EOF'\na $b\nEOF\nls", "cat <<a $b⏎ ; ls");
    check("cat <<-E\n\ta\n\tE\nls", "cat <<a⏎ ; ls");
    check("cat <<A <<B | x\n1\nA\n2\nB\ny", "cat <<1⏎ <<2⏎ | x ; y");
    check("cat <<EOF", "cat <<''");
    check("f \"$(cat <<'E'\nit's ) here\nE\n)\" g", "f $(cat <<it's ) here⏎) g");
}

#[test]
fn groups() {
    check("(a; b) > c", "sub(a ; b) >c");
    check("{ a; b; } | c", "brace(a ; b) | c");
    check("if a; then b; else c; fi > d", "maybe(a ; brace(b) ; brace(c)) >d");
    check("while a\ndo b\ndone", "loop(a ; brace(b))");
    check("for x in 1 2; do a $x; done", "for x=1,2(brace(a $x))");
    check("for x\ndo a\ndone; b", "for x=$@(brace(a)) ; b");
    check("case $x in a|b) c;; (d) e ;& *) f;; esac; g", "maybe(way ; c ; way ; e ; rest ; f) ; g");
    check("f() { a; }; function g { b; }", "f=brace(a) ; g=brace(b)");
    check("echo $(a | b) `c` <(d)", "echo $(a | b) $(c) <(d)");
    check("echo if then { }", "echo if then · ·");
    check("[[ a && b > c ]] && d", "·· a b c ]] ; d");
}
