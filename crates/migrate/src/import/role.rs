//! Role files from before the format was fixed.

use std::path::Path;

use super::Outcome;
use stead_context::{RoleName, check_role_file, fix_role_file, read_role_file};

/// Where role files were kept.
pub(super) const OLD_FOLDER: &str = "session/agents";

/// What happens to one role file: its outcome, what was repaired, and what a person must repair. `None` if it is valid and
/// where it belongs.
pub(super) fn import(
    role: &RoleName,
    path: &Path,
    target: &Path,
    now: &str,
) -> Option<(Outcome, Vec<String>, Vec<String>)> {
    let text = match read_role_file(path) {
        Ok(Some(text)) => text,
        Ok(None) => return None,
        Err(error) => return Some((Outcome::Refused { why: error.to_string() }, Vec::new(), Vec::new())),
    };
    let updated = format!("{}Z", now.get(..16).unwrap_or(now));
    let fixed = fix_role_file(&text, role, &updated);
    let findings = check_role_file(&fixed.text);
    let left: Vec<String> = findings.iter().filter(|finding| finding.is_error()).map(ToString::to_string).collect();
    let outcome = if path == target {
        if fixed.text == text && left.is_empty() {
            return None;
        }
        match fixed.text == text {
            true => Outcome::Foreign { why: "only a person can repair it" },
            false => Outcome::Repaired { target: target.to_owned(), before: text, text: fixed.text },
        }
    } else if target.symlink_metadata().is_ok() {
        return Some((Outcome::Already { target: role.to_string() }, Vec::new(), Vec::new()));
    } else {
        Outcome::New { target: target.to_owned(), text: fixed.text }
    };
    Some((outcome, fixed.done, left))
}
