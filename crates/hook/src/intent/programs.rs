//! What is known about programs whose effects on files are not: which ones only read, and which ones build, test or
//! install. The tables are command patterns, in the grammar of guards and of an intent's `commands`.

use std::path::{Path, PathBuf};

use stead_client::Harness;
use stead_evidence::is_test_or_build;
use stead_guard::command_matches;
use stead_model::{SteadCall, clean, pieces};

/// Commands that change no file of a project, reviewed one by one: they print, check or look something up.
const READ_ONLY: &[&str] = &[
    // Linters and type checkers, unless they repair what they find.
    "bandit|flake8|mypy|pycodestyle|pyflakes|pylint|pyright|vulture",
    "ruff check !--fix|--fix-only|--unsafe-fixes|--add-noqa",
    "ruff rule|linter|version",
    "black|isort|yapf --check|--check-only|--diff|-c|-d !-i",
    "eslint|stylelint|markdownlint|golangci-lint !--fix|-f",
    "prettier --check|-c|--list-different|-l !--write|-w",
    "biome check|ci|lint !--write|--fix|--apply|--apply-unsafe",
    "rubocop !-a|-A|--auto-correct|--autocorrect",
    "shfmt -d|-l !-w",
    "gofmt !-w",
    "actionlint|cloc|hadolint|scc|shellcheck|tokei|xmllint|yamllint !-o|--output",
    // What package managers and tools know.
    "npm|pnpm|yarn bin|explain|info|list|ls|outdated|ping|prefix|root|search|show|view|whoami|why",
    "pip|pip3 check|debug|freeze|index|inspect|list|search|show",
    "uv tree|version",
    "uv pip check|freeze|list|show|tree",
    "poetry|pdm check|env|info|list|show",
    "cargo locate-project|metadata|pkgid|search|tree|version",
    "rustup show|which",
    "go doc|env|list|version|vet",
    "brew config|deps|desc|doctor|info|list|outdated|search|uses",
    "apt|apt-cache|dnf|yum depends|info|list|policy|search|show",
    "gem|bundle info|list|outdated|search|show",
    // Services, containers and machines.
    "gh browse|search|status",
    "gh auth|cache|gist|issue|label|pr|release|repo|ruleset|run|workflow checks|diff|list|status|view|watch",
    "gh api !-X|--method|-f|-F|--field|--raw-field|--input",
    "glab ci|issue|mr|pipeline|release|repo list|status|view|diff",
    "docker|podman diff|history|images|info|inspect|logs|port|ps|stats|top|version",
    "docker|podman compose config|images|logs|ls|port|ps|top|version",
    "kubectl api-resources|cluster-info|describe|explain|get|logs|top|version",
    "terraform graph|output|providers|show|validate|version",
    "systemctl cat|is-active|is-enabled|list-units|show|status",
    "journalctl|hostnamectl|lsb_release|sw_vers|system_profiler",
    "defaults read|domains|find",
    "plutil -p|-lint",
    "ldd|nm|objdump|otool|readelf|size",
    "yq !-i|--inplace",
    "protoc --decode|--decode_raw",
    "goreleaser check|healthcheck|jsonschema",
];

/// Package managers, build tools and test runners: what they write is said by the project's own manifests, or is not
/// the project's, and is judged afterwards. Those that fetch and run any program (`npx`) are not among them.
const BUILDERS: &[&str] = &[
    "apk|apt|apt-get|asdf|brew|choco|dnf|flatpak|mise|nix|nix-env|pacman|port|scoop|snap|winget|yum|zypper",
    "build|conda|easy_install|ensurepip|hatch|mamba|micromamba|pdm|pip|pip3|pip3.*|poetry|pre-commit|rye|twine|uv|venv|virtualenv",
    "pipx ensurepath|inject|install|uninstall|upgrade",
    "bun|corepack|fnm|lerna|npm|nvm|nx|pnpm|rush|turbo|volta|yarn",
    "cargo|cross|maturin|rustup|trunk|wasm-pack",
    "go build|clean|fmt|generate|get|install|mod|run|test|vet|work",
    "goreleaser build",
    "goreleaser release --snapshot",
    "ant|bazel|bazelisk|buck|buck2|cmake|gmake|gradle|gradlew|just|make|meson|mill|mvn|mvnw|ninja|rake|sbt|scons|task",
    "bundle|cabal|carthage|composer|cpan|cpanm|dart|dotnet|dune|flutter|gem|luarocks|mix|nimble|nuget|opam|pod|rebar3|stack|swift|xcodebuild|zig",
    "babel|esbuild|grunt|gulp|parcel|rollup|swc|tsc|tsup|webpack",
    "astro|next|nuxt|vite build|check|sync",
    "docker|podman build|buildx|pull",
    "docker|podman compose build|pull",
    "coverage|ctest|jest|mocha|nox|phpunit|pytest|py.test|rspec|tox|unittest|vitest",
    // The files that formatters change are among the effects.
    "autopep8|biome|black|clang-format|dprint|eslint|gofmt|goimports|isort|prettier|ruff|rustfmt|shfmt|stylelint|yapf",
    // Committed work comes back; no file of it can have been changed outside a scope.
    "git bisect|checkout|cherry-pick|commit|merge|pull|rebase|revert|stash|switch",
];

/// Programs that run a file of the project.
const INTERPRETERS: &[&str] = &[
    "python", "python2", "python3", "node", "nodejs", "deno", "bun", "ruby", "php", "perl", "lua", "Rscript", "bash",
    "sh", "zsh", "dash", "ksh", "tsx", "ts-node",
];

/// Programs with full coverage that nevertheless do something.
const ACTING: &[&str] = &["kill", "killall", "pkill", "logger", "at", "batch"];

/// The `stead` commands that agents may use without an intent.
const OWN: &[&str] = &[
    "agent", "agents", "appeal", "blame", "check", "context", "doctor", "evidence", "explain", "feature", "files",
    "handoff", "help", "intent", "lesson", "lint", "log", "logs", "loop", "memory", "note", "packet", "pickup",
    "reflect", "role", "runs", "schema", "stats", "status", "statusline", "tail", "trace", "verify", "where",
    "where-is", "why",
];

/// Those of which only some sub-commands are.
const OWN_PARTLY: &[(&str, &[&str])] =
    &[("config", &["get", "list"]), ("guard", &["bench", "lint", "list", "show", "stats", "test"])];

fn is_in(table: &[&str], argv: &[String]) -> bool {
    let Some(name) = argv.first().and_then(|program| program.rsplit('/').next()) else { return false };
    // Reading a pattern costs more than looking for the program in it.
    let may_match = |pattern: &str| {
        let programs = pieces(pattern, b' ').next().unwrap_or_default();
        pieces(programs, b'|').any(|known| known == name || known.contains('*'))
    };
    table.iter().any(|pattern| may_match(pattern) && command_matches(pattern, argv))
}

/// Returns true if a program is known to change nothing.
pub(super) fn is_read_only(argv: &[String]) -> bool {
    let asks = |word: &String| matches!(word.as_str(), "--help" | "--version");
    let asks_shortly = |word: &String| matches!(word.as_str(), "-h" | "-V" | "-v" | "version" | "help");
    argv.iter().skip(1).any(asks) || matches!(argv, [_, only] if asks_shortly(only)) || is_in(READ_ONLY, argv)
}

/// Returns true if a program tests, builds or installs.
pub(super) fn is_builder(argv: &[String], root: &Path) -> bool {
    is_test_or_build(argv, root) || is_in(BUILDERS, argv)
}

/// The file or module of the project that a program is, or that an interpreter runs; relative names start in `dir`.
pub(super) fn own_files(argv: &[String], dir: &str, home: Option<&str>) -> Vec<PathBuf> {
    let Some((program, rest)) = argv.split_first() else { return Vec::new() };
    let at = |name: &str| match (name.strip_prefix("~/"), home) {
        (Some(below), Some(home)) => clean(&Path::new(home).join(below)),
        _ => clean(&Path::new(dir).join(name)),
    };
    if program.contains('/') {
        return vec![at(program)];
    }
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !INTERPRETERS.contains(&program.as_str()) && !INTERPRETERS.contains(&name) {
        return Vec::new();
    }
    match rest.iter().position(|word| word == "-m" || !word.starts_with('-') && word != "run") {
        Some(found) if rest[found] == "-m" => {
            let module = rest.get(found + 1).map(|module| module.replace('.', "/")).unwrap_or_default();
            vec![
                at(&format!("{module}.py")),
                at(&format!("{module}/__main__.py")),
                at(&format!("{module}/__init__.py")),
            ]
        }
        // `-c` and `-e` come with a program text instead.
        Some(found) if !rest[..found].iter().any(|word| matches!(word.as_str(), "-c" | "-e" | "-p" | "--eval")) => {
            vec![at(&rest[found])]
        }
        _ => Vec::new(),
    }
}

/// The agent program that a command starts.
pub(super) fn agent_program(argv: &[String]) -> Option<Harness> {
    let name = argv.first()?.rsplit('/').next()?;
    Harness::ALL.into_iter().find(|harness| harness.client().facts.program == name)
}

/// Returns true if a program does something although it changes no file.
pub(super) fn acts(argv: &[String]) -> bool {
    argv.first().is_some_and(|program| ACTING.contains(&program.rsplit('/').next().unwrap_or(program)))
}

/// Returns true if agents may use this `stead` command without an intent.
pub(super) fn is_own_verb(call: &SteadCall) -> bool {
    if call.words.iter().any(|word| word.guessed) {
        return false;
    }
    let texts: Vec<&str> = call.words.iter().map(|word| word.text.as_str()).collect();
    let mut words = Vec::new();
    let mut at = 0;
    while at < texts.len() && words.len() < 2 {
        match texts[at] {
            "-C" | "--dir" | "--config" => at += 1,
            "--help" | "-h" | "--version" | "-V" => return true,
            flag if flag.starts_with('-') => {}
            word => words.push(word),
        }
        at += 1;
    }
    match words.as_slice() {
        [] => true,
        [verb, rest @ ..] => {
            let partly = OWN_PARTLY.iter().find(|(known, _)| known == verb);
            OWN.contains(verb) || partly.is_some_and(|(_, subs)| rest.first().is_some_and(|sub| subs.contains(sub)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn programs_are_known_by_their_words() {
        let check = |line: &str, read_only: bool, builder: bool| {
            let argv = words(line);
            assert_eq!(is_read_only(&argv), read_only, "{line}: read-only");
            assert_eq!(is_builder(&argv, Path::new("/p")), builder, "{line}: builder");
        };
        check("gh pr view 5", true, false);
        check("gh pr merge 5", false, false);
        check("gh api repos/x", true, false);
        check("gh api -X DELETE repos/x", false, false);
        check("gh api repos/x -f a=b", false, false);
        check("pip list", true, true);
        check("pip install x", false, true);
        check("eslint src", true, true);
        check("eslint --fix src", false, true);
        check("npx something", false, false);
        check("uvx something", false, false);
        check("curl https://x", false, false);
        check("anything --version", true, false);
        check("anything -v", true, false);
        check("anything -v x", false, false);
        check("docker compose ps", true, false);
        check("docker compose up", false, false);
        check("kubectl delete pod x", false, false);
        check("git revert HEAD", false, true);
        check("git some-alias", false, false);
        check("terraform plan", false, false);
    }

    #[test]
    fn a_script_of_the_project_is_found() {
        let check = |line: &str, expected: &[&str]| {
            let found = own_files(&words(line), "/p/sub", Some("/home/ann"));
            assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>(), "{line}");
        };
        check("./run.sh x", &["/p/sub/run.sh"]);
        check("bash ../run.sh", &["/p/run.sh"]);
        check("python3.12 -u a.py --x", &["/p/sub/a.py"]);
        check(
            "python -m pkg.mod x",
            &["/p/sub/pkg/mod.py", "/p/sub/pkg/mod/__main__.py", "/p/sub/pkg/mod/__init__.py"],
        );
        check("python ~/x.py", &["/home/ann/x.py"]);
        check("python -c import_x y", &[]);
        check("node -e x y", &[]);
        check("some-tool a.py", &[]);
    }
}
