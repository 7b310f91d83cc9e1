//! Filters between a listing and the program that takes its names.

use super::scene::{About, check};

#[test]
fn filters_keep_the_names_of_a_listing() {
    check(
        About::Changes,
        r"
        find . -name '*.tf' | grep -v sandbox | xargs sed -i s/a/b/ => w **/*.tf !**/*sandbox*
        find . -name '*.tf' | sort | head -5 | xargs rm => d **/*.tf
        find infra -name '*.tf' -print0 | sort -z | xargs -0 rm => d infra/**/*.tf
        git ls-files | grep '\.tf$' | xargs sed -i s/a/b/ => w **/*.tf
        git ls-files | grep -E '\.(tf|hcl)$' | xargs sed -i s/a/b/ => w **/*.tf, w **/*.hcl
        git ls-files | grep '^infra/' | xargs sed -i s/a/b/ => w infra/**
        git ls-files | grep infra/ | xargs rm => d infra/**, d **
        git ls-files | uniq | tac | xargs sed -i s/a/b/ => w **/**
        f=$(ls infra/*.tf | head -1); echo x > $f => w infra/*.tf
        git grep -lz foo -- infra | xargs -0 sed -i s/a/b/ => w infra, w infra/**
        git grep -l foo -- infra | xargs sed -i s/a/b/ => w infra, w infra/**
        echo infra/main.tf | sort | xargs rm => d infra/main.tf
        printf 'a\ninfra/main.tf\n' | grep infra | xargs rm => d infra/main.tf
        printf 'a\ninfra/main.tf\n' | tail -1 | xargs rm => d infra/main.tf
        ls infra/*.tf | shuf -n1 | xargs rm => d infra/*.tf
        for f in $(git ls-files | grep '\.tf$'); do rm $f; done => d **/*.tf
        ",
    );
}

#[test]
fn filters_leave_out_what_they_leave_out() {
    check(
        About::Changes,
        r"
        find . -name '*.py' | grep -v test | xargs sed -i s/a/b/ => w **/*.py !**/*test*
        git ls-files | grep '\.py$' | xargs sed -i s/a/b/ => w **/*.py
        git ls-files | grep '^src/' | xargs sed -i s/a/b/ => w src/**
        git ls-files | grep -E '^(src|docs)/.*\.md$' | xargs sed -i s/a/b/ => w src/**/*.md, w docs/**/*.md
        git ls-files | grep -v infra | xargs sed -i s/a/b/ => w ** !**/*infra*
        find . -type f | grep -v '^./infra/' | xargs rm => d ** !infra
        find . -type f -not -path './docs/*' | grep -vE '/(infra|src)/' | xargs rm => d ** !docs !**/infra !**/src
        find . -type f | grep -v 'x.*y' | xargs rm => d **
        find . -type f | grep -v 'infra[x]' | xargs rm => d **
        git ls-files | grep -v '^./infra' | xargs rm => d **
        git ls-files | grep -v '^infra/' | xargs rm => d ** !infra
        find . -type f | grep -v ^infra | xargs rm => d **
        find . -type f | grep -v '^./infra/.*' | xargs rm => d ** !infra
        git ls-files | head -3 | xargs sed -i s/a/b/ => w **
        find . -name '*.tf' | grep '\.py$' | xargs sed -i s/a/b/ => 
        printf 'a\ninfra/main.tf\n' | grep -v infra | xargs rm => d a
        printf 'a\ninfra/main.tf\n' | head -n 1 | xargs rm => d a
        git ls-files | grep '\.tf$' | xargs wc -l =>
        find . -name '*.tf' | sort | head -5 =>
        ",
    );
}
