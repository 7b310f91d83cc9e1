use std::collections::HashMap;
use std::path::{Path, PathBuf};

use stead_model::{FileId, expected_one_of, nearest};
use stead_store::read_capped;
use stead_yaml::{Entry, Tree, Value};

use super::item::{Constraint, Criterion, Intent, Proof, Status};
use crate::LedgerError;

/// The largest intents file that is read.
pub const LARGEST: usize = stead_yaml::LIMIT;

/// The maximum number of intents, of entries in one list, and of bytes in one pattern.
const MOST_INTENTS: usize = 1_000;
const MOST_ENTRIES: usize = 1_000;
const LONGEST_PATTERN: usize = 512;

/// The intents of a project, with the text they came from.
#[derive(Clone, Debug)]
pub struct IntentFile {
    pub path: PathBuf,
    pub text: String,
    pub intents: Vec<Intent>,
    pub(super) tree: Tree,
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// From 1; 0 if it concerns the whole file.
    pub line: usize,
    pub message: String,
    pub hint: Option<String>,
}

impl IntentFile {
    /// Reads the intents of a room.
    pub fn read(room: &Path) -> Result<Self, LedgerError> {
        let path = room.join(super::INTENTS);
        match read_capped(&path, LARGEST)? {
            Some(bytes) => Self::of_bytes(path, bytes),
            None => Err(LedgerError::NoIntents { path }),
        }
    }

    /// Reads a file's bytes.
    pub(super) fn of_bytes(path: PathBuf, bytes: Vec<u8>) -> Result<Self, LedgerError> {
        let text = String::from_utf8(bytes).map_err(|error| {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            let (message, hint) = ("it is not UTF-8".to_owned(), Some("save it as UTF-8".to_owned()));
            LedgerError::Malformed { path: path.clone(), line, message, hint }
        })?;
        match Self::parse(&text) {
            Ok((intents, tree)) => Ok(Self { path, text, intents, tree }),
            Err(Fault { line, message, hint }) => Err(LedgerError::Malformed { path, line, message, hint }),
        }
    }

    /// Reads a text: a mapping whose key `active_intents` holds a list.
    pub fn parse(text: &str) -> Result<(Vec<Intent>, Tree), Fault> {
        if text.starts_with('\u{feff}') {
            return Err(fault(1, "it starts with a byte order mark", "save it as UTF-8 without a byte order mark"));
        }
        if let Some(line) = text.lines().position(|line| line.trim_start_matches(' ').starts_with('\t')) {
            return Err(fault(line + 1, "it is indented with a tab", "indent with spaces"));
        }
        let tree = stead_yaml::parse_plain(text).map_err(|fault| Fault {
            line: fault.line,
            message: fault.message,
            hint: fault.hint.map(str::to_owned),
        })?;
        if matches!(tree.value, Value::Null) {
            return Err(fault(0, "it is empty", "it needs the key `active_intents` with a list of intents"));
        }
        let Some(list) = tree.get("active_intents") else {
            let what = format!("it is {} without the key `active_intents`", tree.kind());
            return Err(fault(1, what, "write `active_intents:` and a list of intents below it"));
        };
        if let Some(other) = tree.entries().iter().find(|entry| entry.key != "active_intents") {
            let what = format!("unknown key `{}`", other.key);
            return Err(fault(other.key_place.line, what, "expected only `active_intents`"));
        }
        let items = match &list.value {
            Value::List(items) => items.as_slice(),
            Value::Null => {
                return Err(fault(list.place.line, "`active_intents` is empty", "write `[]` or add intents"));
            }
            _ => return Err(wrong("active_intents", "a list", list)),
        };
        if items.len() > MOST_INTENTS {
            return Err(fault(list.place.line, format!("it has more than {MOST_INTENTS} intents"), "remove old ones"));
        }
        let mut seen: HashMap<&str, usize> = HashMap::new();
        let intents = items.iter().map(intent).collect::<Result<Vec<_>, _>>()?;
        for one in &intents {
            if let Some(first) = seen.insert(&one.id, one.line) {
                let what = format!("id `{}` is used twice; first in line {first}", one.id);
                return Err(fault(one.line, what, "give each intent its own id"));
            }
        }
        Ok((intents, tree))
    }

    /// Finds an intent by its id, which is case-sensitive.
    pub fn find(&self, id: &str) -> Result<&Intent, LedgerError> {
        self.intents.iter().find(|intent| intent.id == id).ok_or_else(|| LedgerError::UnknownIntent {
            id: id.to_owned(),
            known: self.intents.iter().map(|intent| intent.id.clone()).collect(),
            nearest: nearest_id(id, &self.intents),
        })
    }

    /// Returns true if a room has an intents file, or something in its place.
    pub fn exists(room: &Path) -> bool {
        std::fs::symlink_metadata(room.join(super::INTENTS)).is_ok()
    }
}

/// The id that a mistyped one most likely meant; ids are compared without case first.
fn nearest_id(typed: &str, intents: &[Intent]) -> Option<String> {
    let ids = || intents.iter().map(|intent| intent.id.as_str());
    let same = ids().find(|id| id.eq_ignore_ascii_case(typed));
    same.or_else(|| {
        let lower: Vec<String> = ids().map(str::to_lowercase).collect();
        let near = nearest(typed, lower.iter().map(String::as_str))?;
        ids().find(|id| id.to_lowercase() == near)
    })
    .map(str::to_owned)
}

fn fault(line: usize, message: impl Into<String>, hint: impl Into<String>) -> Fault {
    Fault { line, message: message.into(), hint: Some(hint.into()) }
}

fn wrong(key: &str, expected: &str, found: &Tree) -> Fault {
    fault(found.place.line, format!("`{key}` is {}", found.kind()), format!("expected {expected}"))
}

const KEYS: &[&str] = &[
    "id", "name", "status", "owned_scope", "constraints", "acceptance_criteria", "commands", "related_files",
    "approval", "exclusive",
];

fn intent(tree: &Tree) -> Result<Intent, Fault> {
    if !matches!(tree.value, Value::Map(_)) {
        return Err(wrong(
            "an entry of active_intents",
            "a mapping with `id`, `name`, `status` and `owned_scope`",
            tree,
        ));
    }
    let mut intent = Intent { line: tree.place.line, ..Intent::default() };
    let mut has_id = false;
    for Entry { key, value, key_place, .. } in tree.entries() {
        match key.as_str() {
            "id" => {
                intent.id = id(value)?;
                has_id = true;
            }
            "name" => intent.name = text(key, value)?,
            "status" => intent.status = status(value)?,
            "owned_scope" => intent.owned_scope = patterns(key, value)?,
            "constraints" => intent.constraints = list(key, value, constraint)?,
            "acceptance_criteria" => intent.acceptance_criteria = list(key, value, criterion)?,
            "commands" => intent.commands = list(key, value, |item| text("commands", item))?,
            "related_files" => intent.related_files = list(key, value, |item| text("related_files", item))?,
            "approval" => intent.needs_approval = approval(value)?,
            "exclusive" => match value.value {
                Value::Bool(exclusive) => intent.exclusive = exclusive,
                _ => return Err(wrong(key, "`true` or `false`", value)),
            },
            // Fields of other tools are kept; a typo of ours would silently lose a rule.
            other => {
                if let Some(near) = nearest(other, KEYS.iter().copied()) {
                    let what = format!("unknown key `{other}`");
                    return Err(fault(key_place.line, what, format!("did you mean `{near}`?")));
                }
            }
        }
    }
    match has_id {
        true => Ok(intent),
        false => Err(fault(intent.line, "an intent has no `id`", "add one, such as `id: INT-001`")),
    }
}

fn id(tree: &Tree) -> Result<String, Fault> {
    let id = text("id", tree)?;
    match FileId::check(&id) {
        Ok(_) => Ok(id),
        Err(why) => {
            Err(fault(tree.place.line, format!("invalid id `{id}`: {why}"), "use letters, digits, `-` and `_`"))
        }
    }
}

fn status(tree: &Tree) -> Result<Status, Fault> {
    let text = text("status", tree)?;
    Status::from_name(&text).ok_or_else(|| {
        let names = expected_one_of(Status::ALL.iter().map(|status| status.name()));
        fault(tree.place.line, format!("unknown status `{text}`"), names)
    })
}

fn approval(tree: &Tree) -> Result<bool, Fault> {
    match text("approval", tree)?.as_str() {
        "required" => Ok(true),
        "none" => Ok(false),
        other => Err(fault(tree.place.line, format!("unknown approval `{other}`"), "expected `required` or `none`")),
    }
}

fn text(key: &str, tree: &Tree) -> Result<String, Fault> {
    match &tree.value {
        Value::Text(text) if text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')) => {
            Err(fault(tree.place.line, format!("`{key}` contains a control character"), "remove it"))
        }
        Value::Text(text) => Ok(text.clone()),
        Value::Whole(_) | Value::Number(_) | Value::Bool(_) => Err(wrong(key, "a string; put it in quotes", tree)),
        _ => Err(wrong(key, "a string", tree)),
    }
}

fn list<T>(key: &str, tree: &Tree, read: impl Fn(&Tree) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
    match &tree.value {
        Value::Null => Ok(Vec::new()),
        Value::List(items) if items.len() > MOST_ENTRIES => {
            Err(fault(tree.place.line, format!("`{key}` has more than {MOST_ENTRIES} entries"), "use wider ones"))
        }
        Value::List(items) => items.iter().map(read).collect(),
        _ => Err(wrong(key, "a list", tree)),
    }
}

fn patterns(key: &str, tree: &Tree) -> Result<Vec<String>, Fault> {
    list(key, tree, |item| {
        let pattern = text(key, item)?;
        check_pattern(&pattern).map_err(|(message, hint)| fault(item.place.line, message, hint))?;
        Ok(pattern)
    })
}

/// Checks one pattern; an error is what is wrong and what to do.
pub(super) fn check_pattern(pattern: &str) -> Result<(), (String, String)> {
    if pattern.len() > LONGEST_PATTERN || pattern.contains('\n') {
        let shown: String = pattern.chars().take(40).filter(|c| !c.is_control()).collect();
        let what = format!("pattern `{shown}…` is longer than {LONGEST_PATTERN} bytes or has several lines");
        return Err((what, "write several shorter patterns".to_owned()));
    }
    match stead_pattern::check(pattern) {
        Ok(()) => Ok(()),
        Err(wrong) => Err((format!("pattern `{pattern}` {}", wrong.problem), wrong.hint.to_owned())),
    }
}

fn constraint(tree: &Tree) -> Result<Constraint, Fault> {
    match tree.entries() {
        [Entry { key, value, .. }] if key == "guard" => Ok(Constraint::Guard(text("guard", value)?)),
        [] => {
            let text = text("constraints", tree)?;
            // The short form, as one string.
            let guard = text.strip_prefix("guard:").map(str::trim).filter(|id| FileId::check(id).is_ok());
            Ok(guard.map_or_else(|| Constraint::Text(text.clone()), |id| Constraint::Guard(id.to_owned())))
        }
        _ => Err(fault(tree.place.line, "a constraint is a mapping", "expected a string or `guard: ID`")),
    }
}

fn criterion(tree: &Tree) -> Result<Criterion, Fault> {
    if tree.entries().is_empty() {
        return Ok(Criterion { text: text("acceptance_criteria", tree)?, proof: None });
    }
    let mut criterion = Criterion::default();
    for Entry { key, value, key_place, .. } in tree.entries() {
        match key.as_str() {
            "text" => criterion.text = text(key, value)?,
            "verify" => criterion.proof = Some(Proof::Verify(text(key, value)?)),
            "feature" => criterion.proof = Some(Proof::Feature(text(key, value)?)),
            other => {
                let what = format!("unknown key `{other}` in a criterion");
                return Err(fault(key_place.line, what, "expected `text`, `verify` or `feature`"));
            }
        }
    }
    Ok(criterion)
}
