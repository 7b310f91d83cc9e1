//! Stage files.

use super::edit::Edits;
use crate::definition::{DROPPED, Entry, Value, is_retry_key, parse};

/// The stage file in today's form; `Err` says why it is left to a person.
pub(crate) fn migrate_stage(text: &str) -> Result<String, String> {
    let tree = parse(text).map_err(|fault| fault.message)?;
    let Value::Map(entries) = &tree.value else { return Err(format!("it holds {}", tree.kind())) };
    let mut edits = Edits::of(text);
    for entry in entries {
        let old = match entry.key.as_str() {
            "completion" | "min_iterations" | "max_iterations" | "output_parse" => true,
            "output" => matches!(entry.value.value, Value::Map(_)),
            key => DROPPED.contains(&key) || is_retry_key(key),
        };
        if old && !edits.is_line(entry) {
            return Err(format!("`{}` shares its line with other keys", entry.key));
        }
        if old {
            rewrite(&mut edits, entry, entries);
        } else if entry.key == "guardrails" {
            drop_retries(&mut edits, entry);
        }
    }
    Ok(edits.apply())
}

fn rewrite(edits: &mut Edits<'_>, entry: &Entry, entries: &[Entry]) {
    let block = |key: &str| {
        let entry = entries.iter().find(|entry| entry.key == key)?;
        let Value::Map(parts) = &entry.value.value else { return None };
        Some((entry, parts))
    };
    match entry.key.as_str() {
        "completion" if block("termination").is_none() => {
            let (kind, block) = ending(entry, "");
            edits.replace(entry.key_at.start..entry.value.at.end, block);
            let min = entries.iter().find(|entry| entry.key == "min_iterations");
            if let Some(min) = min.filter(|_| kind == "judgment") {
                let line = format!("  {}", with_comment(edits, min));
                edits.insert_below(entry.value.at.end, &line);
            }
        }
        // Moved by `completion`, or into the block that is there.
        "min_iterations" => {
            if let Some((_, parts)) = block("termination")
                && let Some(kind) = parts.iter().find(|part| part.key == "type" && edits.is_line(part))
                && kind.value.scalar().as_deref() == Some("judgment")
                && !parts.iter().any(|part| part.key == "min_iterations")
            {
                let line = format!("{}{}", edits.indent(kind), with_comment(edits, entry));
                edits.insert_below(kind.value.at.end, &line);
            }
            remove_silently(edits, entry);
        }
        "max_iterations" => match block("guardrails") {
            None => {
                let at = entry.key_at.start..entry.key_at.start;
                edits.replace(at, "guardrails:\n  ");
            }
            Some((guardrails, parts)) => {
                if let Some(first) = parts.first().filter(|first| edits.is_line(first))
                    && !parts.iter().any(|part| part.key == "max_iterations")
                {
                    let line = format!("{}{}", edits.indent(first), with_comment(edits, entry));
                    edits.insert_below(guardrails.key_at.end, &line);
                }
                remove_silently(edits, entry);
            }
        },
        "output" => {
            let Value::Map(parts) = &entry.value.value else { return };
            match parts.iter().find(|part| part.key == "path").and_then(|path| path.value.scalar()) {
                Some(path) => edits.rewrite_lines(entry, &format!("output: {path}\n")),
                None => edits.remove(entry),
            }
        }
        _ => edits.remove(entry),
    }
}

/// The type and the block that say what `completion` said. `before` is the indentation of the lines below.
pub(crate) fn ending(entry: &Entry, before: &str) -> (&'static str, String) {
    let kind = match entry.value.scalar().as_deref() {
        Some("plateau") => "judgment",
        Some("beads-empty") => "queue",
        _ => "fixed",
    };
    (kind, format!("termination:\n{before}  type: {kind}"))
}

/// The entry's line with the comment behind it.
fn with_comment(edits: &Edits<'_>, entry: &Entry) -> String {
    let value = &edits.text[entry.value.at.clone()];
    format!("{}: {value}{}", entry.key, edits.behind(entry)).trim_end().to_owned()
}

/// Takes the line out, comment and all: it was written elsewhere.
fn remove_silently(edits: &mut Edits<'_>, entry: &Entry) {
    let start = edits.text[..entry.key_at.start].rfind('\n').map_or(0, |at| at + 1);
    let end = edits.text[entry.value.at.end..].find('\n').map_or(edits.text.len(), |at| entry.value.at.end + at + 1);
    edits.replace(start..end, "");
}

/// Takes retry keys out of the guardrails, and the block if nothing else is in it.
fn drop_retries(edits: &mut Edits<'_>, entry: &Entry) {
    let Value::Map(parts) = &entry.value.value else { return };
    let (old, rest): (Vec<&Entry>, Vec<&Entry>) = parts.iter().partition(|part| is_retry_key(&part.key));
    match (old.is_empty(), rest.is_empty()) {
        (true, _) => {}
        (false, true) => edits.remove(entry),
        (false, false) => {
            for part in old {
                if edits.is_line(part) {
                    edits.remove(part);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: &str, after: &str) {
        assert_eq!(migrate_stage(before).as_deref(), Ok(after));
        assert_eq!(migrate_stage(after).as_deref(), Ok(after), "a second time");
    }

    #[test]
    fn comments_and_order_stay() {
        check(
            "# Mine\nname: improve-plan\n\ncompletion: plateau # until it is flat\n# at least\nmin_iterations: 3 # three\noutput_parse: \"plateau:PLATEAU reasoning:REASONING\" # old\ndelay: 3\n",
            "# Mine\nname: improve-plan\n\ntermination:\n  type: judgment # until it is flat\n  min_iterations: 3 # three\n# at least\n# old\n",
        );
        check("name: w\ncompletion: beads-empty\n", "name: w\ntermination:\n  type: queue\n");
        check("completion: fixed-n", "termination:\n  type: fixed");
    }

    #[test]
    fn blocks_are_joined() {
        check(
            "termination:\n  type: judgment\nmin_iterations: 4\nmax_iterations: 9\n",
            "termination:\n  type: judgment\n  min_iterations: 4\nguardrails:\n  max_iterations: 9\n",
        );
        check(
            "termination: {type: fixed}\nmax_iterations: 9 # nine\nguardrails:\n  # c\n  max_failures: 2\n  max_runtime_seconds: 5\n",
            "termination: {type: fixed}\nguardrails:\n  max_iterations: 9 # nine\n  # c\n  max_runtime_seconds: 5\n",
        );
        check(
            "termination: {type: fixed}\nguardrails:\n  max_failures: 2 # never\n",
            "termination: {type: fixed}\n# never\n",
        );
    }

    #[test]
    fn an_output_is_a_path() {
        check(
            "termination: {type: fixed}\noutput:\n  mode: overwrite\n  path: docs/${SESSION}.md\nmodel: x\n",
            "termination: {type: fixed}\noutput: docs/${SESSION}.md\nmodel: x\n",
        );
        check("termination: {type: fixed}\noutput:\n  mode: append\n", "termination: {type: fixed}\n");
    }

    #[test]
    fn one_line_is_left_to_a_person() {
        assert!(migrate_stage("{name: x, completion: plateau}").is_err());
        assert!(migrate_stage("a: [").is_err());
    }
}
