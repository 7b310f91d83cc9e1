use crate::About;

use super::Run;

/// Programs that compile or check types and do nothing else.
const COMPILERS: &[&str] = &["tsc", "vue-tsc", "javac", "mypy", "pyright", "rustc", "webpack", "esbuild", "rollup"];

/// Linters, and the word that makes them lint, if they do more.
const LINTERS: &[(&str, &str)] = &[
    ("ansible-lint", ""),
    ("biome", "check"),
    ("biome", "ci"),
    ("biome", "lint"),
    ("eslint", ""),
    ("flake8", ""),
    ("golangci-lint", "run"),
    ("hadolint", ""),
    ("ktlint", ""),
    ("markdownlint", ""),
    ("oxlint", ""),
    ("phpcs", ""),
    ("phpstan", "analyse"),
    ("pylint", ""),
    ("rubocop", ""),
    ("ruff", "check"),
    ("shellcheck", ""),
    ("staticcheck", ""),
    ("stylelint", ""),
    ("swiftlint", ""),
    ("yamllint", ""),
];

/// Recognises a compiler or a linter.
pub(super) fn recognise(name: &str, rest: &[&str]) -> Option<Run> {
    let built = |runner| Some(Run { runner, about: About::Build, is_whole: true });
    if let Some(compiler) = COMPILERS.iter().find(|compiler| **compiler == name) {
        return built(compiler);
    }
    let is_linter = |(linter, verb): &&(&str, &str)| *linter == name && (verb.is_empty() || rest.first() == Some(verb));
    if let Some((linter, _)) = LINTERS.iter().find(is_linter) {
        return Some(Run { runner: linter, about: About::Lint, is_whole: false });
    }
    match (name, rest.first()) {
        ("cmake", Some(&"--build")) => built("cmake"),
        ("vite" | "next", Some(&"build")) => built("bundler"),
        ("meson", Some(&"compile")) => built("meson"),
        ("bazel" | "bazelisk", Some(&"build")) => built("bazel"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::could_be_evidence;

    #[test]
    fn every_linter_is_looked_at_and_recognised() {
        for (name, verb) in LINTERS {
            assert!(could_be_evidence(&format!("{name} {verb} .")), "{name}");
            let rest: Vec<&str> = [*verb, "."].into_iter().filter(|word| !word.is_empty()).collect();
            assert_eq!(recognise(name, &rest).map(|run| run.about), Some(About::Lint), "{name}");
        }
        assert_eq!(recognise("ruff", &["format"]), None);
    }
}
