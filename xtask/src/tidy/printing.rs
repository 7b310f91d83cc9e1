use super::rust_text::{line_of, words};
use super::{Finding, Tree};

/// Programs that print for a person. All but `cli` are tools of the repository.
const MAY_PRINT: &[&str] = &["cli", "fuzz", "scenario", "xtask"];

/// Where a hook's reply is printed. It must be written before the record, so it cannot wait for `cli`.
const REPLY: &str = "crates/hook/src/answer.rs";

/// Only these programs print; all other code returns its output.
pub(super) fn only_the_edge_prints(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, rust) in tree.shipped().filter(|(file, _)| !MAY_PRINT.contains(&file.room())) {
        for word in ["print!", "println!", "eprint!", "eprintln!", "stdout()", "stderr()"] {
            if file.path == REPLY && word.ends_with("()") {
                continue;
            }
            for at in words(&rust.shipped, word) {
                let reason = format!("`{word}` in `{}`; only `cli` prints, return it instead", file.room());
                findings.push(Finding::at(&file.path, line_of(&rust.shipped, at), reason));
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
    fn printing_away_from_the_edge_is_found() {
        let rule = only_the_edge_prints;
        check(rule, "crates/shell/src/a.rs", "\nprintln!(\"x\");\n", &[2]);
        check(rule, "crates/install/src/a.rs", "let out = io::stdout();\n", &[1]);
        check(rule, "crates/cli/src/a.rs", "println!(\"x\");\n", &[]);
        check(rule, REPLY, "io::stdout().write_all(reply);\n", &[]);
        check(rule, REPLY, "println!(\"x\");\n", &[1]);
        check(rule, "crates/shell/src/a.rs", "#[cfg(test)]\nmod tests { fn f() { println!(); } }\n", &[]);
        check(rule, "crates/shell/src/a.rs", "// println! is not for us\n", &[]);
    }
}
