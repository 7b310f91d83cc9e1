//! Programs whose first words say what they do: scripts of a package, targets of a makefile, goals and tasks.

use crate::About;

use super::{Run, Tools, extent, recognise_words};

fn test(runner: &'static str, rest: &[&str]) -> Option<Run> {
    Some(Run { runner, about: About::Test, is_whole: extent::is_whole(runner, rest) })
}

fn build(runner: &'static str) -> Option<Run> {
    Some(Run { runner, about: About::Build, is_whole: true })
}

/// Says whether a script's or target's name is about testing.
fn is_test(name: &str) -> bool {
    let is_word = |word: &str| matches!(word, "test" | "tests" | "check" | "spec" | "specs" | "e2e" | "verify" | "ci");
    name.split([':', '-', '_', '.', '/']).any(is_word)
}

fn is_build(name: &str) -> bool {
    name.split([':', '-', '_', '.', '/']).any(|word| matches!(word, "build" | "compile" | "typecheck" | "tsc" | "all"))
}

/// A name that is exactly the whole suite's.
fn is_suite(name: &str) -> bool {
    matches!(name, "test" | "tests" | "check" | "ci" | "verify")
}

pub(super) fn go(name: &str, rest: &[&str]) -> Option<Run> {
    match (name, rest.split_first()) {
        ("gotestsum", _) => test("go", rest),
        (_, Some((&"test", rest))) if !rest.contains(&"-c") => test("go", rest),
        (_, Some((&"build" | &"vet" | &"install", _))) => build("go"),
        _ => None,
    }
}

/// `npm test`, `pnpm run test:unit`, `yarn build`, `bun test`.
pub(super) fn package(name: &str, rest: &[&str]) -> Option<Run> {
    // Flags in front, `-w name` and the like, narrow it down.
    let verb = rest.iter().position(|word| !word.starts_with('-'))?;
    let (script, own) = match rest[verb] {
        "run" | "run-script" => {
            let at = verb + 1 + rest[verb + 1..].iter().position(|word| !word.starts_with('-'))?;
            (rest[at], &rest[at + 1..])
        }
        "t" | "tst" if name == "npm" => ("test", &rest[verb + 1..]),
        "test" if name == "bun" => return test("bun", &rest[verb + 1..]),
        script @ ("test" | "build") => (script, &rest[verb + 1..]),
        script if matches!(name, "yarn" | "pnpm" | "bun") => (script, &rest[verb + 1..]),
        _ => return None,
    };
    let narrowed = rest[..verb].iter().any(|word| !extent::is_talk(word)) || !is_suite(script);
    if is_test(script) {
        return test("script", own).map(|run| Run { is_whole: run.is_whole && !narrowed, ..run });
    }
    if is_build(script) { build("script") } else { None }
}

/// `make test`, `just ci`, `rake test`, `ninja test`.
pub(super) fn target(name: &str, rest: &[&str]) -> Option<Run> {
    let targets: Vec<&str> =
        rest.iter().copied().filter(|word| !word.starts_with('-') && !word.contains('=')).collect();
    // The number behind a lonely `-j` is no target.
    let targets: Vec<&str> = targets.into_iter().filter(|word| word.parse::<u32>().is_err()).collect();
    if rest.contains(&"-n") {
        return None;
    }
    let runner = match name {
        "just" => "just",
        "rake" => "rake",
        "ninja" => "ninja",
        "task" => "task",
        _ => "make",
    };
    if targets.iter().any(|target| is_test(target)) {
        // `-C dir` and variables make it another run than the plain one.
        let is_plain = rest.iter().all(|word| targets.contains(word) || extent::is_talk(word) || extent::is_jobs(word));
        let is_whole = is_plain && targets.iter().any(|target| is_suite(target));
        return Some(Run { runner, about: About::Test, is_whole });
    }
    match (name, targets.is_empty()) {
        ("make" | "gmake" | "ninja", true) => build(runner),
        _ if targets.iter().any(|target| is_build(target)) => build(runner),
        _ => None,
    }
}

pub(super) fn maven(rest: &[&str]) -> Option<Run> {
    let goals: Vec<&str> = rest.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let skips = rest.iter().any(|word| word.starts_with("-DskipTests") || word.starts_with("-Dmaven.test.skip"));
    let tests =
        |goal: &&str| matches!(*goal, "test" | "verify" | "install" | "package" | "integration-test" | "deploy");
    if goals.iter().any(tests) && !skips {
        let narrow = rest.iter().any(|word| word.starts_with("-Dtest") || word.starts_with("-Dit.test"));
        let narrow = narrow || rest.iter().any(|word| matches!(*word, "-pl" | "--projects" | "-f" | "--file"));
        return Some(Run { runner: "maven", about: About::Test, is_whole: !narrow });
    }
    goals.iter().any(|goal| tests(goal) || goal.contains("compile")).then_some(Run {
        runner: "maven",
        about: About::Build,
        is_whole: true,
    })
}

pub(super) fn gradle(rest: &[&str]) -> Option<Run> {
    let tasks: Vec<&str> = rest.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let last = |task: &str| task.rsplit(':').next().unwrap_or(task).to_owned();
    let skips = rest.windows(2).any(|pair| matches!(pair[0], "-x" | "--exclude-task") && last(pair[1]) == "test");
    let is_test =
        |task: &str| matches!(last(task).as_str(), "test" | "check" | "build") || last(task).ends_with("Test");
    if tasks.iter().any(|task| is_test(task)) && !skips {
        let narrow = rest.contains(&"--tests") || tasks.iter().any(|task| task.contains(':')) || rest.contains(&"-p");
        return Some(Run { runner: "gradle", about: About::Test, is_whole: !narrow });
    }
    let builds = |task: &&str| matches!(last(task).as_str(), "assemble" | "classes" | "build" | "jar");
    if tasks.iter().any(builds) { build("gradle") } else { None }
}

pub(super) fn php(rest: &[&str], tools: Tools<'_>) -> Option<Run> {
    match rest {
        ["artisan", "test", own @ ..] => test("phpunit", own),
        [script, ..] if script.ends_with("phpunit") || script.ends_with("pest") => recognise_words(rest, tools),
        _ => None,
    }
}

pub(super) fn composer(rest: &[&str]) -> Option<Run> {
    match rest {
        ["run" | "run-script" | "exec", script, own @ ..] | [script, own @ ..] if is_test(script) => {
            test("script", own).map(|run| Run { is_whole: run.is_whole && is_suite(script), ..run })
        }
        _ => None,
    }
}

/// A program whose first plain word says it.
pub(super) fn verb(runner: &'static str, rest: &[&str], tests: &[&str], builds: &[&str]) -> Option<Run> {
    let (verb, own) = rest.split_first()?;
    if tests.contains(verb) {
        test(runner, own)
    } else if builds.contains(verb) {
        build(runner)
    } else {
        None
    }
}
