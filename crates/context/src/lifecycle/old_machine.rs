//! State files of the shell framework that role lifecycles come from: `<name>.states.env`, a bash array of numbered
//! states and the number of the current one. They are parsed as text, never executed and never written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use stead_store::read_capped;

use super::Lifecycle;
use crate::{ContextError, RoleName};

const LIMIT: usize = 256 * 1024;

/// How many references from state to state are followed.
const JUMPS: usize = 16;

/// The states that every machine of that framework has.
const STOCK: [&str; 8] = [
    "not.installed", "initialized", "setup", "all.states.added", "started", "to.be.deleted", "next.custom.state",
    "finished",
];

/// What an old state file says about a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldMachine {
    pub path: PathBuf,
    pub state: Lifecycle,
    /// What Stead cannot represent.
    pub left: Vec<String>,
}

/// Finds the old state of a role below the folder in `CONFIG_PATH`.
pub fn old_machine(config: &Path, role: &RoleName) -> Result<Option<OldMachine>, ContextError> {
    let path = config.join("stateMachines").join(format!("{}.states.env", role.machine()));
    let Some(bytes) = read_capped(&path, LIMIT)? else { return Ok(None) };
    let (state, left) = read(&String::from_utf8_lossy(&bytes));
    Ok(Some(OldMachine { path, state, left }))
}

fn read(text: &str) -> (Lifecycle, Vec<String>) {
    let states = entries(text);
    let mut left = Vec::new();
    let current = assigned(text, "STATE_ID").and_then(|id| id.parse().ok()).and_then(|id| name(&states, id));
    let current = current.or_else(|| assigned(text, "STATE"));
    let state = match &current {
        Some(name) => Lifecycle::from_name(name),
        None => None,
    };
    match (&current, state) {
        (Some(name), None) => left.push(format!("its state `{name}`: the role starts as active")),
        (None, None) => left.push("its state, which could not be determined: the role starts as active".into()),
        _ => {}
    }
    if let Some(script) = assigned(text, "CUSTOM_SCRIPT").filter(|script| !script.is_empty()) {
        left.push(format!("the checks in its script `{script}`"));
    }
    let own = states.values().filter(|name| {
        let known = Lifecycle::from_name(name).is_some() || STOCK.contains(&name.as_str());
        !known && name.parse::<u64>().is_err() && current.as_ref() != Some(name)
    });
    left.extend(own.map(|name| format!("its state `{name}`, which Stead does not have")));
    (state.unwrap_or(Lifecycle::Active), left)
}

/// The state with a number; a number in place of a state refers to another one.
fn name(states: &BTreeMap<u64, String>, id: u64) -> Option<String> {
    let mut id = id;
    for _ in 0..JUMPS {
        let name = states.get(&id)?;
        match name.parse() {
            Ok(next) => id = next,
            Err(_) => return Some(name.clone()),
        }
    }
    None
}

/// All `[number]=value` pairs of a text, however the array is declared.
fn entries(text: &str) -> BTreeMap<u64, String> {
    let mut entries = BTreeMap::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        rest = &rest[open + 1..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if let Ok(id) = rest[..digits].parse()
            && let Some(after) = rest[digits..].strip_prefix("]=")
        {
            entries.insert(id, value(after));
        }
    }
    entries
}

/// The value of the last assignment to a name with this suffix, in any case and after any declaration.
fn assigned(text: &str, ending: &str) -> Option<String> {
    text.lines().rev().find_map(|line| {
        let (left, right) = line.split_once('=')?;
        let name = left.split_whitespace().last()?.to_ascii_uppercase();
        let is_it = name.strip_suffix(ending).is_some_and(|before| before.is_empty() || before.ends_with('_'));
        is_it.then(|| value(right))
    })
}

/// A shell word without its quotes.
fn value(text: &str) -> String {
    let quote = text.chars().next().filter(|first| matches!(first, '"' | '\''));
    let word = match quote {
        Some(quote) => text[1..].split(quote).next(),
        None => text.split(|c: char| c.is_whitespace() || matches!(c, ')' | ';' | '#' | '\'')).next(),
    };
    word.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"declare -xag oosh_expert_STATES='([0]="not.installed" [4]="started" [5]="11"
  [11]="active" [12]="saving" [13]="saved" [14]="compacting" [15]="recovering" [16]=11 [99]="finished")'
export oosh_expert_STATE_ID=13
oosh_expert_CUSTOM_SCRIPT=context
"#;

    #[track_caller]
    fn check(text: &str, expected: Lifecycle, left: &[&str]) {
        assert_eq!(read(text), (expected, left.iter().map(|note| (*note).to_owned()).collect()), "{text}");
    }

    #[test]
    fn old_states_are_understood() {
        let script = "the checks in its script `context`";
        check(FILE, Lifecycle::Saved, &[script]);
        check(&FILE.replace("ID=13", "ID=\"15\""), Lifecycle::Recovering, &[script]);
        check(&FILE.replace("ID=13", "ID=16"), Lifecycle::Active, &[script]);
        check(&FILE.replace("ID=13", "ID=5"), Lifecycle::Active, &[script]);
        check("declare -x ROLE_STATE='compacting'\r\n", Lifecycle::Compacting, &[]);
        check("state=saved", Lifecycle::Saved, &[]);
    }

    #[test]
    fn what_has_no_place_is_said() {
        let began = "its state `started`: the role starts as active";
        check("[4]=started\nX_STATE_ID=4", Lifecycle::Active, &[began]);
        check(
            "[11]=\"napping\" [12]=saved\nX_STATE_ID=12",
            Lifecycle::Saved,
            &["its state `napping`, which Stead does not have"],
        );
        let unknown = "its state, which could not be determined: the role starts as active";
        check("", Lifecycle::Active, &[unknown]);
        check("\u{0}garbage[[[ ]= [99999999999999999999]=x", Lifecycle::Active, &[unknown]);
        check("[1]=2 [2]=1\nX_STATE_ID=1", Lifecycle::Active, &[unknown]);
    }
}
