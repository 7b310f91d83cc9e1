//! The evaluator: processes the tokens, keeps the values of names, and collects what calls do.

use std::collections::HashSet;

use crate::inline::Act;
use crate::inline::arguments::Arguments;
use crate::inline::constant;
use crate::inline::function::{Scope, Seen};
use crate::inline::language::Language;
use crate::inline::lexer::{Token, tokens};
use crate::inline::target::Target;
use crate::inline::value::Value;

/// How deep expressions may nest.
pub(crate) const DEPTH: usize = 48;
/// The maximum number of tokens that are read, including nested texts.
const STEPS: usize = 400_000;
/// The maximum cost of one reading for another one to follow.
const AGAIN: usize = 100_000;
/// How often a program is read again because its functions revealed something new.
const READINGS: usize = 5;
/// Names that are kept.
const NAMES: usize = 1_000;

/// The environment of the program.
pub(crate) struct Surroundings<'s> {
    pub(crate) home: Option<String>,
    pub(crate) cwd: String,
    /// Gives a variable of the environment.
    pub(crate) variable: &'s dyn Fn(&str) -> Option<String>,
    /// The words behind the program.
    pub(crate) words: Vec<String>,
    /// The name of the script, which is among the words that the program sees; `-` when it is fed.
    pub(crate) script: Option<String>,
}

/// Reads a program and reports what it would do.
pub(crate) fn read(language: Language, text: &str, surroundings: &Surroundings<'_>) -> Vec<Act> {
    let mut before = Seen::default();
    let tokens = tokens(language, text);
    for reading in 1.. {
        let mut eval = Eval::new(language, surroundings, tokens.clone(), &before);
        eval.second = reading > 1;
        eval.run();
        if text.len() > crate::inline::lexer::LONGEST || eval.is_spent() || eval.too_deep || eval.lost_names {
            eval.acts.push(Act::More);
        }
        let (acts, costly) = (std::mem::take(&mut eval.acts), eval.steps > AGAIN);
        let mut seen = eval.seen();
        // A reading that takes any argument for possible needs no other.
        if costly || before.loose || seen.calls.is_empty() && seen.returns.is_empty() || seen == before {
            return acts;
        }
        seen.loose |= reading + 1 >= READINGS;
        before = seen;
    }
    Vec::new()
}

pub(crate) struct Eval<'e> {
    pub(crate) language: Language,
    pub(crate) surroundings: &'e Surroundings<'e>,
    pub(crate) tokens: Vec<Token>,
    pub(crate) at: usize,
    pub(crate) names: Vec<(String, Value)>,
    pub(crate) acts: Vec<Act>,
    /// The modules that were taken in by their names.
    pub(crate) modules: Vec<String>,
    /// Open files whose text is written elsewhere.
    pub(crate) spoiled: Vec<usize>,
    pub(crate) depth: usize,
    /// An expression was passed over.
    pub(crate) too_deep: bool,
    /// A name was not kept.
    lost_names: bool,
    pub(crate) steps: usize,
    /// What the reading before this one found out.
    pub(crate) before: &'e Seen,
    pub(crate) second: bool,
    pub(crate) scopes: Vec<Scope>,
    /// Which of the names the functions being read declared.
    pub(crate) locals: Vec<usize>,
    /// The names of this statement are declared by it.
    pub(crate) local: bool,
    declares: bool,
    pub(crate) defined: HashSet<String>,
    pub(crate) calls: Vec<(String, Arguments)>,
    pub(crate) lost_calls: bool,
    pub(crate) returns: Vec<(String, Value)>,
    /// What the function that comes next in an argument is called with.
    pub(crate) given: Option<Value>,
    /// Where the line of this statement begins.
    pub(crate) column: usize,
    /// Names that stand for less as long as lines are further right than a column.
    pub(crate) narrowed: Vec<(usize, String, Value)>,
}

impl<'e> Eval<'e> {
    fn new(language: Language, surroundings: &'e Surroundings<'e>, tokens: Vec<Token>, before: &'e Seen) -> Self {
        Self {
            language,
            surroundings,
            tokens,
            at: 0,
            names: Vec::new(),
            acts: Vec::new(),
            modules: Vec::new(),
            spoiled: Vec::new(),
            depth: 0,
            too_deep: false,
            lost_names: false,
            steps: 0,
            before,
            second: false,
            scopes: Vec::new(),
            locals: Vec::new(),
            local: false,
            declares: false,
            defined: HashSet::new(),
            calls: Vec::new(),
            lost_calls: false,
            returns: Vec::new(),
            given: None,
            column: 0,
            narrowed: Vec::new(),
        }
    }

    pub(crate) fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    pub(crate) fn is_sign(&self, ahead: usize, sign: char) -> bool {
        self.peek(ahead) == Some(&Token::Sign(sign))
    }

    pub(crate) fn name_at(&self, ahead: usize) -> Option<&str> {
        match self.peek(ahead) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    pub(crate) fn skip_lines(&mut self) {
        while matches!(self.peek(0), Some(Token::Line(_))) {
            self.at += 1;
        }
    }

    /// Returns true if enough was looked at.
    pub(crate) fn is_spent(&self) -> bool {
        self.steps >= STEPS
    }

    fn run(&mut self) {
        while self.at < self.tokens.len() && !self.is_spent() {
            self.step();
        }
        while !self.scopes.is_empty() {
            self.leave();
        }
    }

    /// Reads a statement, or skips a token.
    pub(crate) fn step(&mut self) {
        let before = self.at;
        self.statement();
        if self.at == before {
            self.at += 1;
        }
    }

    fn statement(&mut self) {
        self.steps += 1;
        self.local = std::mem::take(&mut self.declares);
        if let Some(Token::Line(column)) = self.peek(0) {
            let column = *column;
            if !matches!(self.peek(1), None | Some(Token::Line(_))) && self.language == Language::Python {
                self.dedent(column);
            }
            return;
        }
        if matches!(self.name_at(0), Some("import" | "from")) && self.import() || self.def() {
            return;
        }
        match self.name_at(0) {
            Some("const" | "let" | "var" | "my" | "our" | "local") if !self.is_sign(1, '(') => {
                self.at += 1;
                self.declares = true;
                return;
            }
            Some("global" | "nonlocal") if self.language == Language::Python => {
                if let Some(scope) = self.scopes.last_mut() {
                    scope.shares = true;
                }
            }
            Some("return") => {
                self.at += 1;
                if !matches!(self.peek(0), None | Some(Token::Line(_) | Token::Sign(';' | '}'))) {
                    let value = self.expression();
                    self.returns(value);
                }
                return;
            }
            Some("async" | "await" | "use" | "not" | "echo" | "export" | "default")
                if !self.is_sign(1, '(') && !self.is_sign(1, '=') =>
            {
                self.at += 1;
                return;
            }
            // In Perl it may print into a file.
            Some("print") if !self.is_sign(1, '(') && self.language != Language::Perl => {
                self.at += 1;
                return;
            }
            Some("for" | "foreach") => {
                self.at += 1;
                self.for_loop();
                return;
            }
            _ => {}
        }
        if self.destructure() || self.assign() {
            return;
        }
        if matches!(self.peek(0), Some(Token::Name(_) | Token::Text(_) | Token::Command(_) | Token::Number(_)))
            || self.is_sign(0, '(')
            || self.is_sign(0, '[')
            || self.language == Language::Ruby && self.is_sign(0, '{') && self.is_sign(2, '=') && self.is_sign(3, '>')
        {
            let start = self.at;
            let value = self.expression();
            if self.is_sign(0, '=') && !self.is_sign(1, '=') && !self.is_sign(1, '>') {
                self.put_into(start);
                return;
            }
            // `with open(…) as f`
            if self.name_at(0) == Some("as")
                && let Some((target, end)) = self.target(1)
            {
                self.at += end;
                self.bind(&target, &value);
            } else if let Some(bar) = self.bar() {
                // `File.open(…) { |f| … }`
                self.at += bar + 1;
                if let Some((target, end)) = self.targets(0).filter(|(_, end)| self.is_sign(*end, '|')) {
                    self.at += end + 1;
                    let pairs = matches!((&target, &value), (Target::Parts(_), Value::Fields(_)));
                    let value = if pairs { value.pairs() } else { value };
                    self.bind(&target, &value.one_of());
                }
            }
        }
    }

    /// Where the parameters of a block of Ruby begin.
    fn bar(&self) -> Option<usize> {
        let ahead = usize::from(self.is_sign(0, '{') || self.name_at(0) == Some("do"));
        (self.is_sign(ahead, '|') && !self.is_sign(ahead + 1, '|')).then_some(ahead)
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.steps += value.weight();
        let base = self.base();
        if let Some(known) = self.names[base..].iter_mut().rev().find(|(known, _)| known == name) {
            known.1 = value;
        } else if self.names.len() < NAMES {
            if self.local {
                self.locals.push(self.names.len());
            }
            self.names.push((name.to_owned(), value));
        } else {
            self.lost_names = true;
        }
    }

    /// The value of a name; the name itself if it has none.
    pub(crate) fn value_of(&mut self, name: &str) -> Value {
        let held = self.names.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value);
        // A function may use what is set only after it.
        let later = || self.before.names.get(name).filter(|_| !self.scopes.is_empty());
        let value = match held.or_else(later) {
            Some(value) => value.clone(),
            None => constant::given(self, name).unwrap_or_else(|| Value::Name(name.to_owned())),
        };
        self.steps += value.weight();
        value
    }
}
