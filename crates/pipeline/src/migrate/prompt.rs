//! Prompts: today's variables, the context named, the status asked for.

use crate::prompt::{STATUS_INSTRUCTION, Standing, mentions, standing, uses};

/// What stands in a prompt for an older variable, and how its reader is told what that is.
fn stand_in(name: &str) -> Option<(String, String)> {
    let word = |word: &str, meaning: String| Some((format!("<{word}>"), meaning));
    match name {
        "SESSION" | "SESSION_NAME" => word("session", "its field `session`".into()),
        "ITERATION" => word("iteration", "its field `iteration`".into()),
        "INDEX" => word("index", "its field `iteration`, less one".into()),
        "INPUTS" => word("inputs", "the files below `inputs.from_stage`".into()),
        "PROGRESS_FILE" => Some(("${PROGRESS}".into(), String::new())),
        "OUTPUT_PATH" => Some(("${OUTPUT}".into(), String::new())),
        name => {
            let stage = name.strip_prefix("INPUTS.")?;
            word(&format!("inputs of {stage}"), format!("the files in `inputs.from_stage.{stage}`"))
        }
    }
}

/// Replaces older variables; gives the text and the meanings that a reader has to be told.
fn replaced(text: &str, wording: impl Fn(&str) -> String) -> (String, Vec<(String, String)>) {
    let mut out = String::with_capacity(text.len());
    let mut told: Vec<(String, String)> = Vec::new();
    let mut from = 0;
    for found in uses(text) {
        let old = !found.escaped && matches!(standing(found.name), Standing::Old(_));
        let Some((word, meaning)) = old.then(|| stand_in(found.name)).flatten() else { continue };
        out.push_str(&text[from..found.at.start]);
        from = found.at.end;
        if meaning.is_empty() {
            out.push_str(&word);
            continue;
        }
        out.push_str(&wording(&word));
        if !told.iter().any(|(known, _)| *known == word) {
            told.push((word, meaning));
        }
    }
    out.push_str(&text[from..]);
    (out, told)
}

/// The prompt of a stage in today's form.
pub(crate) fn migrate_prompt(text: &str) -> String {
    let (mut out, told) = replaced(text, str::to_owned);
    if !told.is_empty() || !mentions(&out, "CTX") {
        let meanings: Vec<String> = told.iter().map(|(word, meaning)| format!("`{word}` is {meaning}")).collect();
        let legend = match meanings.as_slice() {
            [] => String::new(),
            meanings => format!(" Below, {}.", meanings.join("; ")),
        };
        out = format!("Read `${{CTX}}` first, a JSON file about this run and iteration.{legend}\n\n{out}");
    }
    if !mentions(&out, "STATUS") {
        out = format!("{}\n{STATUS_INSTRUCTION}", out.trim_end_matches('\n'));
    }
    out
}

/// A prompt that is written into a pipeline: only its variables change, in place.
pub(crate) fn migrate_inline(text: &str) -> String {
    let wording = |word: &str| format!("<{} in ${{CTX}}>", word.trim_matches(['<', '>']));
    replaced(text, wording).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_variables_become_fields_of_the_context() {
        let new = migrate_prompt(
            "Run ${SESSION_NAME}, twice ${SESSION}.\nSee ${PROGRESS_FILE}, ${INPUTS.ideas}, $${INDEX}\n",
        );
        assert!(new.starts_with("Read `${CTX}` first, a JSON file about this run and iteration. Below, `<session>` is its field `session`; `<inputs of ideas>` is the files"), "{new}");
        assert!(
            new.contains("Run <session>, twice <session>.\nSee ${PROGRESS}, <inputs of ideas>, $${INDEX}\n"),
            "{new}"
        );
        assert!(new.contains("`${STATUS}`"), "{new}");
        assert_eq!(migrate_prompt(&new), new);
    }

    #[test]
    fn a_present_prompt_stays_as_it_is() {
        let text = "Read ${CTX}, write ${STATUS}. ${UNKNOWN} ${lower}";
        assert_eq!(migrate_prompt(text), text);
    }

    #[test]
    fn inline_prompts_change_in_place() {
        assert_eq!(migrate_inline("for ${SESSION}: ${OUTPUT_PATH}"), "for <session in ${CTX}>: ${OUTPUT}");
    }
}
