//! What must hold for every row of the tables, and for any text.

use proptest::prelude::*;
use stead_model::{Action, Coverage, Effects, Op, ToolCall};

use super::scene::{About, of, run, show};
use super::{container, formatter, git, inline, omission, package, removals, task, writes};

fn rows() -> Vec<String> {
    let tables = [
        writes::ROWS,
        removals::ROWS,
        inline::ROWS,
        git::ROWS,
        container::ROWS,
        formatter::ROWS,
        omission::ROWS,
        package::ROWS,
        task::ROWS,
    ];
    let rows = tables.iter().flat_map(|table| table.lines()).map(str::trim).filter(|row| !row.is_empty());
    let changing = rows.filter_map(|row| row.split_once(" => ")).map(|(command, _)| command.replace('⏎', "\n"));
    // One row ends within a quotation; nothing can be put around it.
    changing.filter(|command| !command.ends_with("\"in")).collect()
}

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn changes(command: &str) -> Vec<String> {
    show(&run(command), About::Changes).split(", ").filter(|change| !change.is_empty()).map(str::to_owned).collect()
}

#[test]
fn the_tables_are_long_enough() {
    assert!(rows().len() >= 300, "{}", rows().len());
}

#[test]
fn a_mention_of_a_command_does_nothing() {
    let mut wrong = Vec::new();
    for command in rows() {
        let quoted = single_quoted(&command);
        for twin in [
            format!("echo {quoted}"),
            format!("printf '%s\\n' {quoted}"),
            format!("git commit -m {quoted}"),
            format!("grep -rnF -e {quoted} docs"),
            format!("gh pr create --title t --body {quoted}"),
            format!("gh pr create --body \"$(cat <<'STOP'\n{command}\nSTOP\n)\""),
            format!("cat <<'STOP'\n{command}\nSTOP\n"),
            format!("X={quoted}; : \"$X\""),
            format!("f() {{ eval {quoted}; }}"),
            format!("ssh host {quoted}"),
        ] {
            let found = changes(&twin);
            if !found.is_empty() {
                wrong.push(format!("{twin}\n    {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} mentions change something:\n{}", wrong.len(), wrong.join("\n"));
}

/// A manifest with the command as its script.
fn manifest(command: &str) -> String {
    serde_json::json!({"scripts": {"doit": command}}).to_string()
}

/// The command as one line of a recipe.
fn recipe(command: &str) -> String {
    format!("sh -c {}", single_quoted(command)).replace('$', "$$")
}

/// Ways to dress a command up that do not change what it does; the last is a here-document.
const WAYS: usize = 25;

fn dress(command: &str, way: usize) -> String {
    let quoted = single_quoted(command);
    let python = serde_json::Value::from(format!("{command}\n")).to_string();
    match way {
        0 => format!("true && {{ {command}\n}}"),
        1 => format!("{command}\necho ok"),
        2 => format!("sh -c {quoted}"),
        3 => format!("( {command}\n)"),
        4 => format!("env X=1 bash -c {quoted}"),
        5 => format!("cd /home/ann/proj && {{ {command}\n}}"),
        6 => format!("if true; then {command}\nfi"),
        7 => format!("echo \"a b\" | cat\n{command}"),
        8 => format!("for i in 1 2; do {command}\ndone"),
        9 => format!("X=\"$({command}\n)\""),
        10 => format!("cat <<'NOTE'\nit's text\nNOTE\n{command}"),
        11 => format!("# note\n{command}\n# done"),
        12 => format!("eval {quoted}"),
        13 => format!("sudo -u root timeout 5 nice -n 3 bash -lc {quoted}"),
        14 => format!("echo {quoted} | sh"),
        15 => format!("bash <(printf '%s' {quoted})"),
        16 => format!("run() {{ {command}\n}}; run"),
        17 => format!("python3 -c {}", single_quoted(&format!("import os; os.system({python})"))),
        18 => format!("xargs -I@ sh -c {quoted} <<< one"),
        19 => format!("alias doit={quoted}; doit"),
        20 => format!("printf '%s\\n' {quoted} > /tmp/doit.sh && sh /tmp/doit.sh"),
        21 => format!("echo {} > package.json; npm run doit", single_quoted(&manifest(command))),
        // A recipe is one line.
        22 if !command.contains('\n') => {
            format!("printf 'doit:\\n\\t%s\\n' {} > Makefile; make doit", single_quoted(&recipe(command)))
        }
        23 => format!("nice -n 5 sh -c {quoted}"),
        24 => format!("sudo sh -c {quoted}"),
        _ => format!("bash <<'END{way}'\n{command}\nEND{way}\n"),
    }
}

#[test]
fn every_row_keeps_its_effects_in_every_dress() {
    let mut wrong = Vec::new();
    for bare in rows() {
        let expected = changes(&bare);
        for way in 0..=WAYS {
            let command = dress(&bare, way);
            let found = changes(&command);
            if let Some(lost) = expected.iter().find(|change| !found.contains(change)) {
                wrong.push(format!("{lost} is lost in\n{command}\n    {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are lost:\n{}", wrong.len(), wrong.join("\n"));
}

fn dressed() -> impl Strategy<Value = (String, String)> {
    // Those in between use files and names that a second layer would overwrite.
    let ways = prop::collection::vec((0..20_usize).prop_map(|way| if way == 19 { WAYS } else { way }), 1..4);
    (prop::sample::select(rows()), ways).prop_map(|(bare, ways)| {
        let dressed = ways.iter().enumerate().fold(bare.clone(), |command, (layer, way)| {
            // Each layer of here-documents needs an end of its own.
            dress(&command, if *way == WAYS { WAYS + layer } else { *way })
        });
        (bare, dressed)
    })
}

/// Text made of the pieces that shells and programs care about.
fn shellish() -> impl Strategy<Value = String> {
    let pieces = vec![
        "'", "\"", "\\", "`", "$", "$(", ")", "(", "((", "{", "}", "${", "<<", "<<<", "<", ">", ">>", "|", "||", "&&",
        "&", ";", "\n", " ", "#", "*", "?", "[", "]", "[[", "~", "=", "if ", "then ", "fi ", "for ", "in ", "do ",
        "done ", "case ", "EOF", "rm -rf ", "cd ", "infra", "/", "..", "main.tf", "git ", "find ", "xargs ", "sh -c ",
        "eval ", "python3 -c ", "node -e ", "perl -e ", "ruby -e ", "php -r ", "open(", ",", "'w'", "import os",
        "os.remove(", ".", "f'", "sed -i ", "tar x", "patch ", "tee ", "cp ", "mv ", "alias ", "\u{F0000}",
        "\u{F0002}", "é", "-", "{a,b}", "s/a/b/", "awk ", "base64 -d", "echo ", "printf ",
    ];
    let piece = prop_oneof![prop::sample::select(pieces).prop_map(str::to_owned), "[a-z ]{0,4}"];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// What holds for every record.
fn is_sound(effects: &Effects) -> bool {
    let sound = |path: &str| path.starts_with('/') && !path.contains("/../") && !path.contains('\u{F0002}');
    let targets = effects.list.iter().all(|effect| match &effect.op {
        Op::Read { target, .. } | Op::Delete(target) | Op::Write { target, .. } => sound(&target.path),
        Op::Rename { from, to } => sound(&from.path) && sound(&to.path),
        _ => true,
    });
    targets && effects.gaps.is_empty() == (effects.coverage == Coverage::Full)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn a_wrapper_never_removes_an_effect((bare, dressed) in dressed()) {
        let found = changes(&dressed);
        for change in changes(&bare) {
            prop_assert!(found.contains(&change), "{change} is lost in\n{dressed}\n{found:?}");
        }
    }

    #[test]
    fn any_text_gets_a_sound_record(text in any::<String>()) {
        prop_assert!(is_sound(&run(&text)));
    }

    #[test]
    fn any_shellish_text_gets_a_sound_record(text in shellish()) {
        let effects = run(&text);
        prop_assert!(is_sound(&effects), "{text:?}: {effects:?}");
    }

    #[test]
    fn any_program_gets_a_sound_record(text in shellish(), program in prop::sample::select(vec!["python3 -c", "node -e", "ruby -e", "perl -e", "php -r", "lua -e", "awk"])) {
        let command = format!("{program} {}", single_quoted(&text));
        prop_assert!(is_sound(&run(&command)), "{command}");
    }

    #[test]
    fn any_input_gets_a_sound_record(text in shellish(), tool in "[a-zA-Z_]{0,12}") {
        let input = format!(r#"{{"command":{0},"path":{0},"code":[{0}]}}"#, serde_json::Value::from(text.as_str()));
        for input in [&input, &text] {
            let call = ToolCall { tool: tool.as_str().into(), id: None, action: Action::Other, input: input.as_str().into() };
            of(&call);
        }
    }
}
