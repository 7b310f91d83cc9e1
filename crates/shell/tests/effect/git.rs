//! What git does.

use super::scene::{About, check};

pub(crate) const ROWS: &str = r##"
    git push => git push
    git push origin main => git push
    git push --force => git force-push
    git push --force-with-lease=x origin +main => git force-push
    git push --force --no-force => git push
    git push -f --no-force origin main => git push
    git push -of origin main => git push
    git push --mirr => git force-push
    git push origin --delete old => git push
    git push --dry --force =>
    git push -f origin main => git force-push
    git push --force-with-lease => git force-push
    git push --force-with-lease=main origin main => git force-push
    git push origin +main => git force-push
    git push origin :old => git push
    git push --delete origin old => git push
    git push -d origin old => git push
    git push --mirror => git force-push
    git push --prune origin => git force-push
    git -C sub push -f => git force-push
    git -c push.default=current push --force => git force-push
    git -c alias.p='push --force' p => git force-push
    git -c alias.x='!rm -rf infra' x => d infra/
    git -c alias.x='!f() { rm -rf "$1"; }; f' x infra => d infra/
    git config alias.wipe 'reset --hard' && git wipe => git config, w ./, git whole-tree
    git config alias.boom '!rm -rf infra'; git boom => git config, d infra/
    git reset --hard => w ./, git whole-tree
    git reset --hard HEAD~3 => w ./, git whole-tree
    git reset --merge => w ./, git whole-tree
    git reset --soft HEAD~1 => git refs
    git reset --h => w ./, git whole-tree
    git reset --ha HEAD~1 => w ./, git whole-tree
    git reset --har => w ./, git whole-tree
    git reset --keep HEAD~1 => git refs
    git reset --k HEAD~1 => git refs
    git reset -- --hard =>
    git reset HEAD -- --merge =>
    git reset HEAD file =>
    git clean -fdx => git whole-tree
    git clean -fd => git whole-tree
    git clean -d =>
    git clean -f --no-force =>
    git clean --no-forc -f => git whole-tree
    git clean -n --no-dry-run -f => git whole-tree
    git -c clean.requireForce=false clean -d => git whole-tree
    git clean -d --forc => git whole-tree
    git clean -fde infra => git whole-tree
    git clean -f . => d ./, git whole-tree
    git clean -fdx -e node_modules => git whole-tree
    git clean -fdx infra => d infra/, git paths
    git clean -n =>
    git checkout . => w ./, git whole-tree
    git checkout -- . => w ./, git whole-tree
    git checkout HEAD -- . => w ./, git whole-tree
    git checkout -- infra => w infra/, git paths
    git checkout -- infra/main.tf => w infra/main.tf, git paths
    git checkout main infra/main.tf => w infra/main.tf, git paths
    git checkout infra/main.tf => w infra/main.tf, git paths
    git checkout -f main => w ./, git whole-tree
    git checkout main =>
    git checkout -b feature =>
    git checkout -bfix =>
    git checkout -qbfix =>
    git switch -cfix =>
    git switch -c fix origin/main =>
    git switch --cre fix =>
    git switch --disc main => w ./, git whole-tree
    git checkout --forc main => w ./, git whole-tree
    git checkout -B feature origin/main =>
    git switch main =>
    git switch -f main => w ./, git whole-tree
    git switch --discard-changes main => w ./, git whole-tree
    git restore . => w ./, git whole-tree
    git restore infra/main.tf => w infra/main.tf, git paths
    git restore --source=HEAD~1 infra => w infra/, git paths
    git restore -s HEAD~1 infra => w infra/, git paths
    git restore --staged . =>
    git restore --stag . =>
    git restore -SW . => w ./, git whole-tree
    git restore --sour HEAD~1 infra => w infra/, git paths
    git rm --cach infra/main.tf =>
    git stash push --include-u => git whole-tree
    git stash show -p =>
    git stash -um wip => git whole-tree
    git restore --staged --worktree . => w ./, git whole-tree
    git restore :/ => w ./, git whole-tree
    cd infra && git checkout . => w infra/, git whole-tree
    cd infra && git reset --hard => w ./, git whole-tree
    cd infra && git restore :/ => w ./, git whole-tree
    git -C infra restore . => w infra/, git whole-tree
    git checkout HEAD~1 -- infra => w infra/, git paths
    git restore infra => w infra/, git paths
    git restore :/infra => w infra/, git paths
    git read-tree -u --reset HEAD => w ./, git whole-tree
    git checkout other -- . => w ./, git whole-tree
    git restore -s other . => w ./, git whole-tree
    git pull =>
    git merge main =>
    git cherry-pick abc =>
    git stash =>
    git stash -u => git whole-tree
    git stash -a => git whole-tree
    git stash push --include-untracked => git whole-tree
    git stash push -u -m wip => git whole-tree
    git stash push -- infra => w infra/, git paths
    git stash push -m wip infra => w infra/, git paths
    git stash pop =>
    git stash list =>
    git stash drop => git whole-tree
    git stash clear => git whole-tree
    git stash drop stash@{1} => git whole-tree
    git push -n --force =>
    git push --dry-run --force =>
    git worktree remove ../wt => git refs
    git worktree remove --force ../wt => d /home/ann/wt/, git whole-tree
    git worktree remove -f wt => d wt/, git whole-tree
    git worktree remove --forc wt => d wt/, git whole-tree
    git worktree remove . => d ./, git refs
    git worktree add -b fix ../wt main => w /home/ann/wt/
    git worktree add ../wt => w /home/ann/wt/
    git worktree prune => git refs
    git branch -D old => git refs
    git branch -d -f old => git refs
    git branch --forc main HEAD~1 => git whole-tree
    git branch --del old => git refs
    git branch -d old => git refs
    git branch -m old new => git refs
    git branch -f main HEAD~1 => git whole-tree
    git branch =>
    git branch --list =>
    git tag -d v1 => git refs
    git tag -f v1 => git refs
    git tag v1 =>
    git rebase main => git refs
    git rebase -i HEAD~3 => git refs
    git filter-branch --tree-filter 'rm -rf infra' HEAD => git whole-tree, d infra/
    git filter-repo --path infra => git whole-tree
    git update-ref -d refs/heads/x => git whole-tree
    git reflog expire --expire=now --all => git refs
    git gc --prune=now =>
    git config user.name x => git config
    git config --global core.hooksPath /dev/null => git config
    git config --unset user.name => git config
    git config --get user.name =>
    git config -l =>
    git config user.name =>
    git remote add o https://example.com/r => git config
    git remote set-url origin https://example.com/r => git config
    git remote -v =>
    git am < fix.patch => w infra/main.tf
    git am fix.patch => w infra/main.tf
    git apply --check fix.patch =>
    git rm --cached infra/main.tf =>
    git rm infra/main.tf => d infra/main.tf, git paths
    git mv infra/main.tf infra/b.tf => m infra/main.tf infra/b.tf, git paths
    git commit -m x =>
    git commit -am 'reset --hard and push --force' =>
    git commit --amend --no-edit =>
    git merge main =>
    git pull --rebase =>
    git fetch =>
    git add -A =>
    git status =>
    git log --oneline =>
    git diff =>
    git show HEAD =>
    git cherry-pick abc =>
    git revert abc =>
    git submodule foreach 'rm -rf infra' => d infra/
    git submodule update --init =>
    git bisect run sh -c 'rm infra/main.tf' => d infra/main.tf
    git rebase -x 'rm infra/main.tf' main => git refs, d infra/main.tf
    git stash push -p =>
    git read-tree -um HEAD => w ./, git whole-tree
    git checkout-index -a -f => w ./, git whole-tree
    git sparse-checkout set src => git whole-tree
    sudo git reset --hard => w ./, git whole-tree
    env GIT_DIR=x git reset --hard => w ./, git whole-tree
    sh -c 'git reset --hard' => w ./, git whole-tree
    python3 -c "import subprocess; subprocess.run(['git','reset','--hard'])" => w ./, git whole-tree
    python3 -c "import os; os.system('git push --force')" => git force-push
    GIT_TRACE=1 git push -f => git force-push
    g=git; $g push --force => git force-push
    git push origin HEAD:main --force => git force-push
    git   push    --force => git force-push
"##;

#[test]
fn git_is_told_by_what_it_does() {
    assert!(check(About::Changes, ROWS) > 127);
}
