//! Commands in containers, and what else runs behind another program.

use super::scene::{About, check};

pub(crate) const ROWS: &str = r##"
    unshare -r --map-root-user rm -rf infra => d infra/
    unshare --wd infra rm main.tf => d infra/main.tf
    systemd-run --user --unit x -p MemoryMax=1G rm -rf infra => d infra/
    parallel --jobs 4 'rm -rf {}' ::: infra => d infra/
    echo infra/main.tf | parallel rm => d infra/main.tf
    echo infra/main.tf | xargs --delimiter '\n' --max-args 1 rm => d infra/main.tf
    setpriv --reuid 1000 --clear-groups rm infra/main.tf => d infra/main.tf
    flock --timeout 5 /tmp/l rm infra/main.tf => d infra/main.tf
    script --command='rm infra/main.tf' /dev/null => d infra/main.tf
    script infra/main.tf => w infra/main.tf
    runuser -l ann -c 'rm infra/main.tf' => d infra/main.tf
    su ann --command 'rm infra/main.tf' => d infra/main.tf
    nsenter --target 1 --mount rm infra/main.tf => d infra/main.tf
    bwrap --ro-bind /usr /usr --dev-bind / / --chdir infra rm main.tf => d infra/main.tf
    strace -o infra/main.tf ls => w infra/main.tf
    perf stat -r 5 -e cycles rm infra/main.tf => d infra/main.tf
    perf record -o infra/main.tf ls => w infra/main.tf
    hyperfine --prepare 'rm infra/main.tf' ls => d infra/main.tf
    hyperfine --export-json infra/main.tf ls => w infra/main.tf
    faketime -f '@2020-01-01' rm infra/main.tf => d infra/main.tf
    valgrind --tool=memcheck rm infra/main.tf => d infra/main.tf
    gdb -batch -ex run --args rm infra/main.tf => d infra/main.tf
    gdb -ex 'shell rm infra/main.tf' => d infra/main.tf
    tmux new -d -c infra 'rm main.tf' => d infra/main.tf
    tmux new-session -d -s x rm infra/main.tf => d infra/main.tf
    screen -dmS x rm infra/main.tf => d infra/main.tf
    echo 'rm infra/main.tf' | at now => d infra/main.tf
    sudo --user ann --chdir infra rm main.tf => d infra/main.tf
    sudo -D infra env -S 'rm -f' main.tf => d infra/main.tf
    sudo -e infra/main.tf => w infra/main.tf
    timeout --signal KILL 5 rm infra/main.tf => d infra/main.tf
    nice --adjustment 5 ionice --class 3 chrt --rr 10 rm infra/main.tf => d infra/main.tf
    time -o infra/main.tf ls => w infra/main.tf
    ls infra/main.tf | entr rm infra/main.tf => d infra/main.tf
    docker run --rm -v "$PWD":/w -w /w alpine sh -c 'echo x > infra/main.tf' => w infra/main.tf
    docker run --rm -v "$PWD:/w" alpine sh -c 'cd /w && echo x > infra/main.tf' => w infra/main.tf
    docker run --rm -v $PWD/infra:/w alpine rm -rf /w => d infra/
    docker run -v ~:/h alpine rm -rf /h/work => d /home/ann/work/
    docker run --rm -it --mount type=bind,source="$PWD",target=/w -w /w alpine sed -i s/a/b/ infra/main.tf => w infra/main.tf
    podman run -v ./infra:/w:Z alpine touch /w/main.tf => w infra/main.tf
    docker run --name x -e A=1 -p 80:80 -v $PWD:/w alpine rm /w/infra/main.tf => d infra/main.tf
    docker run -v $PWD:/w:ro alpine rm /w/infra/main.tf =>
    docker run -v data:/w alpine rm -rf /w =>
    docker run alpine rm -rf /infra =>
    docker run -w /w alpine rm -rf infra =>
    docker run -v $PWD:/w alpine rm -rf /tmp/x =>
    docker run -v $PWD:/w -w /w node npm test =>
    docker exec box rm -rf infra =>
    docker exec -it box sh -c 'echo x > infra/main.tf' =>
    kubectl exec pod -- rm -rf infra =>
    docker compose exec web rm -rf infra =>
    docker build -t x . =>
    docker ps =>
"##;

pub(crate) const RUNS: &str = r##"
    docker run hashicorp/terraform apply => docker run hashicorp/terraform apply, terraform apply, apply
    docker run --rm -v $PWD:/w -w /w hashicorp/terraform:1.9 apply -auto-approve => docker run --rm -v /home/ann/proj:/w -w /w hashicorp/terraform:1.9 apply -auto-approve, terraform apply -auto-approve, apply -auto-approve
    docker compose run --rm terraform apply => docker compose run --rm terraform apply, terraform apply, apply
    docker-compose run terraform apply => docker-compose run terraform apply, terraform apply, apply
    docker exec x terraform apply => docker exec x terraform apply, terraform apply
    docker exec -it -w /w x sh -c 'terraform apply' => docker exec -it -w /w x sh -c terraform apply, terraform apply
    podman exec x terraform apply => podman exec x terraform apply, terraform apply
    kubectl exec x -- terraform apply => kubectl exec x -- terraform apply, terraform apply
    kubectl exec -n a x -c y -- terraform apply => kubectl exec -n a x -c y -- terraform apply, terraform apply
    docker run --entrypoint terraform img apply => docker run --entrypoint terraform img apply, terraform apply
    docker run alpine echo terraform apply => docker run alpine echo terraform apply, echo terraform apply
    docker build -t terraform . => docker build -t terraform .
    aws-vault exec p -- terraform apply => aws-vault exec p -- terraform apply, terraform apply
    aws-vault exec p terraform apply => aws-vault exec p terraform apply, terraform apply
    op run -- terraform apply => op run -- terraform apply, terraform apply
    op run --env-file=.env -- terraform apply => op run --env-file=.env -- terraform apply, terraform apply
    direnv exec . terraform apply => direnv exec . terraform apply, terraform apply
    doppler run -- terraform apply => doppler run -- terraform apply, terraform apply
    chamber exec p -- terraform apply => chamber exec p -- terraform apply, terraform apply
    infisical run --env=dev -- terraform apply => infisical run --env=dev -- terraform apply, terraform apply
    dotenv -- terraform apply => terraform apply
    dotenv -e .env -- terraform apply => terraform apply
    dotenv run -- terraform apply => dotenv run -- terraform apply, terraform apply
    npx cross-env X=1 terraform apply => npx cross-env X=1 terraform apply, terraform apply
    cross-env X=1 terraform apply => terraform apply
    mise x -- terraform apply => mise x -- terraform apply, terraform apply
    mise x terraform@1.9 -- terraform apply => mise x terraform@1.9 -- terraform apply, terraform apply
    nix develop -c terraform apply => nix develop -c terraform apply, terraform apply
    nix develop --command terraform apply => nix develop --command terraform apply, terraform apply
    conda run -n x terraform apply => conda run -n x terraform apply, terraform apply
    systemd-run --user terraform apply => terraform apply
    watchexec -- terraform apply => terraform apply
    watchexec -e tf -- terraform apply => terraform apply
    retry 3 terraform apply => terraform apply
    retry -t 3 -- terraform apply => terraform apply
    npm exec -c 'terraform apply' => npm exec -c terraform apply, terraform apply
    npm exec -- terraform apply => npm exec -- terraform apply, terraform apply
    pnpm exec terraform apply => pnpm exec terraform apply, terraform apply
    yarn exec terraform apply => yarn exec terraform apply, terraform apply
    somewrapper --flag -- terraform apply => somewrapper --flag -- terraform apply, terraform apply
    cargo run -- terraform apply => cargo run -- terraform apply
    cargo test -- --nocapture => cargo test -- --nocapture
    somewrapper -- foo bar => somewrapper -- foo bar
"##;

pub(crate) const READS: &str = r##"
    docker run --rm -v $PWD:/w alpine cat /w/.env => r .env
    docker run --rm -v $PWD:/w:ro -w /w alpine cat .env => r .env
    docker run --rm alpine cat /w/.env =>
    uniq .env => r .env
    uniq -c .env => r .env
    sort x | uniq => r x
    xargs -a .env echo => r .env
    xargs -a list.txt cat => r list.txt, r infra/a.tf, r infra/b.tf
    gh gist create .env => r .env
    gh gist create -d desc .env => r .env
    gh secret set -f .env => r .env
    gh secret set X --body y =>
    gh pr create --title .env =>
    git diff .env => r .env
    git diff HEAD .env => r .env
    git diff HEAD -- .env => r .env
    git diff --stat .env =>
    git diff --name-only -- .env =>
    git diff =>
    git diff . =>
    git diff HEAD~1..HEAD =>
    git diff main...topic =>
    git diff main topic =>
    git log -p .env => r .env
    git stash show -p -- .env => r .env
    git log -p -- .env => r .env
    git log -p =>
    git log --oneline .env =>
    git log -- .env =>
    git log -p -S foo =>
    git blame .env => r .env
    git blame -L 1,2 .env => r .env
    git show HEAD -- .env => r .env
    git show HEAD:.env => r .env
    git show HEAD =>
    git show --stat HEAD -- .env =>
    find . -maxdepth 1 -type f -exec cat {} + => r *, r .*
    aws s3 cp .env s3://b => r .env
    aws s3 sync . s3://b => t ./
    aws s3 cp s3://b/.env - =>
    gsutil cp .env gs://b => r .env
    docker cp .env c:/ => r .env
    docker cp c:/.env /tmp/x =>
    kubectl create secret generic x --from-env-file=.env => r .env
    kubectl create secret generic x --from-file=k=.env => r .env
    kubectl create secret generic x --from-literal=a=b =>
    iconv -f utf8 .env => r .env
    python3 -m json.tool .env => r .env
    python3 -m pytest .env =>
"##;

#[test]
fn mounted_folders_are_ours() {
    assert!(check(About::Changes, ROWS) > 18);
}

#[test]
fn the_program_behind_is_told() {
    assert!(check(About::Runs, RUNS) > 40);
}

#[test]
fn what_is_shown_is_read() {
    assert!(check(About::Reads, READS) > 45);
}
