//! Programs with their words, wrappers taken off.

use super::scene::{About, check};

pub(crate) const ROWS: &str = r##"
    cargo test --workspace => cargo test --workspace
    terraform apply -help =>
    terraform -chdir=infra apply --help =>
    terraform apply -var -help => terraform apply -var -help
    gh pr create --help =>
    gh pr create --title --help => gh pr create --title --help
    docker run alpine sh -c 'rm x' --help => docker run alpine sh -c rm x --help, rm x
    env A=1 cargo test => cargo test
    A=1 B=2 cargo test => cargo test
    sudo -u x cargo test => sudo -u x cargo test, cargo test
    nice -n 5 timeout 60 cargo test => cargo test
    cd src && cargo test => cargo test
    cargo build && cargo test || echo no => cargo build, cargo test, echo no
    cargo test 2>&1 | tail -5 => cargo test, tail -5
    sh -c 'cargo test' => cargo test
    bash -lc "cd src; cargo test" => cargo test
    (cargo test) => cargo test
    { cargo test; } => cargo test
    if cargo test; then echo ok; fi => cargo test, echo ok
    for i in 1 2; do cargo test; done => cargo test
    npx jest --ci => npx jest --ci, jest --ci
    uv run pytest -q => uv run pytest -q, pytest -q
    poetry run pytest => poetry run pytest, pytest
    xargs cargo test <<< foo => cargo test foo
    echo "cargo test" => echo cargo test
    eval cargo test => cargo test
    time cargo test => cargo test
    X=$(cargo test) => cargo test
    echo $(cargo test) => cargo test, echo …
    f() { cargo test; }; f => cargo test
    c=cargo; $c test => cargo test
    python3 -c "import subprocess; subprocess.run(['cargo','test'])" => python3 -c import subprocess; subprocess.run(['cargo','test']), cargo test
    watch 'cargo test' => cargo test
    nohup cargo test & => cargo test
    exec cargo test => cargo test
    command cargo test => cargo test
    git commit -m 'cargo test' => git commit -m cargo test
    make test => make test
"##;

#[test]
fn wrappers_are_taken_off() {
    assert!(check(About::Runs, ROWS) > 31);
}
