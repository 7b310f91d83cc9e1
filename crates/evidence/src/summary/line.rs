//! Building blocks for parsing summaries.

/// The maximum plausible number of tests; larger numbers are ignored, so that sums cannot overflow.
const MOST: u64 = 1_000_000_000;

/// Reads a whole number.
pub(super) fn number(text: &str) -> Option<u64> {
    text.parse::<u64>().ok().map(|number| number.min(MOST))
}

/// The pairs of a number and the word after it, such as `3 passed`, separated by commas, bars and brackets.
pub(super) fn pairs(line: &str) -> impl Iterator<Item = (u64, &str)> {
    let mut words =
        line.split(|c: char| c.is_whitespace() || ",|()[];=".contains(c)).filter(|word| !word.is_empty()).peekable();
    std::iter::from_fn(move || {
        loop {
            let number = number(words.next()?);
            if let (Some(number), Some(word)) = (number, words.peek()) {
                return Some((number, *word));
            }
        }
    })
}

/// The number before the first of these words.
pub(super) fn before(line: &str, words: &[&str]) -> Option<u64> {
    pairs(line).find(|(_, word)| words.contains(word)).map(|(number, _)| number)
}

/// The sum of the numbers before these words.
pub(super) fn sum(line: &str, words: &[&str]) -> u64 {
    pairs(line).filter(|(_, word)| words.contains(word)).map(|(number, _)| number).fold(0, u64::saturating_add)
}

/// Words for what is counted.
const COUNTED: &[&str] = &[
    "passed", "passing", "test", "tests", "spec", "specs", "example", "examples", "assertion", "assertions", "case",
    "cases", "check", "checks", "scenario", "scenarios",
];

/// Returns true if a program's output says that no test ran, and nowhere that one did.
pub(super) fn says_none(text: &str) -> bool {
    let lower = text.to_lowercase();
    let counted = |line| pairs(line).filter(|(_, word)| COUNTED.contains(&word.trim_end_matches(['.', '!', ':'])));
    let numbers: Vec<u64> = lower.lines().flat_map(counted).map(|(number, _)| number).collect();
    let in_words = ["no tests", "no test ran", "no test was", "nothing to test"];
    let is_none = numbers.contains(&0) || in_words.iter().any(|words| lower.contains(words));
    is_none && numbers.iter().all(|number| *number == 0)
}

/// The number after a label such as `Failures:`, in any case.
pub(super) fn labelled(line: &str, label: &str) -> Option<u64> {
    let lower = line.to_ascii_lowercase();
    let mut from = 0;
    while let Some(at) = lower[from..].find(label) {
        let start = from + at;
        from = start + label.len();
        let is_word = !lower[..start].ends_with(|c: char| c.is_ascii_alphanumeric());
        let rest = lower[from..].trim_start_matches([':', '=', ' ', '\t']);
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if is_word && let Some(number) = number(&rest[..digits]) {
            return Some(number);
        }
    }
    None
}
