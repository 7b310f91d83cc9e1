use super::{INFRA, project};
use crate::compile::ProjectRooms;
use crate::lint::lint;
use crate::source::Source;
use stead_model::Severity;

/// The findings about the first of some files.
fn findings(texts: &[&str]) -> Vec<(Severity, String)> {
    let files = project(texts);
    lint(&files[0], &files, &ProjectRooms::usual())
        .into_iter()
        .map(|problem| (problem.severity, problem.message))
        .collect()
}

#[track_caller]
fn check(texts: &[&str], severity: Severity, message: &str) {
    let found = findings(texts);
    assert!(found.iter().any(|(kind, text)| *kind == severity && text.contains(message)), "{found:#?}");
}

const TESTED: &str = "tests: {must: [touch x], must_not: [ls]}\n";

#[test]
fn a_good_guard_has_no_findings() {
    assert_eq!(findings(&[INFRA]), []);
}

#[test]
fn what_is_probably_not_meant_is_told() {
    let plain = "id: a\nmatch: {writes: x}\nsay: no\n";
    check(&[plain], Severity::Warning, "what it must match");
    check(&[plain], Severity::Warning, "what it must not match");
    check(
        &[&format!("{plain}tests: {{must: [ls]}}\n")],
        Severity::Error,
        "test `ls` must match but does not: no match; it runs `ls`",
    );
    check(&["id: a\nmatch: {writes: [x, /etc/hosts]}\nsay: no\n"], Severity::Warning, "absolute path");
    check(&["id: a\nmatch: {writes: [x, y, '!x']}\nsay: no\n"], Severity::Warning, "`x` is excluded again");
    check(&["id: a\nmatch: {writes: x.txt, fields: {/a: 1}}\nsay: no\n"], Severity::Warning, "JSON, YAML and TOML");
    check(&["id: a\nmatch: {wrtes: x}\nsay: no\n"], Severity::Error, "`match` has no `wrtes`");
    check(&["id: a\nmatch: {writes: /doc.json}\nsay: no\n"], Severity::Warning, "`/doc.json` is an absolute path");
    check(&["id: a\nmatch: {writes: x, counter: {bogus: '>2'}}\nsay: no\n"], Severity::Warning, "no counter `bogus`");
    check(&["id: a\nmatch: {writes: x, feature: {tested: true}}\nsay: no\n"], Severity::Warning, "so it never matches");
    let mixed = "any: [{writes: x.json, fields: {/a: 1}, evidence: none}, {runs: ls}]";
    check(&[&format!("id: a\nmatch: {{{mixed}}}\nsay: no\n")], Severity::Warning, "do not know which field");
    let counted = findings(&["id: a\nmatch: {writes: x, counter: {denied: '>2'}, intent: none}\nsay: no\n"]);
    assert!(counted.iter().all(|(_, text)| text.contains("no test for")), "{counted:?}");
    let other = Source::project(".agent/guards/other.yaml", plain);
    let told = lint(&other, std::slice::from_ref(&other), &ProjectRooms::usual());
    assert!(told.iter().any(|problem| problem.message.contains("its file is named `other`")), "{told:?}");
}

#[test]
fn a_suggestion_must_pass_the_guards() {
    let circular = format!("id: a\nmode: shadow\nmatch: {{writes: x}}\nsay: use `touch x` instead\n{TESTED}");
    check(&[&circular], Severity::Error, "`say` suggests `touch x`, which `a` blocks");
    let one = format!("id: a\nmatch: {{writes: x}}\nsay: use `npm publish` instead, or `x`\n{TESTED}");
    assert_eq!(findings(&[&one]), []);
    let two = "id: b\nmatch: {runs: npm publish}\nsay: no\n";
    check(&[&one, two], Severity::Error, "`say` suggests `npm publish`, which `b` blocks");
}
