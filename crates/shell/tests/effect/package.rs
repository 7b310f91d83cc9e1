//! Package managers and their manifests.

use super::scene::{About, check};

pub(crate) const ROWS: &str = r##"
    npm install lodash => w package.json, w package-lock.json
    npm i -D lodash@4 => w package.json, w package-lock.json
    npm uninstall x => w package.json, w package-lock.json
    npm version patch => w package.json, w package-lock.json
    npm pkg set version=2 => w package.json
    npm audit fix => w package.json, w package-lock.json
    cd src && npm install x => w src/package.json, w src/package-lock.json
    npm --prefix src install x => w src/package.json, w src/package-lock.json
    npm -C src install x => w src/package.json, w src/package-lock.json
    npm install =>
    npm ci =>
    npm install -g x =>
    npm install --registry https://example.com =>
    npm install --no-save x =>
    npm run build =>
    npm pkg get version =>
    npm version =>
    npm update => w package-lock.json
    yarn add x => w package.json, w yarn.lock
    yarn remove x => w package.json, w yarn.lock
    yarn install =>
    yarn =>
    yarn --cwd src add x => w src/package.json, w src/yarn.lock
    pnpm add x => w package.json, w pnpm-lock.yaml
    pnpm remove x => w package.json, w pnpm-lock.yaml
    pnpm -C src add x => w src/package.json, w src/pnpm-lock.yaml
    pnpm install =>
    bun add x => w package.json, w bun.lock, w bun.lockb
    bun remove x => w package.json, w bun.lock, w bun.lockb
    bun install =>
    bun run build =>
    cargo add serde => w Cargo.toml, w Cargo.lock
    cargo add serde --features derive => w Cargo.toml, w Cargo.lock
    cargo remove serde => w Cargo.toml, w Cargo.lock
    cargo add --manifest-path src/Cargo.toml serde => w src/Cargo.toml, w src/Cargo.lock
    cargo add -p member serde => w Cargo.toml, w Cargo.lock, w **/Cargo.toml, w **/Cargo.lock
    cargo update => w Cargo.lock
    cargo update -p serde => w Cargo.lock
    cargo add --dry-run serde =>
    cargo build =>
    cargo test =>
    cargo +nightly add serde => w Cargo.toml, w Cargo.lock
    go get example.com/x => w go.mod, w go.sum
    go mod tidy => w go.mod, w go.sum
    go mod edit -go=1.22 => w go.mod
    go mod edit -json =>
    go -C src get example.com/x => w src/go.mod, w src/go.sum
    go build ./... =>
    poetry add x => w pyproject.toml, w poetry.lock
    poetry remove x => w pyproject.toml, w poetry.lock
    poetry install =>
    poetry -C src add x => w src/pyproject.toml, w src/poetry.lock
    uv add x => w pyproject.toml, w uv.lock
    uv remove x => w pyproject.toml, w uv.lock
    uv --project src add x => w src/pyproject.toml, w src/uv.lock
    uv run pytest =>
    uv sync =>
    uv pip install x =>
    composer require a/b => w composer.json, w composer.lock
    composer install =>
    bundle add x => w Gemfile, w Gemfile.lock
    bundle install =>
    pipenv install x => w Pipfile, w Pipfile.lock
    pipenv install =>
"##;

#[test]
fn manifests_are_written_by_those_who_add() {
    assert!(check(About::Changes, ROWS) > 60);
}
