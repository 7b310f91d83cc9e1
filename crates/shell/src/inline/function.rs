//! Functions that the program defines. A body is read once, where it is defined; a parameter stands for all arguments
//! of the calls, and a call for all returned values. Both are known only after the whole program was read, so it is
//! read again until nothing new is found.

use std::collections::{HashMap, HashSet};

use crate::inline::arguments::Arguments;
use crate::inline::eval::Eval;
use crate::inline::language::Language;
use crate::inline::lexer::Token;
use crate::inline::target::Target;
use crate::inline::value::Value;

/// Calls that are kept.
const CALLS: usize = 2_000;
/// How far the end of a list of parameters is looked for.
const AHEAD: usize = 400;

/// What one reading found out about the functions of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    pub(crate) defined: HashSet<String>,
    pub(crate) calls: HashMap<String, Vec<Arguments>>,
    pub(crate) returns: HashMap<String, Vec<Value>>,
    /// What the names hold at the end.
    pub(crate) names: HashMap<String, Value>,
    /// There are calls that are not kept, so that every parameter may also be something else.
    pub(crate) loose: bool,
}

/// A function whose body is being read.
pub(crate) struct Scope {
    name: String,
    /// Names from here on are its own.
    base: usize,
    /// The column of its head, where columns tell what belongs to it.
    column: Option<usize>,
    /// It changes names of others.
    pub(crate) shares: bool,
}

struct Parameter {
    target: Target,
    default: Option<Value>,
}

impl Eval<'_> {
    /// Reports what was found out about functions.
    pub(crate) fn seen(self) -> Seen {
        let mut calls: HashMap<String, Vec<Arguments>> = HashMap::new();
        for (name, arguments) in self.calls.into_iter().filter(|(name, _)| self.defined.contains(name)) {
            let known = calls.entry(name).or_default();
            if !known.contains(&arguments) || known.len() > 64 {
                known.push(arguments);
            }
        }
        let mut returns: HashMap<String, Vec<Value>> = HashMap::new();
        for (name, value) in self.returns {
            returns.entry(name).or_default().push(value);
        }
        let names = self.names.into_iter().map(|(name, value)| (name, value.lasting())).collect();
        Seen { defined: self.defined, calls, returns, names, loose: self.lost_calls }
    }

    /// Keeps what a function is given.
    pub(crate) fn record(&mut self, name: &str, arguments: &Arguments) {
        let name = name.rsplit('.').next().unwrap_or_default();
        if self.second && !self.before.defined.contains(name) {
            return;
        }
        if self.calls.len() >= CALLS {
            self.lost_calls = true;
            return;
        }
        let arguments = Arguments {
            list: arguments.list.iter().cloned().map(Value::lasting).collect(),
            named: arguments.named.iter().map(|(name, value)| (name.clone(), value.clone().lasting())).collect(),
        };
        self.steps += 1 + arguments.list.iter().map(Value::weight).sum::<usize>();
        self.calls.push((name.to_owned(), arguments));
    }

    /// Functions passed as arguments are assumed to be called with the arguments after them.
    pub(crate) fn hands_over(&mut self, arguments: &Arguments) {
        if self.second && self.before.defined.is_empty() {
            return;
        }
        // In the first reading any name may be that of a function.
        let handed = |value: &Value| match value {
            Value::Name(name) if !self.second || self.before.defined.contains(name) => Some(name.clone()),
            _ => None,
        };
        let mut calls = Vec::new();
        for (place, value) in arguments.list.iter().enumerate() {
            if let Some(name) = handed(value) {
                let list = arguments.list[place + 1..].iter().map(|value| value.clone().one_of()).collect();
                calls.push((name, list));
            }
        }
        for (_, value) in &arguments.named {
            if let Some(name) = handed(value) {
                let list = match arguments.named("args") {
                    Some(Value::List(items)) => items.clone(),
                    Some(only) => vec![only.clone()],
                    None => Vec::new(),
                };
                calls.push((name, list));
            }
        }
        for (name, list) in calls {
            self.record(&name, &Arguments { list, named: Vec::new() });
        }
    }

    /// The value of a call of a function that the program defines.
    pub(crate) fn returned(&self, name: &str) -> Value {
        let name = name.rsplit('.').next().unwrap_or_default();
        match self.before.returns.get(name) {
            Some(values) if !self.before.loose => Value::union(values.iter().cloned()),
            _ => Value::Unknown,
        }
    }

    /// Keeps what the function being read returns.
    pub(crate) fn returns(&mut self, value: Value) {
        if let Some(scope) = self.scopes.last() {
            self.steps += value.weight();
            self.returns.push((scope.name.clone(), value.lasting()));
        }
    }

    /// `def name(…):`, whose body follows in the lines below or in the same one.
    pub(crate) fn def(&mut self) -> bool {
        let (true, Some("def"), Some(name), true) = (
            self.language == Language::Python,
            self.name_at(0),
            self.name_at(1).map(str::to_owned),
            self.is_sign(2, '('),
        ) else {
            return false;
        };
        self.at += 2;
        let parameters = self.parameters(')');
        while !matches!(self.peek(0), None | Some(Token::Sign(':') | Token::Line(_))) {
            self.at += 1;
        }
        self.at += 1;
        self.enter(name, Some(self.column), &parameters, None);
        true
    }

    /// Ends the functions whose indentation ended.
    pub(crate) fn dedent(&mut self, column: usize) {
        self.widen(column);
        while self.scopes.last().is_some_and(|scope| scope.column.is_some_and(|head| column <= head)) {
            self.leave();
        }
        self.column = column;
    }

    /// Reads a function where a value is expected: `x => …`, `function (x) {…}`, `lambda x: …`.
    pub(crate) fn function(&mut self) -> Option<Value> {
        let own = format!("=>{}", self.at);
        let (name, parameters) = match self.language {
            Language::Python if self.name_at(0) == Some("lambda") => (own, self.parameters(':')),
            Language::JavaScript | Language::Php => {
                let ahead = usize::from(self.name_at(0) == Some("async"));
                if matches!(self.name_at(ahead), Some("function" | "fn")) {
                    let mut head = ahead + 1 + usize::from(self.is_sign(ahead + 1, '*'));
                    let name = self.name_at(head).map(str::to_owned);
                    head += usize::from(name.is_some());
                    if !self.is_sign(head, '(') {
                        return None;
                    }
                    self.at += head;
                    let parameters = self.parameters(')');
                    let body = (0..40)
                        .find(|at| self.is_sign(*at, '{') || self.is_sign(*at, '=') && self.is_sign(*at + 1, '>'));
                    self.at += body.unwrap_or(0);
                    self.at += if self.is_sign(0, '=') { 2 } else { 0 };
                    (name.unwrap_or(own), parameters)
                } else if self.language == Language::JavaScript && self.is_sign(ahead, '(') {
                    let arrow = self.arrow_behind(ahead)?;
                    let end = self.at + arrow;
                    self.at += ahead;
                    let parameters = self.parameters(')');
                    self.at = end.max(self.at);
                    (own, parameters)
                } else if let (true, true, Some(name)) =
                    (self.is_sign(ahead + 1, '='), self.is_sign(ahead + 2, '>'), self.name_at(ahead).map(str::to_owned))
                {
                    self.at += ahead + 3;
                    (own, vec![Parameter { target: Target::Name(name), default: None }])
                } else {
                    return None;
                }
            }
            _ => return None,
        };
        let given = self.given.take();
        self.enter(name.clone(), None, &parameters, given);
        self.skip_lines();
        if self.language != Language::Python && self.is_sign(0, '{') {
            self.block();
        } else {
            let value = self.expression();
            self.returns(value);
        }
        self.leave();
        Some(Value::Name(name))
    }

    /// Reads statements up to the brace that closes.
    pub(crate) fn block(&mut self) {
        let (mut level, mut end) = (0_usize, self.at);
        while let Some(token) = self.tokens.get(end) {
            match token {
                Token::Sign('{') => level += 1,
                Token::Sign('}') if level <= 1 => break,
                Token::Sign('}') => level -= 1,
                _ => {}
            }
            end += 1;
        }
        self.steps += (end - self.at) / 8;
        self.at += 1;
        while self.at < end && !self.is_spent() {
            self.step();
        }
        self.at = self.at.max(end + 1);
    }

    /// Where a list of parameters is followed by an arrow: behind the arrow.
    fn arrow_behind(&self, ahead: usize) -> Option<usize> {
        let (mut level, mut at) = (0_usize, ahead);
        loop {
            match self.peek(at)? {
                Token::Sign('(') => level += 1,
                Token::Sign(')') if level == 1 => break,
                Token::Sign(')') => level -= 1,
                _ if at > ahead + AHEAD => return None,
                _ => {}
            }
            at += 1;
        }
        // The type of what it returns stands between.
        let most = if self.is_sign(at + 1, ':') { 12 } else { 1 };
        (at + 1..=at + most).find(|at| self.is_sign(*at, '=') && self.is_sign(*at + 1, '>')).map(|at| at + 2)
    }

    /// Reads the parameters of a function, up to the sign that closes them.
    fn parameters(&mut self, close: char) -> Vec<Parameter> {
        self.at += 1;
        let mut parameters: Vec<Parameter> = Vec::new();
        while self.at < self.tokens.len() && !self.is_spent() {
            if self.is_sign(0, close) {
                self.at += 1;
                break;
            }
            let Some((target, end)) = self.target(0) else {
                self.at += 1;
                continue;
            };
            self.at += end;
            // A type may stand before the name or behind it.
            if self.language == Language::Php && self.name_at(0).is_some() {
                continue;
            }
            let mut level = 0_usize;
            while !self.is_sign(0, close) || level > 0 {
                match self.peek(0) {
                    None | Some(Token::Sign('=' | ',')) if level == 0 => break,
                    None => break,
                    Some(Token::Sign('(' | '[' | '{' | '<')) => level += 1,
                    Some(Token::Sign(')' | ']' | '}' | '>')) => level = level.saturating_sub(1),
                    _ => {}
                }
                self.at += 1;
            }
            let default = self.is_sign(0, '=').then(|| {
                self.at += 1;
                self.expression()
            });
            parameters.push(Parameter { target, default });
        }
        parameters
    }

    /// Begins the body of a function: its parameters get what they are given.
    fn enter(&mut self, name: String, column: Option<usize>, parameters: &[Parameter], given: Option<Value>) {
        let own = matches!(parameters.first(), Some(Parameter { target: Target::Name(name), .. }) if name == "self" || name == "cls");
        let skip = usize::from(own && self.language == Language::Python);
        let calls = self.before.calls.get(&name).cloned().unwrap_or_default();
        let loose = self.before.loose;
        self.scopes.push(Scope { name: name.clone(), base: self.names.len(), column, shares: false });
        self.defined.insert(name);
        let local = std::mem::replace(&mut self.local, true);
        for (place, parameter) in parameters.iter().skip(skip).enumerate() {
            let default = parameter.default.clone().unwrap_or(Value::Unknown);
            let value = match (&given, &parameter.target) {
                (Some(given), _) if place == 0 => given.clone(),
                (Some(_), _) => Value::Unknown,
                (None, _) if calls.is_empty() => default,
                (None, Target::Rest(_)) => {
                    Value::List(calls.iter().flat_map(|call| call.list.iter().skip(place).cloned()).collect())
                }
                (None, target) => {
                    let named = |call: &Arguments| match target {
                        Target::Name(name) => call.named(name).cloned(),
                        _ => None,
                    };
                    let of = |call: &Arguments| {
                        named(call).or_else(|| call.list.get(place).cloned()).unwrap_or_else(|| default.clone())
                    };
                    Value::union(calls.iter().map(of))
                }
            };
            let value = if loose { Value::union([value, Value::Unknown]) } else { value };
            self.bind(&parameter.target, &value);
        }
        self.local = local;
    }

    /// Ends a function: its own names are gone.
    pub(crate) fn leave(&mut self) {
        let Some(scope) = self.scopes.pop() else { return };
        if self.language == Language::Python {
            if !scope.shares {
                self.names.truncate(scope.base);
            }
            return;
        }
        // Names that it did not declare are those of others.
        let own = self.locals.iter().position(|at| *at >= scope.base).unwrap_or(self.locals.len());
        let own: HashSet<usize> = self.locals.split_off(own).into_iter().collect();
        let mut at = 0;
        self.names.retain(|_| {
            at += 1;
            !own.contains(&(at - 1))
        });
    }

    /// Where the names of the function being read begin.
    pub(crate) fn base(&self) -> usize {
        self.scopes.last().map_or(0, |scope| scope.base)
    }
}
