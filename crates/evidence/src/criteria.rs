//! What a feature asks for besides its verifiers: checked against what the verifiers left, not by anybody's word.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use stead_feature::Feature;

use crate::coverage::is_enough;
use crate::{Coverage, EvidenceError, Ground, Item, parse_coverage, read_coverage};

/// Where the tools write their reports, below the root.
const REPORTS: &[&str] = &[
    "lcov.info",
    "coverage/lcov.info",
    "target/llvm-cov/lcov.info",
    "coverage.xml",
    "coverage/cobertura-coverage.xml",
    "coverage.json",
    "coverage/coverage-summary.json",
    "coverage/coverage-final.json",
    "coverage.out",
    "cover.out",
];

/// File systems store times in steps.
const STEP: Duration = Duration::from_millis(50);

/// What a verifier shows of the feature's coverage; `None` if that does not matter. `said` is what it printed, `since` when
/// it started, in milliseconds. `coverage_report` names a report in another place than the usual ones.
pub(crate) fn covered(feature: &Feature, ground: &Ground, said: &str, since: i64) -> Option<Result<f64, String>> {
    wanted(feature)?;
    let named = feature.success_criteria.get("coverage_report").and_then(Value::as_str);
    let since = UNIX_EPOCH + Duration::from_millis(u64::try_from(since).unwrap_or_default());
    let found = match named {
        Some(named) => fresh(ground.root.join(named), since),
        None => {
            let reports = REPORTS.iter().map(|path| ground.root.join(path)).filter(|path| path.is_file());
            let first = reports.filter_map(|path| fresh(path, since).ok()).next();
            first.or_else(|| parse_coverage(said).ok()).ok_or_else(|| "no verifier wrote a coverage report".to_owned())
        }
    };
    Some(found.map(|coverage| coverage.percent))
}

/// Why `coverage_min` is not met by runs of the feature's verifiers; `None` if it is, or there is none.
pub fn unmet_criteria<'a>(
    feature: &Feature,
    runs: impl DoubleEndedIterator<Item = &'a Item> + Clone,
) -> Option<String> {
    let wanted = wanted(feature)?;
    match runs.clone().rev().find_map(|item| item.coverage) {
        Some(percent) if is_enough(percent, wanted) => None,
        Some(percent) => Some(format!("{percent:.1} % of the lines are covered; `coverage_min` is {wanted}")),
        None => {
            let why = runs.rev().find_map(|item| item.no_coverage.as_deref());
            Some(format!("`coverage_min` is {wanted}, but {}", why.unwrap_or("no verifier wrote a coverage report")))
        }
    }
}

fn wanted(feature: &Feature) -> Option<f64> {
    feature.success_criteria.get("coverage_min")?.as_f64()
}

/// A report that the verifiers wrote. An older one is about other code.
fn fresh(path: PathBuf, since: SystemTime) -> Result<Coverage, String> {
    let (coverage, written) = read_coverage(&path).map_err(|error: EvidenceError| error.to_string())?;
    match written + STEP < since {
        true => Err(format!("`{}` is older than this test", path.display())),
        false => Ok(coverage),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    #[test]
    fn coverage_is_read_from_what_the_verifiers_left() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let (features, indexes, cache) = (root.join("f"), root.join("i"), root.join("c"));
        let ground = Ground { root: root.clone(), features, indexes, cache, state: None };
        let feature = |criteria: Value| {
            let success_criteria = criteria.as_object().cloned().unwrap_or_default();
            Feature { id: "a".into(), success_criteria, ..Feature::default() }
        };
        let check = |criteria: Value, said: &str, since: i64, expected: &str| {
            let feature = feature(criteria);
            let (coverage, no_coverage) = match covered(&feature, &ground, said, since) {
                Some(Ok(percent)) => (Some(percent), None),
                Some(Err(why)) => (None, Some(why)),
                None => (None, None),
            };
            let earlier = Item { coverage: Some(10.0), ..Item::default() };
            let run = Item { coverage, no_coverage, ..Item::default() };
            let runs = if run.coverage.is_some() { vec![&earlier, &run] } else { vec![&run] };
            let why = unmet_criteria(&feature, runs.into_iter()).unwrap_or_default();
            assert!(if expected.is_empty() { why.is_empty() } else { why.contains(expected) }, "{why} / {expected}");
        };
        check(json!({}), "", 0, "");
        check(json!({"coverage_min": 80}), "ok", 0, "no verifier wrote a coverage report");
        check(json!({"coverage_min": 80}), "ok  \tx\t0.1s\tcoverage: 81.5% of statements\n", 0, "");
        fs::write(root.join("lcov.info"), "SF:a\nDA:1,1\nDA:2,0\nLF:2\nLH:1\nend_of_record\n").unwrap();
        check(json!({"coverage_min": 50}), "", 0, "");
        check(json!({"coverage_min": 51}), "", 0, "50.0 % of the lines are covered");
        check(json!({"coverage_min": 50}), "", 9_000_000_000_000, "no verifier wrote");
        let named = json!({"coverage_min": 50, "coverage_report": "lcov.info"});
        check(named, "", 9_000_000_000_000, "is older than this test");
        check(json!({"coverage_min": 50, "coverage_report": "gone"}), "", 0, "gone");
    }
}
