//! What the engine adds to its agents: per iteration, after ten thousand of them, for a status query, and when it
//! resumes after a failure. For comparison, a bash loop with jq does the same file work.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::ground::Ground;
use crate::prerequisite;

mod agent;
mod features;
mod launches;
mod race;
mod report;

use agent::{Agent, Mark};
use features::{FeatureRun, MANY};
use race::Race;
pub(super) use report::EngineFigures;

/// How long the long run is.
pub(super) const ITERATIONS: u64 = 10_000;

/// How long the short runs are, and how often they are repeated.
const SHORT: u64 = 20;
const ROUNDS: usize = 5;

/// How often the status of the long run is queried.
const QUESTIONS: usize = 20;

const LOOP: &str = include_str!("engine/loop.sh");

const STAGE: &str = "\
name: noop
description: Nothing, many times
termination:
  type: fixed
guardrails:
  max_iterations: 20
provider:
  command: [\"{agent}\"]
";

const PROMPT: &str = "Read ${CTX}, write ${OUTPUT}, then write ${STATUS}.\n";

pub(super) fn measure(iterations: u64) -> Result<EngineFigures> {
    let long = (iterations / agent::EVERY).max(2) * agent::EVERY;
    prerequisite::ensure(prerequisite::FOR_ENGINE)?;
    let bench = Bench::prepare()?;
    launches::prove(&bench.folder)?;
    eprintln!("counting processes");
    let engine_launches = launches::count(&bench.engine("traced", SHORT)?, &bench.folder)?;
    let bash_launches = launches::count(&bench.bash("traced", SHORT)?, &bench.folder)?;
    let (mut engine, mut bash) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        eprintln!("round {} of {ROUNDS}", round + 1);
        let name = format!("short-{round}");
        engine.push(Race::run(&mut bench.engine(&name, SHORT)?, 0, SHORT, &bench.run(&name))?);
        bash.push(Race::run(&mut bench.bash(&name, SHORT)?, 0, SHORT, &bench.bash_run(&name))?);
    }
    eprintln!("{long} iterations");
    bench.agent.forget();
    bench.agent.fail_at(long)?;
    let many = Race::run(&mut bench.engine("long", long)?, 1, long, &bench.run("long"))?;
    let marks = bench.agent.marks();
    let status = bench.ask(&["status", "long", "--json"], "\"failed\"")?;
    let resumed = Race::run(&mut bench.resume("long"), 0, long, &bench.run("long"))?;
    let again = bench.agent.marks().last().copied().context("the resumed run started no agent")?;
    ensure!(again.iteration == long, "the resumed run started at iteration {}", again.iteration);
    eprintln!("{MANY} features");
    let features = bench.orchestrate(MANY)?;
    Ok(EngineFigures {
        engine,
        bash,
        many,
        launches: report::Launches { engine: engine_launches, bash: bash_launches, iterations: SHORT },
        growth: growth(&marks)?,
        status,
        resume: again.at.saturating_sub(resumed.begun),
        features,
    })
}

/// What an iteration cost the engine among the first thousand, and among the last.
fn growth(marks: &[Mark]) -> Result<report::Growth> {
    let pace = |two: &[Mark]| match two {
        [one, other] if other.iteration > one.iteration => {
            Some(other.cpu.saturating_sub(one.cpu).as_secs_f64() / (other.iteration - one.iteration) as f64)
        }
        _ => None,
    };
    let first = marks.get(..2).and_then(pace);
    let last = marks.len().checked_sub(2).and_then(|from| pace(&marks[from..]));
    let (first, last) = first.zip(last).context("the agents left too few marks")?;
    Ok(report::Growth { first: Duration::from_secs_f64(first), last: Duration::from_secs_f64(last) })
}

/// The project with the stage, and the agent that it starts.
struct Bench {
    ground: Ground,
    folder: PathBuf,
    agent: Agent,
    script: PathBuf,
}

impl Bench {
    fn prepare() -> Result<Self> {
        let ground = Ground::prepare()?;
        let folder = ground.folder.join("engine");
        race::clear(&folder)?;
        let agent = Agent::build(&folder)?;
        let script = ground.script("engine-loop.sh", LOOP)?;
        let stage = ground.project.folder.join(".agent/stages/noop");
        fs::create_dir_all(&stage).with_context(|| format!("cannot make `{}`", stage.display()))?;
        fs::write(stage.join("stage.yaml"), STAGE.replace("{agent}", &agent.program.display().to_string()))?;
        fs::write(stage.join("prompt.md"), PROMPT)?;
        Ok(Self { ground, folder, agent, script })
    }

    fn run(&self, name: &str) -> PathBuf {
        self.ground.project.folder.join(".agent/runs").join(name)
    }

    fn bash_run(&self, name: &str) -> PathBuf {
        self.folder.join("bash").join(name)
    }

    fn engine(&self, name: &str, iterations: u64) -> Result<Command> {
        race::clear(&self.run(name))?;
        Ok(self.stead(&["run", "stage", "noop", name, "--json", "--max", &iterations.to_string()]))
    }

    fn resume(&self, name: &str) -> Command {
        self.stead(&["run", "stage", "noop", name, "--json", "--resume"])
    }

    fn bash(&self, name: &str, iterations: u64) -> Result<Command> {
        let run = self.bash_run(name);
        race::clear(&run)?;
        fs::create_dir_all(&run).with_context(|| format!("cannot make `{}`", run.display()))?;
        let mut command = self.clean(Path::new("bash"));
        command.arg(&self.script).arg(run).arg(iterations.to_string()).arg(&self.agent.program);
        Ok(command)
    }

    /// Works on a list of so many features with the mock, and returns what one transition took.
    fn orchestrate(&self, count: u32) -> Result<FeatureRun> {
        let name = format!("features-{count}");
        race::clear(&self.run(&name))?;
        features::write(&self.ground.project.folder, count)?;
        let mut command = self.stead(&["orchestrate", "--provider", "mock", "--run", &name, "--json"]);
        features::measure(&mut command, count, &self.run(&name).join("events.jsonl"))
    }

    /// Queries a run repeatedly, and returns the cost of each query.
    fn ask(&self, args: &[&str], expected: &str) -> Result<Vec<Duration>> {
        let ask = || {
            let start = std::time::Instant::now();
            let output = self.stead(args).output().context("cannot start stead")?;
            let took = start.elapsed();
            let answer = String::from_utf8_lossy(&output.stdout);
            ensure!(answer.contains(expected), "`stead {}` answered `{answer}`", args.join(" "));
            Ok(took)
        };
        (0..QUESTIONS).map(|_| ask()).collect()
    }

    fn stead(&self, args: &[&str]) -> Command {
        let mut command = self.clean(&self.ground.stead);
        command.arg("-C").arg(&self.ground.project.folder).args(args);
        command
    }

    fn clean(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.ground.home());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(iteration: u64, millis: u64) -> Mark {
        Mark { iteration, cpu: Duration::from_millis(millis), at: Duration::ZERO }
    }

    #[test]
    fn growth_is_of_the_first_and_the_last_thousand() {
        let marks = [mark(1, 0), mark(1000, 999), mark(2000, 2_500), mark(3000, 5_500)];
        let growth = growth(&marks).unwrap();
        assert_eq!((growth.first.as_micros(), growth.last.as_micros()), (1_000, 3_000));
        assert!(super::growth(&marks[..1]).is_err());
    }
}
