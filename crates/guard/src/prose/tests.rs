use super::*;
use crate::lint::lint;

fn found(text: &str) -> Vec<(usize, Sense)> {
    prose_rules(text).into_iter().map(|rule| (rule.line, rule.sense)).collect()
}

fn rule(text: &str) -> ProseRule {
    prose_rules(text).pop().unwrap_or_else(|| panic!("no rule: {text}"))
}

fn rooms() -> ProjectRooms {
    ProjectRooms::default()
}

#[test]
fn rules_are_lines_that_forbid_or_demand() {
    use Sense::{Demands, Forbids};
    let text = "---\nname: x\ndescription: never called\n---\n# Agent\n\nYou MUST read the plan.\nRead the code.\n\
                - NEVER edit `infra/`\n- Don’t guess\n```\nyou must not see this\n```\n## Always\n- be brief\n- run tests\n\
                ## Notes\n- free\nNever:\n1. push\n\nCRITICAL: ask first\nIt is critical to me.\n";
    assert_eq!(
        found(text),
        [(7, Demands), (9, Forbids), (10, Forbids), (15, Demands), (16, Demands), (20, Forbids), (22, Demands)]
    );
    assert_eq!(found("mustard is nevertheless a shallow alwayson thing\n"), []);
    assert_eq!(found("---\nnever closed\n"), [(2, Forbids)]);
}

#[test]
fn a_rule_is_held_by_the_guard_that_blocks_its_call() {
    let guard = |text: &str| Source::project("g.yaml", text);
    let infra = guard("id: g\nmatch: {writes: \"infra/**\"}\nsay: no\n");
    let push = guard("id: p\nmatch: {git: force-push}\nsay: no\n");
    let env = guard("id: e\nmatch: {reads: \".env\"}\nsay: no\n");
    let all = [infra, Source { file: "p.yaml".into(), ..push }, Source { file: "e.yaml".into(), ..env }];
    let check = |text: &str, expected: &[&str]| assert_eq!(holders(&rule(text), &all, &rooms()), expected, "{text}");
    check("NEVER edit files in infra/ yourself", &["g"]);
    check("Do not change infra/main.tf.", &["g"]);
    check("never run git push --force on main", &["p"]);
    check("You must not use `git push -f`", &["p"]);
    check("Never read `.env`", &["e"]);
    check("Never print .env to the log", &["e"]);
    check("NEVER edit src/", &[]);
    check("Always be polite", &[]);
    check("Never guess", &[]);
}

#[test]
fn shipped_guards_are_known_by_their_call_or_their_purpose() {
    let check =
        |text: &str, expected: Option<&str>| assert_eq!(shipped_holder(&rule(text), &rooms()), expected, "{text}");
    check("NEVER run git reset --hard", Some("destructive"));
    check("Do not use `git push --force`", Some("destructive"));
    check("NEVER mark a feature as tested: true without evidence", Some("tested-needs-evidence"));
    check("NEVER implement directly (use coding-agent)", Some("orchestrator-does-not-edit"));
    check(
        "You must run tests before you stop; skipping tests is forbidden, never stop early",
        Some("tester-must-test"),
    );
    check("ALWAYS use MCP for logs", Some("logs-through-tools"));
    check("NEVER use tabs", None);
}

/// Whatever is drafted is accepted by the same lint that people run, and holds the rule it was drafted for.
#[test]
fn drafts_pass_the_lint_and_hold_their_rule() {
    let drafted = [
        "NEVER edit files in infra/",
        "Do not touch package-lock.json",
        "Never delete migrations/*.sql!",
        "You must not read secrets.yaml: it has \"keys\"",
        "Never run `terraform apply`",
        "Never run npm publish without asking",
        "Always use `pnpm` instead of `npm install`",
        "NEVER commit .env.local {or} `x`",
        "Don't use `docker rm -f db`, it's shared",
    ];
    let mut taken = Vec::new();
    for text in drafted {
        let rule = rule(text);
        let (id, draft) = draft_guard(&rule, &taken, &rooms()).unwrap_or_else(|| panic!("{text}: {rule:?}"));
        let source = Source::project(format!("{id}.yaml"), draft.clone());
        assert_eq!(lint(&source, &[], &rooms()), [], "{text}\n{draft}");
        assert_eq!(holders(&rule, &[source], &rooms()), [id.as_str()], "{text}\n{draft}");
        taken.push(id);
    }
    let again = draft_guard(&rule(drafted[0]), &taken, &rooms()).unwrap().0;
    assert_eq!((taken[0].as_str(), again.as_str()), ("no-infra", "no-infra-2"));
    for text in ["Never guess", "Always be brief", "Never say e.g. this", "Never use 1.5 or and/or", "You MUST test"] {
        assert_eq!(draft_guard(&rule(text), &[], &rooms()), None, "{text}");
    }
}
