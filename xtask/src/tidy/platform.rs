use super::rust_text::{line_of, words};
use super::{Finding, Tree};

/// Crates that may contain code for one operating system; `scenario`, `testkit` and `xtask` are not shipped.
const MAY_KNOW: &[&str] = &["store", "pipeline", "scenario", "testkit", "xtask"];

/// Code that differs between systems is in `store`, so that the other crates compile everywhere.
pub(super) fn systems_stay_behind_store(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, rust) in tree.shipped().filter(|(file, _)| !MAY_KNOW.contains(&file.room())) {
        let calls = ["libc::", "rustix::", "std::os"].into_iter();
        let calls = calls.flat_map(|sign| words(&rust.shipped, sign).map(move |at| (at, sign)));
        for (at, sign) in conditions(&rust.shipped).into_iter().chain(calls) {
            let reason = format!("`{sign}` in `{}`; what differs between systems belongs to `store`", file.room());
            findings.push(Finding::at(&file.path, line_of(&rust.shipped, at), reason));
        }
    }
    findings
}

/// Finds `cfg`, `cfg!` and `cfg_attr` that test for a system.
fn conditions(code: &str) -> Vec<(usize, &'static str)> {
    let places =
        ["cfg(", "cfg!(", "cfg_attr("].into_iter().flat_map(|open| words(code, open).map(move |at| at + open.len()));
    places
        .filter_map(|start| {
            let asked = &code[start..start + closing(&code[start..])];
            let systems = ["unix", "windows", "target_os", "target_family"].into_iter();
            let system = systems.into_iter().find(|system| words(asked, system).next().is_some())?;
            Some((start, system))
        })
        .collect()
}

/// The length of the text up to the parenthesis that closes it.
fn closing(code: &str) -> usize {
    let mut depth = 1_usize;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::super::tree::check;
    use super::*;

    #[test]
    fn an_operating_system_away_from_store_is_found() {
        let rule = systems_stay_behind_store;
        check(rule, "crates/hook/src/a.rs", "#[cfg(unix)]\nfn f() {}\n", &[1]);
        check(rule, "crates/hook/src/a.rs", "\n#[cfg(any(test, not(windows)))]\nfn f() {}\n", &[2]);
        check(rule, "crates/install/src/a.rs", "if cfg!(windows) {}\n", &[1]);
        check(rule, "crates/cli/src/a.rs", "use std::os::unix::ffi::OsStrExt;\n", &[1]);
        check(rule, "crates/hook/src/a.rs", "let a = libc::getpid();\n", &[1]);
        check(rule, "crates/hook/src/a.rs", "if cfg!(target_os = \"linux\") {}\n", &[1]);
    }

    #[test]
    fn other_conditions_and_rooms_are_free() {
        let rule = systems_stay_behind_store;
        check(rule, "crates/store/src/a.rs", "#[cfg(unix)]\nfn f() {}\n", &[]);
        check(rule, "crates/cli/tests/main.rs", "#[cfg(unix)]\nfn f() {}\n", &[]);
        check(rule, "crates/hook/src/a.rs", "if cfg!(debug_assertions) { windows(2) }\n", &[]);
    }
}
