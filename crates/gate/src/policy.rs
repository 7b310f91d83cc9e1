use crate::needle;
use crate::rule::Rule;

/// Ends the needles; optional.
const RULES: &str = "rules";

/// The compiled policy as text. Nothing is read before somebody asks, because most calls concern none of it.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    text: &'a str,
}

impl<'a> Policy<'a> {
    /// Takes the policy text: lines of tab-separated fields, unknown kinds ignored.
    pub fn parse(text: &'a str) -> Self {
        Self { text }
    }

    /// Gives the rules of this gate, in order.
    pub fn rules(&self) -> impl Iterator<Item = Rule<'a>> + use<'a> {
        self.text.lines().filter_map(Rule::parse)
    }

    /// Says whether none of the texts holds a needle. A policy without needles is never quiet: better slow than blind.
    pub(crate) fn is_quiet(&self, texts: &[&str]) -> bool {
        let mut first = [false; 128];
        let mut needles = Vec::with_capacity(32);
        // The line behind which only rules follow spares the usual call more than half of the text.
        let lines = self.text.lines().take_while(|line| *line != RULES);
        for literal in lines.filter_map(|line| line.strip_prefix("needle\t")) {
            let Some(byte) = literal.bytes().next() else { continue };
            first[usize::from(byte.to_ascii_lowercase() & 0x7f)] = true;
            first[usize::from(byte.to_ascii_uppercase() & 0x7f)] = true;
            needles.push(literal);
        }
        let is_hit = |rest: &[u8]| needles.iter().any(|literal| needle::starts(rest, literal));
        !needles.is_empty()
            && texts.iter().all(|text| {
                let bytes = text.as_bytes();
                !(0..bytes.len()).any(|at| first[usize::from(bytes[at] & 0x7f)] && is_hit(&bytes[at..]))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, quiet: bool) {
        let policy = Policy::parse("needle\t.agent\nhook\tother\nneedle\tStead\nown\tproject\t.agent/x\tit\n");
        assert_eq!(policy.is_quiet(&["", text]), quiet, "{text}");
    }

    #[test]
    fn needles_are_found_anywhere_in_any_case() {
        check("cargo test", true);
        check("cat .agen", true);
        check("cat .agent/x", false);
        check("x.AGENT", false);
        check("instead", false);
        check("é.agent", false);
    }

    #[test]
    fn a_policy_without_needles_is_never_quiet() {
        assert!(!Policy::parse("own\tproject\tx\tit").is_quiet(&["nothing"]));
    }

    #[test]
    fn only_own_kinds_become_rules() {
        let policy = Policy::parse("needle\ta\nfrobnicate\tb\nverb\tuninstall\n");
        assert_eq!(policy.rules().count(), 2);
    }
}
