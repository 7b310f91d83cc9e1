//! Variables, arrays and words on their way to a program, and the folders a command goes through.

use stead_model::Coverage;

use super::scene::{About, check, run, show};

#[test]
fn what_is_added_is_behind_what_was_there() {
    check(
        About::Changes,
        r#"
        p=infra; p+=/main.tf; rm $p => d infra/main.tf
        p=infra/; p+=main.tf; echo x > "$p" => w infra/main.tf
        p+=infra/main.tf; rm $p => d infra/main.tf
        local p=infra; local p+=/main.tf; rm $p => d infra/main.tf
        builtin declare p=infra; builtin declare p+=/main.tf; rm $p => d infra/main.tf
        a=infra b=$a/main.tf; rm $b => d infra/main.tf
        a=x; a=infra rm $a => d x
        a=infra sh -c 'rm $a/main.tf' => d infra/main.tf
        a=x; a=infra true; rm $a => d x
        f() { a=infra/main.tf; }; f; rm $a => d infra/main.tf
        f() { local a=infra/main.tf; }; a=x; f; rm $a => d x
        f() { a=x; }; a=infra/main.tf; f; rm $a => d x
        "#,
    );
    check(
        About::Runs,
        r#"
        args=(terraform); args+=(apply -auto-approve); "${args[@]}" => terraform apply -auto-approve
        cmd=terraform; cmd+=" apply"; $cmd => terraform apply
        args=(terraform plan); "${args[@]}" => terraform plan
        args=("a b" c); echo "${args[@]}" => echo a b c
        args=(terraform apply); "${args[*]}" => terraform apply
        args=(x terraform apply); "${args[@]:1}" => terraform apply
        f() { "${@:2}"; }; f x terraform apply => terraform apply
        f() { "$@"; }; f terraform apply => terraform apply
        f() { "$@"; }; f => 
        "#,
    );
}

#[test]
fn elements_of_arrays_are_told_apart() {
    check(
        About::Changes,
        r#"
        declare -A m=([a]=infra/main.tf [b]=x); rm "${m[a]}" => d infra/main.tf
        declare -A m=([a]=infra/main.tf [b]=x); rm "${m[b]}" => d x
        declare -A m; m[a]=infra/main.tf; rm "${m[a]}" => d infra/main.tf
        declare -A m; m[a]=infra/main.tf; m[b]=x; for k in "${!m[@]}"; do rm "${m[$k]}"; done => d infra/main.tf, d x
        a=(x infra/main.tf); rm "${a[1]}" => d infra/main.tf
        a=(x infra/main.tf); rm "${a[0]}" => d x
        a=(x infra/main.tf); rm "${a[-1]}" => d infra/main.tf
        a[$i]=infra/main.tf; rm "${a[@]}" => d infra/main.tf
        a=(x); echo ${a[$(rm infra/main.tf)]} => d infra/main.tf
        IFS=, read -ra a <<< "x,infra/main.tf"; rm "${a[1]}" => d infra/main.tf
        IFS=, read -ra a <<< "x,infra/main.tf"; rm "${a[0]}" => d x
        IFS=: read a b <<< "x:infra/main.tf"; rm "$b" => d infra/main.tf
        read a b <<< "x infra/main.tf"; rm "$a" => d x
        read -r a b c <<< "x infra/main.tf y z"; rm "$b" => d infra/main.tf
        read <<< infra/main.tf; rm "$REPLY" => d infra/main.tf
        mapfile -t a < list.txt; rm "${a[1]}" => d infra/b.tf
        mapfile -t a < list.txt; rm "${a[@]}" => d infra/a.tf, d infra/b.tf
        "#,
    );
}

#[test]
fn what_stands_instead_counts_where_nothing_is_known() {
    check(
        About::Changes,
        r#"
        f() { local p="${1:-x}"; rm "$p"; }; f infra/main.tf => d infra/main.tf
        f() { local p="${1:-infra/main.tf}"; rm "$p"; }; f => d infra/main.tf
        f() { local p="${1:-infra/main.tf}"; rm "$p"; }; f x => d x
        A=infra/main.tf; B="${A:-x}"; rm "$B" => d infra/main.tf
        A=x; B="${A:-infra/main.tf}"; rm "$B" => d x
        A=; B="${A:-infra/main.tf}"; rm "$B" => d infra/main.tf
        A=$(curl y); B="${A:-infra/main.tf}"; rm "$B" => d infra/main.tf
        A=infra/main.tf; rm "${A:-x}" => d infra/main.tf
        rm "${NOWHERE:-infra/main.tf}" => d infra/main.tf
        : "${F:=infra/main.tf}"; rm "$F" => d infra/main.tf
        A=1; rm "${A:+infra/main.tf}" => d infra/main.tf
        cp "${NOWHERE:-a}" b => w b
        "#,
    );
    check(
        About::Runs,
        r"
        bash m.sh apply => bash m.sh apply, terraform apply
        bash m.sh => bash m.sh, terraform plan
        bash m.sh plan => bash m.sh plan, terraform plan
        ",
    );
    assert_eq!(run("A=$(curl y); B=\"${A:-x}\"; rm \"$B\"").coverage, Coverage::Partial);
}

#[test]
fn substitutions_run_wherever_they_stand() {
    check(
        About::Changes,
        r#"
        case "$(rm infra/main.tf)" in *) :;; esac => d infra/main.tf
        case $(rm infra/main.tf) in a) ;; esac => d infra/main.tf
        case x in $(rm infra/main.tf)) ;; esac => d infra/main.tf
        case x in a|"`rm infra/main.tf`") ;; esac => d infra/main.tf
        case ${x:-$(rm infra/main.tf)} in a) ;; esac => d infra/main.tf
        case infra/main.tf in *.tf) echo yes;; esac =>
        case "$1" in rm) echo infra/main.tf;; esac =>
        for ((i=$(rm infra/main.tf);;)); do :; done => d infra/main.tf
        for ((i=0;i<$(wc -l < a);i++)); do echo $i; done =>
        coproc X { rm infra/main.tf; } => d infra/main.tf
        coproc { rm infra/main.tf; } => d infra/main.tf
        coproc X (rm infra/main.tf) => d infra/main.tf
        coproc rm infra/main.tf => d infra/main.tf
        coproc cat infra/main.tf =>
        ls @($(rm infra/main.tf)) => d infra/main.tf
        "#,
    );
    check(About::Runs, "coproc X { terraform apply; } => terraform apply");
}

#[test]
fn words_of_functions_and_scripts_are_gone_through() {
    check(
        About::Changes,
        r#"
        f(){ while [ $# -gt 0 ]; do rm "$1"; shift; done; }; f a infra/main.tf => d a, d infra/main.tf
        f(){ while [ $# -gt 0 ]; do rm "$1"; shift 2; done; }; f a x b y => d a, d b
        f(){ shift; rm "$1"; }; f infra/main.tf a => d a
        f(){ for x; do rm "$x"; done; }; f a infra/main.tf => d a, d infra/main.tf
        f(){ for x; do echo "$x"; done; }; f a infra/main.tf =>
        bash -c 'for f; do rm "$f"; done' _ a infra/main.tf => d a, d infra/main.tf
        bash flags.sh -v -f infra/main.tf => d infra/main.tf
        f(){ [ "$1" = -v ] && shift; rm "$1"; }; f infra/main.tf x => d infra/main.tf, d x
        bash opts.sh -f infra/main.tf => d infra/main.tf
        bash opts.sh -finfra/main.tf => d infra/main.tf
        bash opts.sh -f x => d x
        set -- a infra/main.tf; shift; rm "$1" => d infra/main.tf
        "#,
    );
    check(
        About::Runs,
        "bash deploy/run.sh => bash deploy/run.sh, dirname deploy/run.sh, pwd, source /home/ann/proj/deploy/lib.sh, terraform apply",
    );
    check(
        About::Runs,
        "cd deploy && ./run.sh => ./run.sh, dirname ./run.sh, pwd, source /home/ann/proj/deploy/lib.sh, terraform apply",
    );
    assert_eq!(run("while getopts f: o; do F=$OPTARG; done; rm $F").coverage, Coverage::Partial);
}

#[test]
fn scripts_that_were_written_on_the_way() {
    check(
        About::Changes,
        r#"
        echo 'rm infra/main.tf' >> r.sh; source r.sh => w r.sh, d infra/main.tf
        echo 'rm infra/main.tf' >> r.sh; bash r.sh => w r.sh, d infra/main.tf
        echo 'rm infra/main.tf' >> args.sh; bash args.sh x => w args.sh, d x, d infra/main.tf
        echo 'rm infra/main.tf' >> r.sh; mv r.sh s.sh; sh s.sh => w r.sh, m r.sh s.sh, d infra/main.tf
        touch r.sh; echo 'rm infra/main.tf' >> r.sh; sh r.sh => w r.sh, d infra/main.tf
        echo 'rm infra/main.tf' >> notes.md; cat notes.md => w notes.md
        echo 'w infra/main.tf' > t.sed; sed -f t.sed x => w t.sed, w infra/main.tf
        echo 's/a/b/' > t.sed; sed -f t.sed infra/main.tf => w t.sed
        echo 'w infra/main.tf' > t.sed; sed -nf t.sed x => w t.sed, w infra/main.tf
        sed -i.conf s/a/b/ x => w x
        sed -i '' -e s/a/b/ x => w x
        awk -v o=infra/main.tf '{print > o}' x => w infra/main.tf
        awk '{print > o}' o=infra/main.tf x => w infra/main.tf
        awk -v d=infra '{print > d "/main.tf"}' x => w infra/main.tf
        awk '{print > "infra/" $1 ".tf"}' x => w infra/*.tf
        awk -v f=infra/main.tf 'BEGIN{system("rm " f)}' => d infra/main.tf
        awk -v max=3 '{ if ($1 > max) print }' infra/main.tf =>
        awk -v max=infra/main.tf '{ print ($1 > max) }' x =>
        awk -v o=infra/main.tf '{print o}' x =>
        "#,
    );
    for command in ["curl x >> r.sh; source r.sh", "sed -f missing.sed x", "awk '{print > $1}' x"] {
        assert_eq!(run(command).coverage, Coverage::Partial, "{command}");
    }
}

#[test]
fn folders_are_left_as_they_were_entered() {
    check(
        About::Changes,
        r"
        pushd infra; pushd modules; popd; rm main.tf => d infra/main.tf
        pushd infra; popd; rm main.tf => d main.tf
        pushd infra; pushd; rm main.tf => d main.tf
        cd infra; cd ../src; cd -; rm main.tf => d infra/main.tf
        cd infra; cd ../src; rm ~-/main.tf => d infra/main.tf
        rm ~+/infra/main.tf => d infra/main.tf
        cd infra; rm ~+/main.tf => d infra/main.tf
        rm -fr ~dev => d /home/dev/
        rm -fr ~ann/proj/infra => d infra/
        rm -fr ~root/x => d /root/x/
        rm '~dev' => d ~dev
        rm -rf !(src) => d */
        rm infra/@(main|b).tf => d infra/main.tf, d infra/b.tf
        rm infra/+(a).tf => d infra/*.tf
        git show HEAD~1 =>
        ",
    );
}

#[test]
fn one_known_end_of_a_move_is_told() {
    check(
        About::Changes,
        r#"
        mv "$UNKNOWN" infra/main.tf => w infra/main.tf
        mv infra/main.tf "$UNKNOWN" => d infra/main.tf
        mv "$(mktemp)" infra/main.tf => m /tmp/tmp.abcdefghij infra/main.tf
        mv "$UNKNOWN" docs/x => w docs/x
        "#,
    );
}

#[test]
fn long_input_is_followed_or_given_up() {
    for count in [10_000, 20_000, 60_000] {
        let effects = run(&format!("echo {} | xargs rm", "infra/main.tf ".repeat(count)));
        assert!(effects.gave_up || show(&effects, About::Changes) == "d infra/main.tf", "{count}");
    }
    // One text of nearly two megabytes.
    let grown = format!("a=infra/main.tf; {}", "a=\"$a $a\"; ".repeat(17));
    assert!(run(&format!("{grown}echo \"$a\" | xargs rm")).gave_up);
    assert!(run(&format!("{grown}{{ echo \"$a\"; x=$(ls); echo y > z; }} | xargs rm")).gave_up);
    assert!(run(&format!("{grown}rm $(echo \"$a\")")).gave_up);
    assert!(!run(&format!("{grown}echo \"$a\" > x; ls | wc")).gave_up);
    let written = format!("cat > x <<'EOF'\n{}\nEOF", "line\n".repeat(100_000));
    assert!(!run(&written).gave_up);
}

pub(crate) const ROWS: &str = r##"
    if [ -d x ]; then p=infra; else p=b; fi; rm -rf $p => d infra/, d b/
    if [ -d x ]; then p=a; elif [ -d y ]; then p=infra; else p=c; fi; rm -rf $p => d a/, d infra/, d c/
    if [ -d x ]; then p=infra/main.tf; fi; rm "$p" => d infra/main.tf
    p=infra; if [ -d x ]; then p=b; fi; rm -rf $p => d b/, d infra/
    p=infra; if [ -d x ]; then p=b; else p=c; fi; rm -rf $p => d b/, d c/
    p=b; if [ -d x ]; then p=infra; exit 1; fi; rm -rf $p => d b/
    p=infra; [ -d x ] && p=b; rm -rf $p => d b/, d infra/
    p=infra; [ -d x ] || p=b; rm -rf $p => d b/, d infra/
    p=infra; cd src && p=b && rm -rf $p => d src/b/
    p=infra; [ -d x ] && p=b || rm -rf $p => d b/, d infra/
    case $1 in a) p=infra;; b) p=c;; esac; rm -rf $p => d infra/, d c/
    p=infra; case $1 in a) p=b;; *) p=c;; esac; rm -rf $p => d b/, d c/
    p=infra; while read l; do p=b; done < list.txt; rm -rf $p => d b/, d infra/
    p=infra; if true; then p=b; fi; p=c; rm -rf $p => d c/
    if [ -d x ]; then cd infra; else cd src; fi; rm main.tf => d infra/main.tf, d src/main.tf
    if [ -d x ]; then cd infra; fi; rm main.tf => d main.tf, d infra/main.tf
    declare -n r=p; p=infra; rm -rf $r => d infra/
    f() { local -n r=$1; rm -rf "$r"; }; p=infra; f p => d infra/
    typeset -n r=p; r=infra; rm -rf $p => d infra/
    f() { declare -n out=$1; out=infra; }; f q; rm -rf $q => d infra/
    builtin declare -n r=p; p=infra; rm -rf $r => d infra/
    : infra; rm -rf "$_" => d infra/
    mkdir -p infra && rm -rf $_ => w infra, d infra/
    echo a infra/main.tf; rm $_ => d infra/main.tf
    rm infr{a..a}/main.tf => d infra/main.tf
    rm x{1..3..2}.tf => d x1.tf, d x3.tf
    rm x{08..10} => d x08, d x09, d x10
    rm x{c..a} => d xc, d xb, d xa
    rm {a..} {..} {a...c} => d {a..}, d {..}, d {a...c}
    rm "{a..b}" => d {a..b}
    IFS=:; p=a:infra/main.tf:b; rm $p => d a, d infra/main.tf, d b
    IFS=,; p=a,infra; rm -rf "$p" => d a,infra/
    IFS=/; x=rm/main.tf; $x => d main.tf
    IFS=; p='a b'; rm $p => d a b
    IFS=,; set -- infra main; rm "$*" => d infra,main
    CDPATH=infra; cd modules && rm main.tf => d infra/modules/main.tf
    CDPATH=infra cd modules; rm main.tf => d infra/modules/main.tf
    CDPATH=src:docs; cd x; rm y => d src/x/y, d docs/x/y, d x/y
    CDPATH=infra; cd ./src && rm main.tf => d src/main.tf
    bash -n -c 'rm infra/main.tf' =>
    sh -n <<< 'rm infra/main.tf' =>
    bash -o noexec -c 'rm infra/main.tf' =>
    bash -xnc 'rm infra/main.tf' =>
    bash -n clean.sh =>
    bash -c 'rm infra/main.tf' -n => d infra/main.tf
    bash -o errexit -c 'rm infra/main.tf' => d infra/main.tf
    bash +n -c 'rm infra/main.tf' => d infra/main.tf
"##;

#[test]
fn what_the_shell_may_hold() {
    assert!(check(About::Changes, ROWS) > 40);
}
