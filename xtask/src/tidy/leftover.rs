use super::rust_text::{line_of, words};
use super::{Finding, Tree};

/// No comment postpones work, and no test is switched off.
pub(super) fn nothing_is_left_for_later(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, rust) in tree.rust() {
        for word in ["dbg!", "todo!", "unimplemented!", "#[ignore"] {
            for at in words(&rust.code, word) {
                findings.push(Finding::at(
                    &file.path,
                    line_of(&rust.code, at),
                    format!("`{word}` is left in the code"),
                ));
            }
        }
        let comments = rust.comments.to_lowercase();
        for word in ["todo", "fixme", "xxx"] {
            for at in words(&comments, word) {
                let reason = format!("a comment says `{word}`; do it, or open an issue");
                findings.push(Finding::at(&file.path, line_of(&comments, at), reason));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tree::check;
    use super::*;

    #[test]
    fn leftovers_are_found() {
        let rule = nothing_is_left_for_later;
        check(rule, "crates/shell/src/a.rs", "fn f() {\n    todo!()\n}\n", &[2]);
        check(rule, "crates/shell/src/a.rs", "let x = dbg!(1);\n", &[1]);
        check(rule, "crates/shell/src/a.rs", "// FIXME: later\n", &[1]);
        check(rule, "crates/shell/src/a.rs", "\n/// Todo describe\n", &[2]);
        check(rule, "crates/shell/tests/main.rs", "#[test]\n#[ignore = \"slow\"]\nfn f() {}\n", &[2]);
    }

    #[test]
    fn the_words_themselves_are_free() {
        let rule = nothing_is_left_for_later;
        check(rule, "crates/shell/src/a.rs", "const A: &str = \"TODO\"; // a to-do list\n", &[]);
        check(rule, "crates/shell/src/a.rs", "enum Tool { TodoWrite }\n", &[]);
    }
}
