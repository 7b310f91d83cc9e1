use proptest::prelude::*;

use super::*;

const IDS: [&str; 4] = ["a", "b", "c", "d"];

/// Any event about any feature, whether it can happen or not. Moments are offsets from now.
fn event() -> impl Strategy<Value = Event> {
    (0..IDS.len(), 0..18, 0..3_i64, 0..2_u8).prop_map(|(at, kind, minutes, owner)| {
        let feature = IDS[at].to_owned();
        match kind {
            0 | 1 => take(&feature, &format!("agent {owner}"), NOW + minutes * LEASE),
            2 | 3 => implemented(&feature),
            4 => passed(&feature),
            5 | 6 => failed(&feature),
            7 => Event::Vetoed { feature, why: "no".into() },
            8 => Event::ClaimExpired { feature },
            9 => Event::DiedWithEngine { feature },
            10 => Event::HandoffFailed { feature, why: "no".into() },
            11 => Event::TimedOut { feature },
            12 => Event::NeedsPerson { feature, question: "why?".into() },
            13 => Event::Answered { feature, answer: "so".into() },
            14 => Event::Unblocked { feature },
            15 => Event::Conflict { feature, branches: vec!["x".into(), "y".into()] },
            16 => Event::Skipped { feature, why: String::new() },
            _ if owner == 0 => Event::Blocked { feature, on: BlockedOn::Dependency, why: "later".into() },
            _ => Event::Quota { feature: Some(feature), until: NOW + minutes * LEASE },
        }
    })
}

fn take(feature: &str, owner: &str, expires: i64) -> Event {
    Event::Claimed { feature: feature.into(), owner: owner.into(), expires, command_id: None, tree: None }
}

fn begin() -> State {
    state(&[
        ("a", Pending, 0, &[]),
        ("b", Pending, 0, &["a"]),
        ("c", Implemented, 0, &[]),
        ("d", Pending, 0, &["b", "c"]),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_happens_the_rules_hold(events in prop::collection::vec((event(), 0..90_000_i64), 1..60)) {
        let rules = Rules::default();
        let (mut state, mut now) = (begin(), NOW - LEASE);
        for (event, pause) in &events {
            now += pause;
            let Ok(Step { state: new, changes, .. }) = step(&state, event, now, &rules) else { continue };
            let (before, after) = (state.outline.as_ref().unwrap(), new.outline.as_ref().unwrap());
            let resets = matches!(event, Event::Unblocked { .. } | Event::Answered { .. });
            for (old, new) in before.rows.iter().zip(&after.rows) {
                if new.status == Tested && old.status != Tested {
                    prop_assert!(matches!(event, Event::Passed { proof, .. } if proof.feature() == old.id), "{event:?}");
                }
                prop_assert!((old.attempts..=old.attempts + 1).contains(&new.attempts), "{event:?}");
                prop_assert!(new.retries >= old.retries || resets, "{event:?}");
                let is_over = matches!(new.status, Blocked | Skipped);
                prop_assert!(new.retries < rules.retries || new.retries == rules.retries && is_over, "{event:?}");
            }
            for claim in &new.session.claims {
                prop_assert_eq!(new.session.claims.iter().filter(|other| other.feature == claim.feature).count(), 1);
                let status = row(&state, &claim.feature).status;
                let earlier = state.session.claim(&claim.feature).filter(|earlier| earlier.is_live(status, now));
                prop_assert!(earlier.is_none_or(|earlier| earlier.owner == claim.owner), "claimed twice: {event:?}");
            }
            prop_assert!(new.session.history.len() <= 20);
            prop_assert!(!changes.is_empty() || new == state);
            if matches!(event, Event::Passed { .. } | Event::Implemented { .. } | Event::Skipped { .. }) {
                let again = step(&new, event, now, &rules).unwrap().state;
                prop_assert_eq!(&again.outline, &new.outline, "delivered twice: {:?}", event);
            }
            state = new;
        }
    }

    #[test]
    fn the_files_say_what_the_machine_says(events in prop::collection::vec(event(), 1..30)) {
        let rules = Rules::default();
        let path = std::path::Path::new("");
        let text = r#"{"features": [{"id":"a"}, {"id":"b","depends_on":["a"]},
            {"id":"c","status":"completed"}, {"id":"d","depends_on":["b","c"],"other":[1]}]}"#;
        let document = Document::parse(text.as_bytes().to_vec(), path).unwrap();
        let mut opened = Opened { document: Some(document), session: SessionState::default() };
        let mut state = begin();
        for event in &events {
            let stepped = step(&state, event, NOW, &rules).map(|step| step.state);
            let written = opened.apply(event, NOW, &rules);
            prop_assert_eq!(stepped.is_ok(), written.is_ok());
            state = stepped.unwrap_or(state);
            let read = opened.document.as_ref().unwrap().outline();
            prop_assert_eq!(&read.rows, &state.outline.as_ref().unwrap().rows);
            let session = SessionState::parse(opened.session.text().as_bytes(), path).unwrap();
            prop_assert_eq!(&session, &state.session);
        }
    }

    /// Whoever does what the machine says comes to an end, however the agents do, as long as nobody interferes.
    #[test]
    fn every_sequence_ends(outcomes in prop::collection::vec(0..6_u8, 100), mut answers in 0..3_u32) {
        let rules = Rules::default();
        let mut state = begin();
        for outcome in outcomes {
            let action = next(state.outline.as_ref(), &state.session, NOW, &rules);
            let event = match &action {
                Action::End { .. } => return Ok(()),
                Action::AskPerson { .. } if answers == 0 => return Ok(()),
                Action::AskPerson { feature, .. } => {
                    answers -= 1;
                    Event::Answered { feature: feature.clone(), answer: "so".into() }
                }
                Action::Code { feature, .. } | Action::Test { feature } => {
                    state = step(&state, &take(feature, "x", NOW + LEASE), NOW, &rules).unwrap().state;
                    match outcome {
                        0 => failed(feature),
                        1 => Event::HandoffFailed { feature: feature.clone(), why: "no".into() },
                        2 => Event::TimedOut { feature: feature.clone() },
                        3 => Event::NeedsPerson { feature: feature.clone(), question: "?".into() },
                        _ if matches!(action, Action::Code { .. }) => implemented(feature),
                        _ => passed(feature),
                    }
                }
                Action::Wait { .. } | Action::Initialize => unreachable!("{action:?}"),
            };
            state = step(&state, &event, NOW, &rules).unwrap().state;
        }
        prop_assert!(false, "no end");
    }
}
