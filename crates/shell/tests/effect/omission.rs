//! Pathspecs of git, and what a command leaves out by its own words.

use super::scene::{About, check};

pub(crate) const ROWS: &str = r##"
    git restore '*.tf' => w **/*.tf, git paths
    git checkout -- '*.tf' => w **/*.tf, git paths
    git checkout '*.tf' => w **/*.tf, git paths
    git checkout HEAD -- "*.tf" => w **/*.tf, git paths
    git rm '*.tf' => d **/*.tf, git paths
    git restore 'inf*' => w inf*/, git paths
    git restore ':(glob)**/*.tf' => w **/*.tf, git paths
    git restore ':(glob)*.tf' => w *.tf, git paths
    git restore ':!src' => w ./ !src, git whole-tree
    git restore . ':!infra' => w ./ !infra, git whole-tree
    git checkout -- . ':(exclude)infra' ':^docs' => w ./ !infra !docs, git whole-tree
    cd src && git restore :/infra/main.tf => w infra/main.tf, git paths
    cd src && git restore ':(top)infra' => w infra/, git paths
    cd src && git restore :/ => w ./, git whole-tree
    git restore 'infra/*.tf' => w infra/**/*.tf, git paths
    git restore 'in*/main.tf' => w in*/**/main.tf, git paths
    git restore ':(literal)a*b' => w a*b/, git paths
    git restore ':(icase)INFRA/main.tf' => w INFRA/main.tf, git paths
    git restore '*.md' => w **/*.md, git paths
    git restore 'src/*' => w src/*/, git paths
    git stash push -- '*.tf' => w **/*.tf/, git paths
    git clean -f '*.tf' => d **/*.tf/, git paths
    git clean -fdx -e infra . => d ./ !**/infra, git whole-tree
    git ls-files '*.tf' | xargs sed -i s/a/b/ => w **/*.tf
    git ls-files ':!infra' | xargs sed -i s/a/b/ => w **/** !infra
    git grep -l foo -- ':!infra' | xargs sed -i s/a/b/ => w ** !infra
    grep -rl foo --exclude-dir=infra . | xargs sed -i s/a/b/ => w ** !**/infra
    grep -rl foo --exclude-dir infra --exclude='*.md' . | xargs sed -i s/a/b/ => w ** !**/infra !**/*.md
    grep -rl -e foo infra | xargs sed -i s/a/b/ => w infra/**
    find . -path ./infra -prune -o -type f -print | xargs sed -i s/a/b/ => w ** !infra
    find . -name infra -prune -o -name '*.tf' -exec sed -i s/a/b/ {} + => w **/*.tf !**/infra
    find . -type f -not -path './infra/*' -exec sed -i s/a/b/ {} + => w ** !infra
    find . -type f -not -path '*/infra/*' -delete => d ** !**/infra
    find . -type f ! -name '*.tf' | xargs sed -i s/a/b/ => w ** !=**/*.tf
    find . -type f -not -name infra | xargs sed -i s/a/b/ => w ** !=**/infra
    find . -not -iname Infra -delete => d ** !=**/infra !=**/Infra
    find . -type f -not -path ./infra | xargs sed -i s/a/b/ => w ** !=/home/ann/proj/infra
    find . -type f | grep -v 'infra$' | xargs rm => d ** !=**/*infra
    find . -type f | grep -vi Infra | xargs rm => d ** !**/*Infra* !**/*infra*
    find . -type f -not -path '*infra*' | xargs sed -i s/a/b/ => w ** !**/*infra*
    rg -l foo -t rust | xargs sed -i s/a/b/ => w **/*.rs
    rg -l foo --type py src | xargs sed -i s/a/b/ => w src/**/*.py, w src/**/*.pyi
    rg -l foo -t nosuch | xargs sed -i s/a/b/ => w **
    rg foo -l --glob '*.tf' | xargs sed -i s/a/b/ => w **/*.tf
    rg foo -l -g '*.tf' | xargs sed -i s/a/b/ => w **/*.tf
    rg foo -l -g '!infra/**' | xargs sed -i s/a/b/ => w ** !infra
    rg foo -l --glob '!*.tf' | xargs sed -i s/a/b/ => w ** !**/*.tf
    rg --files -g '*.tf' | xargs sed -i s/a/b/ => w **/*.tf
    fd -E infra . | xargs sed -i s/a/b/ => w ** !**/infra
    for f in $(grep -rl foo --exclude-dir=infra .); do sed -i s/a/b/ "$f"; done => w ** !**/infra
    grep -rl foo --exclude-dir=infra . | while read f; do sed -i s/a/b/ "$f"; done => w ** !**/infra
    grep -rl foo --exclude-dir=infra . | xargs -I{} cp {} {}.bak => w **.bak
    rsync -a --exclude infra mods/ ./ => s ./ !**/infra
    find . -not -path './infra/*' -name x -o -name '*.tf' -delete => d **/x, d **/*.tf
    find . -path ./infra -mtime +9 -prune -o -name '*.tf' -delete => d **/*.tf
    find . -type d ! -empty -delete => d ./
    find . -type d -empty -delete =>
    find . -type f -empty -delete => d ./
    find . -type d -empty -o -name '*.tf' -delete => d **/*.tf
"##;

pub(crate) const READS: &str = r##"
    rsync -a --exclude .env ./ host:/app => t ./ !**/.env
    rsync -a --exclude=.env --exclude /infra/ ./ host:/app => t ./ !**/.env !infra
    rsync -a --exclude-from=x ./ host:/app => r x, t ./
    rsync -a ./ host:/app => t ./
    zip -r a.zip . -x '.env' => t ./ !**/.env
    zip -r a.zip . -x '*.env' 'infra/*' => t ./ !**/*.env !infra
    zip -r a.zip . => t ./
    tar czf /tmp/a.tgz --exclude=.env . => t ./ !**/.env
    tar czf /tmp/a.tgz --exclude .env . => t ./ !**/.env
    grep -r KEY --exclude=.env . => r ./ !**/.env
    rg KEY -g '!.env' . => r ./ !**/.env
    grep -rn KEY . => r ./
    rg KEY --glob '*.env' => r **/*.env
"##;

#[test]
fn what_is_left_out_is_left_alone() {
    assert!(check(About::Changes, ROWS) > 50);
}

#[test]
fn what_is_left_out_is_not_read() {
    assert!(check(About::Reads, READS) > 12);
}
