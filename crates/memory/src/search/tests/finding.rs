use super::*;
use crate::{Anchor, Filters, Outcome, TraceStatus};

const TEXTS: &[&str] = &[
    "edited the generated schema.rs by hand",
    "pushed to main with --force",
    "getUserById returns null for deleted users",
    "ran the migrations against the production database",
    "本番データベースで認証を変更した",
    "Проверка паролей была отключена",
    "committed a secret key to the repository",
    "the README mentions pnpm but the agent ran npm install",
];

#[track_caller]
fn first(world: &World, query: &str, expected: usize) {
    let found = world.find(query);
    assert_eq!(found.first().map(String::as_str), Some(TEXTS[expected]), "{query}: {found:?}");
}

#[test]
fn words_names_misspellings_and_scripts() {
    let world = World::with(TEXTS);
    for is_indexed in [false, true] {
        if is_indexed {
            world.search().update();
        }
        first(&world, "generating schemas", 0);
        first(&world, "genrated", 0);
        first(&world, "force-pushing", 1);
        first(&world, "get_user_by_id", 2);
        first(&world, "GetUserByID", 2);
        first(&world, "userbyid", 2);
        first(&world, "migartions", 3);
        first(&world, "databse producton", 3);
        first(&world, "認証", 4);
        first(&world, "データベースの認証", 4);
        first(&world, "паролей", 5);
        first(&world, "SECRET comitted", 6);
        first(&world, "how do I install with npm?", 7);
    }
}

#[test]
fn query_syntax_is_plain_words() {
    let world = World::with(TEXTS);
    world.search().update();
    for query in
        ["\"schema\"", "schema*", "NEAR(schema, 2)", "what_happened:schema", "schema OR (", "-schema ^ + ' ;--"]
    {
        first(&world, query, 0);
    }
    for nothing in ["\"", "*", "()", "\0", "AND", "…"] {
        world.find(nothing);
    }
}

#[test]
fn an_unrelated_query_abstains() {
    let world = World::with(TEXTS);
    let answer = world.ask(&full("kubernetes ingress certificate rotation with helm charts"));
    assert!(answer.items.is_empty());
    assert!(answer.abstained.is_some_and(|why| !why.is_empty()));
    let none = World::new().ask(&full("anything"));
    assert!(none.items.is_empty() && none.abstained.is_some());
    let none = World::new().ask(&full(""));
    assert_eq!(none.abstained.as_deref(), Some("there are no traces"));
}

#[test]
fn without_words_the_newest_come_first() {
    let world = World::with(TEXTS);
    let newest: Vec<&str> = TEXTS.iter().rev().take(5).copied().collect();
    assert_eq!(world.find(""), newest);
    world.search().update();
    assert_eq!(world.find("  "), newest);
}

#[test]
fn filters_come_first() {
    let mut traces: Vec<Trace> = (0..12).map(|at| about("the build failed", 12 - at)).collect();
    traces[3].kind = TraceKind::Violation;
    traces[4].status = TraceStatus::Suspected;
    traces[5].outcome = Some(Outcome::WentRound);
    traces[6].context.agent = Some("coder".to_owned());
    traces[7].context.feature = Some("F-001".to_owned());
    traces[8].context.guard = Some("no-force-push".to_owned());
    traces[9].context.intent = Some("INT-001".to_owned());
    traces[10].anchors = vec![Anchor { path: "src/auth/login.rs".to_owned(), ..Anchor::default() }];
    let world = World::new();
    world.add(&traces);
    let check = |filters: Filters, expected: &[usize]| {
        for text in ["", "failing builds"] {
            let query = Query { filters: filters.clone(), count: Some(20), ..full(text) };
            let found: Vec<String> =
                world.ask(&query).items.iter().filter_map(|item| Some(item["id"].as_str()?.to_owned())).collect();
            let mut wanted: Vec<String> = expected.iter().map(|at| traces[*at].id.to_string()).collect();
            wanted.reverse();
            assert_eq!(found, wanted, "{text} {filters:?}");
        }
    };
    for is_indexed in [false, true] {
        if is_indexed {
            world.search().update();
        }
        let none = Filters::default;
        let word = |word: &str| vec![word.to_owned()];
        check(Filters { kinds: vec![TraceKind::Violation], ..none() }, &[3]);
        check(Filters { statuses: vec![TraceStatus::Suspected], ..none() }, &[4]);
        check(Filters { outcomes: vec![Outcome::WentRound], ..none() }, &[5]);
        check(Filters { agents: word("coder"), ..none() }, &[6]);
        check(Filters { features: word("F-001"), ..none() }, &[7]);
        check(Filters { guards: word("no-force-push"), ..none() }, &[8]);
        check(Filters { intents: word("INT-001"), ..none() }, &[9]);
        check(Filters { files: word("src/auth/login.rs"), ..none() }, &[10]);
        check(Filters { files: word("./src/auth/"), ..none() }, &[10]);
        check(Filters { files: word("src/aut"), ..none() }, &[]);
        check(Filters { agents: word("nobody"), ..none() }, &[]);
        check(Filters { kinds: vec![TraceKind::Violation], agents: word("coder"), ..none() }, &[]);
        check(Filters { from: Some(NOW - 2 * 3_600_000), ..none() }, &[10, 11]);
        check(Filters { to: Some(NOW - 11 * 3_600_000), ..none() }, &[0]);
        check(Filters { from: Some(NOW - 4 * 3_600_000), to: Some(NOW - 2 * 3_600_000), ..none() }, &[8, 9]);
    }
}

#[test]
fn a_hit_explains_itself() {
    let world = World::with(TEXTS);
    let answer = world.ask(&Query { level: Level::Metadata, ..full("migartions database") });
    let item = &answer.items[0];
    assert_eq!(item["matched"]["channels"], serde_json::json!(["words", "trigrams"]));
    let terms = item["matched"]["terms"].as_array().expect("a list");
    assert!(terms.contains(&"migartions".into()) && terms.contains(&"database".into()), "{terms:?}");
    assert_eq!((&item["age"], &item["freshness"]), (&"5h".into(), &"unanchored".into()));
    assert_eq!(item["superseded_by"], Value::Null);
}

#[test]
fn bad_lines_are_skipped() {
    let world = World::with(&TEXTS[..2]);
    world.add_text("traces.jsonl", "{\"id\": \"torn\n\n[]\nnull\n{\"unknown\": {\"deep\": [1]}, \"event\": {\"what_happened\": \"foreign zebra\"}, \"type\": \"odd\"}\n");
    let huge = "zebra ".repeat(2_000_000);
    world.add_text("traces.jsonl", &format!("{{\"event\": {{\"what_happened\": \"{huge}\"}}}}\n"));
    let long = about(&format!("long zebra {}", "stripe ".repeat(100_000)), 1);
    world.add(&[long]);
    world.add_text("traces.jsonl", "{\"event\": {\"what_happened\": \"not finished");
    for is_indexed in [false, true] {
        if is_indexed {
            world.search().update();
        }
        assert_eq!(world.find("zebra").len(), 2);
        assert_eq!(world.find("schema").len(), 1);
        assert_eq!(world.find("finished").len(), 0);
    }
    world.add_text("traces.jsonl", " zebra\"}}\n");
    assert_eq!(world.find("finished").len(), 1);
    world.search().update();
    assert_eq!(world.find("finished").len(), 1);
}
