//! Licence expressions: checks whether one of the alternatives needs only licences that we accept.

/// Returns true if an SPDX expression can be met with the accepted licences. The older `MIT/Apache-2.0` means "or".
pub(crate) fn is_met(expression: &str, accepted: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut reader = Reader { words: spaced.split_whitespace().collect(), at: 0, accepted };
    reader.any().is_some_and(|met| met && reader.at == reader.words.len())
}

/// Parses an expression; `None` if it is not one.
struct Reader<'a> {
    words: Vec<&'a str>,
    at: usize,
    accepted: &'a [String],
}

impl Reader<'_> {
    fn any(&mut self) -> Option<bool> {
        let mut met = self.all()?;
        while self.take("OR") {
            met |= self.all()?;
        }
        Some(met)
    }

    fn all(&mut self) -> Option<bool> {
        let mut met = self.one()?;
        while self.take("AND") {
            met &= self.one()?;
        }
        Some(met)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let met = self.any()?;
            return self.take(")").then_some(met);
        }
        let mut licence = self.next()?.to_owned();
        if self.take("WITH") {
            licence = format!("{licence} WITH {}", self.next()?);
        }
        Some(self.accepted.contains(&licence))
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at) == Some(&word);
        self.at += usize::from(found);
        found
    }

    fn next(&mut self) -> Option<&str> {
        let word = *self.words.get(self.at)?;
        self.at += 1;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expression: &str, expected: bool) {
        let accepted = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        assert_eq!(is_met(expression, &accepted), expected, "{expression}");
    }

    #[test]
    fn one_acceptable_way_is_enough() {
        check("MIT", true);
        check("MIT OR GPL-3.0", true);
        check("MIT/Apache-2.0", true);
        check("(MIT OR GPL-3.0) AND Apache-2.0", true);
        check("Apache-2.0 WITH LLVM-exception OR GPL-2.0", true);
    }

    #[test]
    fn every_required_licence_must_be_acceptable() {
        check("GPL-3.0", false);
        check("MIT AND GPL-3.0", false);
        check("(MIT OR Apache-2.0) AND Unicode-3.0", false);
        check("GPL-2.0 WITH LLVM-exception", false);
    }

    #[test]
    fn what_is_no_expression_is_not_met() {
        check("", false);
        check("MIT OR", false);
        check("(MIT", false);
        check("MIT Apache-2.0", false);
    }
}
