//! What guards cost: a cold hook call that reads a shell command, evaluates 24 or 200 guards and writes its line,
//! compared with a static program that does nothing and a call in a project without guards.

use std::fs;

use anyhow::{Context, Result};

use super::contestant::{self, Answer, Contestant, NO_OP};
use super::ground::{Ground, Keep, Project};
use super::hook::MOST_RATIO as MOST_PLAIN;
use super::measured::{self, Measured};
use super::report::{Report, Target};
use crate::prerequisite;

pub(super) const ROUNDS: usize = 300;

/// A call in a project without guards of its own.
const PLAIN: &str = "no guards, plain";
const FEW_ALLOW: &str = "24 guards, allowed";
const FEW_DENY: &str = "24 guards, denied";
const MANY_ALLOW: &str = "200 guards, allowed";
const MANY_DENY: &str = "200 guards, denied";

const FEW: usize = 24;
const MANY: usize = 200;

const MOST_ALLOW: f64 = 2.0;
/// A denial is recorded and explained, and is rare.
const MOST_DENY: f64 = 3.0;
/// The maximum cost of 200 guards, as a multiple of the cost of 24.
const MOST_GROWTH: f64 = 1.3;

/// Contains a guard's literals, so that the command is really read, but violates no guard.
const ALLOWED: &str = "cd infra && VERSION=3 env -u X sed -n 1,20p main.tf | grep -v '#' > ../report.txt";
const DENIED: &str = "cd infra && VERSION=3 env -u X sed -i 's/a/b/' main.tf | grep -v '#' > ../report.txt";

pub(super) fn measure(rounds: usize) -> Result<Report> {
    prerequisite::ensure(prerequisite::FOR_BENCH)?;
    let ground = Ground::prepare()?;
    let mut contestants = contestants(&ground)?;
    contestants.insert(0, contestant::plain(&ground, NO_OP, ground.no_op()?));
    let all = measured::race(&ground, &contestants, rounds)?;
    Ok(Report {
        head: format!("{rounds} rounds, interleaved and shuffled; times in microseconds"),
        columns: Measured::COLUMNS.to_vec(),
        rows: all.iter().map(|one| one.row(&all)).collect(),
        targets: targets(&all),
        note: None,
    })
}

fn targets(all: &[Measured]) -> Vec<Target> {
    let target = |(one, other, most): (&str, &str, f64)| {
        let ratio = measured::ratio(all, one, other);
        let says =
            format!("{one}: {:.2}x {other}, {:.2}x by the least times (at most {most}x)", ratio.median, ratio.least);
        Target { says, figure: ratio.median, most }
    };
    let limits = [
        (PLAIN, NO_OP, MOST_PLAIN),
        (FEW_ALLOW, NO_OP, MOST_ALLOW),
        (FEW_DENY, NO_OP, MOST_DENY),
        (MANY_ALLOW, FEW_ALLOW, MOST_GROWTH),
        (MANY_DENY, FEW_DENY, MOST_GROWTH),
    ];
    limits.map(target).into()
}

/// The calls whose instructions CI checks.
pub(super) fn contestants(ground: &Ground) -> Result<Vec<Contestant>> {
    let few = guarded(ground, "guards-24", FEW)?;
    let many = guarded(ground, "guards-200", MANY)?;
    Ok(vec![
        call(ground, PLAIN, &ground.project, "echo hello", Answer::Silence),
        call(ground, FEW_ALLOW, &few, ALLOWED, Answer::Silence),
        call(ground, FEW_DENY, &few, DENIED, Answer::Denial),
        call(ground, MANY_ALLOW, &many, ALLOWED, Answer::Silence),
        call(ground, MANY_DENY, &many, DENIED, Answer::Denial),
    ])
}

fn call(ground: &Ground, name: &'static str, project: &Project, command: &str, answer: Answer) -> Contestant {
    Contestant { payload: project.payload(command), ..contestant::stead(ground, name, project, answer) }
}

/// A project with this many guards, half of them for files and half for commands.
fn guarded(ground: &Ground, name: &str, count: usize) -> Result<Project> {
    let project = Project::make(&ground.stead, &ground.folder, name, Keep::Nothing)?;
    let folder = project.folder.join(".agent/guards");
    fs::create_dir_all(&folder)?;
    fs::create_dir_all(project.folder.join("infra"))?;
    fs::write(project.folder.join("infra/main.tf"), "a\n")?;
    for number in 0..count {
        let id = format!("guard-{number:03}");
        fs::write(folder.join(format!("{id}.yaml")), text(&id, number))
            .with_context(|| format!("cannot write `{id}`"))?;
    }
    super::ground::settle();
    Ok(project)
}

fn text(id: &str, number: usize) -> String {
    let matched = match number {
        0 => "writes: [\"infra/**/*.tf\", \"!infra/sandbox/**\"]".to_owned(),
        number if number % 2 == 0 => format!("writes: [\"area-{number}/**/*.rs\", \"!area-{number}/generated/**\"]"),
        number => format!("runs: [\"tool-{number} deploy --production\"]"),
    };
    format!(
        "id: {id}\nmode: enforce\non: [before-tool]\nmatch:\n  {matched}\nthen: deny\n\
         say: \"This needs an approved plan; write it to docs/plans/ and ask.\"\n"
    )
}

#[cfg(test)]
mod tests {
    use super::super::measured::tests::measured;
    use super::*;

    #[track_caller]
    fn check(micros: [f64; 5], expected: [bool; 5]) {
        let names = [PLAIN, FEW_ALLOW, FEW_DENY, MANY_ALLOW, MANY_DENY];
        let rows = [(NO_OP, 100.0)].into_iter().chain(names.into_iter().zip(micros));
        let all: Vec<_> = rows.map(|(name, micros)| measured(name, micros, 50, 1)).collect();
        assert_eq!(targets(&all).iter().map(Target::met).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn targets_are_met_or_over() {
        check([130.0, 200.0, 300.0, 260.0, 390.0], [true; 5]);
        check([131.0, 201.0, 301.0, 262.0, 392.0], [false; 5]);
    }
}
