use crate::About;

use super::Run;

/// Programs that compile or check types and do nothing else.
const COMPILERS: &[&str] = &["tsc", "vue-tsc", "javac", "mypy", "pyright", "rustc", "webpack", "esbuild", "rollup"];

/// Recognises a compiler.
pub(super) fn recognise(name: &str, rest: &[&str]) -> Option<Run> {
    let built = |runner| Some(Run { runner, about: About::Build, is_whole: true });
    if let Some(compiler) = COMPILERS.iter().find(|compiler| **compiler == name) {
        return built(compiler);
    }
    match (name, rest.first()) {
        ("cmake", Some(&"--build")) => built("cmake"),
        ("vite" | "next", Some(&"build")) => built("bundler"),
        ("meson", Some(&"compile")) => built("meson"),
        ("bazel" | "bazelisk", Some(&"build")) => built("bazel"),
        _ => None,
    }
}
