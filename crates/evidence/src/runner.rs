//! Which test runner or compiler a command is, told from its words alone.

mod build;
mod extent;
mod script;
mod tools;

use crate::About;
use crate::command_line::Part;
use crate::normal::program_words;

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

/// Recognises a test run or a build by its words; `None` for everything else, also for runs that test nothing, such as
/// `--help` and listings.
pub(crate) fn recognise_part(part: &Part, tools: Tools<'_>) -> Option<Run> {
    let words = program_words(part);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    recognise_words(&words, tools)
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
        _ => build::recognise(name, rest),
    }
}

/// Words that make a runner print something about itself instead of running.
const NOT_A_RUN: &[&str] = &[
    "--help",
    "--version",
    "-V",
    "--list",
    "--listTests",
    "--collect-only",
    "--co",
    "--list-tests",
    "-N",
    "--show-only",
    "--dry-run",
    "--just-print",
    "--fixtures",
    "--markers",
    "--showConfig",
    "--list-test-cases",
    "-list",
];

/// The program behind launchers that run a tool of the project's own environment.
fn launched<'a>(words: &'a [&'a str], tools: Tools<'_>) -> &'a [&'a str] {
    let mut words = words;
    loop {
        let Some((program, rest)) = words.split_first().filter(|(program, _)| tools.has(program)) else { return words };
        let skip = match (base(program), rest.first()) {
            ("uv" | "poetry" | "pipenv" | "pdm" | "hatch" | "rye" | "pixi", Some(&"run")) => 1,
            ("bundle" | "mise" | "direnv" | "asdf" | "bunx", Some(&"exec")) => 1,
            ("pnpm" | "yarn" | "npm", Some(&"exec" | &"dlx" | &"x")) => 1,
            ("npx" | "bunx" | "pnpx", Some(_)) => 0,
            ("yarn" | "pnpm", Some(&("jest" | "vitest" | "mocha" | "tsc"))) => 0,
            ("sudo", Some(_)) => 0,
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
