use std::cell::LazyCell;

use stead_model::{EventKind, Level};

use super::{INFRA, ask, at, guard, run, said, sound, write};
use crate::asked::Asked;
use crate::compile::Compiled;
use crate::example::{Example, ExampleCall, Scene};
use crate::exec::ExecAnswer;
use crate::guard_facts::{Caller, EvidenceState, TestRuns};
use crate::judge::judge;
use crate::judgement::Judgement;
use crate::mode::Mode;
use crate::view::CompiledView;

#[track_caller]
fn level(compiled: &Compiled, example: &Example, expected: Level) {
    let judgement = ask(compiled, example);
    assert_eq!(judgement.verdict.level, expected, "{:?}: {:?}", example.call, judgement.hits);
}

#[test]
fn any_tool_and_any_spelling_counts() {
    let guards = sound(&[INFRA]);
    for command in [
        "rm infra/main.tf",
        "rm -rf infra",
        "cd infra && rm main.tf",
        "echo x > infra/main.tf",
        "sudo tee infra/a/b.tf < x",
        "mv infra/main.tf /tmp/",
        "cp x infra/main.tf",
        "sh -c 'echo > infra/main.tf'",
        "rm infra/*.tf",
        "python3 -c \"open('infra/main.tf','w')\"",
    ] {
        level(&guards, &run(command), Level::Deny);
    }
    for command in [
        "cat infra/main.tf",
        "git commit -m 'rm infra/main.tf'",
        "rm infra/sandbox/main.tf",
        "rm -rf infra/sandbox",
        "rm infra/readme.md",
        "ls infra",
        "cargo test",
    ] {
        level(&guards, &run(command), Level::Allow);
    }
    level(&guards, &write("infra/main.tf", ""), Level::Deny);
    level(&guards, &write("/srv/project/infra/x/main.tf", ""), Level::Deny);
    level(&guards, &write("docs/main.tf", ""), Level::Allow);
    let mut approved = write("infra/main.tf", "");
    approved.scene.flags = vec!["plan-approved".into()];
    level(&guards, &approved, Level::Allow);
}

#[test]
fn the_mode_decides_what_a_hit_does() {
    let check = |mode: Mode, expected: Level, notes: usize, hit: Level| {
        let text = INFRA.replace("mode: enforce", &format!("mode: {}", mode.name()));
        let judgement = ask(&sound(&[&text]), &run("rm infra/main.tf"));
        assert_eq!(judgement.verdict.level, expected, "{mode:?}");
        assert_eq!(judgement.notes.len(), notes, "{mode:?}");
        assert_eq!(judgement.hits.len(), 1, "{mode:?}");
        let found = &judgement.hits[0];
        assert_eq!((found.mode, found.level, found.acted()), (mode, hit, mode != Mode::Shadow));
        assert_eq!(found.part, "rm infra/main.tf");
        assert_eq!(found.because, "deletes infra/main.tf");
        assert_eq!(found.version.len(), 12);
        assert!(judgement.verdict.context.is_empty());
    };
    check(Mode::Shadow, Level::Allow, 0, Level::Allow);
    check(Mode::Warn, Level::Allow, 1, Level::Warn);
    check(Mode::Enforce, Level::Deny, 0, Level::Deny);
    let off = INFRA.replace("mode: enforce", "mode: off");
    assert_eq!(ask(&sound(&[&off]), &run("rm infra/main.tf")), Judgement::silent());
}

#[test]
fn a_denial_names_what_it_is_about() {
    let judgement = ask(&sound(&[INFRA]), &run("make && (cd infra; rm -f main.tf)"));
    let text = judgement.verdict.reason_text();
    for wanted in ["`infra-is-reviewed`", "approved plan", "deletes infra/main.tf", "rm -f main.tf"] {
        assert!(text.contains(wanted), "{text}");
    }
    let text = ask(&sound(&[INFRA]), &write("/srv/project/infra/main.tf", "")).verdict.reason_text();
    assert!(text.ends_with("and ask. (writes infra/main.tf)"), "{text}");
    let guards =
        sound(&[&guard("a", "match: {runs: npm publish}\n").replace("not like this", "not `{command}`, {path}")]);
    let text = ask(&guards, &run("npm publish --tag x")).verdict.reason_text();
    assert!(text.contains("not `npm publish --tag x`, the file"), "{text}");
}

#[test]
fn evidence_is_asked_for_each_feature() {
    let guards = sound(&[]);
    let list = r#"{"features": [{"id": "a", "tested": true}, {"id": "b", "tested": true}]}"#;
    let mut example = write(".agent/features/feature-list.json", list);
    example.scene.evidence = vec![(Some("a".into()), EvidenceState::Fresh)];
    let judgement = ask(&guards, &example);
    assert_eq!(judgement.verdict.level, Level::Deny);
    assert_eq!(judgement.hits[0].feature.as_deref(), Some("b"));
    assert!(
        judgement.verdict.reason_text().contains("`tested` is set on b only"),
        "{}",
        judgement.verdict.reason_text()
    );
    example.scene.evidence.push((Some("b".into()), EvidenceState::Stale { why: "src/b.rs changed.".into() }));
    assert!(ask(&guards, &example).verdict.reason_text().contains("src/b.rs changed."));
    example.scene.evidence[1].1 = EvidenceState::Fresh;
    level(&guards, &example, Level::Allow);
}

#[test]
fn a_list_that_is_not_there_is_not_guarded_until_it_is_named() {
    let guards = sound(&[]);
    let mut example = run("sed -i s/a/b/ src/x");
    example.scene.absent = true;
    example.with_asked(|asked| {
        let view = CompiledView::parse(&guards.lines).unwrap();
        let never = LazyCell::new(|| -> stead_model::Effects { panic!("nobody needs the effects") });
        let asked = Asked { effects: &never, event: asked.event, ..*asked };
        assert_eq!(judge(&view, &asked, &example.scene), Judgement::silent());
    });
    let mut made = write(".agent/features/feature-list.json", r#"{"features": [{"id": "a", "tested": true}]}"#);
    made.scene.absent = true;
    level(&guards, &made, Level::Deny);
}

#[test]
fn effects_are_worked_out_once_and_only_if_needed() {
    let guards = sound(&[
        &guard("a", "match: {tool: Write, writes: x}"),
        &guard("b", "match: {writes: y}"),
        &guard("c", "match: {writes: z}"),
    ]);
    let count = std::cell::Cell::new(0);
    let look = |example: &Example, expected: usize| {
        count.set(0);
        example.with_asked(|asked| {
            let view = CompiledView::parse(&guards.lines).unwrap();
            let counted = LazyCell::new(|| {
                count.set(count.get() + 1);
                asked.effects.effects().clone()
            });
            judge(&view, &Asked { effects: &counted, event: asked.event, ..*asked }, &example.scene);
        });
        assert_eq!(count.get(), expected, "{:?}", example.call);
    };
    look(&run("ls"), 1);
    look(&at(EventKind::AfterTool, ExampleCall::Run("rm y".into())), 0);
    look(&said(EventKind::Stop, "done"), 0);
}

#[test]
fn commands_git_network_mcp_and_spawns_are_matched() {
    let check = |rest: &str, example: Example, expected: Level| level(&sound(&[&guard("g", rest)]), &example, expected);
    check("match: {runs: 'npm publish'}", run("cd pkg; npm publish"), Level::Deny);
    check("match: {runs: 'npm publish'}", run("echo npm publish"), Level::Allow);
    check("match: {runs: [make, 'cargo publish']}", run("env X=1 cargo publish -p a"), Level::Deny);
    check("match: {git: push}", run("git push origin main"), Level::Deny);
    check("match: {git: push}", run("git pull"), Level::Allow);
    check("match: {git: commit}", run("git commit -m x"), Level::Deny);
    check("match: {network: '*.example.com'}", run("curl https://api.example.com/x"), Level::Deny);
    check("match: {network: '*.example.com'}", run("curl https://example.org/x"), Level::Allow);
    let mcp = || at(EventKind::BeforeTool, ExampleCall::Mcp("github/delete_repo".into()));
    check("match: {mcp: 'github/delete_*'}", mcp(), Level::Deny);
    check("match: {mcp: github}", mcp(), Level::Deny);
    check("match: {mcp: 'jira/*'}", mcp(), Level::Allow);
    let spawn = || at(EventKind::BeforeTool, ExampleCall::Spawn("tester".into()));
    check("match: {spawn: test*}", spawn(), Level::Deny);
    check("match: {spawn: '!tester'}", spawn(), Level::Allow);
    check("match: {tool: Bash, runs: ls}", run("ls"), Level::Deny);
    check("match: {tool: shell, runs: ls}", run("ls"), Level::Allow);
    check("match: {harness: codex, runs: ls}", run("ls"), Level::Allow);
    check("match: {harness: [claude], runs: ls}", run("ls"), Level::Deny);
}

#[test]
fn contents_and_conditions_are_matched() {
    let check = |rest: &str, example: Example, expected: Level| level(&sound(&[&guard("g", rest)]), &example, expected);
    check("match: {writes: 'src/**', content: 'AKIA[0-9A-Z]{4}'}", write("src/a", "k = AKIAABCD"), Level::Deny);
    check("match: {writes: 'src/**', content: 'AKIA[0-9A-Z]{4}'}", write("doc/a", "k = AKIAABCD"), Level::Allow);
    check("match: {writes: 'src/**', content: 'AKIA[0-9A-Z]{4}'}", write("src/a", "AKIA"), Level::Allow);
    check("match: {content: {has: 'a.b'}}", write("src/a", "axb"), Level::Allow);
    check("match: {content: {has: 'a.b'}}", run("echo a.b > x"), Level::Deny);
    check("match: {any: [{writes: a}, {runs: ls}]}", run("ls"), Level::Deny);
    check("match: {all: [{writes: a}, {runs: ls}]}", run("ls"), Level::Allow);
    check("match: {all: [{writes: a}, {runs: ls}]}", run("ls > a"), Level::Deny);
    check("match: {writes: a, not: {runs: ls}}", run("ls > a"), Level::Allow);
    check("match: {writes: a, not: {runs: ls}}", run("echo > a"), Level::Deny);
    // What an exception is about is the same sub-command, not another one beside it.
    let rest = "match: {writes: gen/**}\nunless: {runs: 'cp'}";
    check(rest, run("cp x gen/a"), Level::Allow);
    check(rest, run("cp x y; touch gen/a"), Level::Deny);
    let rest = "match: {writes: a/**}\nunless: {writes: a/b/**}";
    check(rest, run("touch a/b/c"), Level::Allow);
    check(rest, run("touch a/b/c a/d"), Level::Deny);
    let mut intent = run("touch a");
    check("match: {writes: a, intent: none}", intent.clone(), Level::Deny);
    intent.scene.intent = Some("INT-7".into());
    check("match: {writes: a, intent: none}", intent.clone(), Level::Allow);
    check("match: {writes: a}\nunless: {intent: 'INT-*'}", intent, Level::Allow);
    let mut counted = run("touch a");
    counted.scene.counters = vec![("denials".into(), 3)];
    check("match: {writes: a, counter: {denials: '>2'}}", counted, Level::Deny);
}

#[test]
fn fields_are_found_in_every_kind_of_document() {
    let check = |file: &str, old: &str, new: &str, expected: Level| {
        let rest = format!("match: {{writes: '{file}', fields: {{/package/version: {{changed: true}}}}}}");
        let call = ExampleCall::Edit { path: file.into(), old: old.into(), new: new.into(), all: false };
        let mut example = at(EventKind::BeforeTool, call);
        example.scene.files = vec![
            ("Cargo.toml".into(), "[package]\nname = \"a\"\nversion = \"1.0.0\"\n".into()),
            ("a/meta.yaml".into(), "package:\n  name: a\n  version: 1.0.0\n".into()),
            ("meta.json".into(), r#"{"package": {"name": "a", "version": "1.0.0"}}"#.into()),
        ];
        level(&sound(&[&guard("g", &rest)]), &example, expected);
        // The same through a pattern that only names the ending.
        let open = rest.replace(&format!("'{file}'"), &format!("'*.{}'", file.rsplit('.').next().unwrap_or_default()));
        level(&sound(&[&guard("g", &open)]), &example, expected);
    };
    for file in ["Cargo.toml", "a/meta.yaml", "meta.json"] {
        check(file, "1.0.0", "1.0.1", Level::Deny);
        check(file, "name", "label", Level::Allow);
        check(file, "package", "paket", Level::Deny);
        check(file, "not there", "x", Level::Deny);
    }
    check("meta.json", "}}", "}", Level::Deny);
    check("Cargo.toml", "\"a\"", "\"a", Level::Deny);
}

#[test]
fn a_root_behind_a_link_is_the_same_root() {
    let guards = sound(&[]);
    let example = write(".agent/features/feature-list.json", r#"{"features": [{"id": "a", "tested": true}]}"#);
    example.with_asked(|asked| {
        let view = CompiledView::parse(&guards.lines).unwrap();
        let linked = Asked { root: "/linked/project", event: asked.event, ..*asked };
        assert_eq!(judge(&view, &linked, &example.scene).verdict.level, Level::Deny);
    });
}

#[test]
fn guards_that_contradict_each_other_say_so() {
    let deny = guard("z-deny", "match: {writes: a}");
    let ask_ = guard("ask", "match: {writes: a}\nthen: ask");
    let inject = guard("inject", "match: {writes: a}\nthen: inject");
    let rewrite = guard("move", "match: {writes: a}\nthen: rewrite\nto: b/{name}");
    let judgement = ask(&sound(&[&ask_, &deny, &inject, &rewrite]), &write("a", ""));
    assert_eq!(judgement.verdict.level, Level::Deny);
    assert_eq!(judgement.verdict.rewrite, None);
    let text = judgement.verdict.reason_text();
    assert!(text.starts_with("`z-deny`"), "{text}");
    assert!(text.contains("`ask` would ask"), "{text}");
    assert!(text.contains("`move` would rewrite") && text.ends_with("the strongest applies"), "{text}");
    assert!(judgement.verdict.context_text().contains("`inject`"));
    assert_eq!(judgement.hits.len(), 4);
}

#[test]
fn a_write_is_sent_elsewhere() {
    let guards = sound(&[&guard("move", "match: {writes: '*summary*.md'}\nthen: rewrite\nto: docs/{name}")]);
    let to = |path: &str| {
        let judgement = ask(&guards, &write(path, "x"));
        assert_eq!(judgement.verdict.level, Level::Allow, "{path}");
        judgement.verdict.rewrite.map(|input| serde_json::from_str::<serde_json::Value>(&input).unwrap())
    };
    assert_eq!(to("SUMMARY.md").unwrap()["file_path"], "docs/SUMMARY.md");
    assert_eq!(to("/srv/project/a/summary.md").unwrap()["file_path"], "/srv/project/docs/summary.md");
    assert_eq!(to("SUMMARY.md").unwrap()["content"], "x");
    assert_eq!(to("docs/summary.md"), None);
    assert_eq!(to("notes.md"), None);
    // Where it cannot be changed, the agent is told.
    let told = |judgement: Judgement| {
        assert_eq!(judgement.verdict.level, Level::Deny);
        assert!(judgement.verdict.reason_text().contains("Write it to docs/summary.md instead."));
    };
    told(ask(&guards, &run("echo x > summary.md")));
    let example = write("summary.md", "x");
    told(example.with_asked(|asked| {
        let view = CompiledView::parse(&guards.lines).unwrap();
        judge(&view, &Asked { can_rewrite: false, event: asked.event, ..*asked }, &example.scene)
    }));
}

#[test]
fn a_stop_is_held_a_few_times() {
    let guards = sound(&["id: t\nuse: tester-must-test\n"]);
    let stop = |role: &str, change: fn(&mut Scene)| {
        let mut example = said(EventKind::SubagentStop, "done");
        example.scene.caller = Caller::Sub { role: Some(role.into()) };
        change(&mut example.scene);
        ask(&guards, &example).verdict.level
    };
    assert_eq!(stop("tester", |_| ()), Level::Deny);
    assert_eq!(stop("tester", |scene| scene.holds = 3), Level::Allow);
    assert_eq!(stop("tester", |scene| scene.waiting = 1), Level::Allow);
    assert_eq!(stop("tester", |scene| scene.tests = TestRuns { ran: 1, passed: 0 }), Level::Allow);
    assert_eq!(stop("coder", |_| ()), Level::Allow);
    let passed = sound(&["id: t\nuse: tester-must-test\nwith: {require: passed, roles: qa}\n"]);
    let mut example = said(EventKind::SubagentStop, "done");
    example.scene.caller = Caller::Sub { role: Some("qa".into()) };
    example.scene.tests = TestRuns { ran: 1, passed: 0 };
    level(&passed, &example, Level::Deny);
    let text = ask(&passed, &example).verdict.reason_text();
    assert!(text.contains("a test has run, but it did not pass. Run the tests"), "{text}");
}

#[test]
fn what_was_said_is_matched() {
    let guards = sound(&[
        "id: p\nmode: enforce\non: prompt\nmatch: {text: '(?i)deploy'}\nthen: inject\nsay: read docs/deploy.md first\n",
        "id: s\nmode: enforce\non: [stop]\nmatch: {text: {has: 'I could not'}}\nthen: continue\nsay: try again\n",
    ]);
    let prompt = ask(&guards, &said(EventKind::Prompt, "Deploy it"));
    assert_eq!(prompt.verdict.context_text(), "`p`: read docs/deploy.md first (its text matches)");
    assert_eq!(ask(&guards, &said(EventKind::Prompt, "test it")), Judgement::silent());
    level(&guards, &said(EventKind::Stop, "I could not do it"), Level::Deny);
    level(&guards, &said(EventKind::Stop, "done"), Level::Allow);
}

#[test]
fn a_permission_is_granted_only_without_objection() {
    let allow = "id: a\nmode: enforce\non: permission-request\nmatch: {runs: cargo test}\nthen: allow\n";
    let deny = "id: d\nmode: enforce\non: permission-request\nmatch: {runs: cargo}\nsay: no\n";
    let request = at(EventKind::PermissionRequest, ExampleCall::Run("cargo test".into()));
    let judgement = ask(&sound(&[allow]), &request);
    assert!(judgement.grant && judgement.verdict.is_silent());
    let judgement = ask(&sound(&[allow, deny]), &request);
    assert!(!judgement.grant);
    assert!(judgement.verdict.reason_text().contains("`a` would allow"), "{}", judgement.verdict.reason_text());
    assert!(!ask(&sound(&[&allow.replace("enforce", "warn")]), &request).grant);
    let other = at(EventKind::PermissionRequest, ExampleCall::Run("rm x".into()));
    assert!(!ask(&sound(&[allow]), &other).grant);
}

#[test]
fn expressions_decide_last() {
    let guards = sound(&[&guard("g", "match: {writes: 'src/**'}\nwhen: \"role == 'main' && path.endsWith('.rs')\"")]);
    level(&guards, &write("src/a.rs", ""), Level::Deny);
    level(&guards, &write("src/a.md", ""), Level::Allow);
    let mut sub = write("src/a.rs", "");
    sub.scene.caller = Caller::Sub { role: None };
    level(&guards, &sub, Level::Allow);
}

#[test]
fn a_guard_that_breaks_counts_as_its_file_says() {
    let broken = guard("g", "match: {writes: a}\nwhen: input.missing == 1");
    let check = |text: String, expected: Level| {
        let judgement = ask(&sound(&[&text]), &write("a", ""));
        assert_eq!(judgement.verdict.level, expected, "{text}");
        assert!(judgement.hits[0].error.is_some());
    };
    check(broken.clone(), Level::Deny);
    check(format!("{broken}on_error: open\n"), Level::Allow);
    check(broken.replace("enforce", "shadow"), Level::Allow);
    check(format!("{broken}then: warn\n"), Level::Allow);
    let text = ask(&sound(&[&broken]), &write("a", "")).verdict.reason_text();
    assert!(text.contains("could not be judged") && text.contains("on_error is closed"), "{text}");
}

#[test]
fn a_program_may_deny_or_abstain() {
    let pin = crate::sha256::hex(b"x");
    let guards = sound(&[&guard("g", &format!("match: {{writes: a}}\nexec: {{path: tools/g.sh, sha256: {pin}}}"))]);
    let with = |answer: ExecAnswer| {
        let mut example = write("a", "");
        example.scene.exec = answer;
        ask(&guards, &example)
    };
    assert_eq!(with(ExecAnswer::Abstain), Judgement::silent());
    let denied = with(ExecAnswer::Deny { reason: "because of the moon".into() });
    assert_eq!(denied.verdict.level, Level::Deny);
    assert!(denied.verdict.reason_text().contains("because of the moon"));
}

#[test]
fn a_damaged_body_denies() {
    let guards = sound(&[INFRA]);
    let damaged = Compiled { lines: guards.lines.replace("\"say\":", "\"sya\":"), ..guards };
    level(&damaged, &write("infra/main.tf", ""), Level::Deny);
    assert!(CompiledView::parse(&damaged.lines[..damaged.lines.len() - 40]).is_none());
    assert!(CompiledView::parse("").is_none());
    assert!(CompiledView::parse("stead-guards\t2\tffff\t99999999\t1\t1\n").is_none());
}

#[test]
fn a_reason_names_the_home_folder_and_leaves_no_gap() {
    let reason = |rest: &str, example: &Example| ask(&sound(&[&guard("g", rest)]), example).verdict.reason_text();
    let text = reason("match: {deletes: '@outside', recursive: true}", &run("rm -rf ~/"));
    assert!(text.contains("deletes the home folder"), "{text}");
    let text = reason("match: {deletes: '@outside', recursive: true}", &run("rm -rf ~/work"));
    assert!(text.contains("deletes /home/") && text.contains("/work"), "{text}");
    let filled = "match: {git: push}\nsay: \"not {path}, {command}, {part}, {feature}\"";
    let text = ask(&sound(&[&guard("g", filled).replacen("say: not like this\n", "", 1)]), &run("git push"));
    let text = text.verdict.reason_text();
    assert!(text.contains("not the file, ") && text.contains(", a feature") && !text.contains('<'), "{text}");
}

#[test]
fn an_edit_that_nobody_can_read_is_refused_once_and_not_as_something_else() {
    let fields = "match: {writes: 'd.json', fields: {/a: {changed: true}}}";
    let guards = sound(&[&guard("first", fields), &guard("second", fields)]);
    let judgement = ask(&guards, &run("frobnicate d.json > t; mv t d.json"));
    let text = judgement.verdict.reason_text();
    assert!(text.starts_with("`unreadable-edit`: the change of d.json cannot be followed"), "{text}");
    assert!(text.matches("unreadable-edit").count() == 1 && !text.contains("not like this"), "{text}");
    let ids: Vec<&str> = judgement.hits.iter().map(|hit| hit.guard.as_str()).collect();
    assert_eq!(ids, ["first", "second"]);
    let mut readable = write("d.json", r#"{"a": 1}"#);
    readable.scene.files = vec![("d.json".into(), r#"{"a": 0}"#.into())];
    let text = ask(&guards, &readable).verdict.reason_text();
    assert!(text.starts_with("`first`: not like this") && text.contains("`second`: not like this"), "{text}");
}
