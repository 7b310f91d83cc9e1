use super::{ask, project, run, sound};
use crate::compile::{ProjectRooms, State, compile, inventory};
use crate::example::test;
use crate::lint::lint;
use crate::shipped::{EnableError, enable_text, shipped};
use stead_model::Level;

#[test]
fn every_shipped_guard_passes_its_own_tests() {
    for shipped in shipped() {
        let results = test(&shipped.source(), &ProjectRooms::usual()).unwrap();
        let failed: Vec<_> = results.iter().filter(|result| !result.passed).collect();
        assert!(failed.is_empty(), "{}: {failed:#?}", shipped.id);
        let must = results.iter().filter(|result| result.must).count();
        assert!(must >= 3 && results.len() - must >= 3, "{}: {must} of {}", shipped.id, results.len());
    }
}

#[test]
fn every_shipped_guard_is_clean() {
    for shipped in shipped() {
        assert_eq!(lint(&shipped.source(), &[], &ProjectRooms::usual()), [], "{}", shipped.id);
        assert!(shipped.about().ends_with('.'), "{}", shipped.id);
        for parameter in shipped.parameters() {
            assert!(!parameter.about.is_empty(), "{} {}", shipped.id, parameter.name);
        }
    }
}

#[test]
fn only_the_feature_list_is_guarded_unasked() {
    let (list, problems) = inventory(&[], &ProjectRooms::usual());
    assert_eq!(problems, []);
    let active: Vec<&str> =
        list.iter().filter(|listed| listed.state == State::Active).map(|listed| listed.id.as_str()).collect();
    assert_eq!(active, ["proof-stays-fixed", "tested-needs-evidence"]);
    for shipped in shipped() {
        let applies = list.iter().any(|listed| listed.id == shipped.id && listed.state == State::Active);
        assert_eq!(applies, shipped.unasked, "{}", shipped.id);
    }
}

#[test]
fn every_shipped_guard_can_be_enabled() {
    for shipped in shipped() {
        let values: Vec<(String, String)> = match shipped.id {
            "orchestrator-does-not-edit" => vec![("paths".into(), "src/**, lib/**".into())],
            "summaries-go-to" => vec![("folder".into(), "docs/summaries".into())],
            "fields-by-role" => {
                vec![("document".into(), "s.json".into()), ("fields".into(), "{tester: [/a]}".into())]
            }
            _ => Vec::new(),
        };
        let text = enable_text(shipped.id, &values).unwrap();
        let files = project(&[&text]);
        let compiled = compile(&files, &ProjectRooms::usual());
        assert_eq!(compiled.problems, [], "{text}");
        let (list, _) = inventory(&files, &ProjectRooms::usual());
        let active = list.iter().filter(|listed| listed.file == files[0].file && listed.state == State::Active).count();
        assert!(active > 0, "{text}");
        assert_eq!(lint(&files[0], &files, &ProjectRooms::usual()), [], "{text}");
        // It has the tests of what it is made from.
        let own = test(&shipped.source(), &ProjectRooms::usual()).unwrap();
        assert_eq!(test(&files[0], &ProjectRooms::usual()).unwrap().len(), own.len(), "{text}");
        let listed: usize = list.iter().filter(|listed| listed.file == files[0].file).map(|listed| listed.tests).sum();
        assert_eq!(listed, own.len(), "{text}");
    }
    let text = enable_text("orchestrator-does-not-edit", &[("paths".into(), "src/**, lib/**".into())]).unwrap();
    assert!(text.contains(r#"paths: ["src/**", "lib/**"]"#), "{text}");
    assert_eq!(ask(&sound(&[&text]), &run("touch lib/a")).verdict.level, Level::Deny);
    let text = enable_text("pr-needs-verification", &[("also".into(), "git push".into())]).unwrap();
    assert_eq!(ask(&sound(&[&text]), &run("git push")).verdict.level, Level::Deny);
}

#[test]
fn enabling_says_what_it_needs() {
    let check = |id: &str, values: &[(&str, &str)], message: &str, hint: &str| {
        let values: Vec<(String, String)> = values.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
        let error: EnableError = enable_text(id, &values).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        assert!(error.hint().unwrap_or_default().contains(hint), "{error:?}");
    };
    check("destructve", &[], "no shipped guard", "`destructive`");
    check("summaries-go-to", &[], "needs `folder`", "--with folder=");
    check("destructive", &[("x", "y")], "has no value `x`", "takes no values");
}
