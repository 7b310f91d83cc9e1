use super::{Finding, Tree};

/// Names that say nothing about the content.
const EMPTY: &[&str] = &["common", "helper", "helpers", "misc", "util", "utils"];

/// Files and folders are named after their content.
pub(super) fn names_are_of_the_domain(tree: &Tree) -> Vec<Finding> {
    let rust = tree.rust().filter_map(|(file, _)| {
        let name = file.path.split('/').find_map(|part| {
            let name = part.strip_suffix(".rs").unwrap_or(part);
            EMPTY.contains(&name).then_some(name)
        })?;
        Some(Finding::whole(&file.path, format!("`{name}` says nothing; name it after its content")))
    });
    rust.collect()
}

#[cfg(test)]
mod tests {
    use super::super::tree::check;
    use super::*;

    #[test]
    fn names_that_say_nothing_are_found() {
        check(names_are_of_the_domain, "crates/shell/src/utils.rs", "", &[0]);
        check(names_are_of_the_domain, "crates/common/src/lib.rs", "", &[0]);
        check(names_are_of_the_domain, "crates/cli/tests/helpers/mod.rs", "", &[0]);
        check(names_are_of_the_domain, "crates/shell/src/utility_bill.rs", "", &[]);
    }
}
