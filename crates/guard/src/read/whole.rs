use stead_model::{Action, Change, Effects, Event, EventKind, FileChange, FileId, Level, ToolCall};
use stead_shell::Place;
use stead_yaml::{Entry, Position, Tree, Value, parse};

use super::reader::Reader;
use crate::compile::ProjectRooms;
use crate::condition::Clause;
use crate::example::{Example, ROOT, Scene};
use crate::exec::Exec;
use crate::expression;
use crate::guard::{Guard, OnError};
use crate::mode::Mode;
use crate::parameter;
use crate::problem::Problem;
use crate::protection::{Policy, builtin_rules, judge};
use crate::rewritten_call;
use crate::say::is_placeholder;
use crate::shipped;
use crate::source::{Origin, Source};
use crate::then::Then;

/// A guard as read, with what judging does not need.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) guard: Guard,
    pub(crate) examples: Vec<Example>,
    pub(crate) place: Position,
    /// The shipped guard it uses.
    pub(crate) made_from: Option<String>,
    /// The one guard of a pack it uses, as `PACK.GUARD`.
    pub(crate) definition: Option<String>,
}

impl Draft {
    /// Returns true if what it matches comes with Stead.
    pub(crate) fn is_used(&self) -> bool {
        self.made_from.is_some() || self.definition.is_some()
    }
}

/// What a draft uses, as in [`Draft`].
struct Used {
    made_from: Option<String>,
    definition: Option<String>,
}

const KEYS: &[&str] = &[
    "schema", "id", "about", "mode", "on", "match", "unless", "when", "exec", "then", "to", "at_most", "on_error",
    "say", "tests", "use", "with", "guards",
];
/// The keys that a file or a guard with `use` may have.
const USE_KEYS: &[&str] = &["schema", "id", "about", "use", "mode", "with", "say", "on_error", "tests"];
/// The keys of a file that are defaults for its guards.
const SHARED: &[&str] = &["mode", "on", "then", "on_error", "say", "unless"];
const SCHEMA: i128 = 1;
/// Where a rewrite may lead outside the project: the author of a guard must not choose the person's files.
const TEMPORARY: &[&str] = &["/tmp/", "/var/tmp/"];
/// The maximum of `at_most`.
const MOST_HOLDS: u64 = 10;

/// Reads one file. A file with errors gives no guard.
pub(crate) fn read_source(source: &Source, rooms: &ProjectRooms) -> (Vec<Draft>, Vec<Problem>) {
    let mut reader = Reader::new(source);
    if let Some(why) = &source.unreadable {
        reader.fault(Position::default(), format!("it cannot be read: {why}"), None);
        return (Vec::new(), reader.problems);
    }
    let drafts = match parse(&source.text) {
        Ok(root) => reader.file(&root, source, rooms),
        Err(fault) => {
            let place = Position { line: fault.line, column: fault.column };
            let message = format!("invalid YAML: {}", fault.message);
            reader.fault(place, message, fault.hint.map(str::to_owned));
            Vec::new()
        }
    };
    if reader.has_errors() {
        return (Vec::new(), reader.problems);
    }
    (drafts, reader.problems)
}

impl Reader<'_> {
    fn file(&mut self, root: &Tree, source: &Source, rooms: &ProjectRooms) -> Vec<Draft> {
        let Value::Map(entries) = &root.value else {
            let (message, hint) = match root.value {
                Value::Null => ("the file is empty".to_owned(), "`stead guard new ID` creates one"),
                _ => (format!("the file is {}, not a mapping", root.kind()), "start it with `id: …`"),
            };
            self.fault(root.place, message, Some(hint.into()));
            return Vec::new();
        };
        self.guard = root.get("id").or_else(|| root.get("use")).and_then(Tree::scalar);
        let version = hash(&source.text);
        if let Some(schema) = root.get("schema")
            && schema.value != Value::Whole(SCHEMA)
        {
            self.fault(
                schema.place,
                "this version of Stead does not support this `schema`",
                Some("update Stead".into()),
            );
        }
        let known = if root.get("use").is_some() { USE_KEYS } else { KEYS };
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            self.unknown(entry, if known == KEYS { "a guard" } else { "a file with `use`" }, known);
        }
        let (root, made_from) = match root.get("use") {
            Some(name) => match self.used(root, name, rooms) {
                Some((root, name)) => (root, Some(name)),
                None => return Vec::new(),
            },
            None if source.origin == Origin::Shipped => {
                let mut values = shipped::defaults(root, rooms);
                // Its examples provide values for parameters without a default.
                let samples = root.get("tests").and_then(|tests| tests.get("with")).map(Tree::entries);
                for entry @ Entry { value, .. } in samples.unwrap_or_default() {
                    values.retain(|(known, _)| *known != entry.key);
                    values.push((entry.key.clone(), value.clone()));
                }
                (parameter::fill(root, &values), None)
            }
            None => (root.clone(), None),
        };
        let Some(id) = self.id(&root) else { return Vec::new() };
        let parts = match root.get("guards").map(|guards| &guards.value) {
            Some(Value::List(parts)) => parts.iter().map(|part| (part_of(&root, part), Some(part))).collect(),
            Some(_) => {
                self.fault(root.place, "`guards` is not a list", None);
                Vec::new()
            }
            None => vec![(root.clone(), None)],
        };
        let mut drafts = Vec::new();
        for (node, part) in parts {
            let Some(part) = part else {
                let definition = made_from.clone().filter(|name| name.contains('.'));
                drafts.extend(self.draft(&node, id.clone(), source, &version, Used { made_from, definition }, rooms));
                break;
            };
            let used = part.get("use");
            let known = if used.is_some() { USE_KEYS } else { KEYS };
            for entry in part.entries().iter().filter(|entry| !known.contains(&entry.key.as_str())) {
                self.unknown(entry, if used.is_some() { "a guard with `use`" } else { "a guard" }, known);
            }
            let Some(own) = self.id(part) else { continue };
            let (node, definition) = match used {
                Some(name) => match self.borrowed(part, name, rooms) {
                    Some((borrowed, of)) if borrowed.get("guards").is_some() => {
                        let hint = format!("name one of them, such as `{of}.GUARD`");
                        self.fault(name.place, format!("`{of}` has several guards"), Some(hint));
                        continue;
                    }
                    Some((borrowed, name)) => (part_of(&root, &borrowed), Some(name)),
                    None => continue,
                },
                None => (node, made_from.as_ref().map(|base| format!("{base}.{own}"))),
            };
            let id = format!("{id}.{own}");
            self.guard = Some(id.clone());
            let used = Used { made_from: made_from.clone(), definition };
            drafts.extend(self.draft(&node, id, source, &version, used, rooms));
        }
        drafts
    }

    fn id(&mut self, node: &Tree) -> Option<String> {
        let Some(id) = node.get("id") else {
            self.fault(node.place, "a guard needs an `id`", None);
            return None;
        };
        let text = self.text(id, "id")?;
        match FileId::check(&text) {
            Ok(_) => Some(text),
            Err(problem) => {
                self.fault(id.place, format!("invalid id `{text}`: {problem}"), None);
                None
            }
        }
    }

    fn draft(
        &mut self,
        node: &Tree,
        id: String,
        source: &Source,
        version: &str,
        used: Used,
        rooms: &ProjectRooms,
    ) -> Option<Draft> {
        let modes = ["shadow", "warn", "enforce", "off"];
        let mode = match node.get("mode") {
            Some(node) => self.word(node, "mode", &modes, Mode::named)?,
            None => Mode::Shadow,
        };
        let then = match node.get("then") {
            Some(node) => self.word(node, "then", &Then::ALL.map(Then::name), Then::from_name)?,
            None => Then::Deny,
        };
        let events = self.events(node, then);
        let say = match node.get("say") {
            Some(say) => self.text(say, "say")?.trim().to_owned(),
            None if then == Then::Allow => String::new(),
            None => {
                let hint = "tell the agent why, and what to do instead";
                self.fault(node.place, "a guard needs a `say`", Some(hint.into()));
                return None;
            }
        };
        let on_error = match node.get("on_error") {
            Some(node) => self.word(node, "on_error", &OnError::ALL.map(OnError::name), OnError::from_name)?,
            None => OnError::Closed,
        };
        let guard = Guard {
            matches: node.get("match").map(|node| self.condition(node, "match")).unwrap_or_default(),
            unless: node.get("unless").map(|node| self.condition(node, "unless")).unwrap_or_default(),
            when: node.get("when").and_then(|node| self.expression(node)),
            exec: node.get("exec").and_then(|node| self.program(node, then)),
            to: self.target(node, then, rooms),
            at_most: match node.get("at_most") {
                Some(node) => self.number(node, "at_most", MOST_HOLDS),
                None => None,
            },
            id,
            mode,
            then,
            events,
            say,
            on_error,
            origin: source.origin,
            trust: source.trust,
            file: source.file.clone(),
            version: version.to_owned(),
        };
        self.sense(node, &guard);
        let examples = node.get("tests").map(|tests| self.examples(tests, &guard)).unwrap_or_default();
        let Used { made_from, definition } = used;
        Some(Draft { guard, examples, place: node.place, made_from, definition })
    }

    fn events(&mut self, node: &Tree, then: Then) -> Vec<EventKind> {
        let names: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.name()).collect();
        let Some(on) = node.get("on") else {
            return match then {
                Then::Continue => vec![EventKind::Stop],
                Then::Allow => vec![EventKind::PermissionRequest],
                _ => vec![EventKind::BeforeTool],
            };
        };
        let items = match &on.value {
            Value::List(items) => items.clone(),
            _ => vec![on.clone()],
        };
        let mut events = Vec::new();
        for item in &items {
            let Some(kind) = self.word(item, "on", &names, EventKind::from_name) else { continue };
            if !then.fits(kind) {
                let hint = match (then, kind) {
                    (Then::Deny, _) => "use `continue` at a stop",
                    (Then::Allow, _) => "`allow` answers a `permission-request`, nothing else",
                    (Then::Continue, _) => "`continue` works only at `stop` or `subagent-stop`",
                    (Then::Rewrite, _) => "`rewrite` works only at `before-tool`",
                    _ => "`ask` works only before something happens",
                };
                let message = format!("`then: {}` is not possible at `{}`", then.name(), kind.name());
                self.fault(item.place, message, Some(hint.into()));
            }
            events.push(kind);
        }
        events
    }

    fn expression(&mut self, node: &Tree) -> Option<String> {
        let text = self.text(node, "when")?;
        if let Err(error) = expression::check(&text) {
            let hint = format!("expected one of {}", expression::NAMES.join(", "));
            self.fault(node.place, error, Some(hint));
        }
        Some(text)
    }

    fn program(&mut self, node: &Tree, then: Then) -> Option<Exec> {
        if then != Then::Deny {
            self.fault(node.place, "a guard with `exec` may only deny", Some("write `then: deny`".into()));
        }
        let mut exec = Exec { path: String::new(), sha256: String::new(), timeout_ms: Exec::USUAL_MS };
        for entry @ Entry { value, .. } in self.map(node, "exec")? {
            match entry.key.as_str() {
                "path" => exec.path = self.text(value, "path")?,
                "sha256" if matches!(value.value, Value::Whole(_) | Value::Number(_)) => {
                    let hint = "put it in quotes; otherwise YAML reads it as a number";
                    self.fault(value.place, "`sha256` is a number, not a string", Some(hint.into()));
                    return None;
                }
                "sha256" => exec.sha256 = self.text(value, "sha256")?.to_ascii_lowercase(),
                "timeout_ms" => exec.timeout_ms = self.number(value, "timeout_ms", Exec::MOST_MS)?,
                _ => self.unknown(entry, "`exec`", &["path", "sha256", "timeout_ms"]),
            }
        }
        if exec.path.starts_with(['/', '~']) || exec.path.split('/').any(|name| name == "..") || exec.path.is_empty() {
            let hint = "keep the program in the project, next to the guard";
            self.fault(node.place, "`exec` needs a `path` below the project root", Some(hint.into()));
        }
        if exec.sha256.len() != 64 || !exec.sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            let hint = "`sha256sum FILE` prints it; a program that changed is not run";
            self.fault(node.place, "`exec` needs the `sha256` of its program", Some(hint.into()));
        }
        Some(exec)
    }

    fn target(&mut self, node: &Tree, then: Then, rooms: &ProjectRooms) -> Option<String> {
        match (node.get("to"), then) {
            (Some(to), Then::Rewrite) => {
                let text = self.text(to, "to")?;
                let is_temporary = TEMPORARY.iter().any(|folder| text.starts_with(folder));
                if text.starts_with(['/', '~']) && !is_temporary || text.split('/').any(|name| name == "..") {
                    let hint = "use a path below the project root, or below `/tmp/` or `/var/tmp/`";
                    self.fault(to.place, "`to` leaves the project", Some(hint.into()));
                } else if leads_to_own(&text, rooms) {
                    let hint = "agents may not write there";
                    self.fault(to.place, "`to` names one of Stead's own files", Some(hint.into()));
                }
                Some(text)
            }
            (None, Then::Rewrite) => {
                self.fault(node.place, "`then: rewrite` needs a `to`", Some("such as `to: docs/{name}`".into()));
                None
            }
            (Some(to), _) => {
                self.fault(to.place, "`to` is only for `then: rewrite`", None);
                None
            }
            (None, _) => None,
        }
    }

    /// Reports combinations that can never work.
    fn sense(&mut self, node: &Tree, guard: &Guard) {
        if guard.mode > Mode::Shadow && guard.then != Then::Allow && is_placeholder(&guard.say) {
            let place = node.get("say").map_or(node.place, |say| say.place);
            let hint = "tell the agent why, and what to do instead; until then use `mode: shadow`";
            self.fault(place, "`say` is still the placeholder", Some(hint.into()));
        }
        let has_call = |kind| {
            matches!(
                kind,
                EventKind::BeforeTool | EventKind::PermissionRequest | EventKind::AfterTool | EventKind::ToolFailed
            )
        };
        let place = node.get("match").map_or(node.place, |node| node.place);
        let (mut effects, mut text) = (false, false);
        guard.matches.each(&mut |clause| {
            effects |= clause.is_effect() || matches!(clause, Clause::Tool(_));
            text |= matches!(clause, Clause::Text(_));
        });
        if effects && !guard.events.iter().copied().any(has_call) {
            let hint = "files, commands and tools occur at `before-tool`";
            self.fault(place, "no event in `on` has a tool call, so this never matches", Some(hint.into()));
        }
        if text && guard.events.iter().copied().all(has_call) {
            let hint = "`text` is the message at `prompt` or `stop`; for text written to files use `content`";
            self.fault(place, "no event in `on` has a text, so this never matches", Some(hint.into()));
        }
        if guard.matches.is_empty()
            && guard.then != Then::Inject
            && guard.then != Then::Continue
            && guard.exec.is_none()
            && guard.when.is_none()
        {
            let hint = "add a `match`";
            self.fault(node.place, "a guard without `match` would match everything", Some(hint.into()));
        }
        if guard.at_most.is_some() && guard.then != Then::Continue {
            self.fault(node.place, "`at_most` is only for `then: continue`", None);
        }
    }
}

/// Returns true if self-protection would deny a write there.
fn leads_to_own(to: &str, rooms: &ProjectRooms) -> bool {
    let rules = builtin_rules(&|room| rooms.room(&format!("{room:?}").to_lowercase()));
    let policy: String = rules.iter().map(|rule| format!("{}\n", rule.render())).collect();
    let path = rewritten_call::new_path(to, "a/name.txt");
    let change = FileChange { path: path.into(), change: Change::Write { content: None } };
    let mut event = Event::new(EventKind::BeforeTool, "Example");
    event.call =
        Some(ToolCall { tool: "Write".into(), id: None, action: Action::Change(vec![change]), input: "{}".into() });
    let env = |_: &str| None;
    let place = Place { root: Some(ROOT.as_ref()), tree: None, others: &[], cwd: ROOT.as_ref(), env: &env };
    // Changes by a file tool are judged without effects.
    let none = Effects::default();
    judge(&Policy::parse(&policy), &event, &|| &none, &place, &Scene::default()).level > Level::Allow
}

/// A guard of a file with several: keys that it does not have come from the file.
pub(super) fn part_of(root: &Tree, part: &Tree) -> Tree {
    let Value::Map(own) = &part.value else { return part.clone() };
    let mut entries = own.clone();
    for entry in root.entries() {
        if SHARED.contains(&entry.key.as_str()) && part.get(&entry.key).is_none() {
            entries.push(entry.clone());
        }
    }
    Tree { value: Value::Map(entries), at: part.at.clone(), place: part.place }
}

fn hash(text: &str) -> String {
    let mut digest = sha1_smol::Sha1::from(text).digest().to_string();
    digest.truncate(12);
    digest
}
