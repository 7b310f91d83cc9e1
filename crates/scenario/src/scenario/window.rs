//! What a person sees of Stead in the client's own window, kept as text.

use anyhow::{Context, Result, ensure};
use stead_testkit::fake_model::{Call, FakeModel, Script, Turn};

use super::Scenario;
use super::held_stop::start;
use super::unseen_tampering::{GUARD, SAYS, WEAKEN};
use crate::client::Client;
use crate::ground::{Ground, Programs};
use crate::opaque;
use crate::screen::{compare, plain};
use crate::terminal::Terminal;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 27,
    title: "the person sees in the client's own window what Stead blocks, warns of, asks, continues and puts back",
    obstacle: |_| None,
    play: check,
};

/// What the agent does after each prompt.
struct Part {
    prompt: &'static str,
    turns: fn(&Ground) -> Vec<Turn>,
}

const PARTS: &[Part] = &[
    Part {
        prompt: "Change the plant",
        turns: |ground| {
            vec![
                Turn::call(Call::write(ground.path("infra/main.tf"), "two\n")),
                Turn::call(Call::shell("rm -rf .agent/context")),
                Turn::call(Call::shell("echo two > docs/plan.txt")),
                Turn::call(Call::shell(opaque::call(WEAKEN))),
                Turn::say("The plant is as it was."),
            ]
        },
    },
    Part {
        prompt: "Paint the door",
        turns: |_| {
            let end = Turn::say("All of it is blue.\n<promise>DONE</promise>");
            vec![Turn::call(start(3)), Turn::say("It is half blue."), end]
        },
    },
    Part {
        prompt: "Paint it twice",
        turns: |_| vec![Turn::call(start(2)), Turn::say("One layer is dry."), Turn::say("Two layers are dry.")],
    },
];

/// A call about which the person is asked.
const ASKED: &str = "Change the shop";

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let window = client.window.as_ref().context("nobody wrote down how its window is used")?;
    let ground = Ground::new(client, programs)?;
    prepare(&ground)?;
    let asked = vec![Turn::call(Call::write(ground.path("shop/open.txt"), "two\n")), Turn::say("It was not me.")];
    let turns = PARTS.iter().flat_map(|part| (part.turns)(&ground)).chain(asked);
    let model = FakeModel::start_on(ground.port(), Script::new(turns));
    let terminal = Terminal::open(&ground, window)?;
    for part in PARTS {
        terminal.say(part.prompt)?;
        terminal.settle().with_context(|| format!("after `{}`", part.prompt))?;
    }
    terminal.say(ASKED)?;
    // A question is gone when it is answered, so the window is read before.
    let screen = match window.question {
        Some(question) => {
            terminal.wait_for(&[question])?;
            terminal.settle()?
        }
        None => terminal.settle()?,
    };
    let problems = model.log().problems();
    ensure!(problems.is_empty(), "the script could not be followed: {}\n{screen}", problems.join("; "));
    let (taken, least) = (model.log().turns("").len(), PARTS.iter().flat_map(|part| (part.turns)(&ground)).count());
    ensure!(taken > least, "the agent took {taken} turns instead of more than {least}\n{screen}");
    compare(client, &plain(&screen, window.noise), programs.on_difference)
}

fn prepare(ground: &Ground) -> Result<()> {
    let guard = |id: &str, scope: &str, then: &str, mode: &str, say: &str| {
        format!(
            "id: {id}\nmode: {mode}\non: [before-tool]\nmatch:\n  writes: [\"{scope}/**\"]\nthen: {then}\nsay: \"{say}\"\n"
        )
    };
    ground.write_project(GUARD, &guard("infra-is-reviewed", "infra", "deny", "enforce", SAYS))?;
    let docs = guard("docs-are-read", "docs", "deny", "warn", "Somebody reads these files.");
    ground.write_project(".agent/guards/docs-are-read.yaml", &docs)?;
    let shop = guard("the-shop-is-open", "shop", "ask", "enforce", "The shop needs a person's yes.");
    ground.write_project(".agent/guards/the-shop-is-open.yaml", &shop)?;
    ground.write_project("docs/plan.txt", "one\n")?;
    opaque::put(ground)?;
    ground.stead(&["note", "decision", "The garden door stays shut at night"])?;
    ground.world().git(&["add", "--all"]).ok();
    ground.world().git(&["commit", "-qm", "base"]).ok();
    Ok(())
}
