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

#[test]
fn a_guard_of_a_pack_is_used_by_name_and_answers_once() {
    let texts = ["destructive", "secrets"].map(|id| enable_text(id, &[]).unwrap());
    let hits = |texts: &[&str]| -> Vec<String> {
        let judged = ask(&sound(texts), &run("cat .env"));
        judged.hits.iter().map(|hit| format!("{} {}", hit.guard, hit.level.name())).collect()
    };
    let [destructive, secrets] = &texts;
    let shadow = secrets.replace("mode: enforce", "mode: shadow");
    assert_eq!(hits(&[destructive]), ["destructive.secrets deny"]);
    assert_eq!(hits(&[destructive, secrets]), ["secrets.read deny"]);
    assert_eq!(hits(&[destructive, &shadow]), ["destructive.secrets deny"]);
    assert_eq!(hits(&[&destructive.replace("mode: enforce", "mode: shadow"), secrets]), ["secrets.read deny"]);
    assert_eq!(hits(&["id: mine\nuse: secrets.read\n"]), ["mine deny"]);
    assert_eq!(hits(&["id: mine\nmode: enforce\nguards:\n  - {id: a, use: secrets.read, say: no}\n"]), ["mine.a deny"]);
    assert_eq!(hits(&["use: secrets.read\n"]), ["secrets.read deny"]);

    let (list, _) = inventory(&[], &ProjectRooms::usual());
    let tests = |id: &str| list.iter().find(|listed| listed.id == id).map(|listed| listed.tests);
    assert!(tests("destructive.secrets") > Some(40) && tests("destructive.secrets") == tests("secrets.read"));

    let check = |text: &str, message: &str, hint: &str| {
        let problems = compile(&project(&[text]), &ProjectRooms::usual()).problems;
        let fits = |problem: &crate::Problem| {
            problem.message.contains(message) && problem.hint.as_deref().unwrap_or_default().contains(hint)
        };
        assert!(problems.iter().any(fits), "{problems:#?}");
    };
    check("id: a\nuse: secrets.raed\n", "`secrets` has no guard `raed`", "did you mean `read`?");
    check("id: a\nuse: secret.read\n", "there is no shipped guard `secret`", "`secrets`");
    check("id: a\nguards:\n  - {id: b, use: secrets}\n", "`secrets` has several guards", "`secrets.GUARD`");
    check("id: a\nguards:\n  - {id: b, use: secrets.read, match: {runs: ls}}\n", "has no `match`", "");
}
