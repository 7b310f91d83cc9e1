//! What an agent gets for an iteration: its context and its prompt.

use std::collections::BTreeSet;

use super::inputs::{self, Gone, text};
use super::iteration::IterationFiles;
use super::node_run::NodeRun;
use super::{EngineError, attempt};
use crate::context_file::{
    CONTEXT_SCHEMA, Context, ContextBranch, ContextBudget, ContextLimits, ContextPaths, ContextStage,
};
use crate::prompt::{self, Vars};
use crate::state::{dollars, seconds};

impl NodeRun<'_> {
    /// Reports once what the agent cannot get because it was removed.
    pub(super) fn warn_about_gone(&mut self, gone: Vec<Gone>) -> Result<(), EngineError> {
        let fresh: Vec<Gone> = gone.into_iter().filter(|one| self.told_gone.insert(one.clone())).collect();
        for message in inputs::describe_missing(&fresh) {
            self.run.journal.warn(&self.node.id, message)?;
        }
        Ok(())
    }

    /// What the agent is told, and what is missing.
    pub(super) fn context(&self, files: &IterationFiles) -> (Context, Vec<Gone>) {
        let (at, run_cost) = self
            .run
            .journal
            .ask(|state| (state.nodes[self.index].clone(), state.nodes.iter().map(|n| n.cost_usd).sum()));
        let budget = self.budget(0.0);
        let plan = self.run.plan;
        let stages: BTreeSet<&str> = plan.nodes.iter().map(|node| node.stage.as_str()).collect();
        let (mut inputs, gone) = inputs::of_iteration(self.run.folder, plan, &at, &self.from_stage);
        inputs.worktrees = self.run.journal.ask(|state| inputs::worktrees(self.run.folder, plan, state, self.node));
        let context = Context {
            schema: CONTEXT_SCHEMA,
            session: plan.run.clone(),
            pipeline: plan.pipeline.clone().unwrap_or_default(),
            stage: ContextStage {
                id: self.node.stage.clone(),
                index: self.node.index,
                template: self.node.template.clone(),
            },
            stage_count: u32::try_from(stages.len()).unwrap_or(u32::MAX),
            iteration: files.iteration,
            attempt: 1,
            previous_attempt: None,
            paths: ContextPaths {
                session_dir: text(self.run.folder.path()),
                stage_dir: text(&self.stage_dir),
                progress: text(&self.progress()),
                output: text(&self.output()),
                status: text(&files.file(attempt::STATUS)),
                work_dir: text(&self.root),
            },
            inputs,
            limits: ContextLimits {
                max_iterations: at.max_iterations,
                remaining_seconds: budget.time.map(|left| left.max(0.0) as u64),
                iteration_timeout_seconds: self.iteration_timeout(),
            },
            previous_summary: self.previous.summary.clone(),
            consecutive_stops: at.consecutive_stops,
            elapsed_seconds: seconds(self.run.journal.elapsed()),
            budget: ContextBudget {
                cost_usd_used: at.cost_usd,
                cost_usd_remaining: budget.cost.map(|left| dollars(left.max(0.0))),
                run_cost_usd_used: dollars(run_cost),
                stage_seconds_used: at.elapsed_seconds,
            },
            verification: self.previous.verification.clone(),
            branch: self.node.branch.as_ref().map(|branch| ContextBranch {
                name: branch.name.clone(),
                item: branch.item.clone(),
                git_branch: self.tree_branch(),
            }),
        };
        (context, gone)
    }

    pub(super) fn iteration_timeout(&self) -> Option<u64> {
        let own = self.assignment.as_ref().and_then(|assignment| assignment.command.timeout_seconds);
        own.or(self.node.guardrails.iteration_timeout_seconds)
    }

    pub(super) fn prompt(&mut self, files: &IterationFiles, context: &Context) -> Result<String, EngineError> {
        let by_stage: Vec<(String, String)> =
            context.inputs.from_stage.iter().map(|(stage, paths)| (stage.clone(), paths.join("\n"))).collect();
        let all = context.inputs.initial.iter().chain(context.inputs.from_stage.values().flatten());
        let vars = Vars {
            ctx: text(&files.file(attempt::CONTEXT)),
            progress: context.paths.progress.clone(),
            output: context.paths.output.clone(),
            status: context.paths.status.clone(),
            session: context.session.clone(),
            iteration: files.iteration,
            inputs: all.map(String::as_str).collect::<Vec<_>>().join("\n"),
            inputs_by_stage: by_stage,
            item: self.node.branch.as_ref().and_then(|branch| branch.item.clone()),
        };
        let resolved = prompt::resolve(&prompt::text_of(self.node), &vars);
        if !self.told_prompt {
            self.told_prompt = true;
            for warning in &resolved.warnings {
                self.run.journal.warn(&self.node.id, warning.to_string())?;
            }
        }
        Ok(resolved.text)
    }
}
