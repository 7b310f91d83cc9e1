use super::Finding;
use crate::metadata::Metadata;

/// Packages whose first use costs more than the whole hook call.
const SLOW: &[&str] =
    &["clap", "globset", "hyper", "regex", "rmcp", "rusqlite", "serde-saphyr", "tokio", "tree-sitter"];

/// The first compiles expressions, but only if a guard needs it; the second parses source code, but only after a call
/// that changed some; the third reads YAML, but only if a guard file or the intents file has changed. The count of
/// instructions checks that the usual call does none of it.
const READERS: &[&str] = &["stead-guard", "stead-code", "stead-yaml"];

/// `hook` does not depend, directly or indirectly, on packages that are too slow for the hot path.
pub(super) fn hook_pulls_in_nothing_slow(metadata: &Metadata) -> Vec<Finding> {
    let closure = metadata.closure("stead-hook", READERS);
    if closure.is_empty() {
        return vec![Finding::whole("crates/hook/Cargo.toml", "cargo knows no package `stead-hook`")];
    }
    let slow = SLOW.iter().filter(|name| closure.contains(*name));
    slow.map(|name| {
        let reason = format!("`{name}` is among the packages of `hook`; see `cargo tree -p stead-hook -i {name}`");
        Finding::whole("crates/hook/Cargo.toml", reason)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::Package;

    #[track_caller]
    fn check(packages: &[&str], needs: &[(&str, &[&str])], expected: usize) {
        let package = |name: &&str| Package {
            id: (*name).into(),
            name: (*name).into(),
            version: String::new(),
            licence: None,
            source: None,
        };
        let metadata = Metadata {
            packages: packages.iter().map(package).collect(),
            needs: needs
                .iter()
                .map(|(name, needed)| ((*name).into(), needed.iter().map(|one| (*one).into()).collect()))
                .collect(),
            target_directory: String::new(),
        };
        assert_eq!(hook_pulls_in_nothing_slow(&metadata).len(), expected);
    }

    #[test]
    fn a_slow_package_is_found_however_far() {
        check(&["stead-hook", "serde"], &[("stead-hook", &["serde"])], 0);
        check(&["stead-hook", "a", "regex"], &[("stead-hook", &["a"]), ("a", &["regex"])], 1);
        check(&["stead-hook", "clap"], &[], 0);
        check(&["stead-hook", "clap"], &[("stead-hook", &["clap"])], 1);
        let needs: &[(&str, &[&str])] = &[("stead-hook", &["stead-guard"]), ("stead-guard", &["serde-saphyr"])];
        check(&["stead-hook", "stead-guard", "serde-saphyr"], needs, 0);
    }

    #[test]
    fn a_missing_hook_room_is_found() {
        check(&["serde"], &[], 1);
    }
}
