//! What is known about the flags of programs: a table, which explains itself.

const TABLE: &str = include_str!("flags.txt");

/// The flags of which a fact is stated for a program, or for this sub-command of it.
fn stated(program: &str, sub: &str, fact: &str) -> impl Iterator<Item = &'static str> {
    let is_own = move |name: &str| name.eq_ignore_ascii_case(program);
    TABLE.lines().filter_map(move |line| {
        let rest = line.get(program.len()..).filter(|_| line.get(..program.len()).is_some_and(is_own))?;
        let (head, flags) = rest.strip_prefix(' ')?.split_once(": ")?;
        let (only, stated) = head.split_once(' ').unwrap_or(("", head));
        (stated == fact && (only.is_empty() || only == sub)).then_some(flags)
    })
}

fn has(flags: &str, wanted: &str) -> bool {
    flags.split(' ').any(|flag| flag == wanted)
}

/// Returns true if an option before the sub-command takes the next word.
pub(super) fn takes_value(program: &str, option: &str) -> bool {
    match stated(program, "", "switch").next() {
        Some(switches) => !option.contains('=') && !option.starts_with("--no-") && !has(switches, option),
        None => stated(program, "", "value").any(|flags| has(flags, option)),
    }
}

/// The flags of a program, or of one of its sub-commands, that have several spellings.
pub(super) fn same(program: &str, sub: &str) -> Vec<Vec<&'static str>> {
    stated(program, sub, "same").map(|flags| flags.split(' ').collect()).collect()
}
