//! Dictionaries and objects, and containers that grow.

use crate::inline::arguments::Arguments;
use crate::inline::eval::Eval;
use crate::inline::language::Language;
use crate::inline::lexer::Token;
use crate::inline::value::Value;

impl Eval<'_> {
    /// Reads `{…}` where a value is expected: an object, a dictionary, a set.
    pub(crate) fn object(&mut self) -> Value {
        self.at += 1;
        let script = self.language == Language::JavaScript;
        let (mut fields, mut items, mut computed) = (Vec::new(), Vec::new(), false);
        while self.at < self.tokens.len() && !self.is_spent() {
            match self.peek(0) {
                Some(Token::Line(_) | Token::Sign(',')) => {
                    self.at += 1;
                    continue;
                }
                Some(Token::Sign('}')) => {
                    self.at += 1;
                    break;
                }
                Some(Token::Sign(')' | ']')) => break,
                _ => {}
            }
            let before = self.at;
            if let Some(skip) = self.spread() {
                self.at += skip;
                match self.expression() {
                    Value::Fields(more) => fields.extend(more),
                    other => fields.push((None, other.held())),
                }
                continue;
            }
            let ends = matches!(self.peek(1), Some(Token::Sign(',' | '}') | Token::Line(_)));
            let named = self.name_at(0).map(str::to_owned).filter(|_| script || self.language == Language::Ruby);
            let key = match named {
                Some(name) if self.is_sign(1, ':') => {
                    self.at += 1;
                    Value::text(name)
                }
                Some(name) if script && ends => {
                    self.at += 1;
                    let value = self.value_of(&name);
                    fields.push((Some(name), value));
                    continue;
                }
                // `[key]: value`
                _ if script && self.is_sign(0, '[') => self.arguments(']').list.pop().unwrap_or(Value::Unknown),
                _ => self.expression(),
            };
            if self.at == before {
                self.at += 1;
                continue;
            }
            let arrow = self.is_sign(0, '=') && self.is_sign(1, '>');
            if self.is_sign(0, ':') || arrow {
                self.at += if arrow { 2 } else { 1 };
                self.skip_lines();
                let value = self.expression();
                fields.push((key.known().map(str::to_owned), value));
            } else {
                items.push(key);
            }
            computed |= self.name_at(0) == Some("for");
        }
        match (fields.is_empty(), items.is_empty()) {
            _ if computed => Value::Unknown,
            (true, false) => Value::List(items),
            _ => Value::Fields(fields),
        }
    }

    /// How many signs take a container apart here: `*`, `**`, `...`.
    pub(crate) fn spread(&self) -> Option<usize> {
        let signs = |sign: char| (0..4).take_while(|ahead| self.is_sign(*ahead, sign)).count();
        match self.language {
            Language::JavaScript | Language::Php => (signs('.') == 3).then_some(3),
            Language::Python | Language::Ruby => Some(signs('*')).filter(|count| matches!(count, 1 | 2)),
            Language::Perl | Language::Lua => None,
        }
    }

    /// `list.append(x)` and its like change what the name holds; what they make of it is put beside what it held.
    pub(crate) fn grow(&mut self, holder: &str, verb: &str, arguments: &Arguments) {
        if !GROWERS.contains(&verb) {
            return;
        }
        let first = arguments.at(0);
        let added: Vec<Value> = match verb {
            "extend" | "update" => vec![first.clone()],
            "insert" | "setdefault" | "set" | "store" => vec![arguments.at(1).clone()],
            _ => arguments.list.clone(),
        };
        let mut value = match self.value_of(holder) {
            Value::Name(_) => return,
            value => value,
        };
        for added in added {
            value = match (value, added) {
                (Value::Fields(one), Value::Fields(two)) => Value::Fields(one.into_iter().chain(two).collect()),
                (Value::Fields(mut one), other) => {
                    let key = (verb != "update").then(|| first.known().map(str::to_owned)).flatten();
                    one.push((key, other));
                    Value::Fields(one)
                }
                (Value::List(one), Value::List(two)) if verb == "extend" => {
                    Value::List(one.into_iter().chain(two).collect())
                }
                (Value::List(one), other) if verb == "insert" || verb == "unshift" => {
                    // Every place may have moved.
                    let all = Value::union(one.into_iter().chain([other]));
                    Value::List(vec![all])
                }
                (Value::List(mut one), other) => {
                    one.push(other);
                    Value::List(one)
                }
                (value, _) => value,
            };
        }
        self.set(holder, value);
    }

    /// `holder[key] = value` and `holder.key = value`.
    pub(crate) fn put(&mut self, holder: &str, key: &Value, value: Value) {
        let held = match self.value_of(holder) {
            Value::Fields(mut fields) => {
                fields.push((key.known().map(str::to_owned), value));
                Value::Fields(fields)
            }
            Value::List(mut items) => match key.known().and_then(|key| key.parse::<usize>().ok()) {
                Some(place) if place < items.len() => {
                    items[place] = Value::union([items[place].clone(), value]);
                    Value::List(items)
                }
                _ => Value::List(vec![Value::union(items.into_iter().chain([value]))]),
            },
            _ => return,
        };
        self.set(holder, held);
    }
}

/// Methods that put something into their container.
const GROWERS: &[&str] =
    &["add", "append", "extend", "insert", "prepend", "push", "set", "setdefault", "store", "unshift", "update"];
