//! What a call does that needs an intent, from its effects.

use std::path::Path;

use stead_guard::ReadEffects;
use stead_model::{Action, Effects, Gap, GitKind, GitOp, How, Op, SteadProgram, Target, ToolCall};

use super::programs;
use crate::request::Request;

#[derive(Debug, Default)]
pub(super) struct Need {
    /// The paths that it changes.
    pub(super) changes: Vec<Target>,
    /// The folders that it makes, which are empty.
    pub(super) folders: Vec<Target>,
    /// It does something else that needs an intent.
    acts: bool,
    /// What could not be followed, and the programs behind it, innermost first.
    pub(super) unknown: Vec<Unknown>,
}

/// A part of a call that could not be followed.
#[derive(Debug)]
pub(super) struct Unknown {
    pub(super) gap: Gap,
    pub(super) programs: Vec<Program>,
}

/// A program, and the folder it runs in.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) argv: Vec<String>,
    pub(super) dir: String,
}

impl Need {
    /// `None` if the call needs no intent.
    pub(super) fn of(request: &Request<'_>, call: &ToolCall<'_>, is_changing: bool) -> Option<Self> {
        let effects = request.effects();
        let is_shell = matches!(call.action, Action::Run { .. });
        let strict = is_shell && request.policy.value("value", "intents.shell") == Some("all");
        if is_own_command(effects) {
            return None;
        }
        let says_nothing = effects.list.iter().all(|effect| matches!(effect.op, Op::Mcp { .. }));
        let mut need = Self { acts: is_changing || strict, ..Self::default() };
        for effect in &effects.list {
            match &effect.op {
                Op::Write { target, how: How::Into, .. } if !target.tree => need.folders.push(target.clone()),
                Op::Write { target, .. } | Op::Delete(target) => need.changes.push(target.clone()),
                Op::Rename { from, to } => need.changes.extend([from.clone(), to.clone()]),
                Op::Git(git) => {
                    need.acts = true;
                    need.changes.extend(git_changes(git, request.work()));
                }
                Op::Stead(call) => need.acts |= call.program != SteadProgram::Named || !programs::is_own_verb(call),
                Op::Network { program, .. } => need.acts |= is_shell && !only_asks(effects, program),
                Op::RunDownload { .. } | Op::Sql { .. } => need.acts |= is_shell,
                Op::Run { argv, .. } => need.acts |= programs::acts(argv),
                Op::Read { .. } | Op::Mcp { .. } | Op::Spawn { .. } => {}
            }
        }
        for gap in effects.gaps.iter().filter(|gap| !gap.is_listed && (is_shell || gap.run.is_some())) {
            need.unknown.push(Unknown { gap: gap.clone(), programs: chain(effects, gap.run) });
        }
        if is_changing && need.changes.is_empty() && need.folders.is_empty() && says_nothing && need.unknown.is_empty()
        {
            let why = format!("which files `{}` changes is not said", call.tool);
            need.unknown.push(Unknown { gap: Gap { why, ..Gap::default() }, programs: Vec::new() });
        }
        (!need.unknown.is_empty() || !need.is_read_only()).then_some(need)
    }

    /// Returns true if it changes nothing, as far as is known, and what is not known is a reviewed program.
    pub(super) fn is_read_only(&self) -> bool {
        let is_reviewed =
            |unknown: &Unknown| unknown.programs.first().is_some_and(|program| programs::is_read_only(&program.argv));
        !self.acts && self.changes.is_empty() && self.folders.is_empty() && self.unknown.iter().all(is_reviewed)
    }
}

/// Returns true if a program that uses the network only looks something up.
fn only_asks(effects: &Effects, program: &str) -> bool {
    let is_it = |argv: &&Vec<String>| argv.first().is_some_and(|first| first.rsplit('/').next() == Some(program));
    let runs = effects.list.iter().filter_map(|effect| match &effect.op {
        Op::Run { argv, .. } => Some(argv),
        _ => None,
    });
    let calls: Vec<&Vec<String>> = runs.filter(is_it).collect();
    !calls.is_empty() && calls.iter().all(|argv| programs::is_read_only(argv))
}

/// Returns true if the whole command is one call of a `stead` command that agents may use.
fn is_own_command(effects: &Effects) -> bool {
    let mut calls = effects.list.iter().filter_map(|effect| match &effect.op {
        Op::Stead(call) => Some(call),
        _ => None,
    });
    let (Some(call), None) = (calls.next(), calls.next()) else { return false };
    let is_plain = |op: &Op| matches!(op, Op::Stead(_) | Op::Run { .. } | Op::Read { .. });
    call.program == SteadProgram::Named
        && programs::is_own_verb(call)
        && effects.runs.len() == 1
        && effects.list.iter().all(|effect| is_plain(&effect.op))
        && effects.gaps.iter().all(|gap| gap.run == Some(0))
}

/// The files of the work tree that git overwrites or removes without naming them.
fn git_changes(git: &GitOp, root: &Path) -> Vec<Target> {
    let mut changes: Vec<Target> = git.untracked.iter().map(|untracked| untracked.target.clone()).collect();
    if git.kind == GitKind::WholeTree && git.untracked.is_none() {
        let inside = Path::new(&git.dir).strip_prefix(root).ok().map(|below| below.to_string_lossy().into_owned());
        changes.push(Target {
            path: git.dir.clone(),
            inside,
            tree: true,
            glob: false,
            guessed: false,
            except: Vec::new(),
        });
    }
    changes
}

/// The words of a program and of those that started it.
fn chain(effects: &Effects, run: Option<usize>) -> Vec<Program> {
    let mut chain = Vec::new();
    let mut next = run;
    // A run is started by an earlier one, so this ends.
    while let Some(run) = next.and_then(|at| effects.runs.get(at)) {
        if let Some(Op::Run { argv, dir }) = effects.list.get(run.effect).map(|effect| &effect.op) {
            chain.push(Program { argv: argv.clone(), dir: dir.clone() });
        }
        next = run.by.filter(|by| Some(*by) < next);
    }
    chain
}
