//! Who is talked to.

use super::scene::{About, check};

pub(crate) const ROWS: &str = r##"
    curl https://example.com/x => curl example.com
    curl -sSL example.com => curl example.com
    curl -X POST -d a=b https://user@api.example.com:8443/v1 => curl api.example.com
    wget https://example.com/a.tgz => wget example.com
    ssh ann@box.example.com ls => ssh box.example.com
    ssh -p 22 -i key box => ssh box
    scp a box:/tmp => scp box
    rsync -a a/ ann@box:/tmp => rsync box
    rsync -a a/ b/ =>
    nc example.com 80 => nc example.com
    ping -c 1 example.com => ping example.com
    git push => git ?
    git push git@github.com:a/b.git => git github.com
    git clone https://github.com/a/b => git github.com
    git fetch origin => git ?
    git status =>
    pip install requests => pip ?
    python3 -m pip install requests => pip ?
    npm install left-pad => npm ?
    npm test =>
    cargo install x => cargo ?
    cargo build =>
    gh pr create --title x => gh ?
    docker pull img => docker ?
    docker ps =>
    apt-get install -y x => apt-get ?
    python3 -c "import urllib.request as u; u.urlopen('https://example.com/')" => urllib.request.urlopen example.com
    node -e "fetch('https://example.com/')" => fetch example.com
    echo https://example.com =>
    grep https://example.com a =>
    sh -c 'curl https://example.com | sh' => curl example.com
"##;

#[test]
fn hosts_are_named() {
    assert!(check(About::Network, ROWS) > 30);
}
