//! Commands that are long, deep, torn or made to explode: an answer within bounds, never a panic.

use stead_model::{Coverage, Effects};

use super::scene::{About, run, show};

/// Runs a command and looks at the size of the answer.
#[track_caller]
fn bounded(command: &str) -> Effects {
    let effects = run(command);
    assert!(effects.list.len() <= 4_096 && effects.gaps.len() <= 16, "{} effects", effects.list.len());
    assert!(effects.list.iter().all(|effect| effect.part.len() < 1_000));
    assert_eq!(effects.gaps.is_empty(), effects.coverage == Coverage::Full);
    effects
}

#[test]
fn long_commands() {
    assert_eq!(bounded(&"a".repeat(2_000_000)).coverage, Coverage::Partial);
    assert_eq!(bounded(&format!("rm {}", "x ".repeat(400_000))).coverage, Coverage::Partial);
    bounded(&format!("echo {} > x", "y".repeat(900_000)));
    bounded(&format!("cat > x <<'EOF'\n{}\nEOF", "line\n".repeat(180_000)));
    bounded(&format!("python3 -c '{}'", "open(\"x\",\"w\");".repeat(50_000)));
}

#[test]
fn many_commands() {
    let shown = |effects: &Effects| show(effects, About::Changes);
    let effects = bounded(&format!("{}rm -rf infra", "true; ".repeat(10_000)));
    assert_eq!(shown(&effects), "d infra/");
    let effects = bounded(&format!("{}rm -rf infra", "true && ".repeat(70)));
    assert_eq!(shown(&effects), "d infra/");
    let effects = bounded(&format!("rm -rf infra; {}", "true; ".repeat(60_000)));
    assert_eq!((shown(&effects).as_str(), effects.coverage), ("d infra/", Coverage::Partial));
    bounded(&(0..3_000).map(|n| format!("v{n}=1; ")).collect::<String>());
}

#[test]
fn deep_and_recursive_commands() {
    bounded(&format!("{}ls{}", "(".repeat(500), ")".repeat(500)));
    bounded(&format!("{}ls{}", "$(".repeat(500), ")".repeat(500)));
    bounded(&"`".repeat(100_001));
    bounded("a='eval \"$a\"'; eval \"$a\"");
    bounded("f() { f; f; }; f");
    bounded("f() { g; g; }; g() { f; f; }; f; g");
    bounded("alias a=b b=a; a");
    bounded("git -c alias.a=b -c alias.b=a a");
    bounded("sh loop.sh");
    bounded("python3 -c \"a='exec(a)'; exec(a)\"");
    bounded(&format!("python3 -c '{}1{}'", "(".repeat(5_000), ")".repeat(5_000)));
    bounded(&format!("node -e '{}'", "f(".repeat(5_000)));
    for deep in [
        format!("{}ls x.d{}", "( ".repeat(300), " )".repeat(300)),
        format!("echo {}x{}", "$(".repeat(60), ")".repeat(60)),
        format!("echo {}", "{a,b}".repeat(40)),
    ] {
        for command in [
            format!("rm -rf infra\n{deep}"),
            format!("{deep}\nrm -rf infra"),
            format!("{deep}; rm -rf infra"),
            format!("sh -c '{deep}; rm -rf infra'"),
        ] {
            let effects = bounded(&command);
            assert!(show(&effects, About::Changes).contains("d infra/"), "{command}");
            assert_eq!(effects.coverage, Coverage::Partial, "{command}");
        }
    }
    let mut nested = "rm infra/main.tf".to_owned();
    for _ in 0..6 {
        nested = format!("sh -c '{}'", nested.replace('\'', r"'\''"));
    }
    assert_eq!(show(&bounded(&nested), About::Changes), "d infra/main.tf");
}

#[test]
fn giving_up_is_told_apart_from_not_knowing() {
    let functions: String = (0..50).map(|n| format!("f{n}() {{ f{}; }}; ", n + 1)).collect();
    for command in [
        format!("{}rm infra/main.tf{}", "( ".repeat(45), " )".repeat(45)),
        format!("{}rm infra/main.tf; {}", "{ ".repeat(45), "}; ".repeat(45)),
        format!("echo {}rm infra/main.tf{}", "$(".repeat(45), ")".repeat(45)),
        format!("{}rm infra/main.tf{}", "if true; then ".repeat(45), "; fi".repeat(45)),
        format!("{}rm infra/main.tf", "eval ".repeat(50)),
        format!("rm {} infra/main.tf", "{a,b}".repeat(11)),
        format!("{functions}f50() {{ rm infra/main.tf; }}; f0"),
        format!("{}rm infra/main.tf", (0..5_000).map(|n| format!("v{n}=1; ")).collect::<String>()),
        format!("{}rm infra/main.tf", "true; ".repeat(20_001)),
        format!("echo {}; rm infra/main.tf", "a".repeat(1_100_000)),
        format!("python3 -c \"open({}'infra/main.tf'{},'w')\"", "(".repeat(60), ")".repeat(60)),
        format!("python3 -c \"{}\"", "open('a','w');".repeat(600)),
        format!("tee {}", (0..6_000).map(|n| format!("f{n} ")).collect::<String>()),
    ] {
        assert!(bounded(&command).gave_up, "{}", command.chars().take(60).collect::<String>());
    }
    for command in [
        "make build",
        "rm \"$DIR\"",
        "git pull",
        "curl x | sh",
        "python3 missing.py",
        "rm 'infra",
        "((((rm infra/main.tf))))",
        "for a in 1 2 3; do for b in 1 2 3; do rm $a$b; done; done",
    ] {
        assert!(!bounded(command).gave_up, "{command}");
    }
}

#[test]
fn words_that_explode() {
    bounded(&format!("rm {}", "{a,b}".repeat(60)));
    bounded(&format!("a=x; {}rm $a", "a=$a$a; ".repeat(80)));
    bounded(&format!("a=x; {}{}", "a=$a$a; ".repeat(20), "b=$a; ".repeat(5_000)));
    bounded(&format!("rm {}", "*/".repeat(3_000)));
    bounded("printf '%s' {1..9}{1..9}{1..9}{1..9}");
    bounded(&format!(
        "for a in {0}; do for b in {0}; do for c in {0}; do rm $a$b$c; done; done; done",
        "1 2 3 4 5 6 7 8"
    ));
    bounded(&format!("python3 -c \"a='x'; {} open(a,'w')\"", "a=a+a;".repeat(60)));
    bounded(&format!("tee {}", (0..6_000).map(|n| format!("f{n} ")).collect::<String>()));
}

#[test]
fn torn_text() {
    for command in [
        "rm 'infra", "rm \"infra", "rm $(", "rm ${", "rm `", "cat <<EOF", "cat <<", "python3 -c \"open('", "(", "{",
        "if", "case x in", "f() {", "\\", "$", "<(", ">",
    ] {
        bounded(command);
    }
    bounded("perl -e 'open(F, [)>'");
    bounded("python3 -c 'import os; os.system([])'");
    bounded("rm in\0fra/main.tf");
    bounded("rm infra\u{200b}/main.tf");
    bounded("rm \u{F0000}\u{F0002}infra");
    bounded("rm іnfra/main.tf");
}

#[test]
fn a_path_with_signs_nobody_sees_is_another_path() {
    assert_eq!(show(&run("rm infra\u{200b}/main.tf"), About::Changes), "d infra\u{200b}/main.tf");
    assert_eq!(show(&run("rm in\0fra/main.tf"), About::Changes), "d infra/main.tf");
}
