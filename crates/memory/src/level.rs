use serde_json::{Map, Value, json};

use crate::{Known, Traces};

stead_model::named! {
    /// How much of a trace is told.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Level {
        /// What there is: id, type, time, agent.
        Metadata = "metadata",
        /// And what happened, and why.
        #[default]
        Summary = "summary",
        /// Everything.
        Full = "full",
    }
}

/// How many bytes of compact JSON count as one token.
const BYTES_PER_TOKEN: usize = 4;

impl Level {
    /// The largest answer about one trace, in tokens.
    pub const fn tokens(self) -> usize {
        match self {
            Self::Metadata => 500,
            Self::Summary => 1_000,
            Self::Full => 2_000,
        }
    }
}

/// How many tokens an answer costs.
pub fn tokens(answer: &Value) -> usize {
    answer.to_string().len().div_ceil(BYTES_PER_TOKEN)
}

/// Describes a trace within the budget of the level. What does not fit is cut, and listed in `cut`.
pub fn describe(known: &Known, traces: &Traces, level: Level) -> Value {
    let trace = &known.trace;
    let mut out = json!({
        "id": trace.id,
        "type": trace.kind,
        "timestamp": trace.timestamp,
        "status": trace.status,
        "scope": trace.scope,
        "source": trace.source,
        "agent": trace.context.agent,
    });
    out["foreign"] = known.origin.peer().into();
    out["superseded_by"] = json!(traces.superseded_by(&trace.id).map(|new| &new.trace.id));
    if level == Level::Summary {
        out["feature"] = json!(trace.context.feature);
        out["outcome"] = json!(trace.outcome);
        out["event"] = json!(trace.event);
    }
    if level == Level::Full {
        let Ok(Value::Object(whole)) = serde_json::to_value(trace) else { return out };
        if let Value::Object(out) = &mut out {
            whole.into_iter().for_each(|(name, value)| drop(out.insert(name, value)));
        }
    }
    if let Value::Object(out) = &mut out {
        out.retain(|_, value| !value.is_null());
    }
    fit(out, level.tokens())
}

/// Makes an answer fit: the longest text or list is halved until it does.
fn fit(mut answer: Value, most: usize) -> Value {
    let mut cut: Vec<String> = Vec::new();
    while tokens(&answer) > most {
        let Some(pointer) = longest(&answer) else { break };
        let Some(value) = answer.pointer_mut(&pointer) else { break };
        match value {
            Value::String(text) => {
                let end = text.floor_char_boundary(text.len() / 2);
                text.truncate(end);
            }
            Value::Array(list) => list.truncate(list.len() / 2),
            other => *other = Value::Null,
        }
        let name = pointer.trim_start_matches('/').replace('/', ".");
        if !cut.contains(&name) && cut.len() < 8 {
            cut.push(name);
        }
        answer["cut"] = json!(cut);
    }
    answer
}

/// The largest text or list that may be cut; names stay.
fn longest(answer: &Value) -> Option<String> {
    fn walk(value: &Value, at: &str, found: &mut Vec<(usize, String)>) {
        match value {
            Value::String(text) if text.len() > 64 => found.push((text.len(), at.to_owned())),
            Value::Array(list) if list.len() > 1 => found.push((value.to_string().len(), at.to_owned())),
            Value::Object(map) => inside(map, at, found),
            _ => {}
        }
    }
    fn inside(map: &Map<String, Value>, at: &str, found: &mut Vec<(usize, String)>) {
        for (name, value) in map.iter().filter(|(name, _)| *name != "cut") {
            walk(value, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found);
        }
    }
    let mut found = Vec::new();
    walk(answer, "", &mut found);
    found.into_iter().max_by_key(|(length, _)| *length).map(|(_, at)| at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Trace, TraceEvent, TraceId, TraceKind};

    fn known(length: usize) -> Known {
        let text = "é".repeat(length);
        let event = TraceEvent { what_happened: text.clone(), what_was_correct: text.clone(), why: text };
        let trace = Trace { id: TraceId::random(), kind: TraceKind::Correction, event, ..Trace::default() };
        Known { trace, ..Known::default() }
    }

    #[test]
    fn each_level_has_more() {
        let known = known(10);
        let of = |level| describe(&known, &Traces::default(), level);
        assert_eq!(of(Level::Metadata)["event"], Value::Null);
        assert_eq!(of(Level::Summary)["event"]["why"], "é".repeat(10));
        assert_eq!((&of(Level::Summary)["v"], &of(Level::Full)["v"]), (&Value::Null, &json!(0)));
        assert_eq!(of(Level::Full)["cut"], Value::Null);
    }

    proptest! {
        #[test]
        fn no_answer_is_larger_than_its_level(length in 0_usize..3_000, extra in 0_usize..2_000, level in 0_usize..3) {
            let mut known = known(length);
            known.trace.effects = Some(json!({"list": vec![json!({"write": "src/x.rs"}); extra]}));
            known.trace.more.insert("odd".into(), json!({"a/b~c": "x".repeat(extra * 20)}));
            let answer = describe(&known, &Traces::default(), Level::ALL[level]);
            prop_assert!(tokens(&answer) <= Level::ALL[level].tokens(), "{}", tokens(&answer));
            prop_assert_eq!(&answer["id"], known.trace.id.as_str());
        }
    }
}
