//! What variables say about a run: most change nothing, some change what is tested, a few put another program in the
//! runner's place.

use crate::observe::shown;
use crate::runner::Tools;

/// Variables that change how much is said or where programs are found, not what is done.
const TALK: &[&str] = &[
    "CARGO_TERM_COLOR", "CI", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "DEBUG", "FORCE_COLOR", "LANG", "LC_ALL",
    "NO_COLOR", "NVM_DIR", "PAGER", "PATH", "PS1", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "PY_COLORS",
    "RUST_BACKTRACE", "RUST_LOG", "TERM", "VIRTUAL_ENV",
];

/// Variables that bring code into every program or into a runner.
const BRINGS_CODE: &[&str] = &[
    "BASH_ENV", "DYLD_INSERT_LIBRARIES", "ENV", "LD_AUDIT", "LD_PRELOAD", "MAKEFILES", "NPM_CONFIG_SCRIPT_SHELL",
    "PERL5OPT", "PYTEST_PLUGINS", "PYTHONHOME", "RUBYOPT", "RUSTC", "RUSTDOC",
];

/// Variables that choose among the tests.
const NARROWS: &[&str] = &["PYTEST_ADDOPTS"];

/// Says whether a variable changes only how much is said.
pub(crate) fn is_talk(name: &str) -> bool {
    TALK.contains(&name)
}

/// Says whether the variables leave some tests out.
pub(crate) fn narrows(env: &[(String, String)]) -> bool {
    env.iter().any(|(name, value)| NARROWS.contains(&name.as_str()) && !value.is_empty())
}

/// Says why the variables that a call sets may put another program in the runner's place.
pub(crate) fn doubt(env: &[(String, String)], tools: Tools<'_>) -> Option<String> {
    env.iter().find_map(|(name, value)| match name.as_str() {
        "PATH" => {
            tools.leads_astray(value).map(|folder| format!("PATH leads to `{}`, where agents write", shown(folder)))
        }
        name => brings_code(name, value).then(|| format!("`{name}` may put something else in its place")),
    })
}

fn brings_code(name: &str, value: &str) -> bool {
    let upper = name.to_uppercase();
    match upper.as_str() {
        _ if value.is_empty() => false,
        "NODE_OPTIONS" => ["-r", "--require", "--import", "--loader", "…"].iter().any(|flag| value.contains(flag)),
        "GOFLAGS" => value.contains("exec") || value.contains('…'),
        "RUSTC_WRAPPER" | "RUSTC_WORKSPACE_WRAPPER" => value != "sccache",
        upper => BRINGS_CODE.contains(&upper) || upper.starts_with("CARGO_TARGET_") && upper.ends_with("_RUNNER"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, value: &str, expected: Option<&str>) {
        let doubt = doubt(&[(name.to_owned(), value.to_owned())], Tools::for_tests());
        assert_eq!(doubt.as_deref(), expected, "{name}={value}");
    }

    #[test]
    fn a_variable_may_put_another_program_in_the_runners_place() {
        for fine in [
            "/usr/bin:/home/me/.cargo/bin",
            "/home/me/go/bin:/usr/bin",
            "/p/node_modules/.bin:/usr/bin",
            "/p/.venv/bin:/usr/bin",
            "/opt/homebrew/bin",
        ] {
            check("PATH", fine, None);
        }
        check("PATH", "/p/fake:/usr/bin", Some("PATH leads to `/p/fake`, where agents write"));
        check("PATH", "/usr/bin:/tmp/x", Some("PATH leads to `/tmp/x`, where agents write"));
        check("PATH", "fake:/usr/bin", Some("PATH leads to `fake`, where agents write"));
        check("PATH", "…/bin:/usr/bin", Some("PATH leads to `…/bin`, where agents write"));
        check("LD_PRELOAD", "./x.so", Some("`LD_PRELOAD` may put something else in its place"));
        check("NODE_OPTIONS", "--experimental-vm-modules", None);
        check("NODE_OPTIONS", "--require ./x.js", Some("`NODE_OPTIONS` may put something else in its place"));
        check("RUSTC_WRAPPER", "sccache", None);
        check(
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER",
            "true",
            Some("`CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER` may put something else in its place"),
        );
        check("DATABASE_URL", "postgres://x", None);
    }
}
