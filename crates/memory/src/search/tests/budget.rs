use proptest::prelude::*;
use serde_json::json;
use stead_model::tokens;

use super::*;

fn cost(value: &impl serde::Serialize) -> usize {
    tokens(&serde_json::to_string(value).expect("it is JSON"))
}

fn long(at: usize, length: usize) -> Trace {
    let text = format!("trace {at} \"about\" the \u{1} build 認証 ").repeat(length / 30 + 1);
    let event = TraceEvent { what_happened: text.clone(), what_was_correct: text.clone(), why: text };
    let mut trace = Trace { event, effects: Some(json!({"list": vec!["x"; length]})), ..about("", at + 1) };
    let many: serde_json::Map<String, Value> = (0..length / 10).map(|at| (at.to_string(), at.into())).collect();
    trace.more.insert("odd".to_owned(), many.into());
    trace.more.insert("n".repeat(length / 4 + 1), json!(1));
    trace
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn no_answer_is_larger_than_its_budget(
        lengths in proptest::collection::vec(0_usize..6_000, 1..24),
        level in 0_usize..3,
        max_tokens in proptest::option::of(1_usize..30_000),
        count in proptest::option::of(0_usize..40),
    ) {
        let level = Level::ALL[level];
        let world = World::new();
        let traces: Vec<Trace> = lengths.iter().enumerate().map(|(at, length)| long(at, *length)).collect();
        world.add(&traces);
        let query = Query { level, max_tokens, count, ..full("build") };
        let answer = world.ask(&query);
        let most = match (level, max_tokens) {
            (_, Some(most)) => most.clamp(100, 20_000),
            (Level::Full, None) => 2_000 * traces.len().min(count.unwrap_or(5).max(1)),
            _ => level.tokens(),
        };
        prop_assert!(cost(&answer) <= most, "{} of {most}", cost(&answer));
        let found = answer.items.len() + answer.omitted;
        prop_assert_eq!(found, traces.len().min(count.unwrap_or(level.usual_count()).max(1)));
        if max_tokens.is_none() {
            prop_assert!(!answer.items.is_empty());
        }
        let one = world.search().get(&traces[0].id, level, None, NOW).expect("it is there");
        prop_assert!(cost(&one) <= level.tokens());
        prop_assert_eq!(&one["id"], traces[0].id.as_str());
    }
}

#[test]
fn the_usual_look_up_costs_little() {
    let world = World::new();
    let traces: Vec<Trace> = (0..1_000).map(|at| long(at, 200 + at % 900)).collect();
    world.add(&traces);
    let search = world.search();
    let found = search.query(&Query { level: Level::Metadata, ..full("build 認証") }, None, NOW);
    let ids: Vec<TraceId> =
        found.items.iter().filter_map(|item| TraceId::parse(item["id"].as_str()?)).take(5).collect();
    assert_eq!(ids.len(), 5);
    let summaries: Vec<Value> = ids.iter().filter_map(|id| search.get(id, Level::Summary, None, NOW)).collect();
    let whole = search.get(&ids[0], Level::Full, None, NOW).expect("it is there");
    let all = cost(&found) + summaries.iter().map(cost).sum::<usize>() + cost(&whole);
    assert!(summaries.len() == 5 && all <= 7_500, "{all}");
    assert!(cost(&search.query(&full("build"), None, NOW)) <= 10_000);
}

#[test]
fn short_traces_are_told_completely() {
    let world = World::with(&["short one", "short two"]);
    let answer = world.ask(&Query { level: Level::Summary, ..full("short") });
    assert_eq!((answer.items.len(), answer.omitted), (2, 0));
    assert!(
        answer.items.iter().all(|item| item["event"]["what_happened"].as_str().is_some_and(|text| !text.contains('…')))
    );
}
