use std::collections::{BTreeMap, BTreeSet};

use stead_model::unix_millis;

use crate::history::Standing;

/// When a guard goes one mode down by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DemotionRule {
    /// So many verdicts that a person overrode, or whose appeal a person upheld,
    pub count: usize,
    /// within so many days,
    pub days: i64,
    /// from so many sessions.
    pub sessions: usize,
}

pub const DEMOTION: DemotionRule = DemotionRule { count: 3, days: 14, sessions: 2 };

/// A guard that people keep overriding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demotion {
    /// The id of the guard's file.
    pub guard: String,
    /// The verdicts.
    pub evidence: Vec<String>,
    pub why: String,
}

/// Finds the guards that are due for a step down. Only what happened since the guard's last change counts
/// (`changed`, by guard), and only people's decisions: an agent's appeals never do. `session_of` finds the session of a
/// verdict that its line does not name.
pub fn demotions(
    rule: DemotionRule,
    standing: &Standing,
    changed: &BTreeMap<String, String>,
    session_of: &dyn Fn(&str) -> Option<String>,
    now_millis: i64,
) -> Vec<Demotion> {
    let known = standing.sessions();
    let overridden = standing.overrides.iter().map(|line| (&line.guard, &line.verdict, &line.ts));
    let upheld =
        standing.upheld.iter().flat_map(|line| line.guards.iter().map(move |guard| (guard, &line.verdict, &line.ts)));
    let mut verdicts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (guard, verdict, ts) in overridden.chain(upheld) {
        // The guards of a pack share a file and so a mode.
        let guard = guard.split('.').next().unwrap_or(guard);
        let age = unix_millis(ts).map(|ts| now_millis - ts);
        let is_recent = age.is_some_and(|age| (0..=rule.days * 24 * 3600 * 1000).contains(&age));
        let is_since = changed.get(guard).is_none_or(|changed| ts > changed);
        if is_recent && is_since {
            verdicts.entry(guard).or_default().insert(verdict);
        }
    }
    let mut due = Vec::new();
    for (guard, verdicts) in verdicts {
        if verdicts.len() < rule.count {
            continue;
        }
        let session =
            |verdict: &&str| known.get(verdict).map(|known| (*known).to_owned()).or_else(|| session_of(verdict));
        let sessions: BTreeSet<String> = verdicts.iter().filter_map(session).collect();
        if sessions.len() >= rule.sessions {
            let (count, sessions) = (verdicts.len(), sessions.len());
            due.push(Demotion {
                guard: guard.to_owned(),
                evidence: verdicts.into_iter().map(str::to_owned).collect(),
                why: format!(
                    "people called {count} of its verdicts wrong in {} days, in {sessions} sessions",
                    rule.days
                ),
            });
        }
    }
    due
}

#[cfg(test)]
mod tests {
    use stead_hook::{Appeal, Override};
    use stead_model::rfc3339;

    use super::*;

    const NOW: i64 = 1_794_771_930_123;
    const DAY: i64 = 24 * 3600 * 1000;

    fn overridden(guard: &str, verdict: &str, session: Option<&str>, days: i64) -> Override {
        Override {
            guard: guard.into(),
            verdict: verdict.into(),
            session: session.map(Into::into),
            ts: rfc3339(NOW - days * DAY),
            ..Override::default()
        }
    }

    fn check(standing: Standing, changed: &[(&str, i64)], expected: &[&str]) {
        let changed = changed.iter().map(|(guard, days)| ((*guard).to_owned(), rfc3339(NOW - days * DAY))).collect();
        let found = demotions(DEMOTION, &standing, &changed, &|verdict| (verdict == "v-old").then(|| "s9".into()), NOW);
        let guards: Vec<&str> = found.iter().map(|demotion| demotion.guard.as_str()).collect();
        assert_eq!(guards, expected, "{standing:?}");
    }

    #[test]
    fn only_people_in_several_sessions_demote() {
        let three = |last: Option<&str>| Standing {
            overrides: vec![
                overridden("g", "v-1", Some("s1"), 1),
                overridden("g", "v-2", Some("s1"), 2),
                overridden("g", "v-3", last, 3),
            ],
            ..Standing::default()
        };
        check(three(Some("s2")), &[], &["g"]);
        check(three(Some("s1")), &[], &[]);
        check(three(None), &[], &[]);
        check(three(Some("s2")), &[("g", 2)], &[]);
        check(three(Some("s2")), &[("g", 20), ("other", 0)], &["g"]);
        let mut standing = three(Some("s2"));
        standing.overrides[2].verdict = "v-2".into();
        check(standing, &[], &[]);
        let mut standing = three(Some("s2"));
        standing.overrides[2].ts = rfc3339(NOW - 15 * DAY);
        check(standing.clone(), &[], &[]);
        let appeal =
            Appeal { guards: vec!["g".into()], verdict: "v-old".into(), ts: rfc3339(NOW - DAY), ..Appeal::default() };
        standing.open = vec![appeal.clone(); 5];
        check(standing.clone(), &[], &[]);
        standing.upheld = vec![appeal];
        check(standing, &[], &["g"]);
        let pack =
            ["v-1", "v-2", "v-3"].map(|verdict| overridden(&format!("pack.{verdict}"), verdict, Some(verdict), 1));
        check(Standing { overrides: pack.to_vec(), ..Standing::default() }, &[], &["pack"]);
    }
}
