use anyhow::Result;
use serde_json::{Value, json};
use stead_testkit::Injection;
use stead_testkit::fake_model::{Call, Role, Script, Turn};

use super::{Scenario, cannot_deny_or_record};
use crate::client::{Ask, Client};
use crate::ground::{Ground, Programs};
use crate::plain_server;
use crate::play::{Played, play, play_ask};
use crate::record::Records;

pub(super) const SCENARIO: Scenario = Scenario {
    number: 11,
    title: "the model calls Stead's MCP tools, which answer its session, within a budget, with data",
    obstacle: cannot_deny_or_record,
    play: check,
};

const FILE: &str = "src/door.txt";

/// The largest answers that the model asks for, in tokens of four bytes.
const SMALL: usize = 300;
const LARGE: usize = 2_000;

fn check(client: &'static Client, programs: &Programs) -> Result<()> {
    let ground = Ground::with_server(client, programs)?;
    ground.write_intents(&[("INT-001", "src/**")])?;
    remember(&ground)?;
    let mut turns = looking(client);
    turns.extend([
        Turn::call(query(SMALL)),
        Turn::call(query(LARGE)),
        Turn::call(Call::mcp("stead", "select_active_intent", json!({"intent_id": "INT-001"}))),
        Turn::call(Call::write(ground.path(FILE), "blue\n")),
        // Some clients do not wait for a hook after a tool, and end it when they end themselves.
        Turn::call(Call::shell("sleep 1")),
        Turn::say("The door is blue."),
    ]);
    let played = play(&ground, Script::new(turns))?;
    claim_answers(&played)?;
    claim_data(&played)?;
    claim_session(&ground, &played)?;
    match client.asks {
        Some(refusal) => claim_no_question(client, programs, refusal),
        None => Ok(()),
    }
}

/// Puts traces into the project that want to be obeyed, far more of them than a small answer has room for.
fn remember(ground: &Ground) -> Result<()> {
    for Injection { text, .. } in Injection::all() {
        ground.stead(&["memory", "store", "--type", "decision", "--what", &text, "--why", "someone wrote it"])?;
    }
    Ok(())
}

fn query(most: usize) -> Call {
    Call::mcp("stead", "query_traces", json!({"type": "decision", "k": 20, "max_tokens": most}))
}

/// What a model does first where tools of servers are not shown at once.
fn looking(client: &Client) -> Vec<Turn> {
    client.finds.map(|words| Turn::call(Call::find_tool(words))).into_iter().collect()
}

/// The answers to queries that the model was told, each as often as it was told, in order.
fn answers(played: &Played) -> Vec<Value> {
    let Some(last) = played.log.turns("").pop() else { return Vec::new() };
    let told =
        played.log.seen("\"items\"").into_iter().filter(|one| one.request == last.number && one.role == Role::Tool);
    told.filter_map(|one| answer_in(last.body.pointer(&one.place)?.as_str()?)).collect()
}

/// The JSON of an answer, which clients put between words of their own, or into a text of further JSON.
fn answer_in(text: &str) -> Option<Value> {
    let inside = text.get(text.find('{')?..=text.rfind('}')?)?;
    let value: Value = serde_json::from_str(inside).ok()?;
    fn find(value: &Value) -> Option<Value> {
        match value {
            Value::Object(map) if map.contains_key("items") => Some(value.clone()),
            Value::Object(map) => map.values().find_map(find),
            Value::Array(list) => list.iter().find_map(find),
            Value::String(text) => answer_in(text),
            _ => None,
        }
    }
    find(&value)
}

fn claim_answers(played: &Played) -> Result<()> {
    let answers = answers(played);
    let sizes: Vec<(usize, usize)> = answers
        .iter()
        .map(|answer| (answer["items"].as_array().map_or(0, Vec::len), answer.to_string().len().div_ceil(4)))
        .collect();
    let [(few, small), (all, large)] = sizes.as_slice() else {
        return played.claim(false, &format!("the model should be told two answers, each once, not {answers:?}"));
    };
    let is_within = *small <= SMALL && *large <= LARGE && *few > 0 && few < all;
    played.claim(is_within, &format!("the answers do not keep to {SMALL} and {LARGE} tokens: {sizes:?}"))
}

/// Instructions in a trace reach the model as the text of a field in a tool's result, and in no other way.
fn claim_data(played: &Played) -> Result<()> {
    let all = answers(played).pop().unwrap_or_default();
    let items = all["items"].as_array().cloned().unwrap_or_default();
    for Injection { mark, .. } in Injection::all() {
        let is_of = |item: &&Value| item["event"]["what_happened"].as_str().is_some_and(|text| text.starts_with(&mark));
        played.claim(items.iter().any(|item| is_of(&item)), &format!("no field has the text of {mark}"))?;
        let others: Vec<_> = played.log.seen(&mark).into_iter().filter(|one| one.role != Role::Tool).collect();
        played.claim(others.is_empty(), &format!("{mark} is not only in a tool's result: {others:?}"))?;
    }
    let hidden = all.to_string().contains(Injection::is_hidden);
    played.claim(!hidden, "the model was told characters that nobody sees")
}

/// The calls were bound to the session, which therefore has the intent and may write.
fn claim_session(ground: &Ground, played: &Played) -> Result<()> {
    let own = played.session_id()?;
    let records = Records::read(&ground.project());
    for tool in ["query_traces", "select_active_intent"] {
        let is_bound = |line: &Value| {
            let binds = line["binds"].as_array().is_some_and(|binds| binds.len() == 1);
            binds && line["session"] == own && line["tool"].as_str().is_some_and(|name| name.ends_with(tool))
        };
        let bound = records.sessions.iter().any(is_bound);
        played.claim(bound, &format!("no line of session {own} binds a call of `{tool}`: {:?}", records.sessions))?;
    }
    let denials = records.denials();
    played.claim(denials.is_empty(), &format!("nothing should be denied, but {denials:?}"))?;
    let expected = [[own, "INT-001", FILE, &ground.sha256(FILE)?].map(str::to_owned)];
    let changes = records.changes();
    played.claim(changes == expected, &format!("the ledger should hold {expected:?}, not {changes:?}"))?;
    let counted = ground.read_project(".agent/cache/retrievals.jsonl").unwrap_or_default().lines().count();
    played.claim(counted == 2, &format!("two answers should be counted, not {counted}"))
}

/// Where a person is asked about tools and nobody answers, a tool that says nothing about itself is not called, and one of
/// ours is.
fn claim_no_question(client: &'static Client, programs: &Programs, refusal: &str) -> Result<()> {
    for is_unattended in [false, true] {
        let ground = Ground::with_server(client, programs)?;
        ground.write_intents(&[("INT-001", "src/**")])?;
        remember(&ground)?;
        plain_server::put(&ground)?;
        let mut turns = looking(client);
        turns.push(Turn::call(Call::find_tool("plain note")));
        turns.extend([
            Turn::call(Call::mcp(plain_server::NAME, plain_server::TOOL, json!({}))),
            Turn::call(query(SMALL)),
            Turn::call(query(LARGE)),
            Turn::say("I asked."),
        ]);
        let prompt = "Do the scripted task.";
        let ask = if is_unattended { Ask::unattended(prompt) } else { Ask::new(prompt) };
        let played = play_ask(&ground, Script::new(turns), ask)?;
        played.claim_told(if is_unattended { refusal } else { plain_server::ANSWER })?;
        claim_answers(&played)?;
    }
    Ok(())
}
