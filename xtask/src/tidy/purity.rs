use super::rust_text::{line_of, words};
use super::{Finding, Tree};

/// Crates that only compute. What they need from outside is passed in.
const PURE: &[&str] = &["model", "pattern", "yaml", "client", "shell", "settings", "code"];

/// I/O in a pure crate, and what to use instead.
const REACHES: &[(&str, &str)] = &[
    ("fs::", "ask a `Facts`-like parameter, or move the work to `store`"),
    ("std::fs", "ask a `Facts`-like parameter, or move the work to `store`"),
    ("File::open", "ask a `Facts`-like parameter, or move the work to `store`"),
    ("File::create", "ask a `Facts`-like parameter, or move the work to `store`"),
    ("OpenOptions", "ask a `Facts`-like parameter, or move the work to `store`"),
    (".exists()", "it reads the disk: ask a `Facts`-like parameter"),
    (".try_exists()", "it reads the disk: ask a `Facts`-like parameter"),
    (".canonicalize()", "it reads the disk: ask a `Facts`-like parameter"),
    (".is_file()", "it reads the disk: ask a `Facts`-like parameter"),
    (".is_dir()", "it reads the disk: ask a `Facts`-like parameter"),
    (".read_dir()", "it reads the disk: ask a `Facts`-like parameter"),
    (".metadata()", "it reads the disk: ask a `Facts`-like parameter"),
    ("env::", "take the environment as a function"),
    ("std::env", "take the environment as a function"),
    ("process::", "only `cli`, `install` and the engine start or end processes"),
    ("std::process", "only `cli`, `install` and the engine start or end processes"),
    ("std::net", "pure rooms do not talk to a network"),
    ("SystemTime", "take the moment as a parameter"),
    ("Instant", "take the moment as a parameter"),
];

/// Pure crates use no file, environment, process or clock.
pub(super) fn pure_rooms_stay_pure(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, rust) in tree.shipped().filter(|(file, _)| PURE.contains(&file.room())) {
        let mut lines = Vec::new();
        for (reach, way) in REACHES {
            for at in words(&rust.shipped, reach) {
                let line = line_of(&rust.shipped, at);
                // `std::fs::` would be reported twice.
                if !lines.contains(&line) {
                    lines.push(line);
                    let reason = format!("`{reach}` in `{}`, which does no I/O; {way}", file.room());
                    findings.push(Finding::at(&file.path, line, reason));
                }
            }
        }
        if let Some(at) = grouped_import(&rust.shipped) {
            let reason = format!("a grouped `std` import hides I/O from this check in `{}`", file.room());
            findings.push(Finding::at(&file.path, line_of(&rust.shipped, at), reason));
        }
    }
    findings
}

/// Finds `use std::{fs, …}`, which names no `std::fs`.
fn grouped_import(code: &str) -> Option<usize> {
    let (start, _) = code.match_indices("use std::{").next()?;
    let end = start + code[start..].find(';')?;
    ["fs", "env", "process", "net"].iter().any(|name| words(&code[start..end], name).next().is_some()).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::super::tree::check;
    use super::*;

    #[test]
    fn a_pure_room_that_reaches_out_is_found() {
        let rule = pure_rooms_stay_pure;
        check(rule, "crates/model/src/a.rs", "use std::fs;\n", &[1]);
        check(rule, "crates/model/src/a.rs", "use std::{fs, fmt};\n", &[1]);
        check(rule, "crates/client/src/a.rs", "fn f() {\n    std::env::var(\"X\");\n}\n", &[2]);
        check(rule, "crates/shell/src/a.rs", "let now = SystemTime::now();\n", &[1]);
        check(rule, "crates/shell/src/a.rs", "if path.exists() {}\n", &[1]);
        check(rule, "crates/settings/src/a.rs", "let f = File::open(p);\n", &[1]);
        check(rule, "crates/shell/src/a.rs", "let p = process::Command::new(\"sh\");\n", &[1]);
    }

    #[test]
    fn words_tests_and_other_rooms_are_free() {
        let rule = pure_rooms_stay_pure;
        check(rule, "crates/model/src/a.rs", "// reads no std::fs\nconst A: &str = \"std::env\";\n", &[]);
        check(rule, "crates/model/src/a.rs", "#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n", &[]);
        check(rule, "crates/client/tests/main.rs", "use std::fs;\n", &[]);
        check(rule, "crates/store/src/a.rs", "use std::fs;\n", &[]);
        check(rule, "crates/shell/src/a.rs", "fn f(env: &dyn Fn()) {}\nstruct Instantly;\n", &[]);
    }
}
