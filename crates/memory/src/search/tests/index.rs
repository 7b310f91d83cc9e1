use super::*;
use crate::index::Database;

const VOCABULARY: &[&str] = &[
    "deploy", "branch", "readFile", "schema", "login", "the", "queue", "retry", "token", "cache", "migrations", "認証",
    "config", "panics", "timeout", "owner",
];

/// Traces of words in a fixed, uneven order.
fn mixed(from: usize, to: usize) -> Vec<Trace> {
    let word = |at: usize, place: usize| VOCABULARY[(at * at + place * 7 + at * place) % VOCABULARY.len()];
    (from..to)
        .map(|at| {
            let words: Vec<&str> = (0..3 + at % 9).map(|place| word(at, place)).collect();
            about(&format!("{} number{at}", words.join(" ")), 10_000 - at)
        })
        .collect()
}

fn answers(world: &World) -> Vec<Vec<String>> {
    let queries = ["deploy branch", "schema", "the queue retry", "redFile", "認証", "number17 cache", "migration", ""];
    queries.into_iter().map(|query| world.find(query)).collect()
}

fn index_of(world: &World) -> PathBuf {
    Database::path(&world.cache().join("memory"))
}

#[test]
fn the_index_and_the_logs_give_the_same_answers() {
    let scanned = World::new();
    let traces = mixed(0, 700);
    scanned.add(&traces);
    let book = TraceBook::of(&scanned.graph(), None);
    let blocked = scanned.dir.path().join("blocked");
    fs::write(&blocked, "").expect("the file is written");
    let search = TraceSearch::of(&book, None, &blocked, scanned.dir.path());
    let ask = |query: &str| told(&search.query(&full(query), None, NOW));
    let expected: Vec<Vec<String>> =
        ["deploy branch", "schema", "the queue retry", "redFile", "認証", "number17 cache", "migration", ""]
            .into_iter()
            .map(ask)
            .collect();
    assert!(expected.iter().all(|found| !found.is_empty()), "{expected:?}");
    scanned.search().update();
    assert!(index_of(&scanned).exists());
    assert_eq!(answers(&scanned), expected);
    // In many small steps, with a part that is not indexed yet.
    let stepwise = World::new();
    for (at, trace) in traces.iter().enumerate() {
        stepwise.add(std::slice::from_ref(trace));
        if at % 37 == 0 && at < 650 {
            stepwise.search().update();
        }
    }
    assert_eq!(answers(&stepwise), expected);
}

#[test]
fn a_short_log_needs_no_index() {
    let world = World::new();
    world.add(&mixed(0, 100));
    assert!(!world.find("deploy").is_empty());
    assert!(!index_of(&world).exists());
    world.add(&mixed(100, 2_000));
    assert!(!world.find("deploy").is_empty());
    assert!(index_of(&world).exists());
}

#[test]
fn a_damaged_older_or_foreign_index_is_built_again() {
    let world = World::new();
    world.add(&mixed(0, 1_500));
    world.search().update();
    let expected = answers(&world);
    let path = index_of(&world);
    let whole = fs::read(&path).expect("the index is there");
    let check = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("the index is written");
        assert_eq!(answers(&world), expected);
        world.search().update();
        assert_eq!(answers(&world), expected);
    };
    check(b"");
    check(b"not a database");
    check(&whole[..whole.len() / 2]);
    for at in (0..whole.len()).step_by(whole.len() / 40) {
        let mut bytes = whole.clone();
        let end = (at + 3_000).min(bytes.len());
        bytes[at..end].iter_mut().for_each(|byte| *byte ^= 0xa5);
        fs::write(&path, &bytes).expect("the index is written");
        // What is wrong in the middle of a page may go unnoticed; it never fails, and never invents traces.
        for found in answers(&world) {
            assert!(found.iter().all(|text| text.contains("number")));
        }
    }
    fs::write(&path, &whole).expect("the index is written");
    rusqlite::Connection::open(&path)
        .and_then(|db| db.pragma_update(None, "user_version", 0))
        .expect("an older version");
    check(&fs::read(&path).expect("the index is there"));
    fs::remove_file(&path).expect("the index is removed");
    assert_eq!(answers(&world), expected);
}

#[test]
fn a_rewritten_log_is_indexed_again() {
    let world = World::new();
    world.add(&mixed(0, 1_500));
    world.search().update();
    fs::write(world.log(), "").expect("the log is emptied");
    assert!(world.find("deploy").is_empty());
    world.add(&mixed(1_500, 3_000));
    assert!(world.find("number17").is_empty() && !world.find("number1700").is_empty());
    world.add_to("peers/ann.jsonl", &mixed(3_000, 4_500));
    assert!(!world.find("number3700").is_empty());
    fs::remove_file(world.graph().join("peers/ann.jsonl")).expect("the log is removed");
    assert!(!world.find("number1700").is_empty());
    assert!(!world.find("number3700").contains(&"number3700".to_owned()));
}

#[test]
fn many_readers_and_indexers_at_once() {
    let world = World::new();
    world.add(&mixed(0, 3_000));
    std::thread::scope(|scope| {
        for part in 0..8 {
            let world = &world;
            scope.spawn(move || {
                for round in 0..6 {
                    if part == 0 {
                        world.add(&mixed(3_000 + round * 600, 3_600 + round * 600));
                    }
                    let found = world.find("number2900");
                    assert!(found.first().is_some_and(|text| text.ends_with("number2900")), "{found:?}");
                }
            });
        }
    });
    world.search().update();
    assert!(world.find("number6500")[0].ends_with("number6500"));
}

#[test]
fn the_persons_own_log_is_searched() {
    let world = World::with(&["in the project"]);
    world.add_to("../../data/traces.jsonl", &[about("true everywhere", 1)]);
    assert_eq!(world.find("everywhere"), ["true everywhere"]);
    world.search().update();
    assert_eq!(world.find("everywhere"), ["true everywhere"]);
}
