//! What the end and the output of a call say about the programs in it.

use stead_model::{Op, RunOutput};

use crate::scene::run;

/// Shows each run of `t` or `u`: what hides its end, where its output goes if not to the caller, its variables.
fn show(command: &str) -> String {
    let effects = run(command);
    let mut shown = Vec::new();
    for run in &effects.runs {
        let Op::Run { argv, .. } = &effects.list[run.effect].op else { panic!("{run:?} is no run of a program") };
        if !matches!(argv[0].as_str(), "t" | "u") {
            continue;
        }
        let end = run.hidden.map_or(String::new(), |hidden| format!(" {hidden:?}"));
        let output = match run.output {
            RunOutput::Shown => "",
            RunOutput::Captured => " captured",
            RunOutput::Elsewhere => " elsewhere",
        };
        let env = run.env.iter().map(|(name, value)| format!(" {name}={value}")).collect::<String>();
        let doubt = if run.doubt.is_some() { " doubt" } else { "" };
        shown.push(format!("{}{end}{output}{env}{doubt}", argv[0]));
    }
    shown.join(", ")
}

#[track_caller]
fn check(command: &str, expected: &str) {
    assert_eq!(show(command), expected, "{command}");
}

#[test]
fn exit_0_means_that_it_ran_and_succeeded() {
    for command in [
        "t",
        "a && t",
        "t && a && b",
        "a; t",
        "a || true; t",
        "a || b && t",
        "{ a; t; }",
        "(a; t)",
        "t || exit 1; a",
        "t || exit; a",
        "t || exit $?; a",
        "a && t || exit 1; b",
        "t || { echo x; exit 2; }; a",
        "set -e; t; a",
        "set -eu\nt\na",
        "set -o errexit; t; a",
        "bash -ec 't; a'",
        "bash -c 'a; t'",
        "set -o pipefail; t | a",
        "set -o pipefail; a | t | b",
        "a | t",
        "f() { t; }; f",
        "f() { t || return 1; a; }; f",
        "f() { [ -f x ] || return 1; t; }; f",
        "f() { t || exit 1; a; }; f; b",
        "for x in 1; do t; done",
        "for x in 1 2; do t || exit 1; done; a",
        "t; exit $?",
        "t; rc=$?; echo $rc; exit $rc",
        "t | a; exit ${PIPESTATUS[0]}",
        "exec t",
        "trap 'rm -f x; exit 1' INT; t",
        "if a; then exit 1; fi; t",
    ] {
        let shown = show(command);
        assert!(!shown.is_empty() && !shown.contains(char::is_uppercase), "{command}: {shown}");
    }
}

#[test]
fn exit_0_may_mean_nothing() {
    check("t; a", "t Followed");
    check("t || a", "t Or");
    check("a || t", "t Or");
    check("t || exit 0; a", "t Or");
    check("t || (exit 1); a", "t Or");
    check("t &", "t Background");
    check("a && t & b", "t Background");
    check("t | a", "t Pipe elsewhere");
    check("t | cat", "t Pipe");
    check("t | a; exit ${PIPESTATUS[1]}", "t Followed elsewhere");
    check("! t", "t Negated");
    check("! t | a", "t Negated elsewhere");
    check("if t; then a; fi", "t Condition");
    check("if a; then t; fi", "t Condition");
    check("case x in x) t;; esac", "t Condition");
    check("while t; do a; done", "t Repeated");
    check("for x in *.py; do t $x; done", "t Repeated");
    check("for x in 1 2; do t; done", "t Repeated, t");
    check("x=$(t)", "t Captured captured");
    check("a <(t)", "t Captured captured");
    check("exit 0; t", "t Exit");
    check("[ -f x ] && exit; t", "t Exit");
    check("[ -f x ] && { t || exit 1; }; a", "t Followed");
    check("f() { [ -f x ] || return 1; t || exit 1; }; f; a", "t Exit");
    check("for x in 1; do a && continue; t; done", "t Exit");
    check("(exit 0); t", "t");
    check("set -e; a && t; b", "t Followed");
    check("set -e; set +e; t; a", "t Followed");
    check("set -e; f() { t; a; }; f && b", "t Followed");
    check("set -e; bash -c 't; a'", "t Followed");
    check("(t); a", "t Followed");
    check("(t || exit 1); a", "t Followed");
    check("trap 'exit 0' EXIT; t", "t Exit");
    check("find . -exec t ';'", "t Repeated");
    check("ls | xargs t", "t Repeated");
    check("ssh host t", "t Remote");
    check("docker run image t", "t Remote");
    check("t; rc=$?; rc=0; exit $rc", "t Followed");
    check("t; rc=$?; read rc; exit $rc", "t Followed");
}

#[test]
fn output_that_the_caller_does_not_see() {
    check("t > x", "t elsewhere");
    check("t >> x 2>&1", "t elsewhere");
    check("t &> /dev/null", "t elsewhere");
    check("t 2> x", "t");
    check("t 2>&1", "t");
    check("t > /dev/stderr", "t");
    check("{ t; } > x; u", "t Followed elsewhere, u");
    check("exec > x; t", "t elsewhere");
    check("(exec > x; a); t", "t");
    check("set -o pipefail; t | tee x | tail -n 5", "t");
    check("set -o pipefail; t | tee x > /dev/null", "t elsewhere");
    check("set -o pipefail; t | grep -v warning", "t");
    check("set -o pipefail; t | tail x", "t elsewhere");
    check("set -o pipefail; t | sed s/a/b/", "t elsewhere");
}

#[test]
fn variables_that_programs_see() {
    check("A=1 t; u", "t Followed A=1, u");
    check("A=1; t", "t");
    check("export A=1; t", "t A=1");
    check("A=1; export A; t", "t A=1");
    check("declare -x A=1; t", "t A=1");
    check("env A=1 B=\"x $C\" t", "t A=1 B=x …");
    check("sudo A=1 t; u", "t Followed A=1, u");
    check("set -a; A=1; set +a; B=2; t", "t A=1");
    check("bash -c 'export A=1; t'; u", "t Followed A=1, u");
    check("export A=1; bash -c t", "t A=1");
    check("HOME=/x t", "t HOME=/x");
}

#[test]
fn programs_that_may_be_others() {
    check("source gone.sh; t", "t doubt");
    check("(source gone.sh); t", "t");
    check(". ~/.cargo/env; t", "t");
    check(". /etc/profile; t", "t");
    check("source <(a); t", "t doubt");
    check("eval \"$(a)\"; t", "t doubt");
    check("eval \"$(direnv export bash)\"; t", "t");
    check("eval 't'", "t");
    check("./nice t; u", "t Followed doubt, u");
    check("/usr/bin/nice t", "t");
    check("t() { a; }; t", "");
    check("t() { command t; }; t", "t");
    check("alias t=a; t", "");
    check("hash -p ./x t; t", "");
}

/// Wrapping a command never loses the run, nor what its end and output say.
#[test]
fn wrapping_keeps_a_run() {
    let quote = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    type Wrap<'a> = (&'a str, Box<dyn Fn(&str) -> String + 'a>);
    let plain = |head: &'static str| -> Wrap<'_> {
        (head, Box::new(move |text: &str| format!("{head} bash -c {}", quote(text))))
    };
    let mut wraps: Vec<Wrap<'_>> = [
        "", "sudo", "sudo -E", "env A=1", "env -u X", "nice -n 5", "timeout 60", "nohup", "xvfb-run -a", "uv run",
        "direnv exec .", "time -p",
    ]
    .into_iter()
    .map(plain)
    .collect();
    wraps.push(("brace", Box::new(|text: &str| format!("{{ {text}\n}}"))));
    wraps.push(("subshell", Box::new(|text: &str| format!("( {text}\n)"))));
    wraps.push(("function", Box::new(|text: &str| format!("f() {{ {text}\n}}; f"))));
    wraps.push(("eval", Box::new(|text: &str| format!("eval {}", quote(text)))));
    wraps.push((
        "here-document",
        Box::new(|text: &str| format!("bash <<'END{}'\n{text}\nEND{}\n", text.len(), text.len())),
    ));
    wraps.push(("alias", Box::new(|text: &str| format!("alias w={}; w", quote(text)))));
    wraps.push(("script", Box::new(|text: &str| format!("printf '%s\\n' {} > w.sh; bash w.sh", quote(text)))));
    wraps.push(("and", Box::new(|text: &str| format!("cd . && {text}"))));
    for (_, inner) in &wraps {
        for (name, outer) in &wraps {
            let command = outer(&inner("t"));
            let shown = show(&command);
            assert!(matches!(shown.as_str(), "t" | "t A=1"), "{name}: {command}: {shown}");
        }
    }
}
