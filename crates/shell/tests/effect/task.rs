//! Tasks of the project: scripts of its `package.json`, recipes of its `Makefile`.

use super::scene::{About, check};

pub(crate) const ROWS: &str = r##"
    cd src && npm run fix => d infra/old.tf, w infra/main.tf
    cd src && yarn fix => d infra/old.tf, w infra/main.tf
    cd src && yarn run fix => d infra/old.tf, w infra/main.tf
    cd src && pnpm run fix => d infra/old.tf, w infra/main.tf
    npm --prefix src run fix => d infra/old.tf, w infra/main.tf
    cd src && npm run put -- ../infra/main.tf => w infra/main.tf
    cd src && npm run show =>
    cd src && npm run missing =>
    cd src && npm test =>
    npm run fix =>
    echo '{"scripts":{"fix":"rm infra/main.tf"}}' > package.json && npm run fix => w package.json, d infra/main.tf
    cd src && make fix => w infra/main.tf, d infra/old/
    make -C src fix => w infra/main.tf, d infra/old/
    make -C src =>
    make -C src show =>
    make -C src -n fix =>
    make fix =>
    printf 'fix:\n\trm infra/main.tf\n' > Makefile; make fix => w Makefile, d infra/main.tf
    printf 'fix:\n\trm infra/main.tf\n' > x.mk; echo '-include y.mk x.mk' > Makefile; make fix => w x.mk, w Makefile, d infra/main.tf
    printf 'fix:\n  rm infra/main.tf\n' > x.just; echo "import 'x.just'" > justfile; just fix => w x.just, w justfile, d infra/main.tf
    echo 'include Makefile Makefile' > Makefile; make fix => w Makefile
"##;

#[test]
fn tasks_are_followed() {
    assert!(check(About::Changes, ROWS) > 17);
}
