//! Pipeline files.

use super::edit::Edits;
use super::prompt::migrate_inline;
use super::stage::ending;
use crate::definition::{Entry, Value, is_retry_key, parse};

/// The pipeline in today's form. `inputs` says, for each stage by its place, which inputs were meant without being said.
pub(crate) fn migrate_pipeline(text: &str, inputs: &[Vec<String>]) -> Result<String, String> {
    let tree = parse(text).map_err(|fault| fault.message)?;
    let Value::Map(entries) = &tree.value else { return Err(format!("it holds {}", tree.kind())) };
    let mut edits = Edits::of(text);
    for entry in entries.iter().filter(|entry| is_retry_key(&entry.key) && edits.is_line(entry)).collect::<Vec<_>>() {
        edits.remove(entry);
    }
    let stages = entries.iter().find(|entry| entry.key == "stages").map(|entry| &entry.value.value);
    if let Some(Value::List(items)) = stages {
        for (index, item) in items.iter().enumerate() {
            if let Value::Map(step) = &item.value {
                let meant = inputs.get(index).map(Vec::as_slice).unwrap_or_default();
                migrate_step(&mut edits, step, meant)?;
            }
        }
    }
    Ok(edits.apply())
}

fn migrate_step(edits: &mut Edits<'_>, step: &[Entry], inputs: &[String]) -> Result<(), String> {
    let has = |key: &str| step.iter().any(|entry| entry.key == key);
    for entry in step {
        match entry.key.as_str() {
            "name" if !has("id") => edits.replace(entry.key_at.clone(), "id"),
            "loop" if !has("template") => edits.replace(entry.key_at.clone(), "template"),
            "runs" if !has("max_iterations") => edits.replace(entry.key_at.clone(), "max_iterations"),
            "prompt" => {
                let raw = &edits.text[entry.value.at.clone()];
                let new = migrate_inline(raw);
                if new != raw {
                    edits.replace(entry.value.at.clone(), new);
                }
            }
            "completion" => {
                require_line(edits, entry)?;
                let (_, block) = ending(entry, &edits.indent(entry));
                edits.replace(entry.key_at.start..entry.value.at.end, block);
            }
            key if is_retry_key(key) => {
                require_line(edits, entry)?;
                if edits.is_first_of_item(entry) {
                    return Err(format!("`{key}` begins its stage"));
                }
                edits.remove(entry);
            }
            _ => {}
        }
    }
    if let Some(last) = step.last().filter(|_| !inputs.is_empty()) {
        require_line(edits, last)?;
        let indent = edits.indent(last);
        let lines = match inputs {
            [only] => format!("{indent}inputs:\n{indent}  from: {only}\n{indent}  select: all"),
            many => {
                let items = many.iter().map(|from| format!("\n{indent}  - from: {from}\n{indent}    select: all"));
                format!("{indent}inputs:{}", items.collect::<String>())
            }
        };
        edits.insert_below(super::edit::extent(last), &lines);
    }
    Ok(())
}

fn require_line(edits: &Edits<'_>, entry: &Entry) -> Result<(), String> {
    if edits.is_line(entry) { Ok(()) } else { Err(format!("`{}` shares its line with other keys", entry.key)) }
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
            "stages:\n  - id: a\n    termination:\n      type: fixed # n\n    prompt: |\n      For <session in ${CTX}>\n      go.\n",
        );
    }
}
