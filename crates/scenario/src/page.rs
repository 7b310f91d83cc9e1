//! `docs/harnesses.md`: what each client was seen to do, what it cannot express, and what is stated about it. Written
//! from the code and from the results of the last run; no times and no dates, so that the same facts give the same page.

use std::fs;

use anyhow::{Context, Result};
use stead_client::Harness;

use crate::client::Client;
use crate::repository;
use crate::scenario::{Scenario, Stage};

mod capability;
mod results;

pub(crate) use results::{Results, Standing};

/// What becomes of the page when it does not say what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDifference {
    /// Only say so, because a test run changes no file of the repository.
    Tell,
    Write,
}

/// Writes the page again from the code, keeping its results.
pub fn refresh() -> Result<()> {
    compare(&Results::default(), OnDifference::Write).map(drop)
}

/// Compares the page with the code and with new results in place of old ones. Gives the lines that are out of date and
/// were not written.
pub(crate) fn compare(new: &Results, on_difference: OnDifference) -> Result<Vec<String>> {
    let path = repository::page();
    let old = fs::read_to_string(&path).unwrap_or_default();
    let text = render(&Results::read(&old).replaced_by(new));
    match on_difference {
        OnDifference::Tell => Ok(outdated(&old, &text)),
        OnDifference::Write => {
            if text != old {
                fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
            }
            Ok(Vec::new())
        }
    }
}

/// The lines of the page that a fresh one has not.
fn outdated(page: &str, fresh: &str) -> Vec<String> {
    let mut lines: Vec<_> =
        page.lines().filter(|line| !fresh.lines().any(|other| other == *line)).map(str::to_owned).collect();
    if lines.is_empty() && page != fresh {
        lines.push("lines are missing or in another order".to_owned());
    }
    lines
}

fn render(results: &Results) -> String {
    let mut page = String::from(HEAD);
    page.push_str(&scenarios());
    page.push_str(&proofs(results));
    page.push_str(&obstacles());
    page.push_str(&trust());
    page.push_str(&capability::tables());
    page
}

const HEAD: &str = "\
# Harnesses

What real agent programs were seen to do with the hooks that `stead init` writes, and what Stead states about them.
Written by `cargo xtask test --clients --write`; do not edit. Each client is the pinned version from the npm registry,
headless, against a scripted model, in a network that has only loopback.

";

fn scenarios() -> String {
    let lines = Scenario::ALL.iter().map(|scenario| format!("{}. {}\n", scenario.number, scenario.title));
    format!("## Scenarios\n\n{}\n", lines.collect::<String>())
}

fn proofs(results: &Results) -> String {
    let mut table = String::from("## What was proven\n\n| client | version |");
    for scenario in Scenario::ALL {
        table.push_str(&format!(" {} |", scenario.number));
    }
    table.push_str(&format!("\n|---|---|{}\n", "---|".repeat(Scenario::ALL.len())));
    for client in Client::ALL {
        table.push_str(&format!("| {} | {} |", named(client.harness), client.version()));
        for scenario in Scenario::ALL {
            table.push_str(&format!(" {} |", standing(client, scenario, results)));
        }
        table.push('\n');
    }
    for harness in Harness::ALL.into_iter().filter(|harness| Client::ALL.iter().all(|one| one.harness != *harness)) {
        table.push_str(&format!("| {} | not run |", named(harness)));
        table.push_str(&" – |".repeat(Scenario::ALL.len()));
        table.push('\n');
    }
    table.push('\n');
    table
}

fn named(harness: Harness) -> String {
    format!("{} (`{harness}`)", harness.client().facts.title)
}

/// What a cell says: the code's word first, then the last run's.
fn standing(client: &Client, scenario: &Scenario, results: &Results) -> Standing {
    match scenario.stage {
        Stage::NotBuilt => Standing::NotBuilt,
        Stage::Built { obstacle, .. } if obstacle(&client.harness.client().facts).is_some() => Standing::NotExpressible,
        Stage::Built { .. } => results.get(client.harness, scenario.number),
    }
}

fn obstacles() -> String {
    let mut lines = String::new();
    for client in Client::ALL {
        for scenario in Scenario::ALL {
            if let Stage::Built { obstacle, .. } = scenario.stage
                && let Some(why) = obstacle(&client.harness.client().facts)
            {
                lines.push_str(&format!("- {}, {}: {why}.\n", named(client.harness), scenario.number));
            }
        }
    }
    format!("Not expressible means that the client has no way to do it:\n\n{lines}\n{}{}\n", EXTENT, unexpanded())
}

/// How far some scenarios go, where that depends on the client.
const EXTENT: &str = "\
- Scenario 5 is played twice: with a promise beside a second session, and with more rounds than most clients hold in a
  row. A client that asks about one stop of a turn only keeps its loop active for the person's next message.
- Scenario 7: where no event tells of a sub-agent's end, it is seen that the sub-agent was not told to go on.
- Scenario 8 is played with a full conversation everywhere, and by a person's `/compact` where a hook can hold that.
- Scenario 9 is played by file tool and by shell; where the client asks before it takes changed settings over, also by a
  change behind its back.
";

fn unexpanded() -> String {
    let clients = Client::ALL.iter().filter(|client| !client.expands).map(|client| named(client.harness));
    let clients: Vec<_> = clients.collect();
    let [one, other] = [Client::ALL[0], Client::ALL[1]].map(|client| client.harness.client().facts.title);
    format!(
        "- Scenario 12: the typed command is expanded; headless, {} only list it to the model.\n\
         - Scenario 16: {one} hands on to {other} and {other} to {one}, every other client to itself.\n",
        clients.join(" and ")
    )
}

fn trust() -> String {
    let mut text = String::from(
        "## What the driver confirms\n\nIn a person's place, and so that a headless run asks nothing. `stead init` never \
         writes any of it; it prints what a person must confirm.\n\n",
    );
    for client in Client::ALL {
        text.push_str(&format!("- {}\n", named(client.harness)));
        for line in client.trust {
            text.push_str(&format!("  - {line}\n"));
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_agrees_with_the_code() {
        let page = fs::read_to_string(repository::page()).unwrap();
        let fresh = render(&Results::read(&page));
        assert!(
            page == fresh,
            "`cargo run -p stead-scenario --bin scenario -- page` brings docs/harnesses.md up to date"
        );
    }

    #[test]
    fn results_survive_the_page() {
        let mut results = Results::default();
        results.set(Harness::Claude, 1, Standing::Proven);
        results.set(Harness::Gemini, 10, Standing::Failing);
        let page = render(&results);
        assert_eq!(Results::read(&page), results);
        let mut new = Results::default();
        new.set(Harness::Claude, 1, Standing::Failing);
        let replaced = Results::read(&page).replaced_by(&new);
        assert_eq!(replaced.get(Harness::Claude, 1), Standing::Failing);
        assert_eq!(replaced.get(Harness::Gemini, 10), Standing::Failing);
    }

    #[test]
    fn a_page_that_says_something_else_than_was_seen_is_out_of_date() {
        let mut results = Results::default();
        results.set(Harness::Claude, 1, Standing::Proven);
        let page = render(&results);
        assert!(outdated(&page, &render(&results)).is_empty());
        results.set(Harness::Claude, 1, Standing::Failing);
        let lines = outdated(&page, &render(&results));
        assert!(lines.len() == 1 && lines[0].contains("| proven |"), "{lines:?}");
        assert_eq!(outdated("a\n", "a\nb\n").len(), 1);
    }

    #[test]
    fn results_of_another_version_are_forgotten() {
        let mut results = Results::default();
        results.set(Harness::Claude, 1, Standing::Proven);
        let version = Client::ALL[0].version();
        let page = render(&results).replace(&format!("| {version} |"), "| 0.0.1 |");
        assert_eq!(Results::read(&page), Results::default());
    }

    #[test]
    fn every_harness_and_scenario_is_on_the_page() {
        let page = render(&Results::default());
        for harness in Harness::ALL {
            assert!(page.contains(&named(harness)), "{harness}");
        }
        for scenario in Scenario::ALL {
            assert!(page.contains(scenario.title), "{}", scenario.title);
        }
        assert!(page.contains("| Cursor (`cursor`) | not run |"));
    }
}
