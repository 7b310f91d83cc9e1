use super::*;
use crate::{Redacted, append_line};

struct World {
    dir: tempfile::TempDir,
}

const PATIENCE: Duration = Duration::from_secs(5);

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("project/guards")).unwrap();
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("project").join(name)
    }

    fn seal(&self) -> Seal {
        Seal::new(&self.dir.path().join("state"), &self.dir.path().join("project"))
    }

    /// Seals these files as they are, long enough after their last change.
    fn close(&self, names: &[&str], logs: &[&str]) {
        std::thread::sleep(Duration::from_millis(30));
        let seal = self.seal();
        let mut open = seal.open(PATIENCE).unwrap();
        open.files = names
            .iter()
            .map(|name| {
                let present = seal.present(name);
                if let (Some(bytes), Some(hash)) = (&present.bytes, &present.sha256) {
                    open.keep(bytes, hash).unwrap();
                }
                Sealed {
                    path: (*name).to_owned(),
                    kind: "guard".to_owned(),
                    sha256: present.sha256,
                    stamp: present.stamp,
                    pending: None,
                }
            })
            .collect();
        open.logs = logs.iter().filter_map(|name| SealedLog::seal(&seal, name)).collect();
        open.write(&[self.path("guards")]).unwrap();
    }
}

#[test]
fn every_change_shows_in_the_quick_look() {
    let world = World::new();
    for name in ["config.toml", "guards/a.yaml"] {
        fs::write(world.path(name), "one").unwrap();
    }
    fs::write(world.path("log"), "{}\n").unwrap();
    assert_eq!(world.seal().look(), Look::Unsealed);
    let close = || world.close(&["config.toml", "guards/a.yaml", "absent"], &["log"]);
    let check = |does: &dyn Fn()| {
        close();
        assert_eq!(world.seal().look(), Look::Same);
        does();
        assert_eq!(world.seal().look(), Look::Changed);
    };
    check(&|| fs::write(world.path("config.toml"), "two").unwrap());
    check(&|| fs::remove_file(world.path("guards/a.yaml")).unwrap());
    check(&|| fs::write(world.path("guards/b.yaml"), "new").unwrap());
    check(&|| fs::write(world.path("absent"), "").unwrap());
    check(&|| fs::write(world.path("log"), "").unwrap());
    check(&|| fs::rename(world.path("log"), world.path("moved")).unwrap());
    fs::write(world.path("log"), "{}\n").unwrap();
    close();
    append_line(&world.path("log"), "{}", Durability::Quick, PATIENCE).unwrap();
    fs::write(world.path("other"), "").unwrap();
    assert_eq!(world.seal().look(), Look::Same);
}

#[test]
fn a_file_that_has_just_changed_is_looked_at_once_more() {
    let world = World::new();
    let seal = world.seal();
    fs::write(world.path("config.toml"), "one").unwrap();
    let mut open = seal.open(PATIENCE).unwrap();
    let present = seal.present("config.toml");
    open.files = vec![Sealed { path: "config.toml".into(), stamp: present.stamp, ..Sealed::default() }];
    open.write(&[]).unwrap();
    assert_eq!(seal.look(), Look::Changed);
}

#[test]
fn copies_survive_and_a_changed_copy_is_none() {
    let world = World::new();
    fs::write(world.path("config.toml"), "one").unwrap();
    fs::write(world.path("large"), vec![b'x'; COPIED + 1]).unwrap();
    world.close(&["config.toml", "large"], &[]);
    let seal = world.seal();
    let files = seal.files();
    let hash = |at: usize| files[at].sha256.clone().unwrap();
    assert_eq!(seal.copy(&hash(0)).as_deref(), Some(b"one".as_slice()));
    assert_eq!(seal.copy(&hash(1)), None);
    let copy = seal.dir().join(COPIES).join(hash(0));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&copy), mode(copy.parent().unwrap())), (0o600, 0o700));
    }
    fs::write(&copy, "two").unwrap();
    assert_eq!(seal.copy(&hash(0)), None);
    // What nobody needs is removed.
    world.close(&["large"], &[]);
    assert!(!copy.exists());
}

#[test]
fn logs_may_only_grow() {
    let world = World::new();
    let seal = world.seal();
    let path = world.path("log");
    let check = |does: &dyn Fn(), expected: LogLook| {
        let _ = fs::remove_file(&path);
        for number in 0..300 {
            append_line(
                &path,
                Redacted::line(&serde_json::json!({"n": number, "text": "some words"})),
                Durability::Quick,
                PATIENCE,
            )
            .unwrap();
        }
        let sealed = SealedLog::seal(&seal, "log").unwrap();
        does();
        assert_eq!(sealed.compare(&seal), expected);
    };
    let text = || fs::read_to_string(&path).unwrap();
    check(&|| append_line(&path, "{}", Durability::Quick, PATIENCE).unwrap(), LogLook::Grew);
    check(&|| fs::remove_file(&path).unwrap(), LogLook::Gone);
    check(&|| fs::write(&path, &text()[..text().len() - 40]).unwrap(), LogLook::Shorter);
    check(&|| fs::write(&path, text().replace("\"n\":298", "\"n\":999")).unwrap(), LogLook::Rewritten);
    let replaced = |text: String| {
        fs::write(world.path("new"), text).unwrap();
        fs::rename(world.path("new"), &path).unwrap();
    };
    check(&|| replaced(text().replace("\"n\":0,", "\"n\":7,")), LogLook::Rewritten);
}

#[test]
fn writers_announce_what_they_write() {
    let world = World::new();
    let seal = world.seal();
    world.close(&["config.toml"], &[]);
    announce_from(&seal, vec![world.path("config.toml"), world.path("guards")]);
    // Whoever adds to it takes nothing away.
    announce_from(&seal, vec![world.path("cache")]);
    replace(&world.path("config.toml"), b"new", Durability::Quick).unwrap();
    crate::create(&world.path("guards/a.yaml"), b"guard", Durability::Quick).unwrap();
    crate::remove(&world.path("guards/a.yaml")).unwrap();
    replace(&world.path("other"), b"x", Durability::Quick).unwrap();
    let shown =
        |open: &OpenSeal| open.announced.iter().map(|one| (one.path.clone(), one.sha256.clone())).collect::<Vec<_>>();
    let open = seal.open(PATIENCE).unwrap();
    let expected = [
        ("config.toml".to_owned(), Some(sha256(b"new"))),
        ("guards/a.yaml".to_owned(), Some(sha256(b"guard"))),
        ("guards/a.yaml".to_owned(), None),
    ];
    assert_eq!(shown(&open), expected);
    drop(open);
    // One that has not happened stays until it is too old.
    world.close(&["config.toml"], &[]);
    assert_eq!(shown(&seal.open(PATIENCE).unwrap()).len(), 3);
    world.close(&["config.toml", "guards/a.yaml"], &[]);
    assert_eq!(shown(&seal.open(PATIENCE).unwrap()).len(), 3);
}

#[test]
fn an_announcement_is_about_what_changed_then() {
    let world = World::new();
    let seal = world.seal();
    world.close(&["config.toml"], &[]);
    announce_from(&seal, vec![world.path("config.toml")]);
    replace(&world.path("config.toml"), b"new", Durability::Quick).unwrap();
    let open = seal.open(PATIENCE).unwrap();
    let is_announced = |present: &Present| open.announced.iter().any(|one| one.is_about("config.toml", present));
    let present = seal.present("config.toml");
    assert!(is_announced(&present));
    let at = |moved: i64| Present { changed_millis: present.changed_millis + moved, ..present.clone() };
    assert!(is_announced(&at(30_000)));
    assert!(!is_announced(&at(90_000)) && !is_announced(&at(-1_000)));
    assert!(!is_announced(&Present { sha256: Some(sha256(b"other")), ..present.clone() }));
}

#[test]
fn a_seal_of_another_machine_is_known() {
    let world = World::new();
    world.close(&["config.toml"], &[]);
    assert!(!world.seal().open(PATIENCE).unwrap().is_foreign);
    let path = world.seal().dir().join(INDEX);
    let text = fs::read_to_string(&path).unwrap();
    let line = text.lines().find(|line| line.starts_with("{\"machine\":")).unwrap();
    fs::write(&path, text.replace(line, "{\"machine\":\"another\"}")).unwrap();
    assert!(world.seal().open(PATIENCE).unwrap().is_foreign && !world.seal().open(PATIENCE).unwrap().is_new);
    fs::write(&path, text.replace(&format!("{line}\n"), "")).unwrap();
    assert!(!world.seal().open(PATIENCE).unwrap().is_foreign);
}

#[test]
fn a_corrupt_index_is_no_seal() {
    let world = World::new();
    world.close(&["config.toml"], &[]);
    let path = world.seal().dir().join(INDEX);
    let text = fs::read_to_string(&path).unwrap();
    for broken in ["", "stead-seal\t9\tsteady\n\n", &text[..text.len() - 5], &text.replace("steady", "")] {
        fs::write(&path, broken).unwrap();
        assert!(world.seal().look() != Look::Same || broken.len() + 5 == text.len(), "{broken}");
        assert!(world.seal().open(PATIENCE).is_ok());
    }
}
