//! The order of a pipeline's stages.
//!
//! Without any `needs` the list is a chain. If any stage has `needs`, each stage waits for its own `needs` and for the
//! stages in its `inputs` and `when`.

use stead_model::suggestion;

use super::step::{Named, Step};
use crate::lint::{Code, Findings};

/// The order of a pipeline; numbers are positions in its list of stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// For each stage, the stages that must end before; ascending.
    pub needs: Vec<Vec<usize>>,
    /// Every stage after what it needs; otherwise as listed.
    pub order: Vec<usize>,
}

impl Graph {
    /// For each stage, which others must end before it, directly or not.
    pub(crate) fn before(&self) -> Vec<Vec<bool>> {
        let mut before = vec![vec![false; self.needs.len()]; self.needs.len()];
        for index in &self.order {
            for need in &self.needs[*index] {
                let further = before[*need].clone();
                before[*index].iter_mut().zip(further).for_each(|(known, further)| *known |= further);
                before[*index][*need] = true;
            }
        }
        before
    }
}

pub(crate) fn is_chain(steps: &[Step]) -> bool {
    steps.iter().all(|step| step.needs.is_none())
}

/// Computes the order, or reports why there is none.
pub(crate) fn graph(steps: &[Step], findings: &mut Findings) -> Option<Graph> {
    let before = findings.list.len();
    refuse_twins(steps, findings);
    let chain = is_chain(steps);
    let mut needs = Vec::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        let mut of = if chain { (0..index).next_back().into_iter().collect() } else { Vec::new() };
        for named in step.needs.iter().flatten() {
            of.extend(position(steps, named, Code::P009, findings));
        }
        for (input, at) in &step.inputs {
            let named = Named { name: input.from.clone(), at: at.clone() };
            let position = position(steps, &named, Code::P008, findings);
            if chain && position.is_some_and(|position| position >= index) {
                let message = format!("stage `{}` has not run when `{}` starts", named.name, step.id);
                findings.error(Code::P008, at, message).hint("move it up, or set the order with `needs`");
            }
            of.extend(position);
        }
        if let Some(condition) = &step.when {
            let position = position(steps, &condition.stage, Code::P009, findings);
            if chain && position.is_some_and(|position| position >= index) {
                let message = format!("stage `{}` has not run when `{}` starts", condition.stage.name, step.id);
                findings.error(Code::P009, &condition.stage.at, message).hint("move it up");
            }
            of.extend(position);
        }
        of.sort_unstable();
        of.dedup();
        needs.push(of);
    }
    if findings.list.len() > before {
        return None;
    }
    match sort(&needs) {
        Ok(order) => Some(Graph { needs, order }),
        Err(circle) => {
            let names: Vec<&str> = circle.iter().chain(circle.first()).map(|index| steps[*index].id.as_str()).collect();
            let at = circle.first().map_or(0..0, |index| steps[*index].id_at.clone());
            let message = format!("cyclic dependency: {}", names.join(" → "));
            findings.error(Code::P010, &at, message).hint("remove one of these `needs` or `inputs`");
            None
        }
    }
}

/// Ids become folder names, and some file systems are case-insensitive.
fn refuse_twins(steps: &[Step], findings: &mut Findings) {
    for (index, step) in steps.iter().enumerate() {
        if let Some(other) = steps[..index].iter().find(|other| other.id.eq_ignore_ascii_case(&step.id)) {
            let message = match other.id == step.id {
                true => format!("duplicate stage id `{}`", step.id),
                false => format!("`{}` and `{}` differ only in case", step.id, other.id),
            };
            findings.error(Code::P004, &step.id_at, message).hint("give each stage a unique id");
        }
    }
}

fn position(steps: &[Step], named: &Named, code: Code, findings: &mut Findings) -> Option<usize> {
    let position = steps.iter().position(|step| step.id == named.name);
    if position.is_none() {
        let message = format!("there is no stage `{}` in this pipeline", named.name);
        findings.error(code, &named.at, message).hint(stage_meant(steps, &named.name));
    }
    position
}

/// Suggests which stage of a pipeline a mistyped name may have meant.
pub(crate) fn stage_meant(steps: &[Step], typed: &str) -> String {
    suggestion(typed, steps.iter().map(|step| step.id.as_str()))
}

/// Sorts so that needs come first, taking the earliest that is ready; or returns a cycle.
fn sort(needs: &[Vec<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let mut order: Vec<usize> = Vec::with_capacity(needs.len());
    let mut done = vec![false; needs.len()];
    while order.len() < needs.len() {
        let ready = (0..needs.len()).find(|index| !done[*index] && needs[*index].iter().all(|need| done[*need]));
        let Some(ready) = ready else { return Err(circle(needs, &done)) };
        done[ready] = true;
        order.push(ready);
    }
    Ok(order)
}

/// Follows unmet needs until a stage repeats.
fn circle(needs: &[Vec<usize>], done: &[bool]) -> Vec<usize> {
    let mut path: Vec<usize> = Vec::new();
    let mut next = (0..needs.len()).find(|index| !done[*index]);
    while let Some(index) = next {
        if let Some(start) = path.iter().position(|earlier| *earlier == index) {
            return path.split_off(start);
        }
        path.push(index);
        next = needs[index].iter().copied().find(|need| !done[*need]);
    }
    path
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(needs: &[&[usize]], expected: Result<&[usize], &[usize]>) {
        let needs: Vec<Vec<usize>> = needs.iter().map(|of| of.to_vec()).collect();
        assert_eq!(sort(&needs), expected.map(<[_]>::to_vec).map_err(<[_]>::to_vec), "{needs:?}");
    }

    #[test]
    fn needs_come_first() {
        check(&[], Ok(&[]));
        check(&[&[], &[0], &[1]], Ok(&[0, 1, 2]));
        check(&[&[2], &[], &[1]], Ok(&[1, 2, 0]));
        check(&[&[], &[], &[0, 1]], Ok(&[0, 1, 2]));
        check(&[&[0]], Err(&[0]));
        check(&[&[], &[2], &[1]], Err(&[1, 2]));
        check(&[&[1], &[2], &[1]], Err(&[1, 2]));
    }

    proptest! {
        #[test]
        fn an_order_or_a_real_circle(edges in proptest::collection::vec((0..8usize, 0..8usize), 0..20)) {
            let mut needs = vec![Vec::new(); 8];
            for (from, to) in edges {
                needs[from].push(to);
            }
            match sort(&needs) {
                Ok(order) => for (place, index) in order.iter().enumerate() {
                    prop_assert!(needs[*index].iter().all(|need| order[..place].contains(need)));
                },
                Err(circle) => for (place, index) in circle.iter().enumerate() {
                    prop_assert!(needs[*index].contains(&circle[(place + 1) % circle.len()]));
                },
            }
        }
    }
}
