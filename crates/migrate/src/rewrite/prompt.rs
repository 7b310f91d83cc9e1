//! Prompts: current variables, a reference to the context, and a request for the status.

use stead_pipeline::prompt::{STATUS_INSTRUCTION, VariableKind, mentions, uses, variable_kind};

/// The replacement of an older variable, and how it is explained to the reader.
fn stand_in(name: &str) -> Option<(String, String)> {
    // Plain capitals: in a shell command they must not mean anything to the shell.
    let word = |word: &str, meaning: &str| Some((word.to_owned(), meaning.to_owned()));
    match name {
        "SESSION" | "SESSION_NAME" => word("RUN", "its field `session`"),
        "ITERATION" => word("ITERATION", "its field `iteration`"),
        "INDEX" => word("INDEX", "its field `iteration` minus 1"),
        "INPUTS" => word("INPUTS", "the files below `inputs.from_stage`"),
        "PROGRESS_FILE" => word("${PROGRESS}", ""),
        "OUTPUT_PATH" => word("${OUTPUT}", ""),
        name => {
            let stage = name.strip_prefix("INPUTS.")?;
            word(&format!("INPUTS-{stage}"), &format!("the files in `inputs.from_stage.{stage}`"))
        }
    }
}

/// Replaces older variables; returns the text and the explanations that a reader needs.
fn replaced(text: &str, wording: impl Fn(&str, &str) -> String) -> (String, Vec<(String, String)>) {
    let mut out = String::with_capacity(text.len());
    let mut told: Vec<(String, String)> = Vec::new();
    let mut from = 0;
    for found in uses(text) {
        let old = !found.escaped && matches!(variable_kind(found.name), VariableKind::Old(_));
        let Some((word, meaning)) = old.then(|| stand_in(found.name)).flatten() else { continue };
        out.push_str(&text[from..found.at.start]);
        from = found.at.end;
        if meaning.is_empty() {
            out.push_str(&word);
            continue;
        }
        out.push_str(&wording(&word, &meaning));
        if !told.iter().any(|(known, _)| *known == word) {
            told.push((word, meaning));
        }
    }
    out.push_str(&text[from..]);
    (out, told)
}

/// The prompt of a stage in the current format.
pub(crate) fn migrate_prompt(text: &str) -> String {
    let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut out, told) = replaced(plain, |word, _| word.to_owned());
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
    // A byte order mark belongs at the start of the text, so it moves with it.
    if out == plain { text.to_owned() } else { out }
}

/// A prompt inside a pipeline: only its variables change, in place.
pub(crate) fn migrate_inline(text: &str) -> String {
    // The replacement has no meaning in YAML, and a shell rejects the parentheses.
    let plain = |meaning: &str| meaning.trim_start_matches("its field ").replace('`', "");
    replaced(text, |_, meaning| format!("({} in ${{CTX}})", plain(meaning))).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_variables_become_fields_of_the_context() {
        let new = migrate_prompt(
            "Run ${SESSION_NAME}, twice ${SESSION}.\nSee ${PROGRESS_FILE}, ${INPUTS.ideas}, $${INDEX}\n",
        );
        assert!(new.starts_with("Read `${CTX}` first, a JSON file about this run and iteration. Below, `RUN` is its field `session`; `INPUTS-ideas` is the files"), "{new}");
        assert!(new.contains("Run RUN, twice RUN.\nSee ${PROGRESS}, INPUTS-ideas, $${INDEX}\n"), "{new}");
        assert!(new.contains("`${STATUS}`"), "{new}");
        assert_eq!(migrate_prompt(&new), new);
    }

    #[test]
    fn a_present_prompt_stays_as_it_is() {
        for text in ["Read ${CTX}, write ${STATUS}. ${UNKNOWN} ${lower}", "\u{feff}${CTX} ${STATUS}"] {
            assert_eq!(migrate_prompt(text), text);
        }
    }

    #[test]
    fn an_editors_mark_does_not_move_into_the_text() {
        assert!(!migrate_prompt("\u{feff}Do ${SESSION}.\n").contains('\u{feff}'));
    }

    #[test]
    fn a_shell_is_handed_nothing_to_redirect() {
        let text = "`bd ready --label=loop/${SESSION_NAME} -n ${INDEX} \"${INPUTS.a}\"`";
        for new in [migrate_prompt(text), migrate_inline(text)] {
            let line = new.lines().find(|line| line.starts_with("`bd")).unwrap();
            assert!(!line.trim_matches('`').contains(['<', '>', '`', '|', ';', '&', ',']), "{line}");
        }
    }

    #[test]
    fn inline_prompts_change_in_place() {
        assert_eq!(migrate_inline("for ${SESSION}: ${OUTPUT_PATH}"), "for (session in ${CTX}): ${OUTPUT}");
    }
}
