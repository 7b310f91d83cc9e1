//! What a feature asks for besides its verifiers: checked against what the verifiers left, not by anybody's word.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use stead_evidence::{Coverage, EvidenceError, Ground, parse_coverage, read_coverage};
use stead_feature::Feature;

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

/// Why `coverage_min` is not met; `None` if it is, or there is none. `said` is what the verifiers printed, `since` when
/// the first of them started, in milliseconds. `coverage_report` names a report in another place.
pub(super) fn unmet(feature: &Feature, ground: &Ground, said: &[String], since: i64) -> Option<String> {
    let wanted = feature.success_criteria.get("coverage_min")?.as_f64()?;
    let named = feature.success_criteria.get("coverage_report").and_then(Value::as_str);
    let since = UNIX_EPOCH + Duration::from_millis(u64::try_from(since).unwrap_or_default());
    let found = match named {
        Some(named) => fresh(ground.root.join(named), since),
        None => {
            let reports = REPORTS.iter().map(|path| ground.root.join(path)).filter(|path| path.is_file());
            let first = reports.filter_map(|path| fresh(path, since).ok()).next();
            let printed = || said.iter().rev().find_map(|text| parse_coverage(text).ok());
            first.or_else(printed).ok_or_else(|| "no verifier wrote a coverage report".to_owned())
        }
    };
    match found {
        Ok(coverage) if coverage.meets(wanted) => None,
        Ok(coverage) => Some(format!("{:.1} % of the lines are covered; `coverage_min` is {wanted}", coverage.percent)),
        Err(why) => Some(format!("`coverage_min` is {wanted}, but {why}")),
    }
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
        let ground = Ground { root: root.clone(), features, indexes, cache };
        let feature = |criteria: Value| {
            let success_criteria = criteria.as_object().cloned().unwrap_or_default();
            Feature { id: "a".into(), success_criteria, ..Feature::default() }
        };
        let check = |criteria: Value, said: &str, since: i64, expected: &str| {
            let why = unmet(&feature(criteria), &ground, &[said.to_owned()], since).unwrap_or_default();
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
