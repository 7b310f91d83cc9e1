/// Returns true if a variable is one that a table names: `*` at the end of the name stands for any rest.
pub fn is_variable(named: &str, variable: &str) -> bool {
    match named.strip_suffix('*') {
        Some(start) => variable.starts_with(start),
        None => named == variable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_rest() {
        assert!(is_variable("HOME", "HOME") && !is_variable("HOME", "HOMES") && !is_variable("HOME", "XHOME"));
        assert!(is_variable("LD_*", "LD_PRELOAD") && !is_variable("LD_*", "LD") && !is_variable("LD_*", "OLD_X"));
    }
}
