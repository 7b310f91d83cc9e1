//! Compiles a stage or a pipeline to the plan of a run.
//!
//! After this, nothing is read from stage or pipeline files: the plan contains the prompts, the order, the branches and
//! the hashes of its sources. It never writes the plan; the engine does, when it starts.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use stead_model::FileId;

use crate::definition::{Catalog, DefinitionError, Fixtures, Graph, StageDefinition, Step};
use crate::lint::{
    CheckedPipeline, CheckedStage, CheckedStep, Finding, check_alone, check_pipeline, check_stage, implied_inputs,
};
use crate::prompt::{Vars, resolve, tells_status};
use crate::{Branch, Input, Join, Node, OnFailure, Plan, Provider, Source, SourceFile, Termination, When};

/// What a run executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What<'a> {
    Stage(&'a str),
    Pipeline(&'a str),
}

/// What the command line adds to a stage or a pipeline.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// The run's name.
    pub run: String,
    /// The maximum number of iterations of every stage, overriding the files.
    pub max: Option<u32>,
    /// The time limit of the whole run, overriding the files.
    pub max_runtime_seconds: Option<u64>,
    /// The budget of the whole run, overriding the files.
    pub max_cost_usd: Option<f64>,
    /// Overrides the files. Branches over providers keep theirs, unless this is the mock.
    pub provider: Option<Provider>,
    pub model: Option<String>,
    /// The intent of every stage, overriding the files.
    pub intent: Option<String>,
    /// The default if neither the files nor the command line name a provider.
    pub default_provider: Provider,
    /// Files for every stage, absolute.
    pub inputs: Vec<PathBuf>,
    /// The current time as files store it.
    pub now: String,
    pub purpose: Purpose,
}

/// What the plan is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Run,
    /// A test with mock answers that leaves nothing outside the run's folder: no tracked output, no worktree, no verify
    /// or queue command. The queue of a stage has as many items as there are fixtures for single iterations.
    Rehearsal,
}

/// A plan, and warnings about its sources.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub plan: Plan,
    pub warnings: Vec<Finding>,
}

/// The version of `plan.json`.
const SCHEMA: u32 = 1;
const MAX_PARALLEL: u32 = 4;

/// Compiles the plan. Errors reject it; weaker findings are returned with it.
pub fn compile(catalog: &Catalog, what: What<'_>, options: &CompileOptions) -> Result<Compiled, DefinitionError> {
    if let Err(why) = FileId::check(&options.run) {
        return Err(DefinitionError::RunName { name: options.run.clone(), why: why.to_string() });
    }
    if let Some(missing) = options.inputs.iter().find(|path| !path.is_file()) {
        return Err(DefinitionError::Input { path: missing.clone() });
    }
    match what {
        What::Stage(name) => {
            let stage = check_stage(catalog.stage_files(name)?);
            refuse_errors(format!("stage {name}"), &stage.findings)?;
            let alone = if options.purpose == Purpose::Run { check_alone(&stage) } else { Vec::new() };
            if !alone.is_empty() {
                return Err(DefinitionError::Alone { name: name.to_owned(), findings: alone });
            }
            let node = single(&stage, options);
            let plan = plan(options, sources_of(&stage), vec![node]);
            Ok(Compiled { plan, warnings: stage.findings })
        }
        What::Pipeline(name) => {
            let pipeline = check_pipeline(catalog, name)?;
            let what = format!("pipeline {name}");
            refuse_errors(what.clone(), &pipeline.findings)?;
            let Some(graph) = &pipeline.graph else {
                return Err(DefinitionError::Faulty { what, findings: pipeline.findings });
            };
            Ok(Compiled { plan: whole(&pipeline, graph, options), warnings: pipeline.findings })
        }
    }
}

fn refuse_errors(what: String, findings: &[Finding]) -> Result<(), DefinitionError> {
    let errors: Vec<Finding> = findings.iter().filter(|finding| finding.is_error()).cloned().collect();
    if errors.is_empty() { Ok(()) } else { Err(DefinitionError::Faulty { what, findings: errors }) }
}

fn plan(options: &CompileOptions, sources: Vec<Source>, nodes: Vec<Node>) -> Plan {
    Plan {
        schema: SCHEMA,
        run: options.run.clone(),
        pipeline: None,
        created_at: options.now.clone(),
        sources,
        max_parallel: MAX_PARALLEL,
        max_cost_usd: options.max_cost_usd,
        max_runtime_seconds: options.max_runtime_seconds,
        on_failure: OnFailure::default(),
        initial_inputs: options.inputs.iter().map(|path| text(path)).collect(),
        nodes,
        orchestrate: None,
        amendments: Vec::new(),
    }
}

fn single(stage: &CheckedStage, options: &CompileOptions) -> Node {
    let name = stage.files.name.as_str();
    let step = Step { id: name.to_owned(), ..Step::default() };
    node(&StageSource { index: 0, step: &step, from: Some(stage), inputs: &[], needs: &[] }, options)
}

fn whole(pipeline: &CheckedPipeline, graph: &Graph, options: &CompileOptions) -> Plan {
    let steps = &pipeline.definition.steps;
    let mut sources = vec![source(&pipeline.file)];
    let mut nodes = Vec::new();
    for index in &graph.order {
        let (step, checked) = (&steps[*index], &pipeline.steps[*index]);
        let from = match checked {
            CheckedStep::Template(stage) => Some(&**stage),
            CheckedStep::Inline | CheckedStep::Missing => None,
        };
        let stated = step.inputs.iter().map(|(input, _)| input.clone());
        let inputs: Vec<Input> = stated.chain(implied_inputs(steps, *index, checked.prompt(step))).collect();
        let needs: Vec<String> = graph.needs[*index].iter().map(|need| steps[*need].id.clone()).collect();
        if let Some(stage) = from {
            let new = sources_of(stage).into_iter().filter(|new| !sources.contains(new)).collect::<Vec<_>>();
            sources.extend(new);
        }
        nodes.extend(branches(&StageSource { index: *index, step, from, inputs: &inputs, needs: &needs }, options));
    }
    let definition = &pipeline.definition;
    Plan {
        pipeline: Some(pipeline.name.clone()),
        max_parallel: definition.max_parallel.unwrap_or(MAX_PARALLEL),
        max_cost_usd: options.max_cost_usd.or(definition.max_cost_usd),
        max_runtime_seconds: options.max_runtime_seconds.or(definition.max_runtime_seconds),
        on_failure: definition.on_failure.unwrap_or_default(),
        ..plan(options, sources, nodes)
    }
}

/// What the nodes of one stage are built from.
struct StageSource<'a> {
    index: usize,
    step: &'a Step,
    /// `None` for a stage whose prompt is in the pipeline.
    from: Option<&'a CheckedStage>,
    inputs: &'a [Input],
    needs: &'a [String],
}

/// One node, or one per branch.
fn branches(source: &StageSource<'_>, options: &CompileOptions) -> Vec<Node> {
    let node = node(source, options);
    let Some(fan) = &source.step.fan else { return vec![node] };
    let of = |(branch, provider): &(Branch, Option<Provider>)| {
        let id = format!("{}.{}", source.step.id, branch.name);
        let provider = match (&options.provider, provider) {
            (Some(Provider::Mock), _) | (_, None) => node.provider.clone(),
            (_, Some(own)) => own.clone(),
        };
        Node {
            dir: dir(source.index, &id),
            id,
            branch: Some(branch.clone()),
            join: Some(fan.join),
            stage_parallel: fan.max_parallel,
            worktree: fan.worktree && options.purpose == Purpose::Run,
            output: output(source, options, Some(&branch.name)),
            provider,
            ..node.clone()
        }
    };
    fan.branches.iter().map(of).collect()
}

fn node(source: &StageSource<'_>, options: &CompileOptions) -> Node {
    let StageSource { index, step, from, inputs, needs } = source;
    let base = from.map_or_else(StageDefinition::default, |stage| stage.definition.clone());
    let prompt = match from {
        Some(stage) => stage.files.prompt.file.text.clone(),
        None => step.prompt.as_ref().map(|prompt| prompt.name.clone()).unwrap_or_default(),
    };
    let output_parse = base.output_parse.clone();
    let (fixtures, fixture_texts) = match from.map(|stage| &stage.files.fixtures) {
        Some(Fixtures::Folder(folder)) => (Some(text(folder)), Vec::new()),
        Some(Fixtures::Texts(texts)) => (None, texts.clone()),
        None => (None, Vec::new()),
    };
    let mock_items = from.map_or(0, |stage| stage.files.fixtures.iterations()).max(1);
    let mut guardrails = base.limits.overridden_by(&step.limits).settle();
    guardrails.max_iterations = options.max.unwrap_or(guardrails.max_iterations);
    let rehearsed = options.purpose == Purpose::Rehearsal;
    let verify = base.verify.overridden_by(&step.verify);
    let termination = ending(step.termination.clone().or(base.termination), options);
    let has_queue = matches!(termination, Termination::Queue { .. } | Termination::Features { .. });
    let provider = options.provider.clone().or_else(|| step.provider.clone()).or(base.provider);
    Node {
        index: u32::try_from(*index).unwrap_or(u32::MAX),
        id: step.id.clone(),
        stage: step.id.clone(),
        template: from.map(|stage| stage.files.name.clone()).unwrap_or_default(),
        branch: None,
        dir: dir(*index, &step.id),
        explain_status: !tells_status(&prompt, output_parse.as_deref()),
        prompt,
        verify_must: verify.must(&termination),
        termination,
        guardrails,
        output: output(source, options, None),
        provider: if rehearsed { Provider::Mock } else { provider.unwrap_or_else(|| options.default_provider.clone()) },
        model: options.model.clone().or_else(|| step.model.clone()).or(base.model),
        inputs: inputs.to_vec(),
        needs: needs.to_vec(),
        when: step.when.as_ref().map(|when| When { stage: when.stage.name.clone(), outcome: when.outcome.clone() }),
        join: None::<Join>,
        stage_parallel: None,
        worktree: false,
        fixtures,
        fixture_texts,
        verify: if rehearsed { Vec::new() } else { verify.commands },
        mock_queue: (rehearsed && has_queue).then_some(mock_items),
        intent: options.intent.clone().or_else(|| step.intent.clone()).or(base.intent),
        output_parse,
    }
}

fn output(source: &StageSource<'_>, options: &CompileOptions, branch: Option<&str>) -> Option<String> {
    if options.purpose == Purpose::Rehearsal {
        return None;
    }
    let base = source.from.and_then(|stage| stage.definition.output.as_ref());
    source.step.output.as_ref().or(base).map(|output| output.resolve(&options.run, branch))
}

/// The termination with the run's name in its command. A stage without one was rejected before.
fn ending(termination: Option<Termination>, options: &CompileOptions) -> Termination {
    match termination {
        Some(Termination::Queue { command }) => {
            let vars = Vars { session: options.run.clone(), ..Vars::default() };
            Termination::Queue { command: resolve(&command, &vars).text }
        }
        Some(other) => other,
        None => Termination::Fixed,
    }
}

fn dir(index: usize, id: &str) -> String {
    format!("stage-{index:02}-{id}")
}

fn sources_of(stage: &CheckedStage) -> Vec<Source> {
    vec![source(&stage.files.manifest.file), source(&stage.files.prompt.file)]
}

fn source(file: &SourceFile) -> Source {
    Source { path: file.name.clone(), sha1: file.sha1() }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The sources of a plan that changed or were deleted since it was compiled.
pub fn changed_sources(catalog: &Catalog, plan: &Plan) -> Vec<String> {
    let is_same = |source: &Source| match source.path.strip_prefix("builtin:") {
        Some(inner) => catalog.builtin_text(inner).is_some_and(|file| file.sha1() == source.sha1),
        None => stead_context::content_hash(&catalog.root.join(&source.path)).as_ref() == Some(&source.sha1),
    };
    plan.sources.iter().filter(|source| !is_same(source)).map(|source| source.path.clone()).collect()
}
