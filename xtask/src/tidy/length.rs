use super::{Finding, Tree};

/// The maximum number of lines of a file.
const LIMIT: usize = 600;
/// From here on, consider splitting the file.
const LOOK: usize = 400;

/// Rust files stay short enough to be read at once.
pub(super) fn files_stay_short(tree: &Tree) -> Vec<Finding> {
    let lengths = tree.rust().map(|(file, _)| (&file.path, file.text.lines().count()));
    lengths
        .filter_map(|(path, lines)| match lines {
            lines if lines > LIMIT => Some(Finding::whole(path, format!("{lines} lines; {LIMIT} is the limit"))),
            lines if lines > LOOK => Some(Finding::note(path, format!("{lines} lines; consider splitting it"))),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::Weight;
    use super::*;

    #[track_caller]
    fn check(lines: usize, expected: Option<Weight>) {
        let tree = Tree::sample("crates/shell/src/a.rs", &"x\n".repeat(lines));
        assert_eq!(files_stay_short(&tree).first().map(|finding| finding.weight), expected, "{lines}");
    }

    #[test]
    fn long_files_are_found() {
        check(400, None);
        check(401, Some(Weight::Note));
        check(600, Some(Weight::Note));
        check(601, Some(Weight::Problem));
    }

    #[test]
    fn other_files_may_be_long() {
        assert!(files_stay_short(&Tree::sample("Cargo.lock", &"x\n".repeat(9000))).is_empty());
    }
}
