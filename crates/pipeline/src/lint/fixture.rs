//! Mock answers of a stage.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use stead_model::nearest;
use stead_store::read_capped;

use super::{Code, Finding, Findings};
use crate::SourceFile;
use crate::definition::Fixtures;
use crate::provider::mock::parse;
use crate::status::Status;

const LIMIT: usize = 4 * 1024 * 1024;
const STATUS: &str = "status.json";
const DEFAULT: &str = "default.txt";

/// Checks every fixture and reports those that a mock run could not use. `named` is the folder's name in messages.
pub(crate) fn check_fixtures(fixtures: &Fixtures, named: &str) -> Vec<Finding> {
    match fixtures {
        Fixtures::Texts(texts) => texts.iter().flat_map(|(name, text)| check(named, name, text, None)).collect(),
        Fixtures::Folder(folder) => check_folder(folder, named),
    }
}

fn check_folder(folder: &Path, named: &str) -> Vec<Finding> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| is_meant(name));
    names.sort();
    let mut list = Vec::new();
    for name in names {
        let path = folder.join(&name);
        if !is_fixture(&name) {
            let mut findings = Findings::of(file(named, &name, "", Some(&path)));
            let finding = findings.warning(Code::L013, &(0..0), format!("`{name}` is never used"));
            finding.hint(instead(&name));
            list.append(&mut findings.list);
            continue;
        }
        let text = match read_capped(&path, LIMIT) {
            Ok(Some(bytes)) => String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned()),
            Ok(None) => continue,
            Err(error) => Err(error.to_string()),
        };
        match text {
            Ok(text) => list.extend(check(named, &name, &text, Some(&path))),
            Err(why) => {
                let mut findings = Findings::of(file(named, &name, "", Some(&path)));
                findings.warning(Code::L013, &(0..0), why);
                list.append(&mut findings.list);
            }
        }
    }
    list
}

/// Returns true if a mock run looks for a file of this name.
fn is_fixture(name: &str) -> bool {
    let number = name.strip_prefix("iteration-").and_then(|rest| rest.strip_suffix(".txt"));
    let number = number.and_then(|digits| digits.parse::<u32>().ok().filter(|number| number.to_string() == digits));
    name == DEFAULT || name == STATUS || number.is_some_and(|number| number > 0)
}

/// Returns true if a file is meant as a fixture; notes for people are not.
fn is_meant(name: &str) -> bool {
    let lower = name.to_lowercase();
    let is_text = [".txt", ".json"].iter().any(|ending| lower.ends_with(ending));
    !name.starts_with('.') && (is_text || ["iteration", "default"].iter().any(|word| lower.starts_with(word)))
}

/// Suggests a name for a file that is never used.
fn instead(name: &str) -> String {
    let digits: String = name.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    match (digits.parse::<u32>(), nearest(name, [DEFAULT, STATUS])) {
        (Ok(number @ 1..), _) => format!("rename it to `iteration-{number}.txt`"),
        (_, Some(near)) => format!("rename it to `{near}`"),
        _ => format!(
            "rename it to `iteration-1.txt`, with the number of its iteration, or to `{DEFAULT}` for all others"
        ),
    }
}

fn file(named: &str, name: &str, text: &str, path: Option<&Path>) -> Arc<SourceFile> {
    let name = format!("{named}/{name}");
    Arc::new(SourceFile { name, path: path.map(Path::to_owned), text: text.to_owned() })
}

fn check(named: &str, name: &str, text: &str, path: Option<&Path>) -> Vec<Finding> {
    let mut findings = Findings::of(file(named, name, text, path));
    let status = match name {
        STATUS => Ok(text.to_owned()),
        // The file beside it is checked by itself.
        name => parse(name, text, || Ok(None)).map(|mocked| mocked.status).map_err(|error| error.to_string()),
    };
    let judge =
        |status: String| Status::parse(status.as_bytes()).map_err(|why| format!("its status is invalid: {why}"));
    if let Err(why) = status.and_then(judge) {
        let finding = findings.warning(Code::L013, &(0..text.find('\n').unwrap_or(text.len())), why);
        finding.hint("a status is JSON with a `decision` of continue, stop or error");
    }
    findings.list
}
