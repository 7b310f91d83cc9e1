//! Pages below docs that show what the program prints. With `STEAD_WRITE_PAGES=1` they are written instead of compared.

use std::path::{Path, PathBuf};

pub(crate) fn docs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)
}

/// Returns true if pages are written.
fn writes() -> bool {
    std::env::var_os("STEAD_WRITE_PAGES").is_some()
}

/// Compares a whole file, after `same` has removed what differs from run to run.
pub(crate) fn check_file(name: &str, printed: &str, same: impl Fn(&str) -> String) {
    let path = docs(name);
    if writes() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        return std::fs::write(path, printed).unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{name} is missing"));
    assert_eq!(same(&text), same(printed), "docs/{name} is out of date; run this test with STEAD_WRITE_PAGES=1");
}

/// Compares what follows the comment that names the test, and returns what precedes it.
pub(crate) fn check_end(name: &str, test: &str, printed: &str, same: impl Fn(&str) -> String) -> String {
    let mark = format!("run `STEAD_WRITE_PAGES=1 cargo test -p stead-cli --test suite {test}` -->\n");
    let text = std::fs::read_to_string(docs(name)).unwrap_or_else(|_| panic!("docs/{name} is missing"));
    let (intro, end) = text.split_once(&mark).unwrap_or_else(|| panic!("docs/{name} has no mark: {mark}"));
    if writes() {
        std::fs::write(docs(name), format!("{intro}{mark}{printed}")).unwrap();
    } else {
        assert_eq!(same(end), same(printed), "docs/{name} is out of date; {mark}");
    }
    intro.to_owned()
}
