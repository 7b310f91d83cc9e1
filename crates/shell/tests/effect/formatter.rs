//! Formatters, and programs that search and replace.

use super::scene::{About, check};

pub(crate) const ROWS: &str = r##"
    terraform fmt infra => w infra/*.tf, w infra/*.tfvars
    terraform fmt -recursive infra/ => w infra/**/*.tf, w infra/**/*.tfvars
    terraform fmt infra/main.tf => w infra/main.tf
    terraform fmt -diff infra => w infra/*.tf, w infra/*.tfvars
    terraform fmt -recursive => w **/*.tf, w **/*.tfvars
    terraform fmt => w *.tf, w *.tfvars
    cd infra && terraform fmt => w infra/*.tf, w infra/*.tfvars
    terraform -chdir=infra fmt => w infra/*.tf, w infra/*.tfvars
    terraform -chdir=infra fmt -recursive => w infra/**/*.tf, w infra/**/*.tfvars
    tofu fmt -write=true infra => w infra/*.tf, w infra/*.tfvars
    terraform fmt -check infra =>
    terraform fmt -check -recursive infra/ =>
    terraform fmt -check -diff infra =>
    terraform fmt -check=true infra/main.tf =>
    terraform fmt -write=false infra =>
    cd infra && terraform fmt -check =>
    terraform -chdir=infra fmt -check =>
    packer fmt infra => w infra/*.pkr.hcl, w infra/*.pkrvars.hcl
    packer fmt -check infra =>
    hclfmt -w infra/main.hcl => w infra/main.hcl
    hclfmt infra/main.hcl =>
    black infra/main.py => w infra/main.py
    black -l 100 infra/main.py => w infra/main.py
    black --check infra =>
    black --diff infra/main.py =>
    prettier --write infra/main.json => w infra/main.json
    prettier --config x.json --write infra/main.json => w infra/main.json
    prettier --check infra/main.json =>
    prettier -c infra/main.json =>
    prettier -l infra/main.json =>
    ruff format infra/main.py => w infra/main.py
    ruff check --fix infra/main.py => w infra/main.py
    ruff format --check infra/main.py =>
    ruff format --diff infra/main.py =>
    ruff check infra/main.py =>
    gofmt -w infra/main.go => w infra/main.go
    gofmt -l -w infra/main.go => w infra/main.go
    gofmt -l infra/main.go =>
    gofmt -d infra/main.go =>
    rustfmt infra/main.rs => w infra/main.rs
    rustfmt --edition 2024 infra/main.rs => w infra/main.rs
    rustfmt --check infra/main.rs =>
    cargo fmt --check =>
    isort infra/main.py => w infra/main.py
    isort --check infra/main.py =>
    isort --check-only --diff infra/main.py =>
    clang-format -i infra/main.c => w infra/main.c
    clang-format -n infra/main.c =>
    clang-format --dry-run -i infra/main.c =>
    clang-format infra/main.c =>
    eslint --fix infra/main.js => w infra/main.js
    eslint infra/main.js =>
    yapf -i infra/main.py => w infra/main.py
    yapf -d infra/main.py =>
    stylua infra/main.lua => w infra/main.lua
    stylua --check infra/main.lua =>
    shfmt -w infra/main.sh => w infra/main.sh
    shfmt -l infra/main.sh =>
    shfmt -d infra/main.sh =>
    dart format infra/main.dart => w infra/main.dart
    dart format -o none infra/main.dart =>
    dart format --output=none infra/main.dart =>
    biome format --write infra/main.ts => w infra/main.ts
    biome check infra/main.ts =>
    dprint fmt infra/main.ts => w infra/main.ts
    dprint check infra/main.ts =>
    sd a b infra/main.tf => w infra/main.tf
    sd -p a b infra/main.tf =>
    ast-grep run -p a -r b -U infra/main.tf => w infra/main.tf
    ast-grep run -p a -r b infra/main.tf =>
    comby 'a' 'b' infra/main.tf -i => w infra/main.tf
    comby 'a' 'b' .tf -i => w **/*.tf
    comby 'a' 'b' infra/main.tf =>
    sops -i -e infra/main.tf => w infra/main.tf
    sops -d infra/main.tf =>
    sops infra/main.tf => w infra/main.tf
    mktemp infra/XXXX.tf => w infra/*.tf
    mktemp =>
    mktemp -d =>
    mktemp -u infra/XXXX.tf =>
    aws s3 cp s3://b/x infra/main.tf => w infra/main.tf
    aws s3 cp s3://b/main.tf infra/ => w infra/main.tf
    aws s3 sync s3://b infra => w infra/
    aws s3 cp infra/main.tf s3://b =>
    aws s3 ls s3://b =>
    gsutil cp gs://b/x infra/main.tf => w infra/main.tf
    gsutil -m cp -r gs://b/x infra => w infra/
    gsutil cp infra/main.tf gs://b =>
    kubectl cp pod:/x infra/main.tf => w infra/main.tf
    kubectl cp infra/main.tf pod:/x =>
    kubectl get pods =>
    docker cp box:/x infra => w infra/
    docker cp infra box:/x =>
    gh release download -D infra => w infra/
    gh run download 12 -D infra => w infra/
    gh release download v1 -O infra/main.tf => w infra/main.tf
    gh release view v1 =>
    git diff HEAD~1 -- infra | git apply -R => w infra/**, git paths
    git diff HEAD~1 -- infra/main.tf | patch -R -p1 => w infra/main.tf
    git show HEAD -- infra | git apply => w infra/**, git paths
    git diff HEAD~1 | git apply -R => git paths
    git archive HEAD~1 infra | tar x => w infra/**/
    git archive HEAD~1 infra | tar -x -C /tmp/old => w /tmp/old/infra/**/
    git archive HEAD~1 | tar x -C /tmp/old => w /tmp/old/
    git diff HEAD~1 -- infra =>
    git diff HEAD~1 -- infra | grep foo =>
"##;

#[test]
fn a_formatter_writes_unless_it_only_checks() {
    assert!(check(About::Changes, ROWS) > 100);
}
