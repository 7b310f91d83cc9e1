//! Whether a changed guard file lets more pass than before. A condition that changed counts as weaker, because nobody can
//! tell what it still matches: a person decides.

use crate::compile::ProjectRooms;
use crate::guard::Guard;
use crate::mode::Mode;
use crate::read::read_source;
use crate::shipped::SHIPPED;
use crate::source::{Origin, Source};

/// Why the second text of a guard file is weaker than the first, if it is. `None` as text means that there is no file.
pub fn weakens(before: Option<&Source>, after: Option<&Source>, rooms: &ProjectRooms) -> Option<String> {
    let is = match after.map(|source| guards_of(source, rooms)) {
        Some(Err(why)) => return before.map(|_| format!("it can no longer be applied: {why}")),
        Some(Ok(guards)) => guards,
        None => Vec::new(),
    };
    // A file that was broken had no effect.
    let was = before.and_then(|source| guards_of(source, rooms).ok()).unwrap_or_default();
    let lost = was.iter().filter(|guard| guard.mode > Mode::Off).find_map(|guard| match find(&is, guard) {
        None => Some(format!("guard `{}` is gone", guard.id)),
        Some(now) => weaker(guard, now),
    });
    lost.or_else(|| is.iter().filter(|guard| find(&was, guard).is_none()).find_map(|guard| new_is_weaker(guard, rooms)))
}

fn guards_of(source: &Source, rooms: &ProjectRooms) -> Result<Vec<Guard>, String> {
    if let Some(why) = &source.unreadable {
        return Err(why.clone());
    }
    let (drafts, problems) = read_source(source, rooms);
    match problems.into_iter().find(|problem| problem.severity == stead_model::Severity::Error) {
        Some(problem) => Err(problem.message),
        None => Ok(drafts.into_iter().map(|draft| draft.guard).collect()),
    }
}

fn find<'g>(guards: &'g [Guard], wanted: &Guard) -> Option<&'g Guard> {
    guards.iter().find(|guard| guard.id == wanted.id)
}

/// Why a guard is weaker than before.
fn weaker(was: &Guard, is: &Guard) -> Option<String> {
    let id = &was.id;
    if is.mode < was.mode {
        return Some(format!("guard `{id}` goes from {} to {}", was.mode.name(), is.mode.name()));
    }
    if is.then != was.then {
        return Some(format!("guard `{id}` does `{}` instead of `{}`", is.then.name(), was.then.name()));
    }
    if was.events.iter().any(|event| !is.events.contains(event)) {
        return Some(format!("guard `{id}` is no longer asked at every event"));
    }
    (!was.matches_as(is)).then(|| format!("guard `{id}` has other conditions"))
}

/// Why a guard that is new lets more pass: it grants, or takes the place of a stronger one.
fn new_is_weaker(guard: &Guard, rooms: &ProjectRooms) -> Option<String> {
    if guard.may_loosen() && guard.mode > Mode::Off {
        return Some(format!("guard `{}` is new and does `{}`", guard.id, guard.then.name()));
    }
    if guard.origin == Origin::Shipped {
        return None;
    }
    let replaced = SHIPPED
        .iter()
        .filter(|shipped| shipped.unasked)
        .find(|shipped| guard.id == shipped.id || guard.id.starts_with(&format!("{}.", shipped.id)))?;
    let shipped = guards_of(&replaced.source(), rooms).unwrap_or_default();
    match find(&shipped, guard) {
        Some(known) => weaker(known, guard),
        None => Some(format!("guard `{}` takes the place of the built-in `{}`", guard.id, replaced.id)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUARD: &str = "id: infra\nmode: warn\non: [before-tool]\nmatch: {writes: infra/**}\nthen: deny\nsay: no\n";

    #[track_caller]
    fn check(before: Option<&str>, after: Option<&str>, expected: Option<&str>) {
        let source = |text: &str| Source::project(".agent/guards/infra.yaml", text);
        let (before, after) = (before.map(source), after.map(source));
        let why = weakens(before.as_ref(), after.as_ref(), &ProjectRooms::usual());
        match expected {
            None => assert_eq!(why, None, "{after:?}"),
            Some(part) => assert!(why.as_ref().is_some_and(|why| why.contains(part)), "{why:?} {after:?}"),
        }
    }

    #[test]
    fn a_new_guard_that_could_loosen_is_weaker() {
        for new in [
            "id: a\nmode: warn\non: [permission-request]\nmatch: {runs: [make *]}\nthen: allow\nsay: ok\n",
            "id: a\nmode: warn\non: prompt\nmatch: {text: deploy}\nthen: inject\nsay: read the page\n",
        ] {
            check(None, Some(new), Some("is new and does"));
            check(None, Some(&new.replace("mode: warn", "mode: off")), None);
        }
        check(None, Some(GUARD), None);
    }

    #[test]
    fn what_lets_more_pass_is_weaker() {
        let with = |old: &str, new: &str| {
            assert!(GUARD.contains(old), "{old}");
            GUARD.replace(old, new)
        };
        check(Some(GUARD), Some(GUARD), None);
        check(Some(GUARD), None, Some("is gone"));
        check(Some(GUARD), Some(""), Some("can no longer be applied"));
        check(Some(GUARD), Some("id: ["), Some("can no longer be applied"));
        check(Some(GUARD), Some(&with("infra\nmode", "other\nmode")), Some("`infra` is gone"));
        check(Some(GUARD), Some(&with("mode: warn", "mode: shadow")), Some("from warn to shadow"));
        check(Some(GUARD), Some(&with("mode: warn", "mode: off")), Some("from warn to off"));
        check(Some(GUARD), Some(&with("then: deny", "then: warn")), Some("`warn` instead of `deny`"));
        check(Some(GUARD), Some(&with("infra/**", "infra/*")), Some("other conditions"));
        check(
            Some(GUARD),
            Some(&with("then: deny", "unless: {writes: infra/x}\nthen: deny")),
            Some("other conditions"),
        );
    }

    #[test]
    fn stricter_and_equal_ones_are_not() {
        check(None, Some(GUARD), None);
        check(Some(GUARD), Some(&GUARD.replace("mode: warn", "mode: enforce")), None);
        check(Some(GUARD), Some(&GUARD.replace("say: no", "say: please do not\nabout: why")), None);
        check(Some(GUARD), Some(&format!("# a comment\n{GUARD}")), None);
        check(Some(&GUARD.replace("mode: warn", "mode: off")), None, None);
        check(Some("id: ["), None, None);
        check(None, Some("id: ["), None);
    }

    #[test]
    fn a_new_guard_may_not_grant_or_take_the_place_of_a_built_in_one() {
        let grant =
            "id: yes\nmode: enforce\non: [permission-request]\nmatch: {runs: [make *]}\nthen: allow\nsay: fine\n";
        check(None, Some(grant), Some("does `allow`"));
        let built_in = |mode: &str| format!("id: tested-needs-evidence\nuse: tested-needs-evidence\nmode: {mode}\n");
        check(None, Some(&built_in("off")), Some("from enforce to off"));
        check(None, Some(&GUARD.replace("id: infra", "id: proof-stays-fixed")), Some("from enforce to warn"));
    }
}
