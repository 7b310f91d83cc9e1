use super::{INFRA, ask, compiled, project, run, sound, write};
use crate::compile::{ProjectRooms, State, compile, inventory};
use crate::mode::Mode;
use crate::source::{Source, SourceTrust};
use crate::then::Then;
use crate::view::CompiledView;
use stead_model::{EventKind, Level};

/// One fault: where it is, what is said, and what is advised.
#[track_caller]
fn check(text: &str, place: &str, message: &str, hint: &str) {
    let compiled = compiled(&[text]);
    let told: Vec<String> =
        compiled.problems.iter().map(|problem| format!("{problem} | {}", problem.hint().unwrap_or(""))).collect();
    let fits = compiled.problems.iter().any(|problem| {
        problem.place().contains(place)
            && problem.message.contains(message)
            && problem.hint().unwrap_or("").contains(hint)
    });
    assert!(fits, "{text}\n{told:#?}");
    let view = CompiledView::parse(&compiled.lines).unwrap();
    assert!(view.guards().iter().all(|guard| guard.file.starts_with("shipped:")), "{text}");
    assert!(view.problems().count() >= 1, "{text}");
}

#[test]
fn faults_are_told_with_their_place() {
    check("id: a\nmach: {writes: x}\nsay: no\n", ":2:1", "a guard has no `mach`", "did you mean `match`?");
    check("id: a\nmatch: {wrtes: x}\nsay: no\n", ":2:9", "`match` has no `wrtes`", "did you mean `writes`?");
    check("id: a\nmatch: {writes: x}\nmode: enfroce\nsay: no\n", ":3:7", "`mode` cannot be", "`enforce`");
    check("id: a\nmatch: {writes: x}\nthen: denny\nsay: no\n", ":3:7", "`then` cannot be", "`deny`");
    check("id: a\non: [before-tol]\nmatch: {writes: x}\nsay: no\n", ":2:6", "`on` cannot be", "`before-tool`");
    check("id: a/b\nmatch: {writes: x}\nsay: no\n", ":1:5", "invalid id", "");
    check("match: {writes: x}\nsay: no\n", ":1:1", "needs an `id`", "");
    check("id: a\nmatch: {writes: x}\n", ":1:1", "needs a `say`", "instead");
    check("id: a\nsay: no\n", ":1:1", "without `match`", "");
    check("id: a\nmatch: {writes: []}\nsay: no\n", ":2:", "empty list", "");
    check("id: a\nmatch: {writes: ['!x']}\nsay: no\n", ":2:", "only exclusions", "");
    check("id: a\nmatch: {writes: ../x}\nsay: no\n", ":2:17", "contains `..`", "`@outside`");
    check(
        "id: a\nmatch: {writes: '@home'}\nsay: no\n",
        ":2:",
        "`@home` in `writes` is not a known place",
        "`@outside`",
    );
    check("id: a\nmatch: {runs: sudo rm}\nsay: no\n", ":2:", "can never match", "is removed before");
    check("id: a\nmatch: {runs: 'a && b'}\nsay: no\n", ":2:", "can never match", "one command");
    check("id: a\nmatch: {content: '('}\nsay: no\n", ":2:", "not a valid regular expression", "has");
    check("id: a\nmatch: {fields: {tested: true}}\nsay: no\n", ":2:", "not a JSON pointer", "`/tested`");
    check("id: a\nmatch: {fields: {/tested: {is: true}}}\nsay: no\n", ":2:", "not a test for a field", "changed");
    check("id: a\nmatch: {reads: x, lines: many}\nsay: no\n", ":2:", "cannot be `many`", ">1000");
    check("id: a\nmatch: {harness: cluade, runs: ls}\nsay: no\n", ":2:", "has no `cluade`", "`claude`");
    check("id: a\nmatch: {evidence: frsh, writes: x}\nsay: no\n", ":2:", "cannot be `frsh`", "`fresh`");
    check("id: a\nmatch: {runs: ls}\nthen: allow\n on: x", "", "invalid YAML", "");
    check(
        "id: a\non: [before-tool]\nmatch: {runs: ls}\nthen: allow\n",
        ":2:",
        "is not possible at `before-tool`",
        "permission-request",
    );
    check("id: a\non: [before-tool]\nmatch: {runs: ls}\nthen: continue\nsay: x\n", ":2:", "is not possible", "`stop`");
    check("id: a\non: [stop]\nmatch: {text: x}\nthen: deny\nsay: x\n", ":2:", "is not possible", "`continue`");
    check("id: a\nmatch: {writes: x}\nthen: rewrite\nsay: x\n", ":1:1", "needs a `to`", "{name}");
    check("id: a\nmatch: {writes: x}\nthen: rewrite\nto: /x\nsay: x\n", ":4:5", "leaves the project", "");
    for own in [".agent/guards/{name}", ".agent/cache/{name}", ".agent/features/evidence/{name}"] {
        let text = format!("id: a\nmatch: {{writes: x}}\nthen: rewrite\nto: \"{own}\"\nsay: x\n");
        check(&text, ":4:5", "names one of Stead's own files", "agents may not write there");
    }
    check("id: a\nmatch: {writes: x}\nto: y\nsay: x\n", ":3:5", "is only for `then: rewrite`", "");
    check("id: a\non: [stop]\nmatch: {writes: x}\nthen: continue\nsay: x\n", ":3:", "never matches", "before-tool");
    check("id: a\nmatch: {text: x}\nsay: x\n", ":2:", "never matches", "content");
    check("id: a\nmatch: {writes: x}\nwhen: pth == 'x'\nsay: x\n", ":3:7", "`pth`", "path");
    check("id: a\nmatch: {writes: x}\nexec: {path: x}\nsay: x\n", ":3:", "`sha256`", "sha256sum");
    check("id: a\nmatch: {writes: x}\nexec: {path: ../x, sha256: a}\nsay: x\n", ":3:", "below the project", "");
    check("id: a\nschema: 2\nmatch: {writes: x}\nsay: x\n", ":2:9", "does not support", "update");
    check("id: a\nuse: destructiv\n", ":2:6", "no shipped guard `destructiv`", "`destructive`");
    check("id: a\nuse: orchestrator-does-not-edit\n", ":2:6", "needs `paths`", "source files");
    check("id: a\nuse: destructive\nwith: {paths: x}\n", ":3:8", "`with` has no `paths`", "");
    check("id: a\nuse: destructive\nmatch: {writes: x}\n", ":3:1", "a file with `use` has no `match`", "");
    check("id: a\nmatch: {writes: x}\nsay: x\ntests: {most: [ls]}\n", ":4:9", "`tests` has no `most`", "`must`");
    check("id: a\nmatch: {writes: x}\nsay: x\ntests: {must: [{wriet: x}]}\n", ":4:", "does nothing", "`write`");
    check("- a\n", ":1:1", "the file is a list, not a mapping", "id");
    check("", "", "the file is empty", "stead guard new");
    check("id: a\nid: b\n", ":2:", "`id` is given twice", "");
    let zeros = "0".repeat(64);
    check(
        &format!("id: a\nmatch: {{writes: x}}\nexec: {{path: x, sha256: {zeros}}}\nsay: x\n"),
        ":3:",
        "is a number",
        "quotes",
    );
    check("id: \"a\\u0007\"\nmatch: {writes: x}\nsay: x\n", ":1:", "control character", "");
}

#[test]
fn a_test_that_fails_keeps_its_guard_out() {
    let text = "id: a\nmode: enforce\nmatch: {writes: x}\nsay: no\ntests:\n  must: [touch y]\n  must_not:\n  - rm x\n";
    check(text, ":6:1", "its test `touch y` must match but does not", "stead guard test a");
    check(text, ":8:1", "its test `rm x` must not match but does: deletes x", "");
}

#[test]
fn one_bad_file_does_not_take_the_others_down() {
    let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for n in 1..12 {
        bomb.push_str(&format!("a{n}: &a{n} [{}]\n", vec![format!("*a{}", n - 1); 9].join(",")));
    }
    let guards = compiled(&[
        "id: bad\nmatch: [\n",
        &bomb,
        INFRA,
        "",
        "id: worse\nmatch: {writes: x}\nsay: x\ntests: {must: [ls]}\n",
    ]);
    assert_eq!(ask(&guards, &run("rm infra/main.tf")).verdict.level, Level::Deny);
    assert!(guards.problems.len() >= 4, "{:#?}", guards.problems);
    assert_eq!(CompiledView::parse(&guards.lines).unwrap().problems().count(), guards.problems.len());
}

#[test]
fn a_projects_guard_adds_to_the_persons_of_the_same_id() {
    let shadow = INFRA.replace("mode: enforce", "mode: shadow");
    let user = Source::user("~/.config/stead/guards/infra-is-reviewed.yaml", INFRA);
    for text in [shadow.clone(), INFRA.replace("mode: enforce", "mode: off"), INFRA.replace("infra", "other")] {
        for trust in SourceTrust::ALL {
            let both = [user.clone(), Source { trust, ..project(&[&text]).remove(0) }];
            let guards = compile(&both, &ProjectRooms::usual());
            assert_eq!(ask(&guards, &run("rm infra/main.tf")).verdict.level, Level::Deny, "{trust:?} {text}");
        }
    }
    // And the other way around.
    let lax = Source { text: shadow.clone(), ..user.clone() };
    let guards = compile(&[lax, project(&[INFRA]).remove(0)], &ProjectRooms::usual());
    assert_eq!(ask(&guards, &run("rm infra/main.tf")).verdict.level, Level::Deny);
    // A project file that is broken does not silence the person's own.
    let broken = project(&["id: infra-is-reviewed\nmatch: {\n"]).remove(0);
    let guards = compile(&[broken, user], &ProjectRooms::usual());
    assert_eq!(ask(&guards, &run("rm infra/main.tf")).verdict.level, Level::Deny);
    // Two of the same place and id are a mistake, and none takes the place of the other.
    let off = INFRA.replace("mode: enforce", "mode: off");
    for (first, second) in [(INFRA, shadow.as_str()), (&shadow, INFRA), (&off, INFRA), (INFRA, &off)] {
        let twice = [Source::project("a.yaml", first), Source::project("b.yaml", second)];
        let guards = compile(&twice, &ProjectRooms::usual());
        assert_eq!(ask(&guards, &run("rm infra/main.tf")).verdict.level, Level::Deny);
        assert!(guards.problems[0].message.contains("also the id of a guard in a.yaml"), "{:?}", guards.problems);
    }
}

#[test]
fn a_file_may_speak_for_a_shipped_guard() {
    let claim = || write(".agent/features/feature-list.json", r#"{"features": [{"id": "a", "tested": true}]}"#);
    assert_eq!(ask(&sound(&[]), &claim()).verdict.level, Level::Deny);
    let off = sound(&["id: tested-needs-evidence\nuse: tested-needs-evidence\nmode: off\n"]);
    assert_eq!(ask(&off, &claim()).verdict.level, Level::Allow);
    let broken = compiled(&["id: tested-needs-evidence\nuse: tested-needs-evidence\nmode: of\n"]);
    assert_eq!(ask(&broken, &claim()).verdict.level, Level::Deny);
    let moved = ProjectRooms { by_name: vec![("features".into(), ".claude/progress".into())] };
    let guards = compile(&[], &moved);
    assert_eq!(ask(&guards, &claim()).verdict.level, Level::Allow);
    let there = write(".claude/progress/feature-list.json", r#"{"features": [{"id": "a", "tested": true}]}"#);
    assert_eq!(ask(&guards, &there).verdict.level, Level::Deny);
}

#[test]
fn an_untrusted_file_restricts_and_loosens_nothing() {
    let claim = || write(".agent/features/feature-list.json", r#"{"features": [{"id": "a", "tested": true}]}"#);
    let untrusted = |text: &str| Source { trust: SourceTrust::Untrusted, ..project(&[text]).remove(0) };
    let compiled = |text: &str| compile(&[untrusted(text)], &ProjectRooms::usual());
    for mode in Mode::ALL.map(Mode::name) {
        for shipped in crate::shipped() {
            let id = shipped.id;
            let guards = compiled(&format!("id: {id}\nmode: {mode}\nmatch: {{writes: nothing}}\nsay: x\n"));
            assert_eq!(ask(&guards, &claim()).verdict.level, Level::Deny, "{id} {mode}");
        }
    }
    for then in Then::ALL {
        let on = if then.fits(EventKind::BeforeTool) { "before-tool" } else { "stop" };
        let on = if then == Then::Allow { "permission-request" } else { on };
        let to = if then == Then::Rewrite { "to: docs/{name}\n" } else { "" };
        let matching = if on == "stop" { "when: 'true'" } else { "match: {writes: '**'}" };
        let text = format!("id: g\nmode: enforce\non: [{on}]\n{matching}\nthen: {}\n{to}say: x\n", then.name());
        let (list, problems) = inventory(&[untrusted(&text)], &ProjectRooms::usual());
        let state = &list.iter().find(|listed| listed.id == "g").unwrap_or_else(|| panic!("{problems:?}")).state;
        let loosens = matches!(then, Then::Allow | Then::Rewrite | Then::Inject);
        assert_eq!(*state, if loosens { State::Untrusted } else { State::Active }, "{then:?}");
        assert_eq!(compiled(&text).lines.contains("\tg\t"), !loosens, "{then:?}");
    }
    assert_eq!(ask(&compiled(INFRA), &run("rm infra/main.tf")).verdict.level, Level::Deny);
}

#[test]
fn a_file_may_hold_several_guards() {
    let shared = "id: p\nmode: warn\nsay: no\nguards:\n- id: a\n  match: {writes: a}\n";
    let own = "- id: b\n  mode: enforce\n  match: {writes: b}\n  say: never\n";
    let guards = sound(&[&format!("{shared}{own}")]);
    let judgement = ask(&guards, &run("touch a b"));
    let ids: Vec<&str> = judgement.hits.iter().map(|hit| hit.guard.as_str()).collect();
    assert_eq!(ids, ["p.a", "p.b"]);
    assert_eq!(judgement.notes.len(), 1);
    assert!(judgement.verdict.reason_text().contains("`p.b`: never"));
}

#[test]
fn the_older_names_of_modes_are_understood() {
    for (name, mode) in [("experiment", Mode::Shadow), ("validate", Mode::Warn), ("production", Mode::Enforce)] {
        let guards = sound(&[&INFRA.replace("mode: enforce", &format!("mode: {name}"))]);
        let view = CompiledView::parse(&guards.lines).unwrap();
        let found = view.guards().into_iter().find(|guard| guard.id == "infra-is-reviewed").unwrap();
        assert_eq!(found.mode, mode);
    }
}

#[test]
fn every_guard_is_listed_with_its_state() {
    let files = project(&[
        INFRA,
        "id: off\nmode: off\nmatch: {writes: x}\nsay: no\n",
        "id: destructive\nuse: destructive\n",
        "id: bad\nmatch: {writes: x}\nsay: no\ntests: {must: [ls]}\n",
    ]);
    let (list, problems) = inventory(&files, &ProjectRooms::usual());
    let state = |id: &str| list.iter().find(|listed| listed.id == id).map(|listed| listed.state.clone()).unwrap();
    assert_eq!(state("infra-is-reviewed"), State::Active);
    assert_eq!(state("off"), State::Off);
    assert_eq!(state("bad"), State::Broken);
    assert_eq!(state("destructive.secrets"), State::Active);
    assert_eq!(state("orchestrator-does-not-edit"), State::Inert { needs: vec!["paths".into()] });
    assert_eq!(state("logs-through-tools"), State::Off);
    assert_eq!(state("tested-needs-evidence"), State::Active);
    let replaced: Vec<_> = list.iter().filter(|listed| matches!(listed.state, State::Replaced { .. })).collect();
    assert!(replaced.iter().all(|listed| listed.id.starts_with("destructive.")) && replaced.len() == 5);
    assert_eq!(problems.len(), 1);
}

#[test]
fn the_compiled_form_is_read_back() {
    let guards = sound(&[INFRA]);
    let view = CompiledView::parse(&guards.lines).unwrap();
    let ids: Vec<String> = view.guards().into_iter().map(|guard| guard.id).collect();
    assert_eq!(ids, ["infra-is-reviewed", "proof-stays-fixed", "tested-needs-evidence"]);
    assert_eq!(view.problems().count(), 0);
}

#[test]
fn many_guards_are_told_apart_by_their_index() {
    let texts: Vec<String> =
        (0..200).map(|n| format!("id: g{n:03}\nmode: enforce\nmatch: {{writes: 'area{n}/**'}}\nsay: no\n")).collect();
    let files: Vec<&str> = texts.iter().map(String::as_str).collect();
    let guards = sound(&files);
    assert_eq!(ask(&guards, &run("touch area7/x")).hits.len(), 1);
    // With every other body spoilt, the answer is the same: they are not read.
    let spoilt = guards.lines.replace("area1", "AREA1").replace("\"say\"", "\"sai\"");
    let view = CompiledView::parse(&spoilt).unwrap();
    let example = run("touch elsewhere/x");
    let judgement = example.with_asked(|asked| crate::judge::judge(&view, asked, &example.scene));
    assert_eq!(judgement, crate::judgement::Judgement::silent());
}
