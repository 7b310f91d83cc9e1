//! A client is known in few places: its own files, the rosters, its fixtures. There are two rosters: how a client calls us,
//! and how the engine starts it.

use std::fs;
use std::path::{Path, PathBuf};

use stead_client::Harness;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn a_harness_is_named_in_its_own_files_and_the_rosters_only() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for folder in fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path()) {
        // Stand-ins for tests may name whom they play.
        if folder.file_name().is_some_and(|name| name != "testkit" && name != "scenario") {
            sources(&folder.join("src"), &mut files);
        }
    }
    let rosters = [crates.join("client/src/roster"), crates.join("pipeline/src/provider/roster")];
    for harness in Harness::ALL {
        let name = harness.name();
        let marks = [
            format!("Harness::{harness:?}"),
            format!("Self::{harness:?} "),
            format!("{name}::"),
            format!("mod {name};"),
        ];
        let mut naming: Vec<_> = files
            .iter()
            .filter(|path| {
                let text = fs::read_to_string(path).unwrap();
                // What tests say about a client binds nobody.
                let code = text.split("#[cfg(test)]").next().unwrap_or("");
                marks.iter().any(|mark| code.contains(mark.as_str()))
            })
            .filter(|path| rosters.iter().all(|roster| **path != roster.join(format!("{name}.rs"))))
            .collect();
        naming.sort();
        assert_eq!(naming, [&rosters[0].with_extension("rs"), &rosters[1].with_extension("rs")], "{name}");
        for roster in &rosters {
            assert!(roster.join(format!("{name}.rs")).is_file(), "{name} has no file in {}", roster.display());
        }
    }
}

#[test]
fn names_lead_back() {
    for harness in Harness::ALL {
        assert_eq!(Harness::from_name(harness.name()), Some(harness));
    }
    assert_eq!(Harness::from_name("Claude"), None);
}
