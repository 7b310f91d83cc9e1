use super::*;

/// The hint for a fixture of this name, if it is told of.
fn hint(name: &str) -> Option<String> {
    let place = TestProject::new(&[(&format!("fixtures/{name}"), "Done.\n")]);
    let findings = place.lint();
    assert!(findings.len() < 2, "{findings:?}");
    findings.into_iter().next().map(|finding| {
        assert_eq!((finding.code, finding.severity), (Code::L013, Severity::Warning), "{name}");
        finding.hint.unwrap()
    })
}

#[test]
fn a_fixture_that_is_never_played_is_told() {
    for name in ["iteration-1.txt", "iteration-12.txt", "default.txt", "README.md", ".gitkeep", "notes.md"] {
        assert_eq!(hint(name), None, "{name}");
    }
    for (name, expected) in [
        ("iteration-01.txt", "rename it to `iteration-1.txt`"),
        ("iteration_1.txt", "rename it to `iteration-1.txt`"),
        ("Iteration 3.TXT", "rename it to `iteration-3.txt`"),
        ("iteration-2.md", "rename it to `iteration-2.txt`"),
        ("defualt.txt", "rename it to `default.txt`"),
        ("statsu.json", "rename it to `status.json`"),
    ] {
        assert_eq!(hint(name).as_deref(), Some(expected), "{name}");
    }
    for name in ["iteration-x.txt", "other.txt", "iteration-0.txt"] {
        let hint = hint(name).unwrap();
        assert!(hint.starts_with("rename it to `iteration-1.txt`, with the number"), "{name}: {hint}");
    }
}

#[test]
fn a_mark_before_a_fixture_hides_nothing() {
    check(
        &[("fixtures/default.txt", "\u{feff}---status\n{\"decision\": \"maybe\"}\n---\nDone.\n")],
        &[(Code::L013, 1, "its status is invalid")],
    );
}
