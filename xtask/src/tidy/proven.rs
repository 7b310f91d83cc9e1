use super::rust_text::{line_of, words};
use super::{Finding, Tree};

/// Where a proof may be made.
const MAKERS: &[&str] = &["feature", "evidence"];

/// Only `evidence` says that a feature is proven: a second place would be a second opinion.
pub(super) fn proofs_come_from_evidence(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, rust) in tree.shipped().filter(|(file, _)| !MAKERS.contains(&file.room())) {
        for at in words(&rust.shipped, "Proven::attest") {
            let reason = "only `evidence` makes a `Proven`; ask `stead_evidence::proof_of`";
            findings.push(Finding::at(&file.path, line_of(&rust.shipped, at), reason.to_owned()));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::tree::check;
    use super::*;

    #[test]
    fn a_proof_from_elsewhere_is_found() {
        let rule = proofs_come_from_evidence;
        check(rule, "crates/cli/src/a.rs", "let p =\n    Proven::attest(id, ids);\n", &[2]);
        check(rule, "crates/evidence/src/a.rs", "let p = Proven::attest(id, ids);\n", &[]);
        check(rule, "crates/pipeline/src/a.rs", "fn f(proof: Proven) {}\n", &[]);
    }
}
