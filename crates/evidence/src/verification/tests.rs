mod foreign;

use std::fs;
use std::time::Duration;

use stead_feature::FeatureError;
use stead_store::run_check;

use super::*;
use crate::verifier::read_on_disk;
use crate::{Offering, add, standing};

struct Project {
    folder: tempfile::TempDir,
    _state: tempfile::TempDir,
    ground: Ground,
}

impl Project {
    fn new(list: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (root, state) = (folder.path().canonicalize().unwrap(), tempfile::tempdir().unwrap());
        let room = |name: &str| root.join(".agent").join(name);
        let ground = Ground {
            features: room("features"),
            indexes: room("context/indexes"),
            cache: room("cache"),
            root: root.clone(),
            state: stead_store::ProjectState::of(state.path(), "test", &root),
        };
        let project = Self { folder, _state: state, ground };
        project.write(".agent/features/feature-list.json", list);
        project.write("a.txt", "one");
        project
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn feature(&self, id: &str) -> Feature {
        FeatureList::require(&self.ground.features).unwrap().find(id).unwrap().clone()
    }

    /// Really runs the command.
    fn run(&self, feature: Option<&Feature>, command: &str, seconds: u64) -> Item {
        let bounds = Bounds::command();
        let before = tree_of(&self.ground, feature.map_or(&[][..], |feature| &feature.files), &bounds);
        let checked = run_check(command, &self.ground.root, &[], Duration::from_secs(seconds), 64 * 1024).unwrap();
        let effects = read_on_disk(command, &self.ground.root, Tools::of(&self.ground.root));
        let ran = Verified {
            output: None,
            feature,
            command,
            effects: &effects,
            checked: &checked,
            before: &before,
            source: Source::Verify,
            supervised: true,
            who: Who { session: Some("s1".into()), ..Who::default() },
            wrote: &|_, _| Vec::new(),
            now: "2026-11-15T22:00:00.000Z",
        };
        record_run(&self.ground, &ran, &bounds).unwrap().item
    }

    #[track_caller]
    fn check(&self, feature: &str, expected: &str) {
        let standing = standing(&self.ground, feature, &Bounds::command()).unwrap();
        let shown = if standing.is_proven() { "proven".to_owned() } else { standing.why_not };
        assert_eq!(shown, expected);
    }
}

#[cfg(unix)]
#[test]
fn what_stead_runs_itself_proves_or_says_why_not() {
    let list = r#"{"features":[{"id":"f","files":["a.txt"],"verifiers":["sh ok.sh"]}]}"#;
    let check = |script: &str, seconds: u64, expected: Option<&str>| {
        let project = Project::new(list);
        project.write("ok.sh", script);
        let feature = project.feature("f");
        let item = project.run(Some(&feature), "sh ok.sh", seconds);
        assert_eq!(item.weak.as_deref(), expected, "{script}");
        assert_eq!(item.is_proof(), expected.is_none(), "{script}");
        match expected {
            None => project.check("f", "proven"),
            Some(why) => project.check("f", &format!("was last tried by `sh ok.sh`: {why}")),
        }
    };
    check("echo fine", 60, None);
    check("true", 60, Some("its output is empty"));
    check("echo '[]'", 60, Some("its output is empty JSON"));
    check("echo no; exit 3", 60, Some("it ended with exit 3"));
    check("echo no; kill -9 $PPID; sleep 5", 60, Some("it was killed by signal 9"));
    check("echo waiting; exec sleep 60", 1, Some("it timed out"));
    check("echo '= 1 failed, 2 passed in 0.1s ='", 60, Some("1 test failed"));
    check("echo '= no tests ran in 0.1s ='", 60, Some("no test ran"));
    check("echo '0 passed'", 60, Some("no test ran"));
    check("echo '0 errors, 0 warnings'", 60, None);
    check("echo two > a.txt; echo fine", 60, Some("the feature's files changed while it ran"));
    check("rm a.txt; echo fine", 60, Some("the feature names no files that exist"));
}

#[test]
fn every_verifier_must_have_run() {
    let list = r#"[{"id":"f","files":["a.txt"],"verifiers":["echo one","echo  'two' 2>&1"]}]"#;
    let project = Project::new(list);
    let feature = project.feature("f");
    project.run(Some(&feature), "echo one", 60);
    project.check("f", "has a verifier that was not run on its current files: `echo  'two' 2>&1`");
    project.run(Some(&feature), "echo  'two' 2>&1", 60);
    project.check("f", "proven");
    project.write(".agent/features/feature-list.json", r#"[{"id":"f","files":["a.txt"],"verifiers":["echo three"]}]"#);
    project.check("f", "has a verifier that was not run on its current files: `echo three`");
}

#[cfg(unix)]
#[test]
fn a_run_of_everything_counts_for_the_others_too() {
    let list = r#"[{"id":"f","files":["a.txt"],"verifiers":["make test"]},{"id":"g","files":["a.txt"]},
        {"id":"h","files":["a.txt"],"verifiers":["make other"]}]"#;
    let project = Project::new(list);
    // A stand-in for a tool of the project, and the same where no tools are.
    let script = "#!/bin/sh\necho '== 2 passed in 0.1s =='\n";
    project.write(".venv/bin/pytest", script);
    project.write("pytest", script);
    let item = project.run(None, "sh ./pytest", 60);
    assert_eq!((item.whole, item.is_proof()), (false, true));
    project.check("g", "has no evidence");
    use std::os::unix::fs::PermissionsExt;
    for path in ["pytest", ".venv/bin/pytest"] {
        fs::set_permissions(project.folder.path().join(path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let item = project.run(None, "./pytest", 60);
    assert_eq!((item.whole, item.is_proof()), (false, true));
    project.check("g", "has no evidence");
    let item = project.run(None, ".venv/bin/pytest", 60);
    assert_eq!((item.whole, item.counts.unwrap().passed), (true, 2));
    project.check("g", "proven");
    project.check("f", "has no evidence");
    assert!(fresh_verification(&project.ground, &Bounds::command()).unwrap().is_fresh());
    assert_eq!(tests_ran(&project.ground, "s1", None).unwrap(), TestsRan { ran: 3, passed: 3 });
}

#[test]
fn what_is_brought_supports_and_never_suffices() {
    let project = Project::new(r#"[{"id":"f","files":["a.txt"]}]"#);
    let feature = project.feature("f");
    let bring = |about: About, name: &str, bytes: &[u8], kind: Kind| {
        let offering = Offering {
            feature: &feature,
            about,
            name,
            bytes,
            note: Some("shows it"),
            kind,
            who: Who::default(),
            now: "2026-11-15T22:00:00.000Z",
        };
        add(&project.ground, &offering, &Bounds::command())
    };
    for empty in ["", "[]", "{}", "null", "{\"data\":[]}"] {
        let error = bring(About::Response, "answer.json", empty.as_bytes(), Kind::Claimed).unwrap_err();
        assert!(error.to_string().starts_with("`answer.json` is not evidence: it is empty"), "{error}");
    }
    project.check("f", "has no evidence");
    let shot = bring(About::File, "x/shot.png", b"\x89PNG\r\n", Kind::Claimed).unwrap();
    let file = shot.file.clone().unwrap();
    assert_eq!((file.name.as_str(), file.bytes), ("shot.png", 6));
    let folder = project.ground.features.join("evidence/f");
    assert_eq!(fs::read(folder.join(&file.kept)).unwrap(), b"\x89PNG\r\n");
    project.check("f", "has only claimed evidence, which does not prove it");
    let answer = bring(About::Response, "-", b"{\"data\":1,\"token\":\"x\"} password=hunter2", Kind::Person).unwrap();
    let kept = fs::read_to_string(folder.join(answer.file.unwrap().kept)).unwrap();
    assert!(!kept.contains("hunter2"), "{kept}");
    // The same moment and content twice are still two records.
    let again = bring(About::File, "shot.png", b"\x89PNG\r\n", Kind::Claimed).unwrap();
    assert_ne!(again.id, shot.id);
    let archive = Archive::new(&project.ground);
    assert_eq!(archive.items("f").unwrap().len(), 3);
    assert_eq!(archive.find(&again.id).unwrap().id, again.id);
    assert_eq!(archive.find(&shot.id).unwrap().id, shot.id);
    assert!(matches!(archive.find("2026"), Err(EvidenceError::AmbiguousItem { .. })));
    assert!(matches!(archive.find("x"), Err(EvidenceError::UnknownItem { .. })));
    assert!(matches!(archive.items("../up"), Err(EvidenceError::Feature(FeatureError::BadId { .. }))));
}

#[test]
fn records_of_other_hands_do_no_harm() {
    let project = Project::new(r#"[{"id":"f","files":["a.txt"],"verifiers":["echo one"]}]"#);
    let feature = project.feature("f");
    project.run(Some(&feature), "echo one", 60);
    let item = Archive::new(&project.ground).items("f").unwrap().remove(0);
    let folder = ".agent/features/evidence/f";
    project.write(&format!("{folder}/a.json"), "{torn");
    project.write(
        &format!("{folder}/b.json"),
        "{\"v\":3,\"id\":\"b\",\"ts\":\"\",\"kind\":\"ran\",\"source\":\"x\",\"about\":\"y\"}",
    );
    let mut own = serde_json::to_value(&item).unwrap();
    own["later"] = serde_json::json!({"x": 1});
    own["kind"] = "sworn".into();
    project.write(&format!("{folder}/{}.json", item.id), &own.to_string());
    let read = Archive::new(&project.ground).items("f").unwrap();
    assert_eq!(read.len(), 1);
    assert_eq!((read[0].kind, &read[0].other["later"]["x"]), (Kind::Unknown, &serde_json::json!(1)));
    project.check("f", "has no evidence");
}
