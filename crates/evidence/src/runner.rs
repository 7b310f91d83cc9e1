//! Which test runner or compiler a program is, told from its words alone. Wrappers are off already.

mod build;
mod extent;
mod script;
mod tools;

use crate::About;

pub(crate) use tools::Tools;

/// A run of a known program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The runner by the name it has in records; also chooses how its summary is read.
    pub(crate) runner: &'static str,
    pub(crate) about: About,
    /// It runs everything there is: no name, path or filter narrows it down.
    pub(crate) is_whole: bool,
}

impl Run {
    /// Says whether it only runs what a file of the project says, which may be anything.
    pub(crate) fn is_task(&self) -> bool {
        matches!(self.runner, "just" | "make" | "script" | "task")
    }
}

/// Recognises a test run or a build by its words; `None` for everything else, also for runs that test nothing, such as
/// `--help` and listings.
pub(crate) fn recognise(argv: &[String], tools: Tools<'_>) -> Option<Run> {
    let words: Vec<&str> = argv.iter().map(String::as_str).collect();
    recognise_words(&words, tools)
}

/// Returns true if a command, as its words, is a known test runner or build in this project.
pub fn is_test_or_build(argv: &[String], root: &std::path::Path) -> bool {
    recognise(argv, Tools::of(root)).is_some()
}

fn recognise_words(words: &[&str], tools: Tools<'_>) -> Option<Run> {
    let words = launched(words, tools);
    let (program, rest) = words.split_first()?;
    if !tools.has(program) {
        return None;
    }
    let name = base(program);
    if rest.iter().any(|word| NOT_A_RUN.contains(word)) {
        return None;
    }
    let test =
        |runner, rest: &[&str]| Some(Run { runner, about: About::Test, is_whole: extent::is_whole(runner, rest) });
    match name {
        "cargo" => cargo(rest),
        "cargo-nextest" => test("nextest", after(rest, "nextest")),
        "pytest" | "py.test" | "pytest3" => test("pytest", rest),
        "tox" | "nox" => test("python-session", rest),
        name if is_python(name) => python(rest),
        "coverage" if rest.first() == Some(&"run") => python(&rest[1..]),
        "jest" => test("jest", rest),
        "vitest" => match rest.first() {
            Some(&"bench") | Some(&"list") => None,
            _ => test("vitest", rest),
        },
        "mocha" | "_mocha" => test("mocha", rest),
        "node" => rest.contains(&"--test").then(|| Run {
            runner: "node-test",
            about: About::Test,
            is_whole: extent::is_whole("node-test", rest),
        }),
        "go" | "gotestsum" => script::go(name, rest),
        "npm" | "pnpm" | "yarn" | "bun" => script::package(name, rest),
        "make" | "gmake" | "just" | "ninja" | "task" | "rake" => script::target(name, rest),
        "ctest" => test("ctest", rest),
        "mvn" | "mvnw" | "mvn.cmd" => script::maven(rest),
        "gradle" | "gradlew" | "gradlew.bat" => script::gradle(rest),
        "rspec" => test("rspec", rest),
        "rails" => (rest.first() == Some(&"test")).then(|| test("minitest", &rest[1..])).flatten(),
        "ruby" => rest.contains(&"-Itest").then(|| test("minitest", &["narrow"])).flatten(),
        "phpunit" | "pest" | "paratest" => test("phpunit", rest),
        "php" => script::php(rest, tools),
        "composer" => script::composer(rest),
        "dotnet" => script::verb("dotnet", rest, &["test"], &["build", "publish"]),
        "swift" => script::verb("swift", rest, &["test"], &["build"]),
        "mix" => script::verb("mix", rest, &["test"], &["compile"]),
        "deno" => script::verb("deno", rest, &["test"], &["check", "compile"]),
        _ => other(name, rest).or_else(|| build::recognise(name, rest)),
    }
}

/// Runners whose summary is read as any script's: their name, and the word that makes them test, if they do more.
const OTHERS: &[(&str, &str)] = &[
    ("ava", ""),
    ("bats", ""),
    ("bazel", "test"),
    ("bazelisk", "test"),
    ("behave", ""),
    ("busted", ""),
    ("cabal", "test"),
    ("crystal", "spec"),
    ("cucumber", ""),
    ("cypress", "run"),
    ("dart", "test"),
    ("dune", "test"),
    ("flutter", "test"),
    ("forge", "test"),
    ("hardhat", "test"),
    ("jasmine", ""),
    ("karma", "start"),
    ("lein", "test"),
    ("meson", "test"),
    ("ng", "test"),
    ("nx", "test"),
    ("playwright", "test"),
    ("qunit", ""),
    ("react-scripts", "test"),
    ("sbt", "test"),
    ("stack", "test"),
    ("tap", ""),
    ("ts-mocha", ""),
    ("uvu", ""),
    ("web-test-runner", ""),
    ("wtr", ""),
    ("zig", "test"),
];

/// The names of those runners, for whoever looks for one in a text.
pub(crate) fn other_runners() -> impl Iterator<Item = &'static str> {
    OTHERS.iter().map(|(name, _)| *name).filter(|name| name.len() > 2)
}

fn other(name: &str, rest: &[&str]) -> Option<Run> {
    let (runner, verb) = OTHERS.iter().find(|(known, _)| *known == name)?;
    let own = match (*verb, rest.split_first()) {
        ("", _) => rest,
        (verb, Some((first, own))) if first == &verb => own,
        _ => return None,
    };
    Some(Run { runner, about: About::Test, is_whole: extent::is_whole(runner, own) })
}

/// Words that make a runner print something about itself instead of running.
const NOT_A_RUN: &[&str] = &[
    "--help", "--version", "-V", "--list", "--listTests", "--collect-only", "--co", "--list-tests", "-N",
    "--show-only", "--dry-run", "--just-print", "--fixtures", "--markers", "--showConfig", "--list-test-cases",
    "-list",
];

/// The program behind those that run a tool of the project and watch it.
fn launched<'a>(words: &'a [&'a str], tools: Tools<'_>) -> &'a [&'a str] {
    let mut words = words;
    loop {
        let Some((program, rest)) = words.split_first().filter(|(program, _)| tools.has(program)) else { return words };
        let skip = match (base(program), rest.first()) {
            ("pixi", Some(&"run")) | ("bun", Some(&"x")) => 1,
            ("c8" | "nyc" | "pnpx", Some(_)) => 0,
            ("yarn" | "pnpm", Some(&("jest" | "vitest" | "mocha" | "tsc"))) => 0,
            _ => return words,
        };
        let rest = &rest[skip..];
        // Flags of the launcher itself take no value that matters here.
        let flags = rest.iter().take_while(|word| word.starts_with('-')).count();
        words = &rest[flags..];
    }
}

/// The program's name without its folder.
fn base(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

fn is_python(name: &str) -> bool {
    name.strip_prefix("python").is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.')) || name == "py"
}

fn after<'a, 'b>(words: &'b [&'a str], verb: &str) -> &'b [&'a str] {
    match words.first() {
        Some(first) if *first == verb => &words[1..],
        _ => words,
    }
}

fn python(rest: &[&str]) -> Option<Run> {
    let module = rest.iter().position(|word| *word == "-m");
    let whole =
        |runner, rest: &[&str]| Some(Run { runner, about: About::Test, is_whole: extent::is_whole(runner, rest) });
    match (module.and_then(|at| rest.get(at + 1)), module) {
        (Some(&"pytest"), Some(at)) => whole("pytest", &rest[at + 2..]),
        (Some(&"unittest"), Some(at)) => whole("unittest", after(&rest[at + 2..], "discover")),
        (Some(&"tox" | &"nox"), Some(at)) => whole("python-session", &rest[at + 2..]),
        (Some(&"coverage"), Some(at)) => python(after(&rest[at + 2..], "run")),
        _ => {
            let script = rest.iter().position(|word| !word.starts_with('-'))?;
            match (base(rest[script]), rest.get(script + 1)) {
                ("manage.py", Some(&"test")) => whole("unittest", &rest[script + 2..]),
                _ => None,
            }
        }
    }
}

fn cargo(rest: &[&str]) -> Option<Run> {
    let verb = rest.iter().position(|word| !word.starts_with(['-', '+']))?;
    let own = &rest[verb + 1..];
    let test = |runner, own: &[&str]| Some(Run { runner, about: About::Test, is_whole: extent::is_whole(runner, own) });
    let built = || Some(Run { runner: "cargo", about: About::Build, is_whole: extent::is_whole("cargo", own) });
    match rest[verb] {
        "test" | "t" if own.contains(&"--no-run") => built(),
        "test" | "t" => test("cargo", own),
        "nextest" => match own.split_first() {
            Some((&"run" | &"r", own)) if !own.contains(&"--no-run") => test("nextest", own),
            _ => None,
        },
        "build" | "b" | "check" | "c" | "clippy" => built(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
