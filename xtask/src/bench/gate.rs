//! What guards cost: a cold hook call that reads a shell command, asks 24 or 200 guards and writes its line, beside a
//! static program that does nothing and a call in a project without guards.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::contestant::{self, Answer, Contestant, NO_OP};
use super::ground::{Ground, Keep, Project};
use super::{callgrind, spawn_in_turn};
use crate::prerequisite;

mod report;

pub(super) use report::GateReport;

pub(super) const ROUNDS: usize = 300;

/// A call in a project without guards of its own.
pub(super) const PLAIN: &str = "no guards, plain";
pub(super) const FEW_ALLOW: &str = "24 guards, allowed";
pub(super) const FEW_DENY: &str = "24 guards, denied";
pub(super) const MANY_ALLOW: &str = "200 guards, allowed";
pub(super) const MANY_DENY: &str = "200 guards, denied";

const FEW: usize = 24;
const MANY: usize = 200;

/// Comes near a guard, so that the command is really read, and does nothing against it.
const ALLOWED: &str = "cd infra && VERSION=3 env -u X sed -n 1,20p main.tf | grep -v '#' > ../report.txt";
const DENIED: &str = "cd infra && VERSION=3 env -u X sed -i 's/a/b/' main.tf | grep -v '#' > ../report.txt";

pub(super) fn measure(rounds: usize) -> Result<GateReport> {
    prerequisite::ensure(prerequisite::FOR_BENCH)?;
    let ground = Ground::prepare()?;
    let mut contestants = contestants(&ground)?;
    contestants.insert(0, contestant::plain(&ground, NO_OP, ground.no_op()?));
    for contestant in &contestants {
        contestant.prove().with_context(|| format!("`{}` does not do what it is measured for", contestant.name))?;
    }
    let costs = spawn_in_turn(&contestants, rounds)?;
    let mut instructions = BTreeMap::new();
    for contestant in contestants.iter().filter(|contestant| contestant.counted) {
        instructions.insert(contestant.name, callgrind::count(contestant, &ground.folder)?);
    }
    Ok(GateReport::new(&contestants, &costs, &instructions))
}

/// The calls whose instructions CI looks at.
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

/// A project with so many guards, half of them about files and half about commands.
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
    // What was compiled right after its sources were written is compiled once more by the next call.
    thread::sleep(Duration::from_millis(150));
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
