use std::time::Duration;

use super::*;
use crate::semantic::DIMENSIONS;
use crate::{Channel, Filters};

/// A stand-in for a model: each group of words is a direction.
struct Groups(&'static str);

const GROUPS: &[&[&str]] = &[
    &["car", "automobile", "vehicle"],
    &["erase", "delete", "wipe", "remove"],
    &["password", "credential", "secret"],
    &["slow", "latency", "sluggish"],
];

impl Embedder for Groups {
    fn id(&self) -> &str {
        self.0
    }

    fn embed_all(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        texts.iter().map(|text| self.embed(text)).collect()
    }
}

impl Groups {
    fn embed(&self, text: &str) -> Vec<f32> {
        let mut vector = [0.0; DIMENSIONS];
        stead_model::each_word(text, |word| {
            let group = GROUPS.iter().position(|group| group.contains(&word));
            let direction = group.unwrap_or(GROUPS.len() + word.bytes().map(usize::from).sum::<usize>() % 20);
            for number in vector.iter_mut().skip(direction * 16).take(16) {
                *number += if group.is_some() { 3.0 } else { 0.3 };
            }
        });
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        vector.map(|number| number / length).to_vec()
    }
}

const MODEL: Groups = Groups("groups/1");

const TEXTS: &[&str] =
    &["the agent tried to wipe the disk", "a vehicle was parked", "credential in the log", "latency of the queue"];

fn ask(world: &World, text: &str) -> Answer {
    let search = world.search();
    assert_eq!(search.embed(&MODEL, Duration::from_secs(5)), 0);
    search.query(&full(text), Some(&MODEL), NOW)
}

#[test]
fn other_words_with_the_same_meaning_are_found() {
    let world = World::with(TEXTS);
    for (query, expected) in [("delete", 0), ("automobile", 1), ("password", 2), ("sluggish", 3)] {
        let answer = ask(&world, query);
        assert_eq!(told(&answer), [TEXTS[expected]], "{query}");
        assert_eq!(answer.items[0]["matched"]["channels"], serde_json::json!(["meaning"]));
        assert!(answer.channels.contains(&Channel::Meaning));
        assert!(world.find(query).is_empty());
    }
    let answer = ask(&world, "unrelated nonsense");
    assert!(answer.items.is_empty() && answer.abstained.is_some());
}

#[test]
fn exact_words_win() {
    let world = World::with(&["remove the lock file", "delete the branch", "erase everything"]);
    assert_eq!(told(&ask(&world, "erase everything")).first().map(String::as_str), Some("erase everything"));
    assert_eq!(told(&ask(&world, "delete branch")).first().map(String::as_str), Some("delete the branch"));
}

#[test]
fn filters_hold_for_meaning() {
    let world = World::new();
    let mut traces: Vec<Trace> = (0..300).map(|at| about(&format!("wipe number {at}"), at + 1)).collect();
    traces[250].context.agent = Some("coder".to_owned());
    world.add(&traces);
    let search = world.search();
    search.embed(&MODEL, Duration::from_secs(5));
    let filters = Filters { agents: vec!["coder".to_owned()], ..Filters::default() };
    let answer = search.query(&Query { filters, ..full("erase") }, Some(&MODEL), NOW);
    assert_eq!(told(&answer), ["wipe number 250"]);
}

#[test]
fn vectors_follow_the_traces_and_the_model() {
    let world = World::with(TEXTS);
    assert_eq!(world.search().embed(&MODEL, Duration::ZERO), TEXTS.len());
    assert_eq!(told(&ask(&world, "automobile")).len(), 1);
    world.add(&[about("another car", 0)]);
    assert_eq!(told(&ask(&world, "automobile")).len(), 2);
    let path = world.cache().join("memory/vectors.i8");
    let whole = fs::read(&path).expect("the vectors are there");
    for bytes in [&b""[..], b"something else", &whole[..whole.len() - 100], &whole[..70], &[0; 200]] {
        fs::write(&path, bytes).expect("the vectors are written");
        assert_eq!(told(&ask(&world, "automobile")).len(), 2, "{}", bytes.len());
    }
    // Vectors of another model are not compared.
    let other = world.search().query(&full("automobile"), Some(&Groups("groups/2")), NOW);
    assert!(other.items.is_empty() && !other.channels.contains(&Channel::Meaning));
    fs::write(world.log(), "").expect("the log is emptied");
    world.add(&[about("quite another text about nothing at all", 1), about("a car again", 1)]);
    fs::remove_file(&path).expect("the vectors are removed");
    assert_eq!(told(&ask(&world, "automobile")), ["a car again"]);
}

#[test]
fn many_vectors_are_compared_by_their_signs_first() {
    use crate::index::{VectorKey, Vectors};
    let dir = TempDir::new().expect("a temporary folder");
    let mut vectors = Vectors::open_to_append(dir.path(), "m").expect("it opens");
    let mut state = 7_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let mut unit = || {
        let vector: [f32; DIMENSIONS] = std::array::from_fn(|_| random());
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        vector.map(|number| number / length)
    };
    let wanted = unit();
    let filler: Vec<[f32; DIMENSIONS]> = (0..64).map(|_| unit()).collect();
    let rows = 101_000;
    for row in 0..rows {
        let vector = if row == 70_001 { wanted } else { filler[row as usize % 64] };
        let key = VectorKey { log: 1, length: 2, offset: row, text: 3 };
        vectors.push(key, &vector).expect("it is written");
    }
    let mut vectors = Vectors::open(dir.path(), "m").expect("it opens");
    assert_eq!(vectors.rows(), rows);
    let near = vectors.nearest(&wanted, 2, None).expect("it is read");
    assert_eq!(near[0].key.offset, 70_001);
    assert!(near[0].cosine > 0.98 && near[1].cosine < 0.5, "{near:?}");
}
