//! What `stead init` asks at a terminal: which agents, starter guards, and after a summary for whom. Enter at each of them
//! installs what `--yes` would.

use stead_client::Harness;

use crate::here::chosen;
use crate::ui::Ui;

/// The answer under the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Apply,
    /// For the person only, instead of for the team.
    Personal,
    /// For the team after all.
    Shared,
    ShowDiff,
    /// Also replace older hooks.
    Replace,
    Stop,
}

/// What can be answered besides yes and no.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    /// Whom it would be for now; `None` if an option or the project decided that.
    pub(super) choice: Option<For>,
    pub(super) replacement: bool,
}

/// For whom Stead is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum For {
    Team,
    Person,
}

/// Asks which agents get hooks. `None` if the input ended.
pub(super) fn which_agents(found: &[Harness], ui: &mut Ui) -> Option<Vec<Harness>> {
    let names: Vec<&str> = found.iter().map(|harness| harness.name()).collect();
    let question = match names.is_empty() {
        true => {
            ui.note(format!("No agent was found. Known are {}.", Harness::NAMES.join(", ")));
            "Which do you use? Names, or Enter for none: "
        }
        false => {
            ui.note(format!("Agents found: {}.", names.join(", ")));
            "Enter for these, or other names: "
        }
    };
    loop {
        let answer = ui.ask(question)?;
        let words: Vec<String> = answer.split([' ', ',']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        match words.as_slice() {
            [] => return Some(found.to_vec()),
            [one] if one == "all" => return Some(Harness::ALL.to_vec()),
            [one] if one == "none" => return Some(Vec::new()),
            words => match chosen(words) {
                Ok(harnesses) => return Some(harnesses),
                Err(error) => ui.error(&error),
            },
        }
    }
}

/// Asks whether the project starts with guards that only watch. `None` if the input ended.
pub(super) fn starter_guards(ui: &mut Ui) -> Option<bool> {
    ui.note("Starter guards record calls that discard work or read secrets; none is blocked.");
    loop {
        match ui.ask("Add them? [Y/n] ")?.to_ascii_lowercase().as_str() {
            "" | "y" | "yes" => return Some(true),
            "n" | "no" => return Some(false),
            _ => {}
        }
    }
}

/// Asks what to do with a plan whose summary is on the screen.
pub(super) fn go_ahead(offer: Offer, ui: &mut Ui) -> Answer {
    let enter = match offer.choice {
        Some(For::Team) => "Enter sets it up for the team, p only for you (git sees nothing),",
        Some(For::Person) => "Enter sets it up only for you, s for the team,",
        None => "Enter does it,",
    };
    let replace = if offer.replacement { "\nr also replaces older hooks," } else { "" };
    ui.note(format!("\n{enter}{replace}"));
    loop {
        // Without an answer nothing is changed.
        let Some(answer) = ui.ask("d shows the diff, n stops: ") else { return Answer::Stop };
        match (answer.to_ascii_lowercase().as_str(), offer.choice) {
            ("" | "y" | "yes", _) => return Answer::Apply,
            ("p", Some(_)) => return Answer::Personal,
            ("s", Some(_)) => return Answer::Shared,
            ("r", _) if offer.replacement => return Answer::Replace,
            ("d", _) => return Answer::ShowDiff,
            ("n" | "no" | "q", _) => return Answer::Stop,
            _ => {}
        }
    }
}
