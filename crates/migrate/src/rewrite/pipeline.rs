//! Pipeline files.

use super::by_hand::by_hand;
use super::edit::Edits;
use super::prompt::migrate_inline;
use super::stage::{comment_is_lost, drop_retries, ending, part, rewrite_output};
use stead_pipeline::definition::is_retry_key;
use stead_yaml::{Entry, Tree, Value, parse};

/// The pipeline in the current format. `inputs` are, for each stage, the inputs that were implied. `Err` says why and
/// where it is left to a person.
pub(crate) fn migrate_pipeline(text: &str, inputs: &[Vec<String>]) -> Result<String, String> {
    let tree = parse(text).map_err(|fault| format!("line {}: {}", fault.line.max(1), fault.message))?;
    let Value::Map(entries) = &tree.value else { return Err(format!("expected a mapping, found {}", tree.kind())) };
    let mut edits = Edits::of(text);
    let is_retry = |entry: &Entry| is_retry_key(&entry.key);
    if edits.is_in_braces(&tree) {
        edits.remove_in_braces(entries, is_retry).map_err(comment_is_lost)?;
    } else {
        for entry in entries.iter().filter(|entry| is_retry(entry)) {
            edits.remove(entry);
        }
    }
    let stages = entries.iter().find(|entry| entry.key == "stages").map(|entry| &entry.value.value);
    if let Some(Value::List(items)) = stages {
        for (index, item) in items.iter().enumerate() {
            if let Value::Map(step) = &item.value {
                let meant = inputs.get(index).map(Vec::as_slice).unwrap_or_default();
                migrate_step(&mut edits, item, step, meant)?;
            }
        }
    }
    Ok(edits.apply())
}

/// Returns true if the maximum number of iterations is below `guardrails`.
fn bounds_itself(step: &[Entry]) -> bool {
    let block = step.iter().find(|entry| entry.key == "guardrails");
    block.is_some_and(|block| part(block, "max_iterations").is_some())
}

fn migrate_step(edits: &mut Edits<'_>, item: &Tree, step: &[Entry], inputs: &[String]) -> Result<(), String> {
    let has = |key: &str| step.iter().any(|entry| entry.key == key);
    // Keys without effect, or without effect beside the current key.
    let goes = |entry: &Entry| match entry.key.as_str() {
        "name" => has("id"),
        "loop" => has("template"),
        "runs" => has("max_iterations") || bounds_itself(step),
        "completion" => has("termination"),
        key => is_retry_key(key),
    };
    let in_braces = edits.is_in_braces(item);
    for (index, entry) in step.iter().enumerate() {
        match entry.key.as_str() {
            _ if goes(entry) && in_braces => {}
            _ if goes(entry) => remove_line(edits, entry, step.get(index + 1))?,
            "name" => edits.replace(entry.key_at.clone(), "id"),
            "loop" => edits.replace(entry.key_at.clone(), "template"),
            "runs" => edits.replace(entry.key_at.clone(), "max_iterations"),
            "prompt" => {
                let raw = &edits.text[entry.value.at.clone()];
                let new = migrate_inline(raw);
                if new != raw {
                    edits.replace(entry.value.at.clone(), new);
                }
            }
            "completion" if in_braces => {
                edits.replace_entry(entry, format!("termination: {{type: {}}}", ending(entry)))
            }
            "completion" => {
                require_line(edits, entry)?;
                let block = format!("termination:\n{}  type: {}", edits.indent(entry), ending(entry));
                edits.replace_entry(entry, block);
            }
            "output" if matches!(entry.value.value, Value::Map(_)) => match part(entry, "path") {
                Some(path) if in_braces || edits.is_first_of_item(entry) => {
                    edits.replace_entry(entry, format!("output: {}", edits.raw(path)));
                }
                None if in_braces || edits.is_first_of_item(entry) => {
                    return Err(by_hand(edits, entry, "shares its line with other keys"));
                }
                _ => rewrite_output(edits, entry),
            },
            "guardrails" => drop_retries(edits, entry, in_braces || edits.is_first_of_item(entry))?,
            _ => {}
        }
    }
    if in_braces {
        edits.remove_in_braces(step, goes).map_err(comment_is_lost)?;
    }
    let kept: Vec<&Entry> = step.iter().filter(|entry| !goes(entry)).collect();
    match kept.last().filter(|_| !inputs.is_empty()) {
        Some(last) => say_inputs(edits, last, inputs, in_braces),
        None => Ok(()),
    }
}

/// Writes the implied inputs after the last remaining key of a stage.
fn say_inputs(edits: &mut Edits<'_>, last: &Entry, inputs: &[String], in_braces: bool) -> Result<(), String> {
    let end = edits.extent(last);
    if in_braces {
        let each: Vec<String> = inputs.iter().map(|from| format!("{{from: {from}, select: all}}")).collect();
        let all = if let [only] = each.as_slice() { only.clone() } else { format!("[{}]", each.join(", ")) };
        edits.replace(end..end, format!(", inputs: {all}"));
        return Ok(());
    }
    require_line(edits, last)?;
    let indent = edits.indent(last);
    let lines = match inputs {
        [only] => format!("{indent}inputs:\n{indent}  from: {only}\n{indent}  select: all"),
        many => {
            let items = many.iter().map(|from| format!("\n{indent}  - from: {from}\n{indent}    select: all"));
            format!("{indent}inputs:{}", items.collect::<String>())
        }
    };
    edits.insert_below(end, &lines);
    Ok(())
}

/// Removes an entry from a stage; `next` is the following one.
fn remove_line(edits: &mut Edits<'_>, entry: &Entry, next: Option<&Entry>) -> Result<(), String> {
    require_line(edits, entry)?;
    match next.filter(|_| edits.is_first_of_item(entry)) {
        Some(next) => edits.remove_gap(entry.key_at.start..next.key_at.start).map_err(comment_is_lost)?,
        None => edits.remove(entry),
    }
    Ok(())
}

fn require_line(edits: &Edits<'_>, entry: &Entry) -> Result<(), String> {
    if edits.is_line(entry) { Ok(()) } else { Err(by_hand(edits, entry, "shares its line with other keys")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, inputs: &[&[&str]], after: &str) {
        let inputs: Vec<Vec<String>> = inputs.iter().map(|of| of.iter().map(|&one| one.to_owned()).collect()).collect();
        assert_eq!(migrate_pipeline(before, &inputs).as_deref(), Ok(after));
        assert_eq!(migrate_pipeline(after, &[]).as_deref(), Ok(after), "a second time");
    }

    #[test]
    fn keys_get_their_new_names() {
        check(
            "name: p # the pipeline's own\nstages:\n  # first\n  - name: ideas # i\n    loop: idea-generator\n    runs: 5\n  - {name: b, loop: c}\n",
            &[],
            "name: p # the pipeline's own\nstages:\n  # first\n  - id: ideas # i\n    template: idea-generator\n    max_iterations: 5\n  - {id: b, template: c}\n",
        );
    }

    #[test]
    fn meant_inputs_are_said() {
        check(
            "stages:\n- name: a\n  loop: x\n- name: b\n  loop: y # why\n- name: c\n  loop: z",
            &[&[], &["a"], &["a", "b"]],
            "stages:\n- id: a\n  template: x\n- id: b\n  template: y # why\n  inputs:\n    from: a\n    select: all\n- id: c\n  template: z\n  inputs:\n    - from: a\n      select: all\n    - from: b\n      select: all",
        );
    }

    #[test]
    fn stages_in_place_change_too() {
        check(
            "stages:\n  - name: a\n    completion: fixed-n # n\n    max_failures: 3\n    prompt: |\n      For ${SESSION}\n      go.\n",
            &[],
            "stages:\n  - id: a\n    termination:\n      type: fixed # n\n    prompt: |\n      For (session in ${CTX})\n      go.\n",
        );
        check(
            "stages:\n  - retry: 2\n    id: a\n    name: b\n    loop: x\n    runs: 2 # two\n    max_iterations: 3\n    template: y\n    output: {mode: append, path: a.md}\n    guardrails: {max_failures: 3, max_iterations: 2}\n  - name: b\n    guardrails:\n      max_failures: 3\n",
            &[],
            "stages:\n  - id: a\n    # two\n    max_iterations: 3\n    template: y\n    output: a.md\n    guardrails: {max_iterations: 2}\n  - id: b\n",
        );
    }

    #[test]
    fn a_count_beside_guardrails_goes() {
        check(
            "stages:\n  - name: a\n    loop: x\n    runs: 3\n    guardrails: {max_iterations: 4}\n",
            &[],
            "stages:\n  - id: a\n    template: x\n    guardrails: {max_iterations: 4}\n",
        );
    }

    #[test]
    fn stages_in_braces_change_too() {
        check(
            "{name: p, retries: 3, stages: [{name: a, completion: plateau, retry: 1, output: {path: a.md}}, {name: b, loop: y}, {loop: z, name: c}]}\n",
            &[&[], &["a"], &["a", "b"]],
            "{name: p, stages: [{id: a, termination: {type: judgment}, output: a.md}, {id: b, template: y, inputs: {from: a, select: all}}, {template: z, id: c, inputs: [{from: a, select: all}, {from: b, select: all}]}]}\n",
        );
    }

    #[test]
    fn what_is_left_to_a_person_is_named_with_its_line() {
        let refused = |text: &str, why: &str| assert_eq!(migrate_pipeline(text, &[]), Err(why.to_owned()), "{text}");
        refused(
            "stages:\n  - {name: a, output: {mode: append}}\n",
            "line 2: `output` shares its line with other keys; write `output: <path>` by hand",
        );
        refused(
            "stages:\n  - retry: 3 # thrice\n    name: a\n",
            "line 2: the comment is between keys that must be removed; move it to a line above and try again",
        );
    }

    #[test]
    fn a_prompt_at_the_end_keeps_its_lines() {
        check(
            "stages:\n  - name: a\n    prompt: |\n      one\n\n  - name: b\n    prompt: |\n      two\n\n# end\n",
            &[&[], &["a"]],
            "stages:\n  - id: a\n    prompt: |\n      one\n\n  - id: b\n    prompt: |\n      two\n    inputs:\n      from: a\n      select: all\n\n# end\n",
        );
    }
}
