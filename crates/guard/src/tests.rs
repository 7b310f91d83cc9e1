//! What the whole does: files in, judgements out.

mod compiling;
mod globbing;
mod holding;
mod judging;
mod linting;
mod property;
mod shipping;

use stead_model::EventKind;

use crate::compile::{Compiled, ProjectRooms, compile};
use crate::example::{Example, ExampleCall, Scene};
use crate::judge::judge;
use crate::judgement::Judgement;
use crate::source::Source;
use crate::view::CompiledView;

/// Guard files of a project, each named after its id.
fn project(texts: &[&str]) -> Vec<Source> {
    texts
        .iter()
        .map(|text| {
            let id = text.lines().find_map(|line| line.strip_prefix("id: ")).unwrap_or("unnamed");
            Source::project(format!(".agent/guards/{id}.yaml"), *text)
        })
        .collect()
}

fn compiled(texts: &[&str]) -> Compiled {
    compile(&project(texts), &ProjectRooms::usual())
}

/// Compiles guards that are all right.
#[track_caller]
fn sound(texts: &[&str]) -> Compiled {
    let compiled = compiled(texts);
    assert_eq!(compiled.problems, [], "{texts:?}");
    compiled
}

#[track_caller]
fn ask(compiled: &Compiled, example: &Example) -> Judgement {
    let view = CompiledView::parse(&compiled.lines).expect("own form");
    example.with_asked(|asked| judge(&view, asked, &example.scene))
}

/// An example at some event.
fn at(event: EventKind, call: ExampleCall) -> Example {
    Example { must: true, title: String::new(), place: Default::default(), event, call, scene: Scene::default() }
}

fn run(command: &str) -> Example {
    at(EventKind::BeforeTool, ExampleCall::Run(command.into()))
}

fn write(path: &str, content: &str) -> Example {
    at(EventKind::BeforeTool, ExampleCall::Write { path: path.into(), content: Some(content.into()) })
}

fn said(event: EventKind, text: &str) -> Example {
    at(event, ExampleCall::Said(text.into()))
}

/// A guard in few words.
fn guard(id: &str, rest: &str) -> String {
    format!("id: {id}\nmode: enforce\nsay: not like this\n{rest}\n")
}

const INFRA: &str = r#"
id: infra-is-reviewed
mode: enforce
on: [before-tool]
match:
  writes: ["infra/**/*.tf", "!infra/sandbox/**"]
unless: { session: { has: plan-approved } }
then: deny
say: "infra/ changes need an approved plan; write it to docs/plans/ and ask."
tests:
  must:     ["sed -i s/a/b/ infra/main.tf", {write: infra/main.tf}]
  must_not: ["git log -- infra/", "git commit -m 'see infra/main.tf'"]
"#;
