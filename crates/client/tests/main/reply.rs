//! Every verdict at every event of every client, judged by what the client makes of the reply.

use proptest::prelude::*;
use stead_client::{EventFact, Harness, WarnBy};
use stead_model::{Capped, EventKind, Level, Reason, Verdict};

use crate::client::{Taken, take};

/// Gives the reply to a verdict and reads it as the client would.
#[track_caller]
fn taken(harness: Harness, fact: &EventFact, verdict: &Verdict) -> Taken {
    let client = harness.client();
    let reply = client.reply(&client.heard(fact.native), verdict);
    match take(harness, fact.native, fact.kind, &reply) {
        Ok(taken) => taken,
        Err(problem) => panic!("{harness} {}: {problem}\n{verdict:?}\n{reply:?}", fact.native),
    }
}

/// Says what must come of a verdict: never less than was meant, as far as the client listens at all.
#[track_caller]
fn check(harness: Harness, fact: &EventFact, verdict: &Verdict) {
    let taken = taken(harness, fact, verdict);
    let at = format!("{harness} {}: {verdict:?} became {taken:?}", fact.native);
    let powers = fact.powers;
    let reason = verdict.reason_text();
    let has_input = matches!(fact.kind, EventKind::BeforeTool | EventKind::PermissionRequest);
    let cannot_rewrite = has_input && verdict.rewrite.is_some() && !powers.rewrite && verdict.level <= Level::Warn;
    match verdict.level {
        Level::Deny if powers.deny => assert_eq!(taken.denied.as_deref(), Some(&*reason), "{at}"),
        Level::Ask if powers.ask => {
            assert_eq!(taken.asked.as_deref(), Some(&*reason), "{at}");
            assert_eq!(taken.denied, None, "{at}");
        }
        Level::Ask if powers.deny => assert_eq!(taken.denied.as_deref(), Some(&*reason), "{at}"),
        _ if cannot_rewrite && powers.deny => assert!(taken.denied.is_some(), "{at}"),
        Level::Warn | Level::Ask | Level::Deny => match powers.warn {
            WarnBy::Context => assert!(taken.model_reads.as_deref().is_some_and(|t| t.contains(&reason)), "{at}"),
            WarnBy::Notice => assert!(taken.person_reads.as_deref().is_some_and(|t| t.contains(&reason)), "{at}"),
            WarnBy::Both => {
                assert!(taken.model_reads.as_deref().is_some_and(|t| t.contains(&reason)), "{at}");
                let first = reason.split_whitespace().next().unwrap_or_default();
                assert!(
                    taken.person_reads.as_deref().is_some_and(|t| t.contains("Stead warns") || t.contains(first)),
                    "{at}"
                );
            }
            WarnBy::Nothing if powers.ask => assert_eq!(taken.asked.as_deref(), Some(&*reason), "{at}"),
            WarnBy::Nothing if powers.deny => assert_eq!(taken.denied.as_deref(), Some(&*reason), "{at}"),
            WarnBy::Nothing => assert_eq!(taken, Taken::default(), "{at}"),
        },
        Level::Allow => {
            assert_eq!((&taken.denied, &taken.asked), (&None, &None), "{at}");
            let rewrite = verdict.rewrite.as_ref().filter(|_| powers.rewrite);
            let rewrite = rewrite.map(|json| serde_json::from_str(json).unwrap());
            assert_eq!(taken.input, rewrite, "{at}");
        }
    }
    if taken.denied.is_some() || taken.asked.is_some() {
        assert_eq!(taken.input, None, "{at}");
    }
    // A line for the person is shown where the client has a place for it, beside nothing that says the same.
    let notice = verdict.notice_text().filter(|_| taken.denied.is_none() && taken.asked.is_none());
    match powers.warn.reaches_person() {
        true => {
            assert!(notice.is_none_or(|t| taken.person_reads.as_deref().is_some_and(|read| read.contains(&t))), "{at}")
        }
        false if taken.denied.is_none() && taken.asked.is_none() => assert_eq!(taken.person_reads, None, "{at}"),
        false => {}
    }
    let context = verdict.context_text();
    if powers.context && !context.is_empty() {
        assert!(taken.model_reads.as_deref().is_some_and(|text| text.contains(&context)), "{at}");
    }
}

fn every_event() -> impl Iterator<Item = (Harness, &'static EventFact)> {
    Harness::ALL.into_iter().flat_map(|harness| harness.client().facts.events.iter().map(move |fact| (harness, fact)))
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[ {}\\[\\]\"a-z\n]{0,40}"]
}

fn verdicts() -> impl Strategy<Value = Verdict> {
    let level = prop::sample::select(vec![Level::Allow, Level::Warn, Level::Ask, Level::Deny]);
    let rewrite = prop::option::of(prop::sample::select(vec![r#"{"command":"ls"}"#, r#"{"a":{"b":[1]}}"#, "{}"]));
    let context = prop::collection::vec("[a-z{]{1,12}", 0..3);
    let notices = prop::collection::vec("[a-z{]{1,12}", 0..2);
    let reason = words().prop_filter("a reason has words", |reason| !reason.trim().is_empty());
    (level, reason, context, rewrite, notices).prop_map(|(level, reason, context, rewrite, notices)| Verdict {
        level,
        reasons: if level == Level::Allow { Vec::new() } else { vec![reason_of(&reason)] },
        context: context.into_iter().map(Capped::new).collect(),
        rewrite: rewrite.map(str::to_owned),
        grant: false,
        notices: notices.into_iter().map(Capped::new).collect(),
    })
}

fn reason_of(text: &str) -> Reason {
    Reason { gate: "gate", text: Capped::new(text) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_verdict_is_weakened(verdict in verdicts()) {
        for (harness, fact) in every_event() {
            check(harness, fact, &verdict);
        }
    }

    #[test]
    fn unknown_events_are_answered_with_silence(native in words(), verdict in verdicts()) {
        for harness in Harness::ALL {
            let client = harness.client();
            prop_assume!(client.event(&native).is_none());
            let reply = client.reply(&client.heard(&native), &verdict);
            prop_assert!(reply.stdout.is_empty() || reply.stdout == "{}", "{harness}: {reply:?}");
            prop_assert_eq!((reply.exit, reply.stderr.as_str()), (0, ""));
        }
    }
}

#[test]
fn a_call_can_be_denied_everywhere() {
    for harness in Harness::ALL {
        let events = harness.client().facts.events;
        let before: Vec<_> = events.iter().filter(|fact| fact.kind == EventKind::BeforeTool).collect();
        assert!(!before.is_empty() && before.iter().all(|fact| fact.powers.deny), "{harness}");
    }
}

#[test]
fn a_denial_without_words_still_denies() {
    let silent = Verdict { level: Level::Deny, ..Verdict::allow() };
    let blank = Verdict { reasons: vec![reason_of(" \n")], ..silent.clone() };
    for (harness, fact) in every_event().filter(|(_, fact)| fact.powers.deny) {
        for verdict in [&silent, &blank] {
            let denied = taken(harness, fact, verdict).denied;
            assert!(denied.is_some_and(|reason| !reason.trim().is_empty()), "{harness} {}", fact.native);
        }
    }
}

#[test]
fn a_permission_is_granted_only_where_that_is_known_to_work() {
    let grant = Verdict { grant: true, ..Verdict::allow() };
    let mut granting = 0;
    for (harness, fact) in every_event() {
        let client = harness.client();
        let reply = client.reply(&client.heard(fact.native), &grant);
        let granted = reply.stdout.contains(r#""behavior":"allow""#);
        assert_eq!(granted, fact.powers.grant, "{harness} {}", fact.native);
        granting += usize::from(granted);
    }
    assert!(granting > 0);
}

#[test]
fn a_rewrite_that_is_no_object_denies() {
    let broken = Verdict { rewrite: Some("not json".into()), ..Verdict::allow() };
    for (harness, fact) in every_event().filter(|(_, fact)| fact.kind == EventKind::BeforeTool) {
        assert!(taken(harness, fact, &broken).denied.is_some(), "{harness} {}", fact.native);
    }
}

#[test]
fn a_denial_that_carries_a_rewrite_stays_a_denial() {
    let odd = Verdict { rewrite: Some("{}".into()), ..Verdict::deny("gate", "no") };
    for (harness, fact) in every_event().filter(|(_, fact)| fact.kind == EventKind::BeforeTool) {
        let taken = taken(harness, fact, &odd);
        assert_eq!((taken.denied.as_deref(), taken.input), (Some("no"), None), "{harness} {}", fact.native);
    }
}

#[test]
fn nothing_to_say_is_said_in_the_clients_way() {
    let check = |name: &str, native: &str, expected: &str| {
        let client = Harness::from_name(name).unwrap().client();
        let reply = client.reply(&client.heard(native), &Verdict::allow());
        assert_eq!((reply.stdout.as_str(), reply.exit), (expected, 0), "{name} {native}");
    };
    check("claude", "PreToolUse", "");
    check("codex", "PreToolUse", "");
    check("codex", "Stop", "{}");
    check("codex", "SubagentStop", "{}");
    check("gemini", "BeforeTool", "{}");
    check("qwen", "PreToolUse", "{}");
    check("opencode", "tool.execute.before", "{}");
    check("copilot", "preToolUse", "{}");
    check("kimi", "UserPromptSubmit", "");
    check("kimi", "Stop", "");
    check("droid", "PreToolUse", "");
    check("cursor", "preToolUse", "{}");
    check("grok", "PreToolUse", "{}");
    check("kilo", "tool.execute.before", "{}");
    check("pi", "tool.execute.before", "{}");
}
