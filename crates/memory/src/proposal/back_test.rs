use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use stead_guard::{RecordedCall, Trial, Tried};
use stead_model::{Effects, Level};
use stead_store::StoreError;

use crate::history::{History, PastCall, Reading, Standing};
use crate::pattern::{Incident, Marks, Touch};

/// How many stopped calls are named, and how many comparable ones are kept.
const NAMED: usize = 5;
const COMPARABLE: usize = 12;

/// What a guard would have done to the recorded calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackTest {
    /// How often it would have fired: own incidents, other violations and allowed calls.
    pub fired: usize,
    /// Of the incidents it was made from. They prove nothing.
    pub own_incidents: usize,
    /// Other mistakes on record.
    pub violations: usize,
    /// Calls that nobody objected to.
    pub allowed_stopped: usize,
    pub silent: usize,
    /// Calls whose effects are not on record, or not enough of them.
    pub without_effects: usize,
    /// Some of the allowed calls that it would have stopped.
    #[serde(default)]
    pub stopped: Vec<String>,
}

impl BackTest {
    /// One sentence for people.
    pub fn summary(&self) -> String {
        let times = |count: usize| match count {
            1 => "once".to_owned(),
            2 => "twice".to_owned(),
            count => format!("{} times", thousands(count)),
        };
        let older = match self.without_effects {
            0 => String::new(),
            1 => "; 1 call has no effects on record".to_owned(),
            count => format!("; {} calls have no effects on record", thousands(count)),
        };
        format!(
            "would have fired {}: {} it was made from, {} other violations, {} allowed; silent on {}{older}",
            times(self.fired),
            self.own_incidents,
            self.violations,
            self.allowed_stopped,
            thousands(self.silent),
        )
    }
}

/// A number with a comma between thousands.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The result of trying several guards on the whole history, which is read once.
pub(super) struct Tests {
    pub(super) results: Vec<BackTest>,
    /// Allowed calls that resemble the incidents: their effects, and whether a shell ran them.
    pub(super) comparable: Vec<(Vec<Touch>, bool)>,
}

/// Tries guards on all recorded calls. `own` are the incidents they were made from, `all` the calls of every incident.
pub(super) fn back_test(
    trials: &[Trial],
    history: &History,
    own: &[Incident],
    all: &Marks,
    resembles: &dyn Fn(&[Touch]) -> bool,
    progress: &mut dyn FnMut(Reading),
) -> Result<Tests, StoreError> {
    let root = history.root_text();
    let mut tests = Tests { results: vec![BackTest::default(); trials.len()], comparable: Vec::new() };
    for incident in own {
        let Some(effects) = &incident.effects else { continue };
        for (trial, result) in trials.iter().zip(&mut tests.results) {
            result.own_incidents += usize::from(stops(trial, incident, effects, history, &root));
        }
    }
    let own = Marks::of(own);
    let standing = Standing::read(&history.indexes)?;
    let wrong = standing.wrong();
    history.each(progress, &mut |call| {
        if !call.is_judged() || own.have(call) {
            return;
        }
        let Some(effects) = call.effects(&history.root) else {
            tests.results.iter_mut().for_each(|result| result.without_effects += 1);
            return;
        };
        let recorded = RecordedCall {
            harness: &call.harness,
            tool: call.tool.as_deref().unwrap_or_default(),
            caller: call.caller(),
            effects: &effects,
            root: &root,
            home: history.home.as_deref(),
        };
        let is_mistake = is_mistake(call, all, &wrong);
        let mut is_stopped = false;
        for (trial, result) in trials.iter().zip(&mut tests.results) {
            match trial.judge(&recorded) {
                Tried::Silent => result.silent += 1,
                Tried::Unknown => result.without_effects += 1,
                Tried::Matched if is_mistake => result.violations += 1,
                Tried::Matched => {
                    is_stopped = true;
                    result.allowed_stopped += 1;
                    if result.stopped.len() < NAMED {
                        result.stopped.push(named(call, &effects));
                    }
                }
            }
        }
        if !is_stopped && !is_mistake && tests.comparable.len() < COMPARABLE {
            let touches = Touch::all(&effects, history.home());
            if resembles(&touches) {
                tests.comparable.push((touches, call.action.as_deref() == Some("run")));
            }
        }
    })?;
    for result in &mut tests.results {
        result.fired = result.own_incidents + result.violations + result.allowed_stopped;
    }
    Ok(tests)
}

pub(super) fn stops(trial: &Trial, incident: &Incident, effects: &Effects, history: &History, root: &str) -> bool {
    let home = history.home.as_deref();
    let caller = incident.caller.clone();
    let recorded = RecordedCall { harness: &incident.harness, tool: &incident.tool, caller, effects, root, home };
    trial.judge(&recorded) == Tried::Matched
}

/// Returns true if the call was denied or is a known incident, and no person called that wrong.
fn is_mistake(call: &PastCall<'_>, all: &Marks, wrong: &HashSet<&str>) -> bool {
    let is_wrong = call.id.as_deref().is_some_and(|id| wrong.contains(id));
    !is_wrong && (call.verdict == Level::Deny.name() || all.have(call))
}

fn named(call: &PastCall<'_>, effects: &Effects) -> String {
    let what: Vec<String> = effects.list.iter().take(3).map(|effect| stead_hook::describe_action(&effect.op)).collect();
    format!("{} {}", call.ts, what.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_says_what_counts() {
        let result = BackTest {
            fired: 7,
            own_incidents: 3,
            violations: 4,
            silent: 1_204,
            without_effects: 90,
            ..BackTest::default()
        };
        assert_eq!(
            result.summary(),
            "would have fired 7 times: 3 it was made from, 4 other violations, 0 allowed; silent on 1,204; 90 calls \
             have no effects on record"
        );
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(0), "0");
    }
}
