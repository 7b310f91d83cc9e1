//! Writes recorded effects as the examples of a guard. Commands are not on record, only their parts; where a part does
//! not show the effect by itself, the plainest call with that effect stands for it.

use serde_json::{Value, json};
use stead_model::GitKind;

use crate::history::History;
use crate::pattern::{Place, Subject, Touch, Verb};

/// The longest part that is certainly complete.
const LONGEST: usize = 290;

/// The forms of an effect, the most telling first.
pub(super) fn forms(touch: &Touch, is_shell: bool, role: Option<&str>, history: &History) -> Vec<Value> {
    let part = Some(touch.part.trim()).filter(|part| {
        let is_whole = !part.is_empty() && part.len() < LONGEST && !part.contains("[redacted]");
        is_shell && is_whole && !part.contains(&history.root_text()) && !names_home(part, history)
    });
    let forms = part.map(|part| json!(part)).into_iter().chain(plainest(touch));
    forms.map(|form| with_role(form, role)).collect()
}

fn names_home(text: &str, history: &History) -> bool {
    history.home.as_deref().is_some_and(|home| text.contains(home))
}

fn with_role(form: Value, role: Option<&str>) -> Value {
    let Some(role) = role else { return form };
    match form {
        Value::Object(mut form) => {
            form.insert("role".to_owned(), json!(role));
            Value::Object(form)
        }
        text => json!({"run": text, "role": role}),
    }
}

fn plainest(touch: &Touch) -> Option<Value> {
    Some(match &touch.subject {
        Subject::Place(place) => of_place(place, touch),
        Subject::Words(argv) => json!(argv.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")),
        Subject::Name(name) => match touch.verb {
            Verb::Mcp => json!({"mcp": name}),
            Verb::Spawn => json!({"spawn": name}),
            Verb::Network => json!(format!("curl https://{name}/")),
            _ => json!(git(name)),
        },
    })
}

fn of_place(place: &Place, touch: &Touch) -> Value {
    let path = place.path.replace(['*', '?'], "a");
    let command = match (touch.verb, touch.deletes, place.tree) {
        (Verb::Read, _, true) => "cp -r",
        (Verb::Read, _, false) => "cat",
        (_, true, true) => "rm -rf",
        (_, true, false) => "rm",
        (_, false, true) => "cp -r x",
        (_, false, false) => "touch",
    };
    match place.is_in_project() && !place.tree {
        true if touch.verb == Verb::Read => json!({"read": path}),
        true if touch.deletes => json!({"delete": path}),
        true => json!({"write": path}),
        false if command == "cp -r" => json!(format!("cp -r {} /tmp/x", shell_word(&path))),
        false => json!(format!("{command} {}", shell_word(&path))),
    }
}

/// A word as a shell reads it; a leading `~/` keeps its meaning.
fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@+%~".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The plainest git command of a kind.
fn git(name: &str) -> String {
    let kind = [
        (GitKind::Commit, "git commit -m x"),
        (GitKind::Push, "git push"),
        (GitKind::ForcePush, "git push --force"),
        (GitKind::WholeTree, "git reset --hard"),
        (GitKind::Paths, "git checkout -- a"),
        (GitKind::Refs, "git branch -D a"),
        (GitKind::Config, "git config user.name a"),
    ];
    let known = kind.iter().find(|(kind, _)| kind.name() == name);
    known.map_or_else(|| format!("git {name}"), |(_, command)| (*command).to_owned())
}

/// Calls that only mention what a guard matches.
pub(super) fn mentions(matches: &serde_json::Map<String, Value>) -> Vec<Value> {
    let text = |value: &Value| match value {
        Value::Array(items) => items.first().and_then(Value::as_str).unwrap_or_default().to_owned(),
        value => value.as_str().unwrap_or_default().to_owned(),
    };
    let mut found = Vec::new();
    for (key, value) in matches {
        let value = text(value);
        match key.as_str() {
            "writes" | "deletes" => {
                let path = value.trim_start_matches("./").split("/**").next().unwrap_or_default().replace('*', "a");
                found.push(json!(format!("git log --oneline -- {}", shell_word(&path))));
            }
            "reads" => found.push(json!(format!("git commit -m {}", shell_word(&format!("about {value}"))))),
            "role" => {}
            _ => found.push(json!(format!("git commit -m {}", shell_word(&format!("no {value}"))))),
        }
    }
    found.push(json!("ls -la"));
    found
}
