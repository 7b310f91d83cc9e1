//! Calls and methods: known ones by the tables of the language, those of the program by what they return.

use crate::inline::Act;
use crate::inline::arguments::Arguments;
use crate::inline::eval::Eval;
use crate::inline::language::Language;
use crate::inline::value::{UNKNOWN, Value};
use crate::inline::{javascript, other, python, sqlite, text};

/// Methods that give SQL to a database, in the libraries of several languages.
const STATING: &[&str] = &[
    "exec", "execute", "executemany", "executescript", "exec_driver_sql", "query", "raw", "run", "$executeRawUnsafe",
    "$queryRawUnsafe", "unsafe", "batch", "do",
];
/// The words that a statement that changes something starts with.
const SQL: &[&str] = &["alter", "delete", "drop", "grant", "truncate", "update", "with"];

impl Eval<'_> {
    pub(crate) fn call(&mut self, callee: &Value, arguments: &Arguments) -> Value {
        self.hands_over(arguments);
        let name = match callee {
            Value::Name(name) => name,
            Value::Any(callees) => {
                let values: Vec<Value> = callees.iter().map(|callee| self.call(callee, arguments)).collect();
                return Value::union(values);
            }
            _ => return Value::Unknown,
        };
        let value = match self.language {
            Language::Python => python::call(self, name, arguments),
            Language::JavaScript => javascript::call(self, name, arguments),
            language => other::call(self, language, name, arguments),
        };
        let last = name.rsplit('.').next().unwrap_or_default();
        self.states(last, arguments);
        let own = self.defined.contains(last) || self.before.defined.contains(last);
        if own || value.is_none() {
            self.record(name, arguments);
        }
        if let Some(value) = value {
            return value;
        }
        for argument in &arguments.list {
            if let Value::File(file) = argument {
                self.spoils(*file);
            }
        }
        if own {
            return self.returned(name);
        }
        if name.contains('.')
            && let Some(value) = self.telling(last, arguments)
        {
            return value;
        }
        if self.is_foreign(name) {
            self.gap(&format!("what `{name}` does is not known"));
        }
        Value::Unknown
    }

    /// Reports SQL that a method of a database is given, whichever database that is.
    fn states(&mut self, name: &str, arguments: &Arguments) {
        if !STATING.contains(&name) {
            return;
        }
        let Some(text) = arguments.at(0).known() else { return };
        let verb = text.split_whitespace().next().unwrap_or_default();
        if SQL.iter().any(|known| known.eq_ignore_ascii_case(verb)) {
            self.act(Act::Sql { text: text.to_owned() });
        }
    }

    /// Methods whose name says that they change a file, but which file is unknown.
    fn telling(&mut self, name: &str, arguments: &Arguments) -> Option<Value> {
        if self.language != Language::Python {
            return None;
        }
        match name {
            "write_text" | "write_bytes" | "unlink" | "symlink_to" | "hardlink_to" | "touch" | "rmdir" => {
                python::path_method(self, &Value::Unknown, name, arguments)
            }
            "extractall" => Some(python::extracts(self, arguments.get(0, "path"))),
            "extract" => Some(python::extracts(self, arguments.get(1, "path"))),
            _ if self.modules.iter().any(|module| module == "sqlite3") => sqlite::method(self, name, arguments),
            _ => None,
        }
    }

    pub(crate) fn method(&mut self, value: &Value, name: &str, arguments: &Arguments) -> Value {
        if let Value::Any(values) = value
            && !matches!(name, "forEach" | "map" | "each")
        {
            let values: Vec<Value> = values.iter().map(|value| self.method(value, name, arguments)).collect();
            return Value::union(values);
        }
        self.states(name, arguments);
        if matches!(value, Value::Unknown | Value::File(_))
            && let Some(value) = self.telling(name, arguments)
        {
            return value;
        }
        // Names that only the file system and processes have, whatever they are called on.
        let telling = name.ends_with("Sync") || matches!(name, "appendFile" | "createWriteStream" | "writeFile");
        if telling
            && self.language == Language::JavaScript
            && matches!(value, Value::Unknown)
            && let Some(value) = javascript::call(self, &format!("_.{name}"), arguments)
        {
            return value;
        }
        if let Value::File(file) = value {
            match name {
                "write" | "print" | "puts" | "end" | "writeSync" | "printf" => {
                    let line = if name == "puts" {
                        arguments.at(0).join("", &Value::text("\n"))
                    } else {
                        arguments.at(0).clone()
                    };
                    if arguments.has(0) {
                        self.fills(*file, &line);
                    }
                    return value.clone();
                }
                "writelines" | "writer" => self.spoils(*file),
                _ => {}
            }
            return Value::Unknown;
        }
        if let Value::Text { path: true, .. } = value
            && let Some(value) = python::path_method(self, value, name, arguments)
        {
            return value;
        }
        // What a function makes of the items.
        if let ("map" | "flatMap", Value::Name(function)) = (name, arguments.at(0)) {
            let function = function.clone();
            return Value::List(vec![self.returned(&function)]);
        }
        if let Some(value) = text::method(value, name, arguments) {
            return value;
        }
        self.hands_over(arguments);
        self.record(name, arguments);
        match value {
            Value::Text { .. } => value.map(|_| UNKNOWN.to_string()),
            _ => self.returned(name),
        }
    }
}
