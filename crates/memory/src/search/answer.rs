//! The form of an answer, and how it stays within its budget: rather than all, the beginnings of texts are told, and rather
//! than too little of each trace, fewer traces.

use serde::Serialize;
use serde_json::{Map, Value, json};
use stead_model::tokens;

use super::hit::{Channel, Hit};
use crate::{Level, TraceStatus};

/// The form of an answer.
pub const SCHEMA: &str = "stead.memory-answer/1";

/// Limits of a text that are tried, in bytes, from everything to little.
const CUTS: [usize; 13] = [usize::MAX, 6_000, 4_000, 2_800, 2_000, 1_400, 1_000, 700, 480, 320, 200, 128, 80];

/// How much of what happened the first level tells.
const TITLE: usize = 100;

/// How many words of the question the first level repeats.
const TERMS: usize = 3;

/// What a query found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    pub schema: &'static str,
    pub items: Vec<Value>,
    /// Why nothing is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abstained: Option<String>,
    /// How it was searched.
    pub channels: Vec<Channel>,
    /// Traces that were found and did not fit.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// Part of the traces was not searched.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Answer {
    pub(crate) fn empty(channels: Vec<Channel>) -> Self {
        Self { schema: SCHEMA, items: Vec::new(), abstained: None, channels, omitted: 0, partial: false }
    }

    /// Tells as many hits as fit into `whole` tokens, each in at most `each`.
    pub(crate) fn fill(&mut self, hits: &[Hit], level: Level, (whole, each): (usize, usize)) {
        for count in (1..=hits.len()).rev() {
            self.omitted = hits.len() - count;
            let cuts = CUTS.into_iter().chain([level.least_text()]);
            for cut in cuts.filter(|cut| *cut >= level.least_text()) {
                self.items = hits[..count].iter().map(|hit| fitting(hit, level, cut, each)).collect();
                if tokens(&serde_json::to_string(self).unwrap_or_default()) <= whole {
                    return;
                }
            }
        }
        self.items.clear();
        self.omitted = hits.len();
    }
}

/// Describes one trace in at most `most` tokens.
pub(crate) fn fitting(hit: &Hit, level: Level, cut: usize, most: usize) -> Value {
    let fits = |item: &Value| tokens(&item.to_string()) <= most;
    let cuts = CUTS.into_iter().filter(|smaller| *smaller < cut).chain([40, 24]);
    let items = [cut].into_iter().chain(cuts).map(|cut| item(hit, level, cut));
    let mut smallest = Value::Null;
    for item in items {
        if fits(&item) {
            return item;
        }
        smallest = item;
    }
    // Unknown fields of others may be many.
    let names = ["id", "type", "timestamp", "freshness", "superseded_by"];
    if let Value::Object(fields) = &mut smallest {
        fields.retain(|name, _| names.contains(&name.as_str()));
        fields.insert("cut".to_owned(), true.into());
    }
    smallest
}

/// Describes one trace with texts of at most `cut` bytes.
fn item(hit: &Hit, level: Level, cut: usize) -> Value {
    let trace = &hit.trace;
    let mut out = json!({
        "id": trace.id,
        "type": trace.kind,
        "timestamp": trace.timestamp,
        "age": hit.age,
        "freshness": hit.freshness.name(),
        "superseded_by": hit.superseded_by,
    });
    if let Some(mut matched) = hit.matched.clone() {
        if level == Level::Metadata {
            matched.terms.truncate(TERMS);
        }
        out["matched"] = json!(matched);
    }
    if matches!(trace.status, TraceStatus::Suspected | TraceStatus::Confirmed) {
        out["status"] = json!(trace.status);
    }
    if let Some(peer) = &hit.foreign {
        out["foreign"] = json!(peer);
    }
    let mut is_cut = false;
    let mut texts = Map::new();
    match level {
        Level::Metadata => drop(texts.insert("title".to_owned(), json!(trace.event.what_happened))),
        Level::Summary => {
            texts.insert("event".to_owned(), json!(trace.event));
            let context = &trace.context;
            let named = [
                ("feature", &context.feature),
                ("guard", &context.guard),
                ("intent", &context.intent),
                ("agent", &context.agent),
            ];
            for (name, value) in named {
                if let Some(value) = value {
                    texts.insert(name.to_owned(), json!(value));
                }
            }
            if let Some(outcome) = trace.outcome {
                texts.insert("outcome".to_owned(), json!(outcome));
            }
            if !trace.anchors.is_empty() {
                let files: Vec<&str> = trace.anchors.iter().map(|anchor| anchor.path.as_str()).collect();
                texts.insert("files".to_owned(), json!(files));
            }
        }
        Level::Full => {
            if let Ok(Value::Object(whole)) = serde_json::to_value(trace) {
                // The link belongs to the line, not to the trace.
                texts.extend(whole.into_iter().filter(|(name, _)| name != "chain"));
            }
        }
    }
    let cut = if level == Level::Metadata { cut.min(TITLE) } else { cut };
    if let Value::Object(out) = &mut out {
        for (name, mut value) in texts {
            if !out.contains_key(&name) {
                is_cut |= shorten(&mut value, cut);
                out.insert(name, value);
            }
        }
        if is_cut && level == Level::Full {
            out.insert("cut".to_owned(), true.into());
        }
    }
    out
}

/// Cuts texts and lists. Returns whether something is missing.
fn shorten(value: &mut Value, most: usize) -> bool {
    // An entry of a list is rarely shorter than this.
    let entries = (most / 16).max(1);
    match value {
        Value::String(text) if text.len() > most => {
            text.truncate(text.floor_char_boundary(most));
            text.push('…');
            true
        }
        Value::Array(list) => {
            let is_long = list.len() > entries;
            list.truncate(entries);
            list.iter_mut().fold(is_long, |is_cut, one| shorten(one, most) | is_cut)
        }
        Value::Object(fields) => {
            let many = fields.len() > entries.max(16);
            if many {
                let kept: Vec<String> = fields.keys().take(entries.max(16)).cloned().collect();
                fields.retain(|name, _| kept.contains(name));
            }
            fields.values_mut().fold(many, |is_cut, one| shorten(one, most) | is_cut)
        }
        _ => false,
    }
}
