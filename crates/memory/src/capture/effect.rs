//! Compares what two calls do, whatever their spelling.

use stead_model::{Effects, GitKind, Op, Target};

use super::call::Call;

/// The effects that a verdict was about: those of the matched parts of the command, the most telling ones.
pub(super) fn denied(effects: &Effects, parts: &[&str]) -> Vec<Op> {
    let matched: Vec<&Op> =
        effects.list.iter().filter(|effect| parts.contains(&effect.part.as_str())).map(|effect| &effect.op).collect();
    let all: Vec<&Op> =
        if matched.is_empty() { effects.list.iter().map(|effect| &effect.op).collect() } else { matched };
    // A program that deletes also runs; another program may do the same.
    for is_telling in
        [|op: &Op| !matches!(op, Op::Run { .. } | Op::Read { .. }), |op: &Op| !matches!(op, Op::Read { .. })]
    {
        if all.iter().any(|op| is_telling(op)) {
            return all.into_iter().filter(|op| is_telling(op)).cloned().collect();
        }
    }
    all.into_iter().cloned().collect()
}

/// Returns true if one effect achieves the same as another.
pub(super) fn is_same(one: &Op, other: &Op) -> bool {
    match (one, other) {
        (Op::Delete(one), Op::Delete(other) | Op::Rename { from: other, .. }) => meets(one, other),
        (Op::Rename { from, to }, Op::Rename { from: other, to: there }) => meets(from, other) || meets(to, there),
        (Op::Rename { from, .. }, Op::Delete(other)) => meets(from, other),
        (Op::Write { target, .. }, Op::Write { target: other, .. } | Op::Rename { to: other, .. }) => {
            meets(target, other)
        }
        (Op::Rename { to, .. }, Op::Write { target, .. }) => meets(to, target),
        (Op::Read { target, .. }, Op::Read { target: other, .. }) => meets(target, other),
        (Op::Git(one), Op::Git(other)) => {
            one.kind == other.kind && (one.kind != GitKind::Other || one.verb == other.verb)
        }
        (Op::Network { program, host }, Op::Network { program: other, host: there }) => {
            if host.is_some() {
                host == there
            } else {
                program == other
            }
        }
        (Op::Run { argv, .. }, Op::Run { argv: other, .. }) => {
            let name = |argv: &[String]| argv.first().and_then(|word| word.rsplit('/').next().map(str::to_owned));
            let verb = |argv: &[String]| argv.iter().skip(1).find(|word| !word.starts_with('-')).cloned();
            name(argv) == name(other) && verb(argv) == verb(other)
        }
        (one, other) => one == other,
    }
}

/// Returns true if two targets have a path in common.
fn meets(one: &Target, other: &Target) -> bool {
    let is_below = |tree: &Target, path: &Target| {
        tree.tree && (tree.path == "/" || path.path.strip_prefix(&tree.path).is_some_and(|rest| rest.starts_with('/')))
    };
    one.path == other.path || is_below(one, other) || is_below(other, one)
}

/// Returns true if two calls are spelled the same: the same tool, the same parts of a command.
pub(super) fn is_same_spelling(one: &Call, other: &Call) -> bool {
    one.line.tool == other.line.tool && one.line.paths == other.line.paths && one.line.effects == other.line.effects
}
