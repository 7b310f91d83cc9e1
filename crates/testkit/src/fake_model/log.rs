use std::collections::HashMap;
use std::fmt;

use serde_json::Value;

use super::Sighting;
use super::sighting::sightings;

/// Every request that reached the model, in order.
#[derive(Clone, Debug, Default)]
pub struct RequestLog(pub(super) Vec<Exchange>);

/// One request and what was answered.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// From 1.
    pub number: usize,
    pub method: String,
    pub path: String,
    pub part: Part,
    /// The request's body; null when it had none, text when it was not JSON.
    pub body: Value,
    /// The answer in short.
    pub answer: Value,
    /// What the server could not do as the script wanted.
    pub problem: Option<String>,
}

/// What a request was to the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A turn of a lane, whose marker is empty for the main one.
    Turn { lane: String, turn: usize },
    /// Something the client asked on its own account.
    Side,
    /// An address that the server does not know.
    Unknown,
}

impl RequestLog {
    pub fn exchanges(&self) -> &[Exchange] {
        &self.0
    }

    /// Says where a text reached the model, in request order.
    pub fn seen(&self, text: &str) -> Vec<Sighting> {
        self.0.iter().flat_map(|exchange| sightings(exchange.number, &exchange.body, text)).collect()
    }

    /// The requests of one lane's turns; the main lane's marker is empty.
    pub fn turns(&self, marker: &str) -> Vec<&Exchange> {
        let of_lane = |one: &&Exchange| matches!(&one.part, Part::Turn { lane, .. } if lane == marker);
        self.0.iter().filter(of_lane).collect()
    }

    /// What the server could not do as the script wanted.
    pub fn problems(&self) -> Vec<String> {
        let told = |one: &Exchange| Some(format!("request {}: {}", one.number, one.problem.as_ref()?));
        self.0.iter().filter_map(told).collect()
    }
}

impl fmt::Display for RequestLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut known: HashMap<&str, usize> = HashMap::new();
        for one in &self.0 {
            let part = match &one.part {
                Part::Turn { lane, turn } if lane.is_empty() => format!("turn {turn}"),
                Part::Turn { lane, turn } => format!("turn {turn} of {lane}"),
                Part::Side => "side".to_owned(),
                Part::Unknown => "unknown".to_owned(),
            };
            writeln!(f, "#{} {} {} ({part}) -> {}", one.number, one.method, one.path, cut(&one.answer.to_string()))?;
            if let Some(problem) = &one.problem {
                writeln!(f, "    problem: {problem}")?;
            }
            let messages = ["messages", "input", "contents"].iter().find_map(|key| one.body[*key].as_array());
            let Some(messages) = messages else { continue };
            // A conversation mostly grows, so what is new stands at its end.
            let before = match &one.part {
                Part::Turn { lane, .. } => known.insert(lane, messages.len()).unwrap_or(0),
                Part::Side | Part::Unknown => 0,
            };
            for message in messages.get(before..).unwrap_or(messages) {
                writeln!(f, "    {}", cut(&message.to_string()))?;
            }
        }
        Ok(())
    }
}

/// Keeps both ends of a long text.
fn cut(text: &str) -> String {
    const ENDS: usize = 600;
    let characters = text.chars().count();
    if characters <= 2 * ENDS {
        return text.to_owned();
    }
    let head: String = text.chars().take(ENDS).collect();
    let tail: String = text.chars().skip(characters - ENDS).collect();
    format!("{head} … {tail}")
}
