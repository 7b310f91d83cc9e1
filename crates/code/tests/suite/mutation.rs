//! How often the class of a change is right, over the labelled pairs in `fixtures/mutation`.

mod report;

#[test]
fn labelled_changes_are_judged_well_enough() {
    let report = report::run().expect("the fixtures can be read");
    let shown =
        if std::env::var_os("STEAD_EVAL_CASES").is_some() { report::Shown::Tune } else { report::Shown::Totals };
    println!("\n{}", report.text(shown));
    assert!(report.cases.len() >= 120, "{} cases", report.cases.len());
    for half in [false, true] {
        let (right, all) = report.score(half);
        assert!(all * 2 >= 120, "{all} cases in this half");
        assert!(right * 100 >= all * 90, "{right} of {all} are right");
    }
    assert_eq!(report.missed(), 0, "changes of behaviour were taken for refactorings");
}
