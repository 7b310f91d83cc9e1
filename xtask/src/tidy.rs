//! `cargo xtask tidy`: rules of style and structure that the compiler does not check. It reads manifests, sources and
//! pages and compiles nothing, so it takes less than a second.
//!
//! A rule is a function from the [`Tree`] to findings, in its own file with samples of what it must catch. A finding
//! has a position, a reason and, if there is one, a hint.

use std::process::ExitCode;

use anyhow::Result;

use crate::arguments::Arguments;

mod arrow;
mod client_name;
mod finding;
mod hot_path;
mod leak;
mod leftover;
mod length;
mod module_doc;
mod naming;
mod page;
mod platform;
mod printing;
mod proven;
mod purity;
mod rust_text;
mod tree;

use finding::{Finding, Weight};
use tree::Tree;

/// Every rule that needs only the tree. [`hot_path`] also needs cargo.
const RULES: &[fn(&Tree) -> Vec<Finding>] = &[
    arrow::arrows_point_one_way,
    purity::pure_rooms_stay_pure,
    client_name::clients_are_named_in_their_folder,
    printing::only_the_edge_prints,
    proven::proofs_come_from_evidence,
    platform::systems_stay_behind_store,
    length::files_stay_short,
    module_doc::rooms_say_what_they_are,
    leftover::nothing_is_left_for_later,
    naming::names_are_of_the_domain,
    leak::nothing_of_a_machine_leaks,
    leak::packages_come_from_crates_io,
    page::readme_has_the_two_commands,
    page::pages_stay_short,
    page::formats_are_listed,
    page::crates_are_in_the_table,
];

pub(crate) fn run(arguments: Arguments) -> Result<ExitCode> {
    arguments.finish()?;
    Ok(if check()? == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the findings and returns the number of problems; notes do not count.
pub(crate) fn check() -> Result<usize> {
    let findings = findings()?;
    for finding in &findings {
        println!("{finding}");
    }
    let problems = findings.iter().filter(|finding| finding.weight == Weight::Problem).count();
    println!("{} rules, {problems} problems", RULES.len() + 1);
    Ok(problems)
}

fn findings() -> Result<Vec<Finding>> {
    let tree = Tree::load(crate::repository::root())?;
    let mut findings: Vec<_> = RULES.iter().flat_map(|rule| rule(&tree)).collect();
    findings.extend(hot_path::hook_pulls_in_nothing_slow(&crate::metadata::Metadata::load()?));
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let problems: Vec<_> = findings()
            .unwrap()
            .into_iter()
            .filter(|finding| finding.weight == Weight::Problem)
            .map(|finding| finding.to_string())
            .collect();
        assert!(problems.is_empty(), "\n{}", problems.join("\n"));
    }
}
