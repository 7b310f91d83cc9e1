//! What each client's hooks do while an editor drives it, as the last run of that scenario showed.

use stead_client::{AcpHooks, Harness};

use super::results::{Results, Standing};
use super::{named, standing};
use crate::client::Client;
use crate::scenario::Scenario;

pub(super) fn table(results: &Results) -> String {
    let mut text = format!(
        "## Driven by an editor\n\nEditors drive agent programs over ACP, the Agent Client Protocol. In scenario {}, a small editor \
        does: it begins a session, sends prompts, answers what it is asked about files, and says yes to every question.\n\n\
        | client | what the editor starts | ACP |\n|---|---|---|\n",
        Scenario::EDITED
    );
    for harness in Harness::ALL {
        let client = Client::ALL.into_iter().find(|client| client.harness == harness);
        let acp = harness.client().facts.acp;
        let adapter = client.and_then(|client| client.acp.as_ref()?.adapter).map(|package| format!(" of {package}"));
        let hooks = match (acp.hooks, client) {
            (AcpHooks::Unproven(why), _) => format!("not expressible: {why}"),
            (_, Some(client)) => hooks(client, results),
            (_, None) => Standing::NotRun.to_string(),
        };
        let start = if acp.start.is_empty() { "–".to_owned() } else { format!("`{}`", acp.start) };
        text.push_str(&format!("| {} | {start}{} | {hooks} |\n", named(harness), adapter.unwrap_or_default()));
    }
    text.push_str(
        "\nAn editor need not show a hook's message. So the model, too, reads it with the first prompt, and is asked to pass it on.\n\n",
    );
    text
}

fn hooks(client: &Client, results: &Results) -> String {
    let Some(scenario) = Scenario::ALL.iter().find(|scenario| scenario.number == Scenario::EDITED) else {
        return String::new();
    };
    let standing = standing(client, scenario, results);
    match (standing, client.harness.client().facts.acp.hooks) {
        (Standing::Proven, AcpHooks::NoTools { .. }) => {
            "no tool hooks: the hook of the first prompt says that the session is not guarded, and so does `stead doctor`".to_owned()
        }
        (Standing::Proven, _) => "hooks run".to_owned(),
        (Standing::NotExpressible, _) => {
            format!("not expressible: {}", client.obstacle(scenario).unwrap_or_default())
        }
        (Standing::Failing | Standing::NotRun, _) => standing.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cells_are_what_a_run_showed() {
        let row = |results: &Results, harness: Harness| {
            let name = format!("(`{harness}`)");
            table(results).lines().find(|line| line.contains(&name)).unwrap_or_default().to_owned()
        };
        let driven = || Client::ALL.into_iter().filter(|client| client.acp.is_some());
        assert!(driven().count() > 5);
        let mut results = Results::default();
        assert!(driven().all(|client| row(&results, client.harness).ends_with("| not run |")));
        assert!(row(&results, Harness::Cursor).ends_with("| not expressible: the program was never run |"));
        for client in driven() {
            results.set(client.harness, Scenario::EDITED, Standing::Proven);
        }
        for client in driven() {
            let loses = client.harness.client().facts.acp.loss().is_some();
            let row = row(&results, client.harness);
            assert_eq!(row.contains("| no tool hooks: "), loses, "{row}");
            assert_eq!(row.ends_with("| hooks run |"), !loses, "{row}");
        }
        results.set(Harness::ALL[0], Scenario::EDITED, Standing::Failing);
        assert!(row(&results, Harness::ALL[0]).ends_with("| failing |"));
    }
}
