//! Modules and the names they get.

use crate::inline::Act;
use crate::inline::eval::Eval;
use crate::inline::language::Language;
use crate::inline::lexer::Token;
use crate::inline::value::Value;

impl Eval<'_> {
    /// `{a, b: c} = require('m')`.
    pub(crate) fn destructure(&mut self) -> bool {
        if self.language != Language::JavaScript || !self.is_sign(0, '{') {
            return false;
        }
        let Some(end) = (1..40).find(|ahead| self.is_sign(*ahead, '}')) else { return false };
        if !self.is_sign(end + 1, '=') || self.is_sign(end + 2, '=') {
            return false;
        }
        let names = self.renamed(1, end);
        let local = self.local;
        self.at += end + 2;
        let value = self.expression();
        self.local = local;
        for (theirs, ours) in names {
            match &value {
                Value::Name(module) => self.set(&ours, Value::Name(format!("{module}.{theirs}"))),
                value => self.set(&ours, value.field(&theirs)),
            }
        }
        true
    }

    /// Names between two places, with the names they get: `a as b`, `a: b`.
    fn renamed(&self, from: usize, to: usize) -> Vec<(String, String)> {
        let mut names: Vec<(String, String)> = Vec::new();
        let mut at = from;
        while at < to {
            if let Some(name) = self.name_at(at).filter(|name| *name != "as") {
                match names.last_mut() {
                    Some(last) if self.name_at(at - 1) == Some("as") || self.is_sign(at - 1, ':') => {
                        last.1 = name.to_owned()
                    }
                    _ => names.push((name.to_owned(), name.to_owned())),
                }
            }
            at += 1;
        }
        names
    }

    pub(crate) fn import(&mut self) -> bool {
        let end = (1..60)
            .find(|ahead| matches!(self.peek(*ahead), None | Some(Token::Line(_) | Token::Sign(';'))))
            .unwrap_or(60);
        if self.language == Language::JavaScript {
            let Some(Token::Text(pieces)) = self.peek(end.saturating_sub(1)).cloned() else { return false };
            let module = self.fill(&pieces).known().map(module_name).unwrap_or_default();
            let braced = (1..end).find(|at| self.is_sign(*at, '{'));
            for (theirs, ours) in self.renamed(1, end - 1) {
                let whole = braced.is_none() && theirs != "from";
                if theirs != "from" {
                    self.set(&ours, Value::Name(if whole { module.clone() } else { format!("{module}.{theirs}") }));
                }
            }
            self.requires(&module);
            self.at += end;
            return true;
        }
        if self.language != Language::Python {
            return false;
        }
        if self.name_at(0) == Some("from") {
            let split = (1..end).find(|at| self.name_at(*at) == Some("import"));
            let Some(split) = split else { return false };
            let module = self.dotted(1, split);
            if self.takes_in(&module) && self.is_sign(split + 1, '*') {
                self.gap(&format!("what `{module}` brings along is not known"));
            }
            for (theirs, ours) in self.renamed(split + 1, end) {
                self.set(&ours, Value::Name(format!("{module}.{theirs}")));
            }
        } else {
            let mut start = 1;
            while start < end {
                let stop = (start..end).find(|at| self.is_sign(*at, ',')).unwrap_or(end);
                let named = (start..stop).find(|at| self.name_at(*at) == Some("as"));
                let module = self.dotted(start, named.unwrap_or(stop));
                self.takes_in(&module);
                let ours = named
                    .and_then(|at| self.name_at(at + 1))
                    .map_or_else(|| module.split('.').next().unwrap_or_default().to_owned(), str::to_owned);
                let target = if named.is_some() { module } else { ours.clone() };
                self.set(&ours, Value::Name(target));
                start = stop + 1;
            }
        }
        self.at += end;
        true
    }

    /// Reports that a file of the project is taken in by its name.
    pub(crate) fn requires(&mut self, module: &str) {
        if module.starts_with("./") || module.starts_with("../") {
            self.act(Act::Import { module: module.to_owned() });
        }
    }

    fn dotted(&self, from: usize, to: usize) -> String {
        let names: Vec<&str> = (from..to).filter_map(|at| self.name_at(at)).collect();
        names.join(".")
    }
}

/// One name for a module, however it is spelled.
pub(crate) fn module_name(module: &str) -> String {
    let module = module.strip_prefix("node:").unwrap_or(module);
    match module {
        "fs/promises" | "fs-extra" | "graceful-fs" => "fs".to_owned(),
        other => other.to_owned(),
    }
}
