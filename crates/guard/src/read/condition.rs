use stead_client::Harness;
use stead_yaml::{Entry, Position, Tree, Value};

use super::reader::Reader;
use crate::condition::{Bound, Clause, Condition, EvidenceWord, FeatureClause, FileClause, FileOp, TestsWord};
use crate::field::{FieldRule, FieldTest, Owner};
use crate::pattern::{ArgvPattern, TextPattern};

/// Stands for the paths of files with secrets.
const SECRETS: &str = "@secrets";

/// The paths that `@secrets` stands for.
fn secret_paths() -> impl Iterator<Item = &'static str> {
    include_str!("../../shipped/secret-paths.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Returns true if a path is one of those that `@secrets` stands for.
pub(crate) fn is_secret_path(path: &str) -> bool {
    secret_paths().flat_map(stead_pattern::expand).any(|known| known == path)
}

/// Every key of `match`.
pub(crate) const KEYS: &[&str] = &[
    "writes", "deletes", "reads", "recursive", "content", "fields", "owners", "lines", "size", "runs", "git",
    "network", "runs_download", "sql", "mcp", "spawn", "tool", "agent", "role", "harness", "text", "exists", "session",
    "counter", "intent", "feature", "tests", "evidence", "all", "any", "not",
];

const GIT: &[&str] = &["commit", "push", "force-push", "whole-tree", "paths", "refs", "config", "other"];

impl Reader<'_> {
    /// Reads `match`, `unless`, or a part of `all`, `any` and `not`.
    pub(crate) fn condition(&mut self, node: &Tree, what: &str) -> Condition {
        let Some(entries) = self.map(node, what) else { return Condition::default() };
        let mut clauses = Vec::new();
        let mut files = Files::default();
        for entry @ Entry { value, .. } in entries {
            let name = entry.key.as_str();
            match name {
                "writes" | "deletes" | "reads" => {
                    let op = match name {
                        "writes" => FileOp::Writes,
                        "deletes" => FileOp::Deletes,
                        _ => FileOp::Reads,
                    };
                    files.of(op).paths = self.paths(value, name);
                }
                "content" => files.of(FileOp::Writes).content = self.patterns(value, name),
                "fields" => files.of(FileOp::Writes).fields = self.fields(value),
                "owners" => files.of(FileOp::Writes).owners = self.owners(value),
                "lines" => files.of(FileOp::Reads).lines = self.bound(value, name),
                "size" => files.of(FileOp::Reads).bytes = self.bound(value, name),
                "recursive" => files.recursive = self.truth(value, name),
                _ => clauses.extend(self.clause(name, value).or_else(|| {
                    if !KEYS.contains(&name) {
                        self.unknown(entry, &format!("`{what}`"), KEYS);
                    }
                    None
                })),
            }
        }
        clauses.extend(files.clauses());
        clauses.sort_by_key(Clause::cost);
        Condition(clauses)
    }

    fn clause(&mut self, name: &str, node: &Tree) -> Option<Clause> {
        Some(match name {
            "runs" => Clause::Runs(self.commands(node)),
            "git" => Clause::Git(self.names(node, name, GIT)),
            "network" => Clause::Network(self.free(node, name)),
            "runs_download" => Clause::RunsDownload(self.free(node, name)),
            "sql" => Clause::Sql(self.free(node, name)),
            "mcp" => Clause::Mcp(self.free(node, name)),
            "spawn" => Clause::Spawn(self.free(node, name)),
            "tool" => Clause::Tool(self.free(node, name)),
            "agent" | "role" => Clause::Agent(self.free(node, name)),
            "harness" => Clause::Harness(self.names(node, name, Harness::NAMES)),
            "text" => Clause::Text(self.patterns(node, name)),
            "exists" => Clause::Exists(self.paths(node, name)),
            "session" => {
                for entry in self.map(node, name)?.iter().filter(|entry| entry.key != "has") {
                    self.unknown(entry, "`session`", &["has"]);
                }
                Clause::Session(self.free(node.get("has")?, "has"))
            }
            "counter" => {
                let entry = self.map(node, name)?.first()?;
                Clause::Counter { name: entry.key.clone(), bound: self.bound(&entry.value, &entry.key)? }
            }
            "intent" => Clause::Intent(self.free(node, name)),
            "feature" => {
                let mut feature = FeatureClause::default();
                for entry @ Entry { value, .. } in self.map(node, name)? {
                    match entry.key.as_str() {
                        "status" => feature.status = self.free(value, "status"),
                        "tested" => feature.tested = self.truth(value, "tested"),
                        _ => self.unknown(entry, "`feature`", &["status", "tested"]),
                    }
                }
                Clause::Feature(feature)
            }
            "tests" => {
                Clause::Tests(self.word(node, name, &TestsWord::ALL.map(TestsWord::name), TestsWord::from_name)?)
            }
            "evidence" => Clause::Evidence(self.word(
                node,
                name,
                &EvidenceWord::ALL.map(EvidenceWord::name),
                EvidenceWord::from_name,
            )?),
            "all" | "any" => {
                let Value::List(items) = &node.value else {
                    self.fault(node.place, format!("`{name}` is {}, not a list", node.kind()), None);
                    return None;
                };
                let parts = items.iter().map(|item| self.condition(item, name)).collect();
                if name == "all" { Clause::All(parts) } else { Clause::Any(parts) }
            }
            "not" => Clause::Not(self.condition(node, name)),
            _ => return None,
        })
    }

    fn free(&mut self, node: &Tree, what: &str) -> Vec<String> {
        self.texts(node, what).into_iter().map(|(text, _)| text).collect()
    }

    fn names(&mut self, node: &Tree, what: &str, known: &[&str]) -> Vec<String> {
        let texts = self.texts(node, what);
        for (text, place) in &texts {
            let bare = text.trim_start_matches('!');
            if !known.contains(&bare) && !stead_pattern::has_wildcard(bare) && what != "git" {
                let hint = stead_model::suggestion(bare, known.iter().copied());
                self.fault(*place, format!("`{what}` has no `{bare}`"), Some(hint));
            }
        }
        texts.into_iter().map(|(text, _)| text).collect()
    }

    fn patterns(&mut self, node: &Tree, what: &str) -> Vec<TextPattern> {
        if let Some(plain) = node.get("has") {
            return self.free(plain, "has").iter().map(|text| TextPattern::plain(text)).collect();
        }
        let mut patterns = Vec::new();
        for (text, place) in self.texts(node, what) {
            match TextPattern::new(&text) {
                Ok(pattern) => patterns.push(pattern),
                Err(error) => self.fault(place, error, Some(format!("for plain text write `{what}: {{has: …}}`"))),
            }
        }
        patterns
    }

    fn paths(&mut self, node: &Tree, what: &str) -> Vec<String> {
        let mut paths = Vec::new();
        for (text, place) in self.texts(node, what) {
            if text == SECRETS {
                paths.extend(secret_paths().flat_map(stead_pattern::expand));
                continue;
            }
            match stead_pattern::check(&text) {
                Ok(()) => paths.extend(stead_pattern::expand(&text)),
                Err(fault) => {
                    self.fault(place, format!("`{text}` in `{what}` {}", fault.problem), Some(fault.hint.into()));
                }
            }
        }
        if !paths.is_empty() && paths.iter().all(|path| path.starts_with('!')) {
            self.fault(node.place, format!("`{what}` has only exclusions, so nothing can match"), None);
        }
        paths
    }

    fn commands(&mut self, node: &Tree) -> Vec<String> {
        let mut commands = Vec::new();
        for (text, place) in self.texts(node, "runs") {
            let program = ArgvPattern::parse(&text).map(|pattern| pattern.program().to_owned()).unwrap_or_default();
            if program.contains(['/', '=', ';', '&', '>', '<', '$', '(']) || text.contains("&&") {
                let hint = "one command per entry: the program's name, its words and flags; `|` separates alternatives";
                self.fault(place, format!("`{text}` in `runs` can never match"), Some(hint.into()));
            } else if WRAPPERS.contains(&program.as_str()) {
                let hint = format!("name the program itself; `{program}` is removed before commands are compared");
                self.fault(place, format!("`{text}` in `runs` can never match"), Some(hint));
            } else {
                commands.push(text);
            }
        }
        commands
    }

    fn bound(&mut self, node: &Tree, what: &str) -> Option<Bound> {
        let text = self.text(node, what)?;
        let bound = Bound::parse(&text);
        if bound.is_none() {
            self.fault(
                node.place,
                format!("`{what}` cannot be `{text}`"),
                Some("write it as `>1000` or `<= 5`".into()),
            );
        }
        bound
    }

    fn fields(&mut self, node: &Tree) -> Vec<FieldRule> {
        let mut rules = Vec::new();
        for entry @ Entry { value, .. } in self.map(node, "fields").unwrap_or_default() {
            self.pointer(&entry.key, entry.key_place);
            let test = match &value.value {
                Value::Map(entries) => {
                    let [test] = entries.as_slice() else {
                        self.fault(value.place, "a field must have exactly one test", Some(TESTS.into()));
                        continue;
                    };
                    match (test.key.as_str(), &test.value.value) {
                        ("changed", Value::Bool(true)) => FieldTest::Changed,
                        ("added", Value::Bool(true)) => FieldTest::Added,
                        ("removed", Value::Bool(true)) => FieldTest::Removed,
                        ("becomes", _) => FieldTest::Becomes(test.value.json()),
                        _ => {
                            self.fault(
                                test.key_place,
                                format!("`{}` is not a test for a field", test.key),
                                Some(TESTS.into()),
                            );
                            continue;
                        }
                    }
                }
                Value::List(_) => {
                    self.fault(value.place, "a field can be compared with only one value", Some(TESTS.into()));
                    continue;
                }
                _ => FieldTest::Becomes(value.json()),
            };
            rules.push(FieldRule { pointer: entry.key.clone(), test });
        }
        rules
    }

    fn owners(&mut self, node: &Tree) -> Vec<Owner> {
        let mut owners = Vec::new();
        for entry @ Entry { value, .. } in self.map(node, "owners").unwrap_or_default() {
            let pointers = self.texts(value, &entry.key);
            for (pointer, place) in &pointers {
                self.pointer(pointer, *place);
            }
            let pointers = pointers.into_iter().map(|(pointer, _)| pointer).collect();
            owners.push(Owner { role: entry.key.clone(), pointers });
        }
        if owners.is_empty() {
            self.fault(node.place, "`owners` names no role", None);
        }
        owners
    }

    fn pointer(&mut self, pointer: &str, place: Position) {
        if !pointer.starts_with('/') {
            let hint = format!("did you mean `/{}`?", pointer.replace('.', "/"));
            self.fault(place, format!("`{pointer}` is not a JSON pointer"), Some(hint));
        }
    }
}

const TESTS: &str = "write a value, or `{changed: true}`, `{added: true}`, `{removed: true}`";

/// Wrappers that are removed before a command is compared.
const WRAPPERS: &[&str] = &[
    "sudo", "doas", "env", "nice", "ionice", "nohup", "setsid", "stdbuf", "timeout", "time", "command", "exec",
    "builtin", "xargs", "eval",
];

/// The clauses about files, with their restrictions.
#[derive(Default)]
struct Files {
    list: Vec<FileClause>,
    recursive: Option<bool>,
}

impl Files {
    fn of(&mut self, op: FileOp) -> &mut FileClause {
        let at = self.list.iter().position(|clause| clause.op == op).unwrap_or_else(|| {
            self.list.push(FileClause::new(op));
            self.list.len() - 1
        });
        &mut self.list[at]
    }

    fn clauses(mut self) -> Vec<Clause> {
        if self.recursive.is_some() {
            let recursive = self.recursive;
            let op = if self.list.iter().any(|clause| clause.op == FileOp::Writes) {
                FileOp::Writes
            } else {
                FileOp::Deletes
            };
            self.of(op).recursive = recursive;
        }
        self.list.into_iter().map(|clause| Clause::Files(Box::new(clause))).collect()
    }
}
