//! The optional `when:` of a guard, an expression in CEL. It is compiled only after everything cheaper matched, and
//! both its length and its work are limited.

use cel::parser::PrattParser;
use cel::{Context, IdedExpr, Value};
use serde_json::json;

/// The maximum length of an expression, in bytes.
const LIMIT: usize = 2_000;
const DEPTH: u16 = 24;
const NODES: usize = 400;
/// Nested loops multiply their work, so only few are allowed, over short lists.
const LOOPS: usize = 3;
const ITEMS: usize = 100;

/// The names that an expression may use.
pub(crate) const NAMES: &[&str] = &[
    "event", "tool", "input", "harness", "role", "path", "command", "part", "feature", "text", "writes", "deletes",
    "reads", "runs", "coverage", "now",
];

/// The values that an expression can use.
pub(crate) struct Scope {
    pub(crate) event: &'static str,
    pub(crate) tool: String,
    /// The tool's input as JSON; an empty object if there is none.
    pub(crate) input: serde_json::Value,
    pub(crate) harness: String,
    pub(crate) role: String,
    pub(crate) path: String,
    pub(crate) command: String,
    pub(crate) part: String,
    pub(crate) feature: String,
    pub(crate) text: String,
    pub(crate) writes: Vec<String>,
    pub(crate) deletes: Vec<String>,
    pub(crate) reads: Vec<String>,
    pub(crate) runs: Vec<Vec<String>>,
    pub(crate) coverage: &'static str,
    pub(crate) now: i64,
}

/// Checks an expression without running it.
pub(crate) fn check(text: &str) -> Result<(), String> {
    let expression = compile(text)?;
    let references = expression.references();
    let mut unknown: Vec<&str> =
        references.variables().into_iter().filter(|name| !NAMES.contains(name) && !name.starts_with('@')).collect();
    unknown.sort_unstable();
    // A loop's own variable is a name, too; in the text it precedes a comma.
    unknown.retain(|name| !is_loop_variable(text, name));
    match unknown.first() {
        Some(name) => Err(format!("unknown name `{name}` in `when`")),
        None => Ok(()),
    }
}

fn is_loop_variable(text: &str, name: &str) -> bool {
    text.split('(')
        .skip(1)
        .any(|inside| inside.trim_start().strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(',')))
}

/// Evaluates an expression.
pub(crate) fn holds(text: &str, scope: &Scope) -> Result<bool, String> {
    let expression = compile(text)?;
    let mut context = Context::default();
    let short = |list: &[String]| list.iter().take(ITEMS).cloned().collect::<Vec<_>>();
    let runs: Vec<Vec<String>> = scope.runs.iter().take(ITEMS).map(|argv| short(argv)).collect();
    let names = json!({
        "event": scope.event, "tool": scope.tool, "input": trimmed(&scope.input), "harness": scope.harness,
        "role": scope.role, "path": scope.path, "command": scope.command, "part": scope.part,
        "feature": scope.feature, "text": scope.text, "writes": short(&scope.writes),
        "deletes": short(&scope.deletes), "reads": short(&scope.reads), "runs": runs,
        "coverage": scope.coverage, "now": scope.now,
    });
    for (name, value) in names.as_object().into_iter().flatten() {
        context.add_variable(name.as_str(), value).map_err(|error| format!("invalid value for `{name}`: {error}"))?;
    }
    match Value::resolve(&expression, &context) {
        Ok(Value::Bool(held)) => Ok(held),
        Ok(_) => Err("the result of `when` is not a boolean".to_owned()),
        Err(error) => Err(format!("evaluating `when` failed: {error}")),
    }
}

fn compile(text: &str) -> Result<IdedExpr, String> {
    if text.len() > LIMIT {
        return Err(format!("`when` has {} bytes; the limit is {LIMIT}", text.len()));
    }
    let loops = [".all(", ".exists(", ".exists_one(", ".map(", ".filter("];
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if loops.iter().map(|name| bare.matches(name).count()).sum::<usize>() > LOOPS {
        return Err(format!("`when` has more than {LOOPS} loops"));
    }
    // The parser itself goes as deep as its text, so depth is checked before.
    let mut depth = 0_u16;
    for c in text.chars() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH {
            return Err(format!("`when` has more than {DEPTH} nested levels"));
        }
    }
    PrattParser::new().max_recursion_depth(4 * DEPTH).max_expression_node_count(NODES).parse(text).map_err(|errors| {
        let told = errors.errors.first().map(|error| error.msg.clone()).unwrap_or_default();
        format!("`when` cannot be read: {told}")
    })
}

/// Truncates lists and texts, which an agent could make long.
fn trimmed(value: &serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Array(items) => items.iter().take(ITEMS).map(trimmed).collect(),
        serde_json::Value::Object(map) => serde_json::Value::Object(
            map.iter().take(ITEMS).map(|(key, value)| (key.clone(), trimmed(value))).collect(),
        ),
        serde_json::Value::String(text) if text.len() > 10_000 => text.chars().take(10_000).collect::<String>().into(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope() -> Scope {
        Scope {
            event: "before-tool",
            tool: "Bash".into(),
            input: json!({"command": "ls", "limit": 50}),
            harness: "claude".into(),
            role: "main".into(),
            path: "src/a.rs".into(),
            command: "ls -l".into(),
            part: "ls -l".into(),
            feature: String::new(),
            text: String::new(),
            writes: vec!["a".into(), "b".into()],
            deletes: Vec::new(),
            reads: Vec::new(),
            runs: vec![vec!["ls".into(), "-l".into()]],
            coverage: "full",
            now: 0,
        }
    }

    #[track_caller]
    fn yields(text: &str, expected: Result<bool, &str>) {
        match (holds(text, &scope()), expected) {
            (Ok(held), Ok(wanted)) => assert_eq!(held, wanted, "{text}"),
            (Err(told), Err(wanted)) => assert!(told.contains(wanted), "{text}: {told}"),
            (got, _) => panic!("{text}: {got:?}"),
        }
    }

    #[test]
    fn expressions_are_worked_out() {
        yields("tool == 'Bash' && size(writes) > 1", Ok(true));
        yields("has(input.limit) && input.limit <= 100", Ok(true));
        yields("has(input.offset)", Ok(false));
        yields("runs.exists(r, r[0] == 'rm')", Ok(false));
        yields("path.startsWith('src/') && writes.all(w, w != 'z')", Ok(true));
        yields("1 + 1", Err("not a boolean"));
        yields("nonsense == 1", Err("evaluating `when` failed"));
        yields("input.missing == 1", Err("evaluating `when` failed"));
        yields("tool ==", Err("cannot be read"));
    }

    #[test]
    fn expressions_are_bounded() {
        yields(&"(".repeat(1_000), Err("nested levels"));
        yields(&"a".repeat(3_000), Err("the limit is"));
        yields(&format!("{}true", "!".repeat(1_500)), Ok(true));
        yields(&format!("true{}", " || true".repeat(240)), Ok(true));
        yields("a.map(x, a.map(y, a.map(z, a.map(w, 1))))", Err("loops"));
        yields("a . map (x, a. map(y, a.map( z, a.map(w, 1))))", Err("loops"));
    }

    #[test]
    fn names_are_checked_before() {
        assert_eq!(check("writes.exists(w, w == path) && now > 1"), Ok(()));
        assert!(check("pth == 'x'").unwrap_err().contains("`pth`"));
    }
}
