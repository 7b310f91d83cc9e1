use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};

use crate::client::Client;
use crate::ground::Programs;
use crate::page::{OnDifference, Results, Standing, compare};
use crate::scenario::Scenario;
use crate::{namespace, terminal};

/// Which clients play which scenarios.
pub struct Choice {
    clients: Vec<&'static Client>,
    /// Empty means all.
    scenarios: Vec<u8>,
}

impl Choice {
    pub fn new(clients: &[String], scenarios: &[u8]) -> Result<Self> {
        if let Some(unknown) = scenarios.iter().find(|number| Scenario::ALL.iter().all(|one| one.number != **number)) {
            bail!("there is no scenario {unknown}");
        }
        Ok(Self { clients: Client::choose(clients)?, scenarios: scenarios.to_vec() })
    }

    /// What a machine without a network of its own for them leaves out.
    #[must_use]
    pub fn clients(&self) -> usize {
        self.clients.len()
    }

    fn has(&self, scenario: &Scenario) -> bool {
        self.scenarios.is_empty() || self.scenarios.contains(&scenario.number)
    }
}

/// Plays the selected scenarios, prints the results, and compares the page with them.
pub fn run(choice: &Choice, on_difference: OnDifference) -> Result<ExitCode> {
    let programs = Programs::beside_this_one(on_difference)?;
    let mut results = Results::default();
    let (mut passed, mut failed) = (0, 0);
    let mut skipped = BTreeMap::<String, u32>::new();
    for client in &choice.clients {
        for scenario in Scenario::ALL.iter().filter(|scenario| choice.has(scenario)) {
            let begun = Instant::now();
            let (standing, detail) = judge(client, scenario, &programs);
            let seconds = begun.elapsed().as_secs_f64();
            println!("{} {:2} {}: {standing} ({seconds:.1} s)", client.harness, scenario.number, scenario.title);
            match standing {
                Standing::Proven => passed += 1,
                Standing::NotRun => {
                    println!("    skipped: {detail}");
                    *skipped.entry(detail).or_default() += 1;
                }
                Standing::Failing => {
                    failed += 1;
                    println!("{}", indented(&detail));
                }
                _ => {}
            }
            results.set(client.harness, scenario.number, standing);
        }
    }
    let outdated = compare(&results, on_difference)?;
    if !outdated.is_empty() {
        // Whoever only runs the scenarios has done nothing wrong; CI keeps the page true.
        failed += u32::from(std::env::var_os("CI").is_some());
        println!("docs/harnesses.md is out of date; write it with `cargo xtask test --clients --write`");
        println!("{}", indented(&outdated.join("\n")));
    }
    let skipped: String = skipped.iter().map(|(why, count)| format!(", {count} skipped ({why})")).collect();
    println!("{passed} passed, {failed} failed{skipped}");
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn judge(client: &'static Client, scenario: &Scenario, programs: &Programs) -> (Standing, String) {
    if client.obstacle(scenario).is_some() {
        return (Standing::NotExpressible, String::new());
    }
    let window = || (scenario.number == Scenario::WINDOW).then(terminal::obstacle).flatten();
    let sandbox =
        || (scenario.number == Scenario::OWN_SERVER && client.asks.is_some()).then(namespace::obstacle).flatten();
    if let Some(why) = window().or_else(sandbox) {
        return (Standing::NotRun, why.to_owned());
    }
    // A failed setup panics; the other scenarios still run.
    let outcome = catch_unwind(AssertUnwindSafe(|| (scenario.play)(client, programs)))
        .unwrap_or_else(|panic| Err(anyhow!("{}", panic.downcast_ref::<String>().map_or("a panic", String::as_str))));
    match outcome {
        Ok(()) => (Standing::Proven, String::new()),
        Err(error) => (Standing::Failing, format!("{error:#}")),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}
