//! Loops on a real disk: who is held, who is not, and what is left behind.

use std::fs;

use tempfile::TempDir;

use super::super::{Check, LastMessage, LoopClaim, LoopLine, NewLimits, NewLoop};
use super::*;

const NOW: i64 = 1_794_771_930_000;

struct Room {
    folder: TempDir,
    loops: Loops,
}

fn room() -> Room {
    let folder = tempfile::tempdir().unwrap();
    for name in ["loops", "indexes"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    Room { loops: Loops::of_room(folder.path()), folder }
}

fn owner(session: &str) -> Owner {
    Owner::new("h", session).unwrap()
}

fn new(owner: Option<Owner>) -> NewLoop {
    NewLoop {
        prompt: "Fix it.".into(),
        promises: vec!["DONE".into()],
        max_iterations: 25,
        max_minutes: 0,
        max_repeats: 0,
        verify: None,
        verify_seconds: 300,
        then_run: None,
        source_packet_id: None,
        owner,
    }
}

fn stop(said: &str) -> Stop<'_> {
    Stop { said: LastMessage::Message(said), again: false, waiting: 0, cap: None, now: NOW, check: None }
}

impl Room {
    fn held(&self, session: &str, said: &str) -> bool {
        match self.loops.foreground(session).unwrap() {
            Foreground::Own { id } => {
                matches!(self.loops.stop(&id, &owner(session), &stop(said)).unwrap(), Answer::Held { .. })
            }
            _ => false,
        }
    }

    fn did(&self) -> Vec<String> {
        let lines = LoopLine::newest(self.loops.indexes(), None).unwrap();
        lines.map(|line| format!("{} {}", line.did, line.why).trim().to_owned()).collect()
    }
}

#[test]
fn a_loop_holds_its_session_and_nobody_else() {
    let room = room();
    let started = room.loops.start(new(Some(owner("s1"))), NOW).unwrap();
    assert!(room.held("s1", "x"));
    assert!(!room.held("s2", "x"));
    assert!(!room.held("", "x"));
    assert_eq!(room.loops.foreground("s2").unwrap(), Foreground::Others { id: started.state.id.clone() });
    assert!(!room.held("s1", "<promise>DONE</promise>"));
    assert!(!room.held("s1", "x"), "it is over");
    assert_eq!(room.loops.foreground("s1").unwrap(), Foreground::Nothing);
    assert_eq!(room.did(), ["let-go promise `DONE` kept", "held no promise given", "started"]);
}

#[test]
fn a_loop_without_an_owner_holds_nobody_until_it_is_activated() {
    let room = room();
    let id = room.loops.start(new(None), NOW).unwrap().state.id;
    assert!(!room.held("s1", "x"));
    assert_eq!(ActiveLoop::read(room.loops.indexes()).unwrap().last(), Some(id.as_str()));
    let activated = room.loops.activate(&id, Some(&owner("s1")), NOW).unwrap();
    assert_eq!(activated.moved_from, None);
    assert!(room.held("s1", "x"));
    let activated = room.loops.activate(&id, Some(&owner("s2")), NOW).unwrap();
    assert_eq!(activated.moved_from, Some(owner("s1")));
    assert!(!room.held("s1", "x") && room.held("s2", "x"));
}

#[test]
fn a_forged_pointer_or_a_forged_lease_holds_nobody() {
    let room = room();
    let id = room.loops.start(new(Some(owner("s1"))), NOW).unwrap().state.id;
    let pointer = room.folder.path().join("indexes/active-loop.json");
    fs::write(&pointer, format!(r#"{{"sessions":{{"s1":"{id}","s2":"{id}"}}}}"#)).unwrap();
    assert!(!room.held("s2", "x"));
    assert!(room.did()[0].contains("belongs to `h:s1`"), "{:?}", room.did());
    // The same session id in another client is another session.
    let other = Owner::new("g", "s1").unwrap();
    assert!(matches!(room.loops.stop(&id, &other, &stop("x")).unwrap(), Answer::LetGo { .. }));
    let path = room.loops.path(&id);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("session: s1", "session: ")).unwrap();
    assert!(!room.held("s1", "x"));
    assert!(room.did()[0].contains("belongs to no session"), "{:?}", room.did());
}

#[test]
fn one_foreground_loop_for_a_session() {
    let room = room();
    let first = room.loops.start(new(Some(owner("s1"))), NOW).unwrap().state.id;
    let second = room.loops.start(new(Some(owner("s1"))), NOW).unwrap();
    assert_ne!(first, second.state.id);
    assert_eq!(second.paused.as_deref(), Some(first.as_str()));
    assert_eq!(room.loops.read(&first).unwrap().state.status, LoopStatus::Paused);
    assert_eq!(room.loops.foreground("s1").unwrap(), Foreground::Own { id: second.state.id });
    room.loops.activate(&first, Some(&owner("s1")), NOW).unwrap();
    assert_eq!(room.loops.foreground("s1").unwrap(), Foreground::Own { id: first });
}

#[test]
fn a_session_cannot_shake_off_a_loop_that_a_person_started() {
    let room = room();
    let id = room.loops.start(new(None), NOW).unwrap().state.id;
    room.loops.activate(&id, Some(&owner("s1")), NOW).unwrap();
    let refused = room.loops.start(new(Some(owner("s1"))), NOW).unwrap_err();
    assert!(matches!(refused, ContextError::SessionHeld { .. }), "{refused}");
    assert!(room.held("s1", "x"));
    assert_eq!(room.loops.ids().unwrap().len(), 1);
    room.loops.cancel(&id, None, NOW).unwrap();
    room.loops.start(new(Some(owner("s1"))), NOW).unwrap();
}

#[test]
fn what_is_over_stays_over() {
    let room = room();
    let id = room.loops.start(new(Some(owner("s1"))), NOW).unwrap().state.id;
    room.loops.pause(&id, None, NOW).unwrap();
    assert!(!room.held("s1", "x"));
    room.loops.resume(&id, None, NewLimits::default(), NOW).unwrap();
    assert!(room.held("s1", "x"), "it was resumed for the session it belongs to");
    room.loops.cancel(&id, None, NOW).unwrap();
    assert!(!room.held("s1", "x"));
    for refused in [
        room.loops.resume(&id, None, NewLimits::default(), NOW).map(|_| ()),
        room.loops.activate(&id, Some(&owner("s2")), NOW).map(|_| ()),
        room.loops.pause(&id, None, NOW).map(|_| ()),
        room.loops.cancel(&id, None, NOW).map(|_| ()),
    ] {
        assert!(matches!(refused, Err(ContextError::LoopOver { .. })));
    }
}

#[test]
fn a_session_that_goes_on_under_a_new_id_takes_its_loop_along() {
    let room = room();
    room.loops.start(new(Some(owner("s1"))), NOW).unwrap();
    assert!(!room.loops.inherit(&Owner::new("g", "s1").unwrap(), &owner("s9"), NOW).unwrap(), "another client");
    assert!(room.loops.inherit(&owner("s1"), &owner("s2"), NOW).unwrap());
    assert!(!room.held("s1", "x") && room.held("s2", "x"));
    assert!(!room.loops.inherit(&owner("s1"), &owner("s3"), NOW).unwrap());
}

#[test]
fn sixteen_at_once_count_every_stop() {
    let room = room();
    let endless = NewLoop { max_iterations: 0, ..new(Some(owner("s1"))) };
    let id = room.loops.start(endless, NOW).unwrap().state.id;
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                for _ in 0..5 {
                    room.loops.stop(&id, &owner("s1"), &stop("x")).unwrap();
                }
            });
        }
    });
    assert_eq!(room.loops.read(&id).unwrap().state.iteration, 81);
    assert_eq!(room.did().iter().filter(|did| did.starts_with("held")).count(), 80);
}

#[test]
fn files_edited_into_nonsense_are_errors_that_change_nothing() {
    let room = room();
    let id = room.loops.start(new(Some(owner("s1"))), NOW).unwrap().state.id;
    let path = room.loops.path(&id);
    let good = fs::read(&path).unwrap();
    for bad in [&b"\xff\xfe"[..], b"", b"---\nstatus: active\n", b"---\nstatus: odd\n---\n## Loop Prompt\nx\n"] {
        fs::write(&path, bad).unwrap();
        assert!(room.loops.stop(&id, &owner("s1"), &stop("x")).is_err());
        assert_eq!(fs::read(&path).unwrap(), bad);
    }
    let mut long = good.clone();
    long.extend(vec![b'x'; 10 * 1024 * 1024]);
    fs::write(&path, &long).unwrap();
    assert!(room.loops.stop(&id, &owner("s1"), &stop("x")).is_err());
    fs::write(&path, &good).unwrap();
    fs::write(room.folder.path().join("indexes/active-loop.json"), "{torn").unwrap();
    assert!(room.loops.foreground("s1").is_err());
    fs::remove_file(room.folder.path().join("indexes/active-loop.json")).unwrap();
    assert_eq!(room.loops.foreground("s1").unwrap(), Foreground::Nothing);
}

#[test]
fn ids_are_found_by_a_part_and_suggested_when_mistyped() {
    let room = room();
    let id = room.loops.start(new(None), NOW).unwrap().state.id;
    assert_eq!(room.loops.find(&id).unwrap(), id);
    assert_eq!(room.loops.find("fix-it").unwrap(), id);
    let ContextError::UnknownId { nearest, .. } = room.loops.find("fix-ti").unwrap_err() else { panic!("found") };
    assert_eq!(nearest.as_deref(), Some(id.as_str()));
    assert!(room.loops.find("").is_err() && room.loops.find("../../etc/passwd").is_err());
    room.loops.start(new(None), NOW).unwrap();
    assert!(matches!(room.loops.find("fix").unwrap_err(), ContextError::AmbiguousId { count: 2, .. }));
    assert_eq!(room.loops.ids().unwrap().len(), 2);
    assert!(rfc3339(NOW).starts_with(&id[..4]));
}

#[test]
fn the_log_says_what_came_of_a_claim() {
    let room = room();
    let checked = NewLoop { verify: Some("cargo test".into()), ..new(Some(owner("s1"))) };
    let id = room.loops.start(checked, NOW).unwrap().state.id;
    let claim = |said: &str, check: Option<Check>| {
        room.loops.stop(&id, &owner("s1"), &Stop { check, ..stop(said) }).unwrap();
        LoopLine::newest(room.loops.indexes(), None).unwrap().next().unwrap().claim()
    };
    assert_eq!(claim("not yet", None), None);
    let done = "<promise>DONE</promise>";
    assert_eq!(claim(done, Some(Check::Red { how: "exit 1".into(), tail: String::new() })), Some(LoopClaim::Refuted));
    assert_eq!(claim(done, Some(Check::Green)), Some(LoopClaim::Proven));
    room.loops.start(new(Some(owner("s2"))), NOW).unwrap();
    assert!(!room.held("s2", done));
    let last = LoopLine::newest(room.loops.indexes(), None).unwrap().next().unwrap();
    assert_eq!(last.claim(), Some(LoopClaim::Unchecked), "{last:?}");
}

#[test]
fn a_limit_is_no_end() {
    let room = room();
    let few = NewLoop { max_iterations: 2, ..new(Some(owner("s1"))) };
    let id = room.loops.start(few, NOW).unwrap().state.id;
    let stop =
        Stop { said: LastMessage::Message("not yet"), again: false, waiting: 0, cap: None, now: NOW, check: None };
    let answer = || room.loops.stop(&id, &owner("s1"), &stop).unwrap();
    assert!(matches!(answer(), Answer::Held { .. }));
    assert!(matches!(answer(), Answer::LetGo { ended: Some(LoopStatus::Limit), .. }));
    assert_eq!(room.loops.foreground("s1").unwrap(), Foreground::Nothing);
    let refused = room.loops.activate(&id, Some(&owner("s1")), NOW).unwrap_err();
    assert!(refused.hint().unwrap().contains(&format!("stead loop resume {id}")), "{refused}");
    let state = room.loops.resume(&id, Some(&owner("s1")), NewLimits::default(), NOW).unwrap().state;
    assert_eq!((state.status, state.iteration, state.max_iterations), (LoopStatus::Active, 2, 4));
    assert!(matches!(answer(), Answer::Held { .. }) && matches!(answer(), Answer::Held { .. }));
    assert!(matches!(answer(), Answer::LetGo { ended: Some(LoopStatus::Limit), .. }));
    let limits = NewLimits { max_iterations: Some(9), max_minutes: Some(3) };
    let state = room.loops.resume(&id, None, limits, NOW).unwrap().state;
    assert_eq!((state.max_iterations, state.max_minutes), (9, 3));
}

#[test]
fn a_loop_without_its_file_is_logged_and_holds_nobody_any_more() {
    let room = room();
    let id = room.loops.start(new(Some(owner("s1"))), NOW).unwrap().state.id;
    fs::remove_file(room.loops.path(&id)).unwrap();
    let error = room.loops.read(&id).unwrap_err();
    room.loops.trouble(&id, &error, Some(&owner("s1")), NOW).unwrap();
    assert_eq!(room.loops.foreground("s1").unwrap(), Foreground::Nothing);
    let line = LoopLine::newest(room.loops.indexes(), Some(&id)).unwrap().next().unwrap();
    assert_eq!((line.did.as_str(), line.why.as_str()), ("let-go", format!("there is no loop `{id}`").as_str()));
}
