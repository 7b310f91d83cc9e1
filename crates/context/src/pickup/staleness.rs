use stead_model::unix_millis;

use super::{FileReport, FileState, Repository};
use crate::Packet;

const HOUR: i64 = 3600 * 1000;
const DAY: i64 = 24 * HOUR;

stead_model::named! {
    /// How far a packet may have drifted from reality. The worst of several factors counts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Staleness {
        Fresh = "fresh",
        Aging = "aging",
        Stale = "stale",
        VeryStale = "very-stale",
    }
}

impl Staleness {
    /// Ranks a number by the lower bound of each level above fresh.
    fn of(number: i64, [aging, stale, very]: [i64; 3]) -> Self {
        match number {
            _ if number >= very => Self::VeryStale,
            _ if number >= stale => Self::Stale,
            _ if number >= aging => Self::Aging,
            _ => Self::Fresh,
        }
    }
}

/// One thing that can make a packet stale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    pub name: &'static str,
    pub staleness: Staleness,
    pub detail: String,
}

/// How an older commit relates to the checked-out one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It is an ancestor, this many commits back.
    Behind(u64),
    /// It is not an ancestor, because of a rebase, a reset or another branch.
    Diverged { only_there: u64, only_here: u64 },
    /// The commit is unknown.
    Unknown,
}

/// Rates age, commits and branch. Unknown values count as fresh, and say so.
pub(super) fn factors(packet: &Packet, repository: &dyn Repository, now: i64) -> Vec<Factor> {
    let mut factors = vec![age(packet, now)];
    if let Some(commit) = packet.get("git_commit") {
        match repository.relation(commit) {
            Some(relation) => factors.extend(history(packet, repository, commit, relation)),
            None => factors.push(factor("commits", Staleness::Fresh, "unknown: git is not available")),
        }
    }
    factors
}

fn factor(name: &'static str, staleness: Staleness, detail: impl Into<String>) -> Factor {
    Factor { name, staleness, detail: detail.into() }
}

fn age(packet: &Packet, now: i64) -> Factor {
    // Activating a packet or confirming a file updates it, but makes what it says no newer.
    let Some(written) = packet.get("created_at").and_then(unix_millis) else {
        return factor("age", Staleness::Fresh, "unknown: there is no `created_at`");
    };
    let age = now - written;
    if age < -HOUR {
        return factor("age", Staleness::Fresh, "unknown: it was written in the future");
    }
    factor("age", Staleness::of(age, [DAY, 3 * DAY, 7 * DAY]), format!("written {}", ago(age)))
}

/// Formats a duration in the largest fitting unit.
pub(crate) fn ago(millis: i64) -> String {
    let (number, unit) = match millis {
        _ if millis >= 2 * DAY => (millis / DAY, "days"),
        _ if millis >= 2 * HOUR => (millis / HOUR, "hours"),
        _ if millis >= 120_000 => (millis / 60_000, "minutes"),
        _ => return "just now".to_owned(),
    };
    format!("{number} {unit} ago")
}

fn history(packet: &Packet, repository: &dyn Repository, commit: &str, relation: Relation) -> Vec<Factor> {
    let short = commit.get(..12).unwrap_or(commit);
    let ranked = |count: u64| Staleness::of(i64::try_from(count).unwrap_or(i64::MAX), [1, 5, 20]);
    let since = |count: u64| match count {
        0 => "no commit since".to_owned(),
        1 => "1 commit since".to_owned(),
        count => format!("{count} commits since"),
    };
    let old = packet.get("git_branch");
    let new = repository.branch();
    let renamed = match (old, &new) {
        (Some(old), Some(new)) if old != new => Some(format!("now on `{new}`, written on `{old}`")),
        (Some(old), None) => Some(format!("now on a detached head, written on `{old}`")),
        _ => None,
    };
    match relation {
        Relation::Behind(count) => {
            let branch = match renamed {
                Some(renamed) => factor("branch", Staleness::Aging, renamed),
                None => factor("branch", Staleness::Fresh, "same branch"),
            };
            vec![factor("commits", ranked(count), since(count)), branch]
        }
        Relation::Diverged { only_there, only_here } => {
            let why = match renamed {
                Some(renamed) => format!("{renamed}, and the branches have diverged"),
                None => "history was rewritten: rebased, amended or reset".to_owned(),
            };
            let detail = format!("{why}; `{short}` has {only_there} commits that are not here");
            vec![factor("commits", ranked(only_here), since(only_here)), factor("branch", Staleness::Stale, detail)]
        }
        Relation::Unknown => {
            vec![factor("branch", Staleness::Stale, format!("commit `{short}` is not in this repository"))]
        }
    }
}

/// Rates what happened to the listed files.
pub(super) fn of_files(files: &[FileReport]) -> Factor {
    let count = |test: fn(&FileState) -> bool| files.iter().filter(|file| test(&file.state)).count();
    let changed = count(|state| *state == FileState::Changed);
    let moved = count(|state| matches!(state, FileState::Moved { .. }));
    let gone = count(|state| *state == FileState::Gone);
    let off = changed + moved + gone;
    let staleness = match () {
        () if off == 0 => Staleness::Fresh,
        () if off == files.len() && off > 1 => Staleness::VeryStale,
        () if gone > 0 || 2 * off > files.len() => Staleness::Stale,
        () => Staleness::Aging,
    };
    let parts: Vec<String> = [(changed, "changed"), (moved, "moved"), (gone, "gone")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let detail = match (files.len(), parts.as_slice()) {
        (0, _) => "none listed".to_owned(),
        (1, []) => "1 unchanged".to_owned(),
        (all, []) => format!("all {all} unchanged"),
        (all, parts) => format!("{} of {all}", parts.join(", ")),
    };
    factor("files", staleness, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::FileList;

    const NOW: i64 = 1_794_771_930_123;

    struct Fake(Option<&'static str>, Option<Relation>);

    impl Repository for Fake {
        fn branch(&self) -> Option<String> {
            self.0.map(str::to_owned)
        }
        fn relation(&self, _: &str) -> Option<Relation> {
            self.1
        }
        fn tracked(&self) -> Vec<(String, String)> {
            Vec::new()
        }
        fn untracked(&self) -> Vec<String> {
            Vec::new()
        }
        fn ignored(&self, _: &[String]) -> Vec<String> {
            Vec::new()
        }
    }

    #[track_caller]
    fn check(age: i64, branch: Option<&'static str>, relation: Option<Relation>, expected: &[&str]) {
        let written = stead_model::rfc3339(NOW - age);
        let text = format!(
            "---\ncreated_at: {written}\nupdated_at: 2999-01-01T00:00:00Z\ngit_commit: 0123456789abcdef\ngit_branch: main\n---\n"
        );
        let found = factors(&Packet::parse(text).unwrap(), &Fake(branch, relation), NOW);
        let shown: Vec<_> = found.iter().map(|f| format!("{} {}: {}", f.name, f.staleness.name(), f.detail)).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn each_factor_has_its_words() {
        let main = Some("main");
        check(
            0,
            main,
            Some(Relation::Behind(0)),
            &["age fresh: written just now", "commits fresh: no commit since", "branch fresh: same branch"],
        );
        check(
            2 * DAY,
            main,
            Some(Relation::Behind(1)),
            &["age aging: written 2 days ago", "commits aging: 1 commit since", "branch fresh: same branch"],
        );
        check(
            4 * DAY,
            Some("x"),
            Some(Relation::Behind(20)),
            &[
                "age stale: written 4 days ago",
                "commits very-stale: 20 commits since",
                "branch aging: now on `x`, written on `main`",
            ],
        );
        let diverged = Some(Relation::Diverged { only_there: 2, only_here: 5 });
        check(
            9 * DAY,
            main,
            diverged,
            &[
                "age very-stale: written 9 days ago",
                "commits stale: 5 commits since",
                "branch stale: history was rewritten: rebased, amended or reset; `0123456789ab` has 2 commits that are not here",
            ],
        );
        check(
            3 * HOUR,
            None,
            Some(Relation::Unknown),
            &["age fresh: written 3 hours ago", "branch stale: commit `0123456789ab` is not in this repository"],
        );
        check(
            -DAY,
            main,
            None,
            &["age fresh: unknown: it was written in the future", "commits fresh: unknown: git is not available"],
        );
    }

    #[test]
    fn files_weigh_by_how_many_are_off() {
        let report = |state| FileReport { path: "a".into(), list: FileList::Confirmed, state };
        let check = |states: &[FileState], expected: &str| {
            let factor = of_files(&states.iter().cloned().map(report).collect::<Vec<_>>());
            assert_eq!(format!("{} {}", factor.staleness.name(), factor.detail), expected);
        };
        use FileState::{Changed, Gone, Same};
        check(&[], "fresh none listed");
        check(&[Same], "fresh 1 unchanged");
        check(&[Same, Same, Changed], "aging 1 changed of 3");
        check(&[Same, Same, Gone], "stale 1 gone of 3");
        check(&[Changed, Changed, Same], "stale 2 changed of 3");
        check(&[Changed, Gone], "very-stale 1 changed, 1 gone of 2");
        check(&[FileState::Moved { to: "b".into() }], "stale 1 moved of 1");
    }
}
