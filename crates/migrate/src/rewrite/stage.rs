//! Stage files.

use super::by_hand::by_hand;
use super::edit::Edits;
use stead_pipeline::definition::{DROPPED, is_retry_key};
use stead_yaml::{Entry, Tree, Value, parse};

/// The stage file in the current format; `Err` says why and where it is left to a person.
pub(crate) fn migrate_stage(text: &str) -> Result<String, String> {
    let tree = parse(text).map_err(|fault| format!("line {}: {}", fault.line.max(1), fault.message))?;
    let Value::Map(entries) = &tree.value else { return Err(format!("expected a mapping, found {}", tree.kind())) };
    let mut edits = Edits::of(text);
    let old = |entry: &&Entry| is_old(entry);
    if edits.is_in_braces(&tree) {
        migrate_braces(&mut edits, entries)?;
        return Ok(edits.apply());
    }
    for entry in entries.iter().filter(old) {
        if !edits.is_line(entry) {
            return Err(by_hand(&edits, entry, "shares its line with other keys"));
        }
        migrate_line(&mut edits, entry, entries);
    }
    if let Some(guardrails) = find(entries, "guardrails") {
        let gains = find(entries, "max_iterations").is_some() && part(guardrails, "max_iterations").is_none();
        drop_retries(&mut edits, guardrails, gains)?;
    }
    Ok(edits.apply())
}

fn is_old(entry: &Entry) -> bool {
    match entry.key.as_str() {
        "completion" | "min_iterations" | "max_iterations" | "output_parse" => true,
        "output" => matches!(entry.value.value, Value::Map(_)),
        key => DROPPED.contains(&key) || is_retry_key(key),
    }
}

/// Rewrites an older key that does not share its lines.
fn migrate_line(edits: &mut Edits<'_>, entry: &Entry, entries: &[Entry]) {
    let termination = find(entries, "termination");
    match entry.key.as_str() {
        "completion" if termination.is_none() => {
            let kind = ending(entry);
            edits.replace_entry(entry, format!("termination:\n  type: {kind}"));
            if let Some(min) = find(entries, "min_iterations").filter(|_| kind == "judgment") {
                let line = format!("  {}", with_comment(edits, min));
                edits.insert_below(entry.value.at.end, &line);
            }
        }
        "min_iterations" => {
            let is_moved = termination.is_none()
                && find(entries, "completion").is_some_and(|completion| ending(completion) == "judgment");
            match termination.filter(|block| takes_min(block)) {
                Some(block) => move_into(edits, entry, block, "type"),
                None if is_moved => edits.remove_silently(entry),
                None => edits.remove(entry),
            }
        }
        "max_iterations" => match find(entries, "guardrails") {
            None => {
                let at = entry.key_at.start..entry.key_at.start;
                edits.replace(at, "guardrails:\n  ");
            }
            Some(guardrails) if part(guardrails, "max_iterations").is_none() => {
                move_into(edits, entry, guardrails, "");
            }
            Some(_) => edits.remove(entry),
        },
        "output" => rewrite_output(edits, entry),
        _ => edits.remove(entry),
    }
}

/// Moves an entry into a block: after its key `behind`, or to its top. A comment cannot move into braces, so it stays.
fn move_into(edits: &mut Edits<'_>, entry: &Entry, block: &Entry, behind: &str) {
    if block.value.value == Value::Null {
        let line = format!("{}  {}", edits.indent(block), with_comment(edits, entry));
        edits.insert_below(block.key_at.end, &line);
        return edits.remove_silently(entry);
    }
    let Value::Map(parts) = &block.value.value else { return };
    if edits.is_in_braces(&block.value) {
        edits.insert_in_braces(block, &format!("{}: {}", entry.key, edits.raw(entry)));
        return edits.remove(entry);
    }
    let Some(first) = parts.first() else { return };
    let line = format!("{}{}", edits.indent(first), with_comment(edits, entry));
    let offset = find(parts, behind).map_or(block.key_at.end, |part| edits.extent(part));
    edits.insert_below(offset, &line);
    edits.remove_silently(entry);
}

/// Rewrites a stage that is one mapping in braces.
fn migrate_braces(edits: &mut Edits<'_>, entries: &[Entry]) -> Result<(), String> {
    let (termination, guardrails) = (find(entries, "termination"), find(entries, "guardrails"));
    let pair = |edits: &Edits<'_>, entry: &Entry| format!("{}: {}", entry.key, edits.raw(entry));
    let min = find(entries, "min_iterations").map(|entry| pair(edits, entry));
    let mut rewritten: Vec<&str> = Vec::new();
    match (termination, find(entries, "completion")) {
        (None, Some(entry)) => {
            let kind = ending(entry);
            let min = min.filter(|_| kind == "judgment").map(|min| format!(", {min}")).unwrap_or_default();
            edits.replace_entry(entry, format!("termination: {{type: {kind}{min}}}"));
            rewritten.push(&entry.key);
        }
        (Some(block), _) if takes_min(block) => {
            if let Some(min) = min {
                edits.insert_in_braces(block, &min);
            }
        }
        _ => {}
    }
    let max = find(entries, "max_iterations");
    match (max, guardrails) {
        (Some(entry), None) => {
            edits.replace_entry(entry, format!("guardrails: {{{}}}", pair(edits, entry)));
            rewritten.push(&entry.key);
        }
        (Some(entry), Some(block)) if part(block, &entry.key).is_none() => {
            edits.insert_in_braces(block, &pair(edits, entry));
        }
        _ => {}
    }
    if let Some(entry) = find(entries, "output").filter(|entry| is_old(entry))
        && let Some(path) = part(entry, "path")
    {
        edits.replace_entry(entry, format!("output: {}", edits.raw(path)));
        rewritten.push(&entry.key);
    }
    let is_spent = |entry: &Entry| entry.key == "guardrails" && max.is_none() && is_only_retries(entry);
    let goes = |entry: &Entry| is_old(entry) && !rewritten.contains(&entry.key.as_str()) || is_spent(entry);
    edits.remove_in_braces(entries, goes).map_err(comment_is_lost)?;
    match guardrails.filter(|block| !is_spent(block)) {
        Some(block) => drop_retries(edits, block, max.is_some()),
        None => Ok(()),
    }
}

fn is_only_retries(block: &Entry) -> bool {
    matches!(&block.value.value, Value::Map(parts) if !parts.is_empty() && parts.iter().all(|part| is_retry_key(&part.key)))
}

pub(crate) fn comment_is_lost(line: usize) -> String {
    format!("line {line}: the comment is between keys that must be removed; move it to a line above and try again")
}

/// Returns true if a `termination` takes its minimum number of iterations from elsewhere.
fn takes_min(block: &Entry) -> bool {
    let kind = part(block, "type").and_then(|kind| kind.value.scalar());
    kind.as_deref() == Some("judgment") && part(block, "min_iterations").is_none()
}

/// Turns an `output` mapping into a path.
pub(crate) fn rewrite_output(edits: &mut Edits<'_>, entry: &Entry) {
    match part(entry, "path") {
        Some(path) => {
            let line = format!("{}output: {}\n", edits.indent(entry), edits.raw(path));
            edits.rewrite_lines(entry, &line);
        }
        None => edits.remove(entry),
    }
}

/// The type that corresponds to a `completion`.
pub(crate) fn ending(entry: &Entry) -> &'static str {
    match entry.value.scalar().as_deref() {
        Some("plateau") => "judgment",
        Some("beads-empty") => "queue",
        _ => "fixed",
    }
}

/// The entry's line with the comment after it.
fn with_comment(edits: &Edits<'_>, entry: &Entry) -> String {
    format!("{}: {}{}", entry.key, edits.raw(entry), edits.behind(entry)).trim_end().to_owned()
}

/// Removes retry keys from the guardrails, and the block if it becomes empty.
pub(crate) fn drop_retries(edits: &mut Edits<'_>, block: &Entry, gains: bool) -> Result<(), String> {
    let Value::Map(parts) = &block.value.value else { return Ok(()) };
    let is_old = |part: &Entry| is_retry_key(&part.key);
    if !parts.iter().any(is_old) {
        return Ok(());
    }
    if is_only_retries(block) && !gains && edits.is_line(block) {
        edits.remove(block);
        return Ok(());
    }
    if edits.is_in_braces(&block.value) {
        return edits.remove_in_braces(parts, is_old).map_err(comment_is_lost);
    }
    for part in parts.iter().filter(|part| is_old(part)) {
        edits.remove(part);
    }
    Ok(())
}

pub(crate) fn find<'t>(entries: &'t [Entry], key: &str) -> Option<&'t Entry> {
    entries.iter().find(|entry| entry.key == key)
}

/// A key of a block.
pub(crate) fn part<'t>(block: &'t Entry, key: &str) -> Option<&'t Entry> {
    match &block.value {
        Tree { value: Value::Map(parts), .. } => find(parts, key),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_section_takes_what_belongs_there() {
        check(
            "name: a\nguardrails:\n  # max: 9\nmax_iterations: 4 # four\ntermination: {type: fixed}\n",
            "name: a\nguardrails:\n  max_iterations: 4 # four\n  # max: 9\ntermination: {type: fixed}\n",
        );
    }

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
        check("completion: fixed-n\nmin_iterations: 3 # c\n", "termination:\n  type: fixed\n# c\n");
        check("termination: {type: fixed}\ncompletion: plateau # c\n", "termination: {type: fixed}\n# c\n");
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
        check(
            "termination: {type: fixed}\nmax_iterations: 9\nguardrails:\n  max_failures: 2 # never\n",
            "termination: {type: fixed}\nguardrails:\n  max_iterations: 9\n  # never\n",
        );
    }

    #[test]
    fn the_fewest_iterations_go_into_the_block() {
        check(
            "min_iterations: 4 # four\ntermination:\n  type: judgment # j\n  consensus: 3\n",
            "termination:\n  type: judgment # j\n  min_iterations: 4 # four\n  consensus: 3\n",
        );
        check(
            "termination:\n  consensus: 3 # c\n  type: judgment\n# above\nmin_iterations: 4\n",
            "termination:\n  consensus: 3 # c\n  type: judgment\n  min_iterations: 4\n# above\n",
        );
        check(
            "termination: {type: judgment, consensus: 3} # t\nmin_iterations: 4 # top\n",
            "termination: {type: judgment, consensus: 3, min_iterations: 4} # t\n# top\n",
        );
        check(
            "termination: {\n  type: judgment, # j\n}\nmin_iterations: 4\n",
            "termination: {\n  type: judgment, min_iterations: 4, # j\n}\n",
        );
        check(
            "termination: {type: judgment, min_iterations: 5}\nmin_iterations: 4 # top\n",
            "termination: {type: judgment, min_iterations: 5}\n# top\n",
        );
        check(
            "termination: {type: fixed}\nmax_iterations: 4 # top\nguardrails: {max_failures: 3, max_cost_usd: 2, retry: 1}\n",
            "termination: {type: fixed}\n# top\nguardrails: {max_cost_usd: 2, max_iterations: 4}\n",
        );
        check(
            "termination: {type: fixed}\nmax_iterations: 4\nguardrails: {max_failures: 3}\n",
            "termination: {type: fixed}\nguardrails: {max_iterations: 4}\n",
        );
    }

    #[test]
    fn texts_of_several_lines_go_whole_and_alone() {
        let rest = "termination: {type: judgment}\n";
        check(&format!("output_parse: |\n  plateau:PLATEAU # no comment\n  reason:WHY\n{rest}"), rest);
        check(
            &format!("output_parse: >- # why\n  plateau:PLATEAU\n\n  reason:WHY\n\n# next\n{rest}"),
            &format!("# why\n\n# next\n{rest}"),
        );
        check(&format!("output_parse: \"plateau:PLATEAU\n  # reason:WHY\" # c\n{rest}"), &format!("# c\n{rest}"));
        check(&format!("{rest}output_parse: |\n  plateau:PLATEAU"), rest);
    }

    #[test]
    fn an_output_is_a_path() {
        check(
            "termination: {type: fixed}\noutput:\n  mode: overwrite\n  path: docs/${SESSION}.md\nmodel: x\n",
            "termination: {type: fixed}\noutput: docs/${SESSION}.md\nmodel: x\n",
        );
        check("termination: {type: fixed}\noutput:\n  mode: append\n", "termination: {type: fixed}\n");
        check(
            "termination: {type: fixed}\noutput: {mode: append,\n  path: \"a b.md\"\n} # c\nmodel: x\n",
            "termination: {type: fixed}\n# c\noutput: \"a b.md\"\nmodel: x\n",
        );
    }

    #[test]
    fn a_stage_in_braces_stays_in_them() {
        check("{name: x, completion: plateau}", "{name: x, termination: {type: judgment}}");
        check(
            "{completion: plateau, name: x, min_iterations: 3, output_parse: \"plateau:P\", delay: 3} # all\n",
            "{termination: {type: judgment, min_iterations: 3}, name: x} # all\n",
        );
        check(
            "{name: x, delay: 1, termination: {type: judgment}, max_iterations: 4, min_iterations: 3}\n",
            "{name: x, termination: {type: judgment, min_iterations: 3}, guardrails: {max_iterations: 4}}\n",
        );
        check(
            "{\n  name: x, # n\n  completion: fixed-n,\n  output: {mode: append, path: a.md},\n  guardrails: {retry: 3}\n}\n",
            "{\n  name: x, # n\n  termination: {type: fixed},\n  output: a.md\n}\n",
        );
        check(
            "{name: x, completion: fixed-n, max_iterations: 4, guardrails: {retry: 3, on_limit: fail}}\n",
            "{name: x, termination: {type: fixed}, guardrails: {on_limit: fail, max_iterations: 4}}\n",
        );
    }

    #[track_caller]
    fn refused(text: &str, why: &str) {
        assert_eq!(migrate_stage(text), Err(why.to_owned()), "{text}");
    }

    #[test]
    fn what_is_left_to_a_person_is_named_with_its_line() {
        refused(
            "{\n  name: x,\n  delay: 3, # slowly\n  completion: fixed-n,\n}\n",
            "line 3: the comment is between keys that must be removed; move it to a line above and try again",
        );
        refused(
            "name: x\n? completion\n: plateau\n",
            "line 2: `completion` shares its line with other keys; write `termination: {type: judgment}` by hand",
        );
        assert!(migrate_stage("name: x\na: [").is_err_and(|why| why.starts_with("line ")));
    }
}
