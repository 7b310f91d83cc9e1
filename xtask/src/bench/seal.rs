//! What the look after a tool costs with 40 sealed files of which none has changed: the same call in a project that has a
//! seal, and in one that has none because its state folder lies inside it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::contestant::{self, Answer, Contestant, NO_OP};
use super::ground::{Ground, Keep, Project, fixture, settle};
use super::measured::{self, Measured, find};
use super::report::{Report, Target};
use crate::prerequisite;

pub(super) const ROUNDS: usize = 300;

const SEALED: &str = "after a tool, 40 sealed files";
const PLAIN: &str = "after a tool, no seal";

const FILES: usize = 40;

/// The most that the look may add to a call, by instructions, and in microseconds of CPU time.
const MOST_RATIO: f64 = 1.15;
const MOST_MICROS: f64 = 60.0;

pub(super) fn measure(rounds: usize) -> Result<Report> {
    prerequisite::ensure(prerequisite::FOR_BENCH)?;
    let ground = Ground::prepare()?;
    let inside = ground.folder.join("no-seal");
    let contestants = [
        contestant::plain(&ground, NO_OP, ground.no_op()?),
        call(&ground, SEALED, "sealed", &ground.home())?,
        call(&ground, PLAIN, "no-seal", &inside.join("home"))?,
    ];
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
    let [sealed, plain] = [SEALED, PLAIN].map(|name| find(all, name));
    let instructions =
        |one: Option<&Measured>| one.and_then(|one| one.instructions).map_or(f64::NAN, |count| count as f64);
    let least = |one: Option<&Measured>| one.map_or(f64::NAN, |one| one.cpu.least);
    let ratio = instructions(sealed) / instructions(plain);
    let micros = least(sealed) - least(plain);
    vec![
        Target {
            says: format!("{ratio:.2}x the instructions of a call without a seal (at most {MOST_RATIO}x)"),
            figure: ratio,
            most: MOST_RATIO,
        },
        Target {
            says: format!("{micros:.0} microseconds of CPU more, by the least times (at most {MOST_MICROS})"),
            figure: micros,
            most: MOST_MICROS,
        },
    ]
}

fn call(ground: &Ground, name: &str, folder: &str, home: &Path) -> Result<Contestant> {
    let project = Project::make_for(&ground.stead, &ground.folder, folder, Keep::Nothing, home)?;
    let guards: PathBuf = project.folder.join(".agent/guards");
    fs::create_dir_all(&guards)?;
    for number in 0..FILES {
        let text = format!(
            "id: guard-{number:02}\nmode: enforce\non: [before-tool]\nmatch:\n  writes: [\"area-{number}/**\"]\n\
             then: deny\nsay: \"Ask first.\"\n"
        );
        fs::write(guards.join(format!("guard-{number:02}.yaml")), text).context("cannot write a guard")?;
    }
    settle();
    let mut payload = fixture("claude/PostToolUse.Read")?;
    payload["cwd"] = project.folder.to_string_lossy().into();
    let mut env = contestant::environment(ground, &project);
    env.retain(|(name, _)| *name != "HOME");
    env.push(("HOME", home.into()));
    Ok(Contestant {
        args: ["hook", "claude", "PostToolUse"].map(OsString::from).into(),
        payload: payload.to_string(),
        env,
        ..contestant::stead(ground, name, &project, Answer::Silence)
    })
}

#[cfg(test)]
mod tests {
    use super::super::measured::tests::measured;
    use super::*;

    #[test]
    fn targets_are_met_or_over() {
        let check = |sealed: (f64, u64), expected: [bool; 2]| {
            let all = [measured(SEALED, sealed.0, 50, sealed.1), measured(PLAIN, 300.0, 50, 200_000)];
            assert_eq!(targets(&all).iter().map(Target::met).collect::<Vec<_>>(), expected);
        };
        check((350.0, 229_000), [true, true]);
        check((361.0, 231_000), [false, false]);
        assert!(!targets(&[])[0].met());
    }
}
