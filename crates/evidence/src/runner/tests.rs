use super::*;
use crate::ran::Ran;
use crate::verifier::read;

/// Shows what the test or build of a command is recognised as.
#[track_caller]
fn check(command: &str, expected: &str) {
    let tools = Tools::for_tests();
    let effects = read(command, tools);
    let ran = Ran::of(&effects, tools);
    let shown = match ran.main() {
        // Something that is not known started it.
        Some(_) if effects.runs.iter().any(|run| run.doubt.is_some()) => "-".to_owned(),
        Some((_, run)) => format!("{} {}{}", run.runner, run.about.name(), if run.is_whole { " whole" } else { "" }),
        None => "-".to_owned(),
    };
    assert_eq!(shown, expected, "{command}");
}

#[test]
fn a_file_that_is_called_like_a_runner_is_none() {
    for known in [
        "/usr/bin/cargo test",
        "/home/me/.cargo/bin/cargo test",
        "~/.cargo/bin/cargo test",
        "$HOME/.cargo/bin/cargo test",
        "/usr/bin/../bin/cargo test",
    ] {
        check(known, "cargo test whole");
    }
    for unknown in [
        "./cargo test", "/tmp/evil/cargo test", "../cargo test", "bin/cargo test", "/p/cargo test",
        "/usr/bin/x/cargo test", "./uv run pytest", "uv run ./pytest", "/tmp/.venv/bin/pytest", "/tmp/gradlew test",
        "./npx jest",
    ] {
        check(unknown, "-");
    }
    check(".venv/bin/pytest", "pytest test whole");
    check("/p/.venv/bin/python -m pytest", "pytest test whole");
    check("vendor/bin/phpunit", "phpunit test whole");
    check("bin/rails test", "minitest test whole");
    check("/p/gradlew test", "gradle test whole");
    check("packages/a/node_modules/.bin/jest", "jest test whole");
}

#[test]
fn test_runs() {
    check("cargo test", "cargo test whole");
    check("cargo +nightly test --workspace --no-fail-fast -- --nocapture", "cargo test whole");
    check("cargo test -p stead-shell", "cargo test");
    check("cargo test parser", "cargo test");
    check("cargo t --release", "cargo test whole");
    check("cargo nextest run", "nextest test whole");
    check("cargo nextest run -E 'test(x)'", "nextest test");
    check("pytest", "pytest test whole");
    check("pytest -q --tb=short", "pytest test whole");
    check("pytest tests/test_a.py", "pytest test");
    check("pytest -k login", "pytest test");
    check("python3 -m pytest -x", "pytest test whole");
    check("python -m unittest", "unittest test whole");
    check("python3.12 -m unittest discover -v", "unittest test whole");
    check("python -m unittest tests.a", "unittest test");
    check("python manage.py test", "unittest test whole");
    check("uv run pytest", "pytest test whole");
    check("poetry run python -m pytest", "pytest test whole");
    check("npx jest --ci", "jest test whole");
    check("npx --yes vitest run", "vitest test whole");
    check("yarn jest src/a.test.ts", "jest test");
    check("./node_modules/.bin/mocha", "mocha test whole");
    check("node --test", "node-test test whole");
    check("node --test test/a.js", "node-test test");
    check("go test ./...", "go test whole");
    check("go test -race -count=1 ./...", "go test whole");
    check("go test ./pkg/a", "go test");
    check("go test", "go test");
    check("npm test", "script test whole");
    check("npm t", "script test whole");
    check("npm run test:unit", "script test");
    check("npm test -- --silent", "script test whole");
    check("npm test -- login", "script test");
    check("pnpm -r test", "script test");
    check("pnpm test", "script test whole");
    check("yarn test", "script test whole");
    check("bun test", "bun test whole");
    check("bun run test", "script test whole");
    check("make test", "make test whole");
    check("make -j8 check", "make test whole");
    check("make -C sub test", "make test");
    check("just ci", "just test whole");
    check("rake test", "rake test whole");
    check("ctest --output-on-failure -j 4", "ctest test whole");
    check("ctest -R login", "ctest test");
    check("mvn -B test", "maven test whole");
    check("./mvnw verify -Dtest=LoginTest", "maven test");
    check("./gradlew test", "gradle test whole");
    check("gradle :app:test --tests Login", "gradle test");
    check("bundle exec rspec", "rspec test whole");
    check("rspec spec/a_spec.rb:3", "rspec test");
    check("bin/rails test", "minitest test whole");
    check("vendor/bin/phpunit", "phpunit test whole");
    check("php vendor/bin/phpunit --filter x", "phpunit test");
    check("php artisan test", "phpunit test whole");
    check("composer test", "script test whole");
    check("dotnet test --no-build", "dotnet test whole");
    check("dotnet test --filter X", "dotnet test");
    check("swift test", "swift test whole");
    check("mix test", "mix test whole");
    check("mix test test/a_test.exs:12", "mix test");
    check("deno test -A", "deno test whole");
    check("time timeout 600 cargo test", "cargo test whole");
    check("RUST_LOG=debug FOO=1 cargo test", "cargo test whole");
    check("sudo -E make check", "make test whole");
}

#[test]
fn builds() {
    check("cargo build --release", "cargo build whole");
    check("cargo clippy --all-targets", "cargo build whole");
    check("cargo test --no-run", "cargo build");
    check("make", "make build whole");
    check("make -j4 all", "make build whole");
    check("tsc -p .", "tsc build whole");
    check("npx tsc --noEmit", "tsc build whole");
    check("go build ./...", "go build whole");
    check("go vet ./...", "go build whole");
    check("npm run build", "script build whole");
    check("mvn compile", "maven build whole");
    check("mvn package -DskipTests", "maven build whole");
    check("gradle assemble", "gradle build whole");
    check("gradle build -x test", "gradle build whole");
    check("cmake --build out", "cmake build whole");
    check("dotnet build", "dotnet build whole");
    check("swift build", "swift build whole");
}

#[test]
fn neither() {
    for command in [
        "", "ls", "echo cargo test", "grep -rn pytest .", "cargo --version", "cargo test --help",
        "cargo test -- --list", "cargo run", "cargo fmt --check", "pytest --collect-only", "jest --listTests",
        "python test.py", "python -c 'import pytest'", "npm install", "npm ci", "npm run lint", "yarn add jest",
        "go mod tidy", "go test -c", "make clean", "make -n test", "make install", "git commit -m 'cargo test'",
        "cat test.log", "node server.js", "vitest list",
    ] {
        check(command, "-");
    }
}
