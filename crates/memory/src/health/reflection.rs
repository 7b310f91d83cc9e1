use std::path::Path;

use stead_context::reflection_objection;
use stead_model::{Op, SteadCall};

use super::finding::Measure;
use crate::refuse::noise;
use crate::{PastCall, Records, TraceKind};

/// Where the text of a reflection is, by the command that takes it.
const TEXTS: &[(&[&str], &[&str])] =
    &[(&["reflect"], &["--failed", "--prevent"]), (&["memory", "store"], &["--what", "--correct"])];

/// The reflections that were refused.
#[derive(Default)]
pub(super) struct Reflections {
    refused: Vec<String>,
}

impl Reflections {
    /// Looks for a call of Stead with a reflection that the rule refuses. Nothing else records a refusal.
    pub(super) fn take(&mut self, call: &PastCall<'_>, root: &Path) {
        if !call.is_judged() || !call.effects_text().is_some_and(|text| text.contains("\"stead\":")) {
            return;
        }
        for effect in call.effects(root).map(|effects| effects.list).unwrap_or_default() {
            if let Op::Stead(stead) = &effect.op {
                self.refused.extend(texts(stead).into_iter().filter(|text| reflection_objection(text).is_some()));
            }
        }
    }

    /// What was refused counts as generic, and so does what came another way and the rule would refuse.
    pub(super) fn measure(self, records: &Records<'_>, since: &str) -> Measure {
        let reflections = records.own_of(TraceKind::Reflection);
        let reflections: Vec<_> =
            reflections.filter(|trace| trace.timestamp.as_str() >= since && !trace.is_failed_attempt()).collect();
        let is_generic = |event: &&crate::TraceEvent| noise(TraceKind::Reflection, event).is_some();
        let generic = reflections.iter().map(|trace| &trace.event).filter(is_generic);
        let kept: Vec<String> = generic.map(|event| event.what_happened.clone()).collect();
        let of = reflections.len() + self.refused.len();
        let refused = self.refused.into_iter().map(|text| format!("refused: {text}"));
        let examples: Vec<String> = refused.chain(kept.into_iter().map(|text| format!("kept: {text}"))).collect();
        Measure { found: examples.len(), of, examples }
    }
}

/// The texts that a call would record as a reflection.
fn texts(call: &SteadCall) -> Vec<String> {
    let words: Vec<&str> = call.words.iter().map(|word| word.text.as_str()).collect();
    let Some((verbs, options)) = TEXTS.iter().find(|(verbs, _)| holds(&words, verbs)) else { return Vec::new() };
    let is_other_kind = verbs.len() > 1 && value(&words, "--type") != Some(TraceKind::Reflection.name());
    if is_other_kind || words.iter().any(|word| matches!(*word, "--help" | "-h")) {
        return Vec::new();
    }
    options.iter().filter_map(|option| value(&words, option)).map(str::to_owned).collect()
}

/// Returns true if the words of a command are in a call, one after the other.
fn holds(words: &[&str], verbs: &[&str]) -> bool {
    words.windows(verbs.len()).any(|part| part == verbs)
}

fn value<'w>(words: &[&'w str], option: &str) -> Option<&'w str> {
    let joined = |word: &&'w str| word.strip_prefix(option)?.strip_prefix('=');
    let at = words.iter().position(|word| *word == option);
    words.iter().find_map(joined).or_else(|| words.get(at? + 1).copied())
}
