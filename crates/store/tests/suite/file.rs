use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use stead_store::{
    Creation, Durability, Exact, StoreError, create, create_parents, read_capped, replace, replace_creating,
};

use crate::child::{child, in_small_mount, make_read_only, role, tree};

#[track_caller]
fn check(path: &Path, expected: &str) {
    assert_eq!(fs::read_to_string(path).unwrap(), expected, "{}", path.display());
}

#[test]
fn replacing_keeps_the_mode_and_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for mode in [0o600, 0o640, 0o755, 0o444] {
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        replace(&path, b"new", Durability::Synced).unwrap();
        check(&path, "new");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode);
        assert_eq!(tree(folder.path()), std::slice::from_ref(&path));
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_new_file_follows_the_umask_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, usual) = (folder.path().join("ours"), folder.path().join("usual"));
    replace(&ours, b"x", Durability::Quick).unwrap();
    fs::write(&usual, "x").unwrap();
    assert_eq!(fs::metadata(ours).unwrap().mode(), fs::metadata(usual).unwrap().mode());
}

#[test]
fn links_stay_and_their_targets_change() {
    let folder = tempfile::tempdir().unwrap();
    let (real, far) = (folder.path().join("real"), folder.path().join("far"));
    fs::create_dir(&real).unwrap();
    fs::create_dir(&far).unwrap();
    fs::write(real.join("settings.json"), "old").unwrap();
    symlink("../real/settings.json", far.join("one")).unwrap();
    symlink(far.join("one"), folder.path().join("two")).unwrap();
    replace(&folder.path().join("two"), b"new", Durability::Quick).unwrap();
    check(&real.join("settings.json"), "new");
    assert!(far.join("one").is_symlink() && folder.path().join("two").is_symlink());
    assert_eq!(tree(&real).len(), 1, "the temporary file lay beside the target");

    symlink("later", real.join("dangling")).unwrap();
    replace(&real.join("dangling"), b"made", Durability::Quick).unwrap();
    check(&real.join("later"), "made");
    assert!(real.join("dangling").is_symlink());

    symlink("b", real.join("a")).unwrap();
    symlink("a", real.join("b")).unwrap();
    assert!(matches!(replace(&real.join("a"), b"", Durability::Quick), Err(StoreError::LinkLoop { .. })));
}

#[test]
fn only_files_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let error = replace(folder.path(), b"", Durability::Quick).unwrap_err();
    assert!(matches!(error, StoreError::NotAFile { .. }), "{error:?}");
    let deep = folder.path().join("a/b/file");
    assert!(replace(&deep, b"", Durability::Quick).is_err());
    replace_creating(&deep, b"x", Durability::Quick).unwrap();
    check(&deep, "x");
    fs::write(folder.path().join("plain"), "").unwrap();
    assert!(replace_creating(&folder.path().join("plain/x"), b"", Durability::Quick).is_err());
}

#[test]
fn parents_that_were_made_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    assert_eq!(create_parents(&at("a/b/c")).unwrap(), [at("a"), at("a/b")]);
    assert_eq!(create_parents(&at("a/b/c")).unwrap(), [] as [std::path::PathBuf; 0]);
}

#[test]
fn creating_never_overwrites() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    assert_eq!(create(&path, b"one", Durability::Synced).unwrap(), Creation::Created);
    assert_eq!(create(&path, b"two", Durability::Synced).unwrap(), Creation::Existed);
    check(&path, "one");
    let link = folder.path().join("link");
    symlink("nowhere", &link).unwrap();
    assert_eq!(create(&link, b"three", Durability::Quick).unwrap(), Creation::Existed);
    assert!(!folder.path().join("nowhere").exists());
}

#[test]
fn reading_has_a_bound() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    assert_eq!(read_capped(&path, 3).unwrap(), None);
    fs::write(&path, "123").unwrap();
    assert_eq!(read_capped(&path, 3).unwrap().unwrap(), b"123");
    assert!(read_capped(&path, 2).is_err());
    assert!(matches!(read_capped(folder.path(), 9), Err(StoreError::NotAFile { .. })));
    assert!(matches!(read_capped(Path::new("/dev/zero"), 9), Err(StoreError::NotAFile { .. })));
}

#[test]
fn a_full_disk_keeps_the_old_file() {
    let Some((folder, _)) = role() else {
        return in_small_mount("file::a_full_disk_keeps_the_old_file", "size=64k");
    };
    let path = folder.join("file");
    let old = "o".repeat(20_000);
    fs::write(&path, &old).unwrap();
    for durability in [Durability::Quick, Durability::Synced] {
        let error = replace(&path, &[b'n'; 60_000], durability).unwrap_err();
        assert!(
            matches!(&error, StoreError::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull),
            "{error:?}"
        );
        check(&path, &old);
        assert!(create(&folder.join("other"), &[b'n'; 60_000], durability).is_err());
        assert_eq!(tree(&folder), std::slice::from_ref(&path));
    }
    replace(&path, b"it fits", Durability::Quick).unwrap();
}

#[test]
fn a_read_only_disk_keeps_the_old_file() {
    let Some((folder, _)) = role() else {
        return in_small_mount("file::a_read_only_disk_keeps_the_old_file", "size=64k");
    };
    let path = folder.join("file");
    fs::write(&path, "old").unwrap();
    make_read_only(&folder);
    let error = replace(&path, b"new", Durability::Quick).unwrap_err();
    assert!(error.to_string().contains("file"), "{error}");
    assert!(error.hint().unwrap().contains("read-only"));
    check(&path, "old");
}

#[test]
fn a_killed_writer_leaves_the_old_file_or_the_new_one() {
    const SIZE: usize = 200_000;
    if let Some((folder, _)) = role() {
        for n in 0_u8.. {
            replace(&folder.join("file"), Exact::Own.bytes(&[b'a' + n % 26; SIZE]), Durability::Quick).unwrap();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, vec![b'A'; SIZE]).unwrap();
    for round in 0..15 {
        let test = "file::a_killed_writer_leaves_the_old_file_or_the_new_one";
        let mut child = child(test, folder.path(), "").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(30 + round * 5));
        child.kill().unwrap();
        child.wait().unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len(), SIZE);
        assert!(bytes.iter().all(|byte| *byte == bytes[0]), "two writes in one file");
    }
    assert_ne!(fs::read(&path).unwrap()[0], b'A', "no child ever wrote");
}
