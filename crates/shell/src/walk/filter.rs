//! Filters between a listing and its user: what is known about the names stays known.
//!
//! A line of a listing is a pattern for many names, so it is only narrowed; other lines are filtered one by one.

use stead_model::ITSELF;

use crate::parse::syntax::mark;
use crate::programs::options::{has_flag, operands_after, option_values};
use crate::programs::table;

/// Alternatives that one pattern may have.
const ALTERNATIVES: usize = 16;

/// Returns the lines that pass; `None` if that is unknown or the program is not a filter.
pub(crate) fn of(name: &str, argv: &[String], text: &str) -> Option<String> {
    if !table::places(name, argv).into_iter().all(|word| word == "-") {
        return None;
    }
    let lines: Vec<&str> = text.split(['\n', '\0']).filter(|line| !line.is_empty()).collect();
    let listing = lines.iter().any(|line| line.contains(mark::is_mark));
    let kept: Vec<String> = match name {
        "grep" | "egrep" | "fgrep" => grep(name, argv, &lines, listing)?,
        "head" | "tail" if listing => lines.iter().map(|line| some(line)).collect(),
        "head" => lines.iter().take(count(argv)?).map(|line| (*line).to_owned()).collect(),
        "tail" => lines.iter().skip(lines.len().saturating_sub(count(argv)?)).map(|line| (*line).to_owned()).collect(),
        "shuf" if listing => lines.iter().map(|line| some(line)).collect(),
        "shuf" => return None,
        "tac" => lines.iter().rev().map(|line| (*line).to_owned()).collect(),
        "sort" if listing || !argv.iter().skip(1).any(|word| !matches!(word.as_str(), "-u" | "-r")) => {
            sorted(argv, &lines)
        }
        "uniq" if argv.len() == 1 || listing && !has_flag(argv, "c", &["--count"]) => {
            let mut kept = lines;
            kept.dedup();
            kept.into_iter().map(str::to_owned).collect()
        }
        _ => return None,
    };
    Some(kept.into_iter().map(|line| line + "\n").collect())
}

fn sorted(argv: &[String], lines: &[&str]) -> Vec<String> {
    let mut kept: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    kept.sort();
    if has_flag(argv, "u", &["--unique"]) {
        kept.dedup();
    }
    if has_flag(argv, "r", &["--reverse"]) {
        kept.reverse();
    }
    kept
}

/// How many lines `head` and `tail` are told to take.
fn count(argv: &[String]) -> Option<usize> {
    let short = argv.iter().skip(1).find_map(|word| word.strip_prefix('-')?.parse::<usize>().ok());
    let named = option_values(argv, 'n', "--lines");
    match (short, named.first()) {
        (Some(count), _) => Some(count),
        (None, Some(count)) => count.parse().ok(),
        (None, None) if argv.len() == 1 => Some(10),
        (None, None) => None,
    }
}

/// A pattern for all files stands for some of them only.
fn some(line: &str) -> String {
    if is_any(line) { format!("{0}{0}", mark::MANY) } else { line.to_owned() }
}

fn is_any(line: &str) -> bool {
    line.chars().all(|c| c == mark::MANY || c == '/')
}

fn grep(name: &str, argv: &[String], lines: &[&str], listing: bool) -> Option<Vec<String>> {
    let letters = argv.iter().skip(1).filter(|word| !word.starts_with("--")).filter_map(|word| word.strip_prefix('-'));
    let plain = |flags: &str| flags.starts_with('e') || flags.chars().all(|c| "vEFGPisxzae".contains(c));
    let known = ["--invert-match", "--extended-regexp", "--fixed-strings", "--text", "--null-data", "--color=never"];
    if !letters.into_iter().all(plain)
        || argv.iter().any(|word| word.starts_with("--regexp"))
        || argv.iter().any(|word| word.starts_with("--") && word != "--" && !known.contains(&word.as_str()))
    {
        return None;
    }
    let needles = needles(name, argv)?;
    let any_case = has_flag(argv, "i", &[]);
    let inverted = has_flag(argv, "v", &["--invert-match"]);
    let mut kept = Vec::new();
    for line in lines {
        let open = line.contains(mark::is_mark);
        let verdicts: Vec<Option<bool>> = needles.iter().map(|needle| needle.is_in(line, any_case)).collect();
        let found = match () {
            () if verdicts.contains(&Some(true)) => Some(true),
            () if verdicts.iter().all(|verdict| *verdict == Some(false)) => Some(false),
            () => None,
        };
        match found.map(|found| found != inverted) {
            Some(true) => kept.push((*line).to_owned()),
            Some(false) => {}
            None if open && inverted => kept.push(some(line)),
            None if open && !any_case => needles.iter().for_each(|needle| kept.extend(needle.narrow(line))),
            None if open => kept.push(some(line)),
            None if listing => kept.push((*line).to_owned()),
            None => return None,
        }
    }
    kept.dedup();
    Some(kept)
}

/// What `grep -v` excludes of the names that come through, as patterns; `dotted` names begin with `./`.
pub(crate) fn left_out(name: &str, argv: &[String], dotted: bool) -> Vec<String> {
    let inverted = name.ends_with("grep") && has_flag(argv, "v", &["--invert-match"]);
    let needles = if inverted { needles(name, argv) } else { None };
    let mut patterns: Vec<String> =
        needles.unwrap_or_default().iter().filter_map(|needle| needle.as_pattern(dotted)).collect();
    if has_flag(argv, "i", &["--ignore-case"]) {
        patterns.extend(patterns.clone().iter().map(|pattern| pattern.to_lowercase()));
    }
    patterns
}

/// What `grep` looks for.
fn needles(name: &str, argv: &[String]) -> Option<Vec<Needle>> {
    let named = option_values(argv, 'e', "--regexp");
    let patterns = if named.is_empty() { operands_after(argv, "e").into_iter().take(1).collect() } else { named };
    let fixed = name == "fgrep" || has_flag(argv, "F", &["--fixed-strings"]);
    let extended = name == "egrep" || has_flag(argv, "EP", &["--extended-regexp"]);
    let whole = has_flag(argv, "x", &[]);
    // What may follow says nothing.
    let read = |pattern: &String| match pattern.strip_suffix(".*").filter(|rest| !whole && !rest.ends_with('\\')) {
        Some(rest) => Needle::read(rest),
        None => Needle::read(pattern),
    };
    let mut needles = Vec::new();
    for pattern in patterns {
        match fixed {
            true => needles.push(Needle { pieces: vec![pattern.to_owned()], ..Needle::default() }),
            false => needles.extend(alternatives(&in_one_spelling(pattern, extended))?.iter().map(read)),
        }
    }
    if whole {
        needles.iter_mut().for_each(|needle| (needle.start, needle.end) = (true, true));
    }
    Some(needles)
}

/// Writes a basic pattern the extended way.
fn in_one_spelling(pattern: &str, extended: bool) -> String {
    if extended {
        return pattern.to_owned();
    }
    let mut all = String::new();
    let mut signs = pattern.chars();
    while let Some(c) = signs.next() {
        match c {
            '\\' => match signs.next() {
                Some(sign @ ('(' | ')' | '|' | '+' | '?' | '{' | '}')) => all.push(sign),
                Some(other) => all.extend(['\\', other]),
                None => {}
            },
            '(' | ')' | '|' | '+' | '?' | '{' | '}' => all.extend(['\\', c]),
            other => all.push(other),
        }
    }
    all
}

/// Takes a pattern with groups apart; `None` if it has too many readings.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let (mut level, mut escaped, mut set) = (0_usize, false, false);
    let (mut open, mut parts, mut from) = (None, Vec::new(), 0);
    for (at, c) in pattern.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => set = true,
            ']' => set = false,
            _ if set => {}
            '(' => {
                level += 1;
                if level == 1 && open.is_none() {
                    open = Some(at);
                }
            }
            ')' => level = level.checked_sub(1)?,
            '|' if level == 0 => {
                parts.push(&pattern[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    if !parts.is_empty() {
        parts.push(&pattern[from..]);
        let all: Option<Vec<Vec<String>>> = parts.into_iter().take(ALTERNATIVES).map(alternatives).collect();
        return all.map(|all| all.concat()).filter(|all| all.len() <= ALTERNATIVES);
    }
    let Some(open) = open else { return Some(vec![pattern.to_owned()]) };
    let close = open + pattern[open..].find(')')?;
    let (inner, after) = (&pattern[open + 1..close], &pattern[close + 1..]);
    if inner.contains(['(', '\\']) || after.starts_with(['*', '+', '?', '{']) {
        // Whatever it is, something stands there.
        return alternatives(&format!("{}.*{}", &pattern[..open], after.trim_start_matches(['*', '+', '?'])));
    }
    let mut all = Vec::new();
    for choice in inner.trim_start_matches("?:").split('|').take(ALTERNATIVES) {
        all.extend(alternatives(&format!("{}{choice}{after}", &pattern[..open]))?);
    }
    (all.len() <= ALTERNATIVES).then_some(all)
}

/// One reading of a pattern: pieces of text with something else between them.
#[derive(Default)]
struct Needle {
    start: bool,
    end: bool,
    pieces: Vec<String>,
}

impl Needle {
    fn read(pattern: &str) -> Self {
        let start = pattern.starts_with('^');
        let body = pattern.strip_prefix('^').unwrap_or(pattern);
        let end = body.ends_with('$') && !body.ends_with("\\$");
        let body = if end { &body[..body.len() - 1] } else { body };
        let mut pieces = vec![String::new()];
        let mut signs = body.chars().peekable();
        while let Some(c) = signs.next() {
            let letter = match c {
                '\\' => signs.next().filter(|c| !c.is_alphanumeric()),
                '[' => {
                    signs.by_ref().take_while(|c| *c != ']').for_each(drop);
                    None
                }
                '{' => {
                    signs.by_ref().take_while(|c| *c != '}').for_each(drop);
                    None
                }
                '.' | '*' | '+' | '?' => None,
                letter => Some(letter),
            };
            let repeated = signs.peek().is_some_and(|next| matches!(next, '*' | '?' | '{'));
            match (letter.filter(|_| !repeated), pieces.last_mut()) {
                (Some(letter), Some(piece)) => piece.push(letter),
                _ => pieces.push(String::new()),
            }
        }
        Self { start, end, pieces }
    }

    fn first(&self) -> &str {
        self.pieces.first().map_or("", String::as_str)
    }

    fn last(&self) -> &str {
        self.pieces.last().map_or("", String::as_str)
    }

    /// The pattern for the paths that it is in; `None` if that cannot be said.
    fn as_pattern(&self, dotted: bool) -> Option<String> {
        let text = match self.pieces.as_slice() {
            [text] => text.clone(),
            // `^./x`: the point stands for itself.
            [first, text] if self.start && dotted && first.is_empty() && text.starts_with('/') => format!(".{text}"),
            _ => return None,
        };
        if text.starts_with("./") != dotted && (self.start || !dotted && text.starts_with("./")) {
            return None;
        }
        let behind = if self.end || text.ends_with('/') { "" } else { "*" };
        let bare = text.trim_start_matches("./").trim_end_matches('/');
        let pattern = match (self.start, text.strip_prefix('/')) {
            _ if bare.trim_matches('/').is_empty() => return None,
            (true, _) => format!("{bare}{behind}"),
            (false, Some(rest)) => format!("**/{}{behind}", rest.trim_end_matches('/')),
            (false, None) if text.starts_with("./") => format!("{bare}{behind}"),
            (false, None) => format!("**/*{bare}{behind}"),
        };
        // What ends so does not end there for the files in it.
        Some(if self.end { format!("{ITSELF}{pattern}") } else { pattern })
    }

    /// Returns true if the needle is in a line, and in all that an open line stands for; `None` if that is unknown.
    fn is_in(&self, line: &str, any_case: bool) -> Option<bool> {
        let [text] = self.pieces.as_slice() else { return None };
        if line.contains(mark::is_mark) {
            let mut runs = line.split(mark::is_mark);
            let (first, last) = (line.split(mark::is_mark).next()?, line.rsplit(mark::is_mark).next()?);
            let inside = match (self.start, self.end) {
                (false, false) => runs.any(|run| run.contains(text.as_str())),
                (true, false) => first.starts_with(text.as_str()),
                (false, true) => last.ends_with(text.as_str()),
                (true, true) => false,
            };
            return (inside && !text.is_empty()).then_some(true);
        }
        let (line, text) =
            if any_case { (line.to_lowercase(), text.to_lowercase()) } else { (line.to_owned(), text.clone()) };
        Some(match (self.start, self.end) {
            (false, false) => line.contains(&text),
            (true, false) => line.starts_with(&text),
            (false, true) => line.ends_with(&text),
            (true, true) => line == text,
        })
    }

    /// The patterns for those of an open line's names that the needle is in.
    fn narrow(&self, line: &str) -> Vec<String> {
        let any = format!("{0}{0}", mark::MANY);
        let mut lines = vec![line.to_owned()];
        let (head, tail) = (self.first().trim_start_matches("./"), self.last());
        let (heads, tails) = (self.start && !head.is_empty(), self.end && !tail.is_empty());
        if tails {
            lines = lines.iter().filter_map(|line| with_end(line, tail)).collect();
        }
        if heads {
            lines = lines.iter().flat_map(|line| with_start(line, head)).collect();
        }
        if heads || tails || !is_any(line) {
            return lines;
        }
        // Somewhere in the name: most often it is where the path begins, or the end of a name.
        let text = self.pieces.iter().max_by_key(|piece| piece.len()).map_or("", String::as_str);
        let guess = match text {
            "" => None,
            text if text.ends_with('/') => Some(format!("{}{any}", text.trim_start_matches('/'))),
            text if text.contains('.') => Some(format!("{any}/{}{}", mark::MANY, text.trim_start_matches('/'))),
            text => Some(format!("{}/{any}", text.trim_start_matches('/'))),
        };
        guess.into_iter().chain([any.clone()]).collect()
    }
}

/// Narrows a pattern to names that end so; `None` if none does.
fn with_end(line: &str, tail: &str) -> Option<String> {
    let any = format!("{0}{0}", mark::MANY);
    if is_any(line) {
        let deep = if line.contains(&any) { format!("{any}/") } else { String::new() };
        return Some(format!("{deep}{}{tail}", mark::MANY));
    }
    if line.ends_with(&any) {
        return Some(format!("{line}/{}{tail}", mark::MANY));
    }
    let last = line.rsplit(mark::is_mark).next().unwrap_or_default();
    match () {
        () if last.ends_with(tail) => Some(line.to_owned()),
        () if tail.ends_with(last) => Some(format!("{}{tail}", &line[..line.len() - last.len()])),
        () => None,
    }
}

/// Narrows a pattern to names that begin so.
fn with_start(line: &str, head: &str) -> Vec<String> {
    let any = format!("{0}{0}", mark::MANY);
    let first = line.split(mark::is_mark).next().unwrap_or_default();
    if !first.is_empty() {
        let meets = first.starts_with(head) || head.starts_with(first);
        return meets.then(|| line.to_owned()).into_iter().collect();
    }
    let line = if is_any(line) { any.as_str() } else { line };
    let rest = line.strip_prefix(&any).map_or(line, |rest| rest.trim_start_matches('/'));
    match (head.ends_with('/'), line.starts_with(&any)) {
        (true, _) => vec![format!("{head}{line}")],
        (false, true) if rest.is_empty() => {
            vec![format!("{head}{}", mark::MANY), format!("{head}{}/{any}", mark::MANY)]
        }
        (false, true) => vec![format!("{head}{rest}"), format!("{head}{}/{line}", mark::MANY)],
        (false, false) => vec![format!("{head}{line}")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signs in the listing stand for wildcards, words are split at blanks.
    #[track_caller]
    fn check(command: &str, listing: &str, expected: Option<&str>) {
        let argv: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let text = listing.replace('*', &mark::MANY.to_string()).replace(' ', "\n");
        let kept = of(&argv[0], &argv, &text).map(|kept| kept.trim_end().replace(mark::MANY, "*").replace('\n', " "));
        assert_eq!(kept.as_deref(), expected, "{command} < {listing}");
    }

    #[test]
    fn patterns_are_narrowed() {
        check(r"grep \.py$", "**/**", Some("**/*.py"));
        check(r"grep \.py$", "**/*.tf", Some(""));
        check(r"grep \.tf$", "infra/*.tf", Some("infra/*.tf"));
        check(r"grep main\.tf$", "**/*.tf", Some("**/*main.tf"));
        check(r"grep -E \.(ts|tsx)$", "**/**", Some("**/*.ts **/*.tsx"));
        check(r"grep \.ts$\|\.js$", "**", Some("**/*.ts **/*.js"));
        check(r"grep -E [a-z]+_test\.py$", "**/**", Some("**/*_test.py"));
        check(r"grep ^src/", "**/**", Some("src/**"));
        check(r"grep ^src/.*\.rs$", "**/**", Some("src/**/*.rs"));
        check(r"grep ^src", "**", Some("src* src*/**"));
        check(r"grep src/", "**/**", Some("src/** **"));
        check(r"grep x", "**/*.tf", Some("**/*.tf"));
        check(r"grep -v sandbox", "**/*.tf", Some("**/*.tf"));
        check(r"grep -v sandbox", "**/**", Some("**"));
        check(r"grep -v infra", "infra/*.tf src/*", Some("src/*"));
        check(r"grep -v \.tf$", "**/*.tf", Some(""));
        check("head -5", "**/** **/*.tf", Some("** **/*.tf"));
        check("sort -k2", "**/*.tf", Some("**/*.tf"));
    }

    #[test]
    fn plain_lines_are_decided() {
        check("grep a", "ab cd", Some("ab"));
        check("grep -v a", "ab cd", Some("cd"));
        check("grep -i A", "ab cd", Some("ab"));
        check("grep -x a", "ab a", Some("a"));
        check("grep a.*b", "ab cd", None);
        check("grep -c a", "ab cd", None);
        check("grep -n a", "ab cd", None);
        check("grep a file", "ab cd", None);
        check("sort", "b a", Some("a b"));
        check("sort -u -r", "b a b", Some("b a"));
        check("sort -k2", "b a", None);
        check("head -1", "b a", Some("b"));
        check("head -n 1", "b a", Some("b"));
        check("head -c 1", "b a", None);
        check("tail -n1", "b a", Some("a"));
        check("tac", "b a", Some("a b"));
        check("uniq", "a a b", Some("a b"));
        check("uniq -c", "a a b", None);
        check("shuf", "a b", None);
        check("wc", "a b", None);
    }
}
