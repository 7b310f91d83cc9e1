//! What can be known before a run starts: what cannot work, and what nobody bounded. Nobody wants to learn that in the
//! morning. It starts nothing but a queue's command, and only if it is asked to count.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use stead_client::Harness;

use crate::custody::{self, Cancel, Capture, How, Launch};
use crate::definition::default_queue;
use crate::engine::{BACK_OFF, open_items, shell, worktree_base};
use crate::{Node, OnQuota, Plan, Provider, Termination, provider};

/// How long a queue's command may take to be counted.
const PATIENCE: Duration = Duration::from_secs(60);

/// How much a concern matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Good to know.
    Note,
    /// It may not work, or may never end.
    Warning,
    /// It cannot work.
    Error,
}

impl Weight {
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Something to know before a run starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concern {
    pub weight: Weight,
    /// The node's id; several share it if it is the same for all of them.
    pub nodes: Vec<String>,
    pub message: String,
    pub hint: Option<String>,
}

/// What preflight needs from its caller.
pub struct Ground<'a> {
    pub root: &'a Path,
    pub env: &'a dyn Fn(&str) -> Option<OsString>,
    /// The project has a feature list, which replaces the default queue where its program is missing.
    pub has_features: bool,
    /// The programs among those that a shell command would run that do not exist.
    pub missing: &'a dyn Fn(&str) -> Vec<String>,
}

/// Checks a plan. The strongest concerns come first.
pub fn preflight(plan: &Plan, ground: &Ground<'_>) -> Vec<Concern> {
    let mut concerns = Concerns::default();
    for node in &plan.nodes {
        check_program(node, ground, &mut concerns);
        check_commands(plan, node, ground, &mut concerns);
        check_time(plan, node, &mut concerns);
        check_money(plan, node, &mut concerns);
        check_quota(node, &mut concerns);
        if node.worktree
            && let Err(why) = worktree_base(ground.root)
        {
            let hint = "worktrees need a git repository with a commit (`git init`)";
            concerns.add(Weight::Error, node, format!("its worktree cannot be created: {why}"), Some(hint));
        }
    }
    concerns.0.sort_by_key(|concern| std::cmp::Reverse(concern.weight));
    concerns.0
}

/// Counts the queues of the stages that start first: an empty one means that no agent starts.
pub fn count_queues(plan: &Plan, root: &Path) -> Vec<Concern> {
    let mut concerns = Concerns::default();
    for node in plan.nodes.iter().filter(|node| node.needs.is_empty()) {
        let Termination::Queue { command } = &node.termination else { continue };
        if is_default_queue(plan, command) {
            continue;
        }
        match queue_items(command, root) {
            Ok(0) => {
                let hint = "fill it before the run, or change its `command`";
                concerns.add(Weight::Warning, node, "its queue is empty, so no agent would start".into(), Some(hint));
            }
            Ok(_) => {}
            Err(why) => {
                let message = format!("its queue cannot be counted: {why}");
                concerns.add(Weight::Error, node, message, Some("run the command by hand"));
            }
        }
    }
    concerns.0
}

#[derive(Default)]
struct Concerns(Vec<Concern>);

impl Concerns {
    fn add(&mut self, weight: Weight, node: &Node, message: String, hint: Option<&str>) {
        match self.0.iter_mut().find(|known| known.weight == weight && known.message == message) {
            Some(known) => known.nodes.push(node.id.clone()),
            None => {
                let (nodes, hint) = (vec![node.id.clone()], hint.map(str::to_owned));
                self.0.push(Concern { weight, nodes, message, hint });
            }
        }
    }
}

fn check_program(node: &Node, ground: &Ground<'_>, concerns: &mut Concerns) {
    if let Err(error) = provider::check(&node.provider, ground.root, ground.env) {
        // An earlier stage may create a program in the project.
        let is_own = matches!(&node.provider, Provider::Command(argv) if argv.first().is_some_and(|program| {
            program.contains('/') && ground.root.join(program).starts_with(ground.root)
        }));
        let weight = if is_own && !node.needs.is_empty() { Weight::Warning } else { Weight::Error };
        concerns.add(weight, node, error.to_string(), error.hint().as_deref());
    }
}

/// The programs that its queue and its verification would start.
fn check_commands(plan: &Plan, node: &Node, ground: &Ground<'_>, concerns: &mut Concerns) {
    let queue = match &node.termination {
        Termination::Queue { command } if !(ground.has_features && is_default_queue(plan, command)) => {
            Some(("queue", command))
        }
        _ => None,
    };
    for (what, command) in queue.into_iter().chain(node.verify.iter().map(|command| ("verify", command))) {
        for program in (ground.missing)(command) {
            let message =
                format!("`{program}` in its {what} command `{command}` was not found, or may not be executed");
            // An earlier stage may install it.
            let weight = if node.needs.is_empty() { Weight::Error } else { Weight::Warning };
            concerns.add(
                weight,
                node,
                message,
                Some("install it, make it executable (`chmod +x`), or change the command"),
            );
        }
    }
}

fn is_default_queue(plan: &Plan, command: &str) -> bool {
    command == default_queue(&plan.run)
}

fn check_time(plan: &Plan, node: &Node, concerns: &mut Concerns) {
    let limits = &node.guardrails;
    let is_bounded = limits.iteration_timeout_seconds.is_some()
        || limits.max_runtime_seconds.is_some()
        || plan.max_runtime_seconds.is_some();
    if !is_bounded && plan.orchestrate.is_none() && node.provider != Provider::Mock {
        let message = "no time limit anywhere, so an agent that hangs is never ended".to_owned();
        let hint = "set `iteration_timeout_seconds` in `guardrails`, or pass `--max-runtime`";
        concerns.add(Weight::Warning, node, message, Some(hint));
    }
}

fn check_money(plan: &Plan, node: &Node, concerns: &mut Concerns) {
    let has_budget = node.guardrails.max_cost_usd.is_some() || plan.max_cost_usd.is_some();
    if has_budget && !provider::reports_cost(&node.provider) && node.provider != Provider::Mock {
        let message = "its provider does not report costs, so `max_cost_usd` has no effect".to_owned();
        concerns.add(Weight::Warning, node, message, Some("limit the time instead"));
    }
}

fn check_quota(node: &Node, concerns: &mut Concerns) {
    let states_time = match &node.provider {
        Provider::Known(name) => {
            Harness::from_name(name).is_some_and(|harness| harness.client().headless.states_quota_end)
        }
        Provider::Command(_) | Provider::Mock => false,
    };
    if node.guardrails.on_quota == OnQuota::Wait && !states_time && node.provider != Provider::Mock {
        let message =
            format!("its provider does not say when a quota is renewed; `on_quota: wait` tries again {BACK_OFF}");
        concerns.add(Weight::Note, node, message, None);
    }
}

/// Runs a queue's command and counts what it prints.
fn queue_items(command: &str, root: &Path) -> Result<u64, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let launch = Launch {
        argv: shell(command),
        stdin: Vec::new(),
        dir: root.to_owned(),
        env: Vec::new(),
        unset: Vec::new(),
        log: folder.path().join("queue.log"),
        timeout: Some(PATIENCE),
        run_id: String::new(),
        capture: Capture::End,
        record: None,
    };
    let end = custody::run(&launch, &Cancel::new());
    match end.how {
        How::Exit(0) => Ok(open_items(&end.said)),
        How::Exit(code) => Err(format!("`{command}` exited with code {code}")),
        How::Timeout => Err(format!("`{command}` took longer than {} s", PATIENCE.as_secs())),
        How::Signal(signal) => Err(format!("`{command}` was killed by signal {signal}")),
        How::Cancelled => Err("it was cancelled".to_owned()),
        How::CannotStart(why) => Err(why),
    }
}
