use proptest::prelude::*;

use super::{ask, compiled, run};
use crate::compile::{ProjectRooms, compile};
use crate::edit::set_mode;
use crate::judge::would_act;
use crate::lint::lint;
use crate::mode::Mode;
use crate::read::read_source;
use crate::source::Source;

/// Clauses and commands from the same few names, so that they often meet.
fn condition() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "a/b", "a/**", "**/c", "*.x", "!a/b", "b/*.x", "@outside", "c"]);
    let paths = prop::collection::vec(name, 1..4).prop_map(|list| {
        let mut list: Vec<String> = list.into_iter().map(|name| format!("\"{name}\"")).collect();
        list.push("\"a/c\"".into());
        format!("[{}]", list.join(", "))
    });
    let file = (prop::sample::select(vec!["writes", "deletes", "reads"]), paths)
        .prop_map(|(op, paths)| format!("{op}: {paths}"));
    let other = prop::sample::select(vec![
        "runs: [rm, 'cp|mv']", "runs: touch", "git: push", "tool: Bash", "agent: main", "harness: claude",
    ]);
    let single = prop_oneof![4 => file, 2 => other.prop_map(str::to_owned)].prop_map(|text| format!("{{{text}}}"));
    prop_oneof![
        4 => single.clone(),
        1 => prop::collection::vec(single.clone(), 1..3).prop_map(|list| format!("{{any: [{}]}}", list.join(", "))),
        1 => prop::collection::vec(single.clone(), 1..3).prop_map(|list| format!("{{all: [{}]}}", list.join(", "))),
        1 => single.prop_map(|text| format!("{{not: {text}, tool: Bash}}")),
    ]
}

fn command() -> impl Strategy<Value = String> {
    let path = prop::sample::select(vec!["a", "b", "a/b", "a/b/c", "c", "b/q.x", "q.x", "a/*", "/etc/c", ".", "A/B"]);
    let program =
        prop::sample::select(vec!["rm", "rm -rf", "touch", "cat", "cp q", "mv q", "echo >", "git push", "sudo rm"]);
    prop::collection::vec((program, path), 1..3).prop_map(|list| {
        list.into_iter().map(|(program, path)| format!("{program} {path}")).collect::<Vec<_>>().join(" && ")
    })
}

const WORDS: &str =
    "([a-z:{}\\[\\]\"'$*!/ \n-]|id: a\n|match: |writes: |say: |tests: |must: |unless: |use: |when: ){0,30}";

fn guard(n: usize, mode: Mode, condition: &str) -> String {
    format!("id: g{n}\nmode: {}\nmatch: {condition}\nsay: no\n", mode.name())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_index_hides_nothing(condition in condition(), command in command()) {
        let text = guard(0, Mode::Enforce, &condition);
        let source = Source::project(".agent/guards/g0.yaml", text.as_str());
        let (drafts, problems) = read_source(&source, &ProjectRooms::usual());
        prop_assert!(problems.is_empty(), "{:?}", problems);
        let example = run(&command);
        let plain = example.with_asked(|asked| would_act(&drafts[0].guard, asked, &example.scene));
        let judgement = ask(&compiled(&[&text]), &example);
        let indexed = judgement.hits.iter().find(|hit| hit.guard == "g0").cloned();
        prop_assert_eq!(plain.map(|hit| hit.because), indexed.map(|hit| hit.because));
    }

    #[test]
    fn the_order_of_files_does_not_matter(conditions in prop::collection::vec(condition(), 2..5), command in command()) {
        let files: Vec<Source> = conditions
            .iter()
            .enumerate()
            .map(|(n, condition)| {
                let mode = if n % 2 == 0 { Mode::Enforce } else { Mode::Warn };
                Source::project(format!("g{n}.yaml"), guard(n, mode, condition))
            })
            .collect();
        let turned: Vec<Source> = files.iter().rev().cloned().collect();
        let (one, other) = (compile(&files, &ProjectRooms::usual()), compile(&turned, &ProjectRooms::usual()));
        prop_assert_eq!(&one.lines, &other.lines);
        prop_assert_eq!(ask(&one, &run(&command)), ask(&other, &run(&command)));
    }

    #[test]
    fn what_matches_in_the_shadow_matches_when_enforced(condition in condition(), command in command()) {
        let hits = |mode: Mode| {
            let judgement = ask(&compiled(&[&guard(0, mode, &condition)]), &run(&command));
            let hits: Vec<_> = judgement.hits.into_iter().map(|hit| (hit.guard, hit.part, hit.because)).collect();
            (hits, judgement.verdict.is_silent())
        };
        let (shadow, silent) = hits(Mode::Shadow);
        let (enforced, passes) = hits(Mode::Enforce);
        prop_assert!(silent);
        prop_assert_eq!(&shadow, &enforced);
        prop_assert_eq!(enforced.is_empty(), passes);
    }

    #[test]
    fn any_text_is_read_or_refused(text in WORDS) {
        let source = Source::project("a.yaml", text);
        let _ = compile(std::slice::from_ref(&source), &ProjectRooms::usual());
        let _ = lint(&source, std::slice::from_ref(&source), &ProjectRooms::usual());
        let edited = set_mode(&source.text, Mode::Warn);
        prop_assert_eq!(crate::edit::mode_of(&edited), Some(Mode::Warn));
    }
}
