//! What must hold for any text.

use proptest::prelude::*;

use super::{Allow, Deny, World, judge};

/// Commands that are denied wherever they stand.
const DENIED: &[&str] = &[
    "rm -rf .agent",
    "echo x > .agent/config.toml",
    "sed -i s/a/b/ .agent/config.toml",
    "stead uninstall",
    "mv .agent /tmp/x",
    "git clean -fdx",
    "rm -rf .",
    "D=.agent; rm -rf $D",
    "cd .agent && rm config.toml",
    "find . -name '*.json' -delete",
    "tee .tool/settings.json",
    "python3 -c \"open('.agent/config.toml','w')\"",
];

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Ways to dress a command up that do not change what it does.
fn dressed() -> impl Strategy<Value = String> {
    let bare = prop::sample::select(DENIED).prop_map(str::to_owned);
    bare.prop_recursive(5, 32, 1, |inner| {
        (inner, 0..14_usize).prop_map(|(command, way)| match way {
            0 => format!("true && {{ {command}; }}"),
            1 => format!("{command}; echo ok"),
            2 => format!("sh -c {}", single_quoted(&command)),
            3 => format!("({command})"),
            4 => format!("env X=1 bash -c {}", single_quoted(&command)),
            5 => format!("cd /home/ann/proj && {{ {command}\n}}"),
            6 => format!("if true; then {command}; fi"),
            7 => format!("echo \"a b\" | cat\n{command}"),
            8 => format!("for i in 1 2; do {command}; done"),
            9 => format!("X=\"$({command})\""),
            10 => format!("cat <<'EOF'\nit's text\nEOF\n{command}"),
            11 => format!("# note\n{command} # done"),
            12 => format!("eval {}", single_quoted(&command)),
            _ => format!("bash <<'END{way}'\n{command}\nEND{way}\n"),
        })
    })
}

/// Text made of the pieces shells care about, so that odd combinations are met often.
fn shellish() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "'", "\"", "\\", "`", "$", "$(", ")", "(", "((", "))", "{", "}", "${", "<<", "<<-", "<<<", "<", ">", ">>",
            "&>", "|", "||", "&&", "&", ";", ";;", "\n", " ", "\t", "#", "*", "?", "[", "]", "[[", "]]", "~", "=",
            "if ", "then ", "fi ", "for ", "in ", "do ", "done ", "case ", "esac ", "function ", "!", "EOF", "rm -rf ",
            "cd ", ".agent", "/", "..", "config.toml", "git ", "find ", "xargs ", "sh -c ", "eval ", "stead ",
            "uninstall", "\u{F0000}", "\u{F0003}", "é", "a", "-", "{a,b}",
        ])
        .prop_map(str::to_owned),
        "[a-z ]{0,4}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn a_denied_command_stays_denied_in_any_dress(command in dressed()) {
        let verdict = judge(&World::new(), &command);
        prop_assert_eq!(verdict.level, Deny, "{}", command);
    }

    #[test]
    fn a_quoted_mention_stays_allowed(command in prop::sample::select(DENIED), prefix in "[a-z ]{0,8}") {
        let text = single_quoted(&format!("{prefix} {command}"));
        for around in ["echo {}", "git commit -m {}", "gh pr create --body {}", "grep -rn {} src", "echo {} >> notes.md", "printf '%s' {} | cat"] {
            let line = around.replace("{}", &text);
            prop_assert_eq!(judge(&World::new(), &line).level, Allow, "{}", line);
        }
        let heredoc = format!("cat > notes.md <<'EOF'\n{prefix} {command}\nEOF\n");
        prop_assert_eq!(judge(&World::new(), &heredoc).level, Allow, "{}", heredoc);
    }

    #[test]
    fn any_text_gets_an_answer(text in any::<String>()) {
        judge(&World::new(), &text);
    }

    #[test]
    fn any_json_gets_an_answer(text in shellish(), tool in "[a-zA-Z_]{0,12}") {
        let input = format!(r#"{{"command":{0},"a":[{0}]}}"#, serde_json::Value::from(text.as_str()));
        let cut: String = input.chars().take(input.chars().count() / 2).collect();
        for input in [&input, &text, &cut] {
            let call = stead_model::ToolCall { tool: tool.as_str().into(), id: None, action: stead_model::Action::Other, input: input.as_str().into() };
            World::new().before(call);
        }
    }

    #[test]
    fn any_shellish_text_gets_an_answer(text in shellish()) {
        judge(&World::new(), &text);
    }
}
