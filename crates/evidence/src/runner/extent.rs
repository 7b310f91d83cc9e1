//! Whether a run covers everything: it does if all its words are known to change only how it runs or what it says. Any
//! other word may be a filter.

/// Words that never narrow a run, whatever the runner.
const TALK: &[&str] = &[
    "-q", "--quiet", "-v", "-vv", "-vvv", "--verbose", "--color", "--no-color", "--colour", "--nocapture",
    "--no-capture", "--show-output", "-s", "-x", "--no-header", "--silent", "--ci", "--", "-i", "-B", "-ntp",
    "--batch-mode", "--info", "--stacktrace", "--no-daemon", "--continue", "-k", "--keep-going", "--output-on-failure",
    "--progress",
];

/// What else does not narrow one runner's run.
const OWN: &[(&str, &[&str])] = &[
    (
        "cargo",
        &[
            "--workspace", "--all", "--all-features", "--all-targets", "--release", "-r", "--locked", "--offline",
            "--frozen", "--no-fail-fast",
        ],
    ),
    (
        "nextest",
        &[
            "--workspace", "--all", "--all-features", "--all-targets", "--release", "--locked", "--offline",
            "--no-fail-fast",
        ],
    ),
    ("pytest", &["-ra", "-rA", "-rf", "--strict-markers", "-l", "--showlocals", "--durations", "."]),
    ("unittest", &["-b", "--buffer", "-f", "--failfast", "-c", "--catch"]),
    (
        "jest",
        &["--coverage", "--runInBand", "-i", "--detectOpenHandles", "--forceExit", "--no-cache", "--watchAll=false"],
    ),
    ("vitest", &["run", "--run", "--coverage", "--no-watch"]),
    ("mocha", &["--exit", "--recursive"]),
    ("node-test", &["--test"]),
    ("go", &["./...", "-race", "-json", "-cover", "-failfast", "-short=false"]),
    ("rspec", &["--fail-fast"]),
    ("minitest", &[]),
    ("phpunit", &["--testdox", "--stop-on-failure", "--do-not-cache-result"]),
    ("dotnet", &["--no-build", "--no-restore", "--nologo"]),
    ("swift", &["--parallel"]),
    ("mix", &["--trace", "--cover", "--warnings-as-errors", "--slowest"]),
    ("deno", &["--allow-all", "-A", "--no-check"]),
    ("bun", &["--coverage"]),
];

/// Flags that bring their own value, none of which narrows anything.
const VALUED: &[&str] = &[
    "-j", "--jobs", "--color", "--colour", "--test-threads", "--maxWorkers", "--workers", "-n", "--numprocesses",
    "--tb", "--reporter", "-count", "-timeout", "--timeout", "--durations", "--parallel", "--slowest", "--format",
    "--retries", "-T", "--logger", "-l", "-r", "--message-format",
];

/// Says whether a word only changes how much is said.
pub(super) fn is_talk(word: &str) -> bool {
    TALK.contains(&word)
}

/// Says whether a word is about how many run at once.
pub(super) fn is_jobs(word: &str) -> bool {
    word.parse::<u32>().is_ok()
        || word == "-j"
        || word.strip_prefix("-j").is_some_and(|count| count.parse::<u32>().is_ok())
        || word.starts_with("--jobs")
}

/// Says whether these words behind a runner leave its whole suite.
pub(super) fn is_whole(runner: &str, rest: &[&str]) -> bool {
    let own = OWN.iter().find(|(name, _)| *name == runner).map(|(_, words)| *words).unwrap_or_default();
    let mut words = rest.iter().peekable();
    while let Some(word) = words.next() {
        // `-x` ends at the first failure and `-k` chooses by name, in this one runner.
        let narrows = runner == "pytest" && *word == "-k" || runner == "rspec" && *word == "-e";
        if narrows {
            return false;
        }
        if own.contains(word) || is_talk(word) || is_jobs(word) && runner != "unittest" {
            continue;
        }
        match word.split_once('=') {
            Some((flag, _)) if VALUED.contains(&flag) => {}
            None if VALUED.contains(word) => drop(words.next()),
            _ => return false,
        }
    }
    // Without a pattern only the package at hand is tested.
    runner != "go" || rest.contains(&"./...")
}
