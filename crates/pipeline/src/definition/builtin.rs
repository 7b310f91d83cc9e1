//! The stages and pipelines that ship with the program.

/// A stage by its files.
pub(crate) struct BuiltinStage {
    pub(crate) name: &'static str,
    pub(crate) manifest: &'static str,
    pub(crate) prompt: &'static str,
    pub(crate) fixtures: &'static [(&'static str, &'static str)],
}

pub(crate) struct BuiltinPipeline {
    pub(crate) name: &'static str,
    pub(crate) text: &'static str,
}

macro_rules! stage {
    ($name:literal, $($fixture:literal),+) => {
        BuiltinStage {
            name: $name,
            manifest: include_str!(concat!("../../builtin/stages/", $name, "/stage.yaml")),
            prompt: include_str!(concat!("../../builtin/stages/", $name, "/prompt.md")),
            fixtures: &[$((
                $fixture,
                include_str!(concat!("../../builtin/stages/", $name, "/fixtures/", $fixture)),
            )),+],
        }
    };
}

macro_rules! pipeline {
    ($name:literal) => {
        BuiltinPipeline { name: $name, text: include_str!(concat!("../../builtin/pipelines/", $name, ".yaml")) }
    };
}

/// By name.
pub(crate) const STAGES: &[BuiltinStage] = &[
    stage!("elegance", "iteration-1.txt", "default.txt", "status.json"),
    stage!("idea-wizard", "iteration-1.txt", "iteration-2.txt", "default.txt", "status.json"),
    stage!("improve-plan", "iteration-1.txt", "default.txt", "status.json"),
    stage!("refine", "iteration-1.txt", "default.txt", "status.json"),
    stage!("refine-beads", "iteration-1.txt", "default.txt", "status.json"),
    stage!("synthesize", "default.txt", "status.json"),
    stage!("work", "iteration-1.txt", "default.txt", "status.json"),
];

/// By name.
pub(crate) const PIPELINES: &[BuiltinPipeline] =
    &[pipeline!("full-refine"), pipeline!("ideas"), pipeline!("test-inputs")];
