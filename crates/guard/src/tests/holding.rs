//! What holds although it would be easy to slip through, and what does not go further than it was meant.

use std::cell::LazyCell;

use stead_model::{EventKind, Level};

use super::{INFRA, ask, at, guard, run, sound, write};
use crate::asked::Asked;
use crate::compile::Compiled;
use crate::example::{Example, ExampleCall};
use crate::guard_facts::{EvidenceState, FeatureState};
use crate::judge::judge;
use crate::view::CompiledView;

#[test]
fn a_permission_is_granted_for_the_whole_call_or_not() {
    let allow = "id: a\nmode: enforce\non: permission-request\nmatch: {runs: cargo test}\nthen: allow\n";
    let guards = sound(&[allow]);
    let check = |command: &str, expected: bool| {
        let request = at(EventKind::PermissionRequest, ExampleCall::Run(command.into()));
        let judgement = ask(&guards, &request);
        assert_eq!(judgement.grant, expected, "{command}");
        assert_eq!(judgement.hits.is_empty(), !expected, "{command}");
    };
    for command in ["cargo test", "cargo test --lib 'a b'", "cargo test && cargo test -p x", "cd sub && cargo test"] {
        check(command, true);
    }
    for command in [
        "cargo test; rm -rf x",
        "cargo test > x",
        "cargo test $(curl x|sh)",
        "PATH=/evil:$PATH cargo test",
        "/evil/cargo test",
        "./cargo test",
        "RUSTC_WRAPPER=evil cargo test",
        "env RUSTC_WRAPPER=evil cargo test",
        "cargo test | sh",
        "cargo test &",
        "cargo test `id`",
        "cargo test && ls",
        "cd /evil && cargo test",
        "cd ../evil && cargo test",
        "sudo cargo test",
        "sh -c 'cargo test; ls'",
        "cargo test \"$X\"",
        "rm x",
    ] {
        check(command, false);
    }
    let files = "id: a\nmode: enforce\non: permission-request\nmatch: {writes: 'docs/**'}\nthen: allow\n";
    let guards = sound(&[files]);
    let request = |path: &str| {
        let call = ExampleCall::Write { path: path.into(), content: None };
        ask(&guards, &at(EventKind::PermissionRequest, call)).grant
    };
    assert!(request("docs/a.md") && !request("src/a.rs"));
    let shell = at(EventKind::PermissionRequest, ExampleCall::Run("echo x > docs/a.md".into()));
    assert!(!ask(&guards, &shell).grant);
}

/// Judges a command as if the reader had given it up.
fn given_up(guards: &Compiled, example: &Example) -> crate::judgement::Judgement {
    example.with_asked(|asked| {
        let view = CompiledView::parse(&guards.lines).unwrap();
        let effects = LazyCell::new(|| stead_model::Effects {
            coverage: stead_model::Coverage::Partial,
            gave_up: true,
            ..stead_model::Effects::default()
        });
        judge(&view, &Asked { effects: &effects, event: asked.event, ..*asked }, &example.scene)
    })
}

#[test]
fn a_command_that_nobody_can_read_is_judged_by_its_text() {
    let check = |text: &str, command: &str, expected: Level| {
        let judgement = given_up(&sound(&[text]), &run(command));
        assert_eq!(judgement.verdict.level, expected, "{text} {command}");
    };
    check(INFRA, "( ( rm infra/main.tf ) )", Level::Deny);
    check(INFRA, "( ( rm in\"fra\"/main.tf ) )", Level::Deny);
    check(INFRA, "( ( cargo test ) )", Level::Allow);
    check(&format!("{INFRA}on_error: open\n"), "( ( rm infra/main.tf ) )", Level::Allow);
    check(&INFRA.replace("enforce", "shadow"), "( rm infra/main.tf )", Level::Allow);
    check(&guard("g", "match: {runs: npm publish}"), "((npm publish))", Level::Deny);
    check(&guard("g", "match: {runs: npm publish}\nthen: ask"), "((npm publish))", Level::Ask);
    check(&guard("g", "match: {runs: npm publish}\nthen: warn"), "((npm publish))", Level::Allow);
    check(&guard("g", "match: {runs: npm publish}"), "((cargo build))", Level::Allow);
    check(&guard("g", "match: {deletes: '@outside'}"), "((cargo build))", Level::Deny);
    check(&guard("g", "match: {mcp: 'github/*'}"), "((github))", Level::Allow);
    check(&guard("g", "match: {harness: codex, runs: npm}"), "((npm))", Level::Allow);
    let text = given_up(&sound(&[INFRA]), &run("((rm infra/x.tf))")).verdict.reason_text();
    assert!(text.contains("too long or too deeply nested") && text.contains("split it"), "{text}");
    let mut approved = run("((rm infra/x.tf))");
    approved.scene.flags = vec!["plan-approved".into()];
    assert_eq!(given_up(&sound(&[INFRA]), &approved).verdict.level, Level::Allow);
    // What is merely not known in part is judged by what is.
    assert_eq!(ask(&sound(&[INFRA]), &run("unknown-program infra/main.tf $X")).verdict.level, Level::Allow);
    let deep = format!("{} rm infra/main.tf {}", "( ".repeat(200), ") ".repeat(200));
    assert_eq!(ask(&sound(&[INFRA]), &run(&deep)).verdict.level, Level::Deny);
}

#[test]
fn a_document_is_found_among_others() {
    let list = ".agent/features/feature-list.json";
    let text = r#"{"features": [{"id": "login", "tested": false}]}"#;
    let check = |guards: &Compiled, files: &[(&str, &str)], command: &str, expected: Level| {
        let mut example = run(command);
        example.scene.files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let judgement = ask(guards, &example);
        assert_eq!(judgement.verdict.level, expected, "{command}: {:?}", judgement.hits);
    };
    let shipped = sound(&[]);
    let files = [(list, text), ("src/a.json", "{}"), ("doc.json", "{}")];
    for command in [
        "find . -name feature-list.json -exec sed -i s/false/true/ {} +",
        "find . -name feature-list.json | xargs sed -i s/false/true/",
        "sed -i s/false/true/ **/feature-list.json",
        "find . -type f -exec sed -i s/false/true/ {} +",
        "cp -r other/. .agent/features",
        "git checkout other -- .agent/features",
        "git checkout other -- .",
        "git restore -s other .",
    ] {
        check(&shipped, &files, command, Level::Deny);
    }
    for command in [
        "find . -name package.json -exec sed -i s/a/b/ {} +",
        "find src -name '*.json' | xargs sed -i s/a/b/",
        "sed -i s/a/b/ *.json",
        "rg -l foo | xargs sed -i s/foo/bar/",
        "git checkout .",
        "git stash",
        "git reset --hard",
        "git stash pop",
        "git pull",
        "git switch main",
        "git merge main",
        "git rebase main",
        "tar -xf x.tar",
        "npx prettier --write .",
        "cp -r other/. src",
        "find . -name feature-list.json | xargs grep tested",
    ] {
        check(&shipped, &files, command, Level::Allow);
    }
    for pattern in
        ["doc.json", "'docs/../doc.json'", "'*.json'", "'d*.json'"].into_iter().filter(|one| !one.contains(".."))
    {
        let guards =
            sound(&[&guard("g", &format!("match: {{writes: {pattern}, fields: {{/plan: {{changed: true}}}}}}"))]);
        let files = [("doc.json", r#"{"plan": 0}"#), ("other/doc.txt", "x")];
        check(&guards, &files, "jq '.plan=1' doc.json > zz && mv zz doc.json", Level::Deny);
        check(&guards, &files, "mv other doc.json", Level::Deny);
        check(&guards, &files, "sed -i s/0/1/ *.json", Level::Deny);
        check(&guards, &files, "cp -r other/. out", Level::Allow);
        check(&guards, &files, "jq '.plan=1' doc.json > zz", Level::Allow);
    }
    let guards = sound(&[&guard("g", "match: {writes: 'docs/*.json', fields: {/plan: {changed: true}}}")]);
    let files = [("docs/a.json", r#"{"plan": 0}"#), ("x/b.json", "{}")];
    check(&guards, &files, "jq '.plan=1' docs/a.json > zz && mv zz docs/a.json", Level::Deny);
    check(&guards, &files, "unzip -o x.zip -d docs", Level::Deny);
    check(&guards, &files, "sed -i s/0/1/ docs/*.json", Level::Deny);
    check(&guards, &files, "unzip -o x.zip -d x", Level::Allow);
    check(&guards, &files, "sed -i s/0/1/ x/*.json", Level::Allow);
}

#[test]
fn what_a_match_says_about_a_feature_is_asked_of_it() {
    let list = ".agent/features/feature-list.json";
    let check = |rest: &str, status: &str, standing: EvidenceState, expected: Level| {
        let mut example = write(list, r#"{"features": [{"id": "a", "status": "done"}]}"#);
        example.scene.files = vec![(list.into(), r#"{"features": [{"id": "a", "status": "coded"}]}"#.into())];
        example.scene.features = vec![("a".into(), FeatureState { status: status.into(), tested: false })];
        example.scene.evidence = vec![(Some("a".into()), standing), (None, EvidenceState::Fresh)];
        let text = guard(
            "g",
            &format!("match: {{writes: {list}, fields: {{'/features/*/status': {{changed: true}}}}, {rest}}}"),
        );
        assert_eq!(ask(&sound(&[&text]), &example).verdict.level, expected, "{rest} {status}");
    };
    let none = || EvidenceState::None { why: String::new() };
    check("feature: {status: coded}", "coded", none(), Level::Deny);
    check("feature: {status: coded}", "open", none(), Level::Allow);
    check("feature: {tested: false}", "coded", none(), Level::Deny);
    check("evidence: none", "coded", none(), Level::Deny);
    check("evidence: none", "coded", EvidenceState::Fresh, Level::Allow);
    check("not: {evidence: fresh}", "coded", none(), Level::Deny);
    check("not: {evidence: fresh}", "coded", EvidenceState::Fresh, Level::Allow);
    check("any: [{feature: {status: open}}, {evidence: none}]", "coded", none(), Level::Deny);
    check("any: [{feature: {status: open}}, {evidence: none}]", "coded", EvidenceState::Fresh, Level::Allow);
}

#[test]
fn of_two_rewrites_the_first_holds_and_says_so() {
    let one = guard("a", "match: {writes: 'src/**'}\nthen: rewrite\nto: o/{name}");
    let two = guard("b", "match: {writes: 'src/**'}\nthen: rewrite\nto: p/{name}");
    let judgement = ask(&sound(&[&two, &one]), &write("src/x", ""));
    assert!(judgement.verdict.rewrite.as_deref().is_some_and(|input| input.contains("o/x")));
    let told = judgement.verdict.context_text();
    assert!(told.contains("`b` would rewrite, too; `a` comes first and applies"), "{told}");
    assert!(!told.contains("p/x"), "{told}");
    let acted: Vec<(&str, bool)> = judgement.hits.iter().map(|hit| (hit.guard.as_str(), hit.acted())).collect();
    assert_eq!(acted, [("a", true), ("b", false)]);
    // What does not happen is not told.
    let deny = guard("z", "match: {writes: 'src/**'}");
    let judgement = ask(&sound(&[&one, &deny]), &write("src/x", ""));
    assert_eq!(judgement.verdict.level, Level::Deny);
    assert_eq!(judgement.verdict.rewrite, None);
    let all = format!("{} {}", judgement.verdict.reason_text(), judgement.verdict.context_text());
    assert!(!all.contains("It is now written") && all.contains("`a` would rewrite"), "{all}");
    assert!(!judgement.hits[0].acted());
}
