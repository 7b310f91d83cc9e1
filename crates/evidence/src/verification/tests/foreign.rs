//! Records that the log does not vouch for.

use std::path::PathBuf;

use proptest::prelude::*;

use super::*;

const LIST: &str = r#"[{"id":"f","files":["a.txt"],"verifiers":["sh check.sh"]},
    {"id":"g","files":["a.txt"],"verifiers":["echo two"]}]"#;

const FAILED: &str = "was last tried by `sh check.sh`: it ended with exit 3";

/// A project in which `g` is proven, and `f` passed at first and then failed on the same files.
fn project() -> Project {
    let project = Project::new(LIST);
    let (f, g) = (project.feature("f"), project.feature("g"));
    project.write("check.sh", "echo fine");
    project.run(Some(&f), "sh check.sh", 60);
    project.check("f", "proven");
    project.run(Some(&g), "echo two", 60);
    project.write("check.sh", "echo no; exit 3");
    project.run(Some(&f), "sh check.sh", 60);
    project.check("f", FAILED);
    project.check("g", "proven");
    project
}

fn records(project: &Project, feature: &str) -> Vec<PathBuf> {
    let folder = project.ground.features.join("evidence").join(feature);
    let mut all: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

fn is_proven(project: &Project, feature: &str) -> bool {
    standing(&project.ground, feature, &Bounds::command()).unwrap().is_proven()
}

#[test]
fn a_changed_record_is_foreign() {
    let project = project();
    let path = &records(&project, "g")[0];
    let text = fs::read_to_string(path).unwrap();
    fs::write(path, text.replace("\"exit\": 0", "\"exit\":  0")).unwrap();
    let known = standing(&project.ground, "g", &Bounds::command()).unwrap();
    assert_eq!(known.name(), "foreign");
    assert!(known.why_not.ends_with(": it was changed after it was recorded"), "{}", known.why_not);
    fs::write(path, text).unwrap();
    project.check("g", "proven");
}

/// A failure stands in the log: without its record, or with a changed one, it still takes the earlier proof away.
#[test]
fn a_removed_failure_still_counts() {
    let project = project();
    let is_red = |path: &PathBuf| fs::read_to_string(path).unwrap().contains("\"exit\": 3");
    let path = &records(&project, "f").into_iter().find(is_red).unwrap();
    let text = fs::read_to_string(path).unwrap();
    fs::remove_file(path).unwrap();
    project.check("f", FAILED);
    fs::write(path, text.replace("\"exit\": 3", "\"exit\": 0")).unwrap();
    project.check("f", FAILED);
    fs::write(path, "{torn").unwrap();
    project.check("f", FAILED);
}

/// A record of one feature proves no other one.
#[test]
fn a_copy_for_another_feature_is_foreign() {
    let project = project();
    let from = &records(&project, "g")[0];
    let text = fs::read_to_string(from).unwrap().replace("echo two", "sh check.sh").replace("\"g\"", "\"f\"");
    records(&project, "f").iter().for_each(|path| fs::remove_file(path).unwrap());
    let id = from.file_name().unwrap().to_str().unwrap();
    project.write(&format!(".agent/features/evidence/f/{id}"), &text);
    let known = standing(&project.ground, "f", &Bounds::command()).unwrap();
    assert!(!known.is_proven());
    assert_eq!(known.foreign.len(), 1);
    assert_eq!(known.foreign[0].foreign(), Some("this checkout's log does not list it"));
}

/// What an earlier version left has no chain: it is read, and proves nothing. New lines follow it.
#[test]
fn evidence_of_an_earlier_version_is_foreign() {
    let project = project();
    let log = project.ground.log();
    let old = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        let fields = line.as_object_mut().unwrap();
        fields.insert("v".into(), 1.into());
        ["chain", "records", "leaned"].iter().for_each(|name| drop(fields.remove(*name)));
        format!("{line}\n")
    };
    let text: String = fs::read_to_string(&log).unwrap().lines().map(old).collect();
    fs::write(&log, text).unwrap();
    project.ground.chain().end_files().iter().for_each(|path| fs::remove_file(path).unwrap());
    assert_eq!(standing(&project.ground, "g", &Bounds::command()).unwrap().name(), "foreign");
    let archive = Archive::new(&project.ground);
    assert_eq!(archive.recent().unwrap().count(), 3);
    assert_eq!(archive.verify().unwrap().flaws, []);
    let g = project.feature("g");
    project.run(Some(&g), "echo two", 60);
    project.check("g", "proven");
    assert_eq!(archive.verify().unwrap().flaws, []);
    assert_eq!(archive.recent().unwrap().filter(|item| item.foreign().is_none()).count(), 1);
}

#[test]
fn without_a_state_folder_nothing_is_proven() {
    let mut project = project();
    project.ground.state = None;
    let known = standing(&project.ground, "g", &Bounds::command()).unwrap();
    assert_eq!(known.name(), "foreign");
    assert!(known.why_not.ends_with("there is no state folder that vouches for its log"), "{}", known.why_not);
}

/// A picture counts for a user interface only as it was added here.
#[test]
fn a_foreign_picture_shows_nothing() {
    let list = r#"[{"id":"f","ui":true,"files":["a.txt"],"verifiers":["echo one"]}]"#;
    let project = Project::new(list);
    let feature = project.feature("f");
    project.run(Some(&feature), "echo one", 60);
    let picture = [&b"\x89PNG\r\n\x1a\n"[..], &[7; 80]].concat();
    let offering = Offering {
        feature: &feature,
        about: About::File,
        name: "shot.png",
        bytes: &picture,
        note: None,
        kind: Kind::Claimed,
        who: Who::default(),
        now: "2026-11-15T23:00:00.000Z",
    };
    let shot = add(&project.ground, &offering, &Bounds::command()).unwrap();
    project.check("f", "proven");
    let folder = project.ground.features.join("evidence/f");
    let record = folder.join(format!("{}.json", shot.id));
    let text = fs::read_to_string(&record).unwrap();
    fs::write(&record, format!("{text}\n")).unwrap();
    assert!(!is_proven(&project, "f"));
    fs::write(&record, text).unwrap();
    project.check("f", "proven");
    fs::write(folder.join(shot.file.unwrap().kept), [&picture[..], b"!"].concat()).unwrap();
    assert!(!is_proven(&project, "f"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// No single byte of the log, of its heads or of a record makes anything proven that was not.
    #[test]
    fn a_changed_byte_never_yields_more_proof(
        pick in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        thread_local!(static PROJECT: Project = project());
        PROJECT.with(|project| -> Result<(), TestCaseError> {
            let mut files = vec![project.ground.log()];
            files.extend(project.ground.chain().end_files());
            files.extend(records(project, "f"));
            files.extend(records(project, "g"));
            let before = tests_ran(&project.ground, "s1", None).unwrap();
            let path = &files[pick.index(files.len())];
            let whole = fs::read(path).unwrap();
            let mut bytes = whole.clone();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            fs::write(path, &bytes).unwrap();
            let (f, g) = (is_proven(project, "f"), is_proven(project, "g"));
            let after = tests_ran(&project.ground, "s1", None).unwrap();
            fs::write(path, &whole).unwrap();
            prop_assert!(!f, "{}: byte {at} = {byte}", path.display());
            prop_assert!(g || bytes != whole);
            prop_assert!(after.passed <= before.passed);
            Ok(())
        })?;
    }
}
