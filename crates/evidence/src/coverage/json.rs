use serde_json::Value;

use super::{Coverage, CoverageFormat};

pub(super) fn read(text: &str) -> Result<Coverage, String> {
    let document: Value = serde_json::from_str(text).map_err(|error| format!("it is not valid JSON: {error}"))?;
    let number = |pointer: &str| document.pointer(pointer).and_then(Value::as_u64);
    let pair = |covered: &str, total: &str| number(covered).zip(number(total));
    if let Some((covered, total)) = pair("/totals/covered_lines", "/totals/num_statements") {
        return Coverage::counted(CoverageFormat::CoveragePy, covered, total);
    }
    if let Some((covered, total)) = pair("/total/lines/covered", "/total/lines/total") {
        return Coverage::counted(CoverageFormat::Istanbul, covered, total);
    }
    Err("it has neither the totals of coverage.py nor those of an Istanbul summary".to_owned())
}
