//! Variables in a prompt: found, checked and replaced.
//!
//! A variable is `${NAME}` with an upper-case name; anything else that looks like one (`${var}`, `$HOME`) is the
//! prompt's own text, and `$${NAME}` is a literal `${NAME}`. Replaced text is not searched again.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::Node;

/// The values of the variables in one iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vars {
    /// The path of `context.json`.
    pub ctx: String,
    pub progress: String,
    pub output: String,
    pub status: String,
    /// The run's name.
    pub session: String,
    pub iteration: u32,
    /// All input paths, one per line.
    pub inputs: String,
    /// The same by the stage they come from.
    pub inputs_by_stage: Vec<(String, String)>,
    /// The item of a fanned-out stage.
    pub item: Option<String>,
}

/// A prompt as the agent gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    pub text: String,
    /// Variables without a value, each once. Lint reports deprecated ones, with their lines.
    pub warnings: Vec<PromptWarning>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptWarning {
    /// The line in the prompt, from 1.
    pub line: usize,
    pub variable: String,
    pub advice: String,
}

impl fmt::Display for PromptWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "prompt line {}: `${{{}}}` {}", self.line, self.variable, self.advice)
    }
}

/// What a variable's name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableKind {
    Current,
    /// Still resolved; the text says what to write instead.
    Old(&'static str),
    Unknown,
}

/// One use of a variable in a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use<'a> {
    /// Bytes from the `$` to after the `}`.
    pub at: Range<usize>,
    pub name: &'a str,
    /// Written `$${NAME}`, so it is not a variable.
    pub escaped: bool,
}

/// The current variables.
pub(crate) const CURRENT: [&str; 5] = ["CTX", "PROGRESS", "OUTPUT", "STATUS", "ITEM"];

pub fn variable_kind(name: &str) -> VariableKind {
    match name {
        "CTX" | "PROGRESS" | "OUTPUT" | "STATUS" | "ITEM" => VariableKind::Current,
        "SESSION" | "SESSION_NAME" => VariableKind::Old("read `session` in ${CTX}"),
        "ITERATION" | "INDEX" => VariableKind::Old("read `iteration` in ${CTX}"),
        "PROGRESS_FILE" => VariableKind::Old("write ${PROGRESS}"),
        "OUTPUT_PATH" => VariableKind::Old("write ${OUTPUT}"),
        "INPUTS" => VariableKind::Old("read `inputs` in ${CTX}"),
        name if name.starts_with("INPUTS.") => VariableKind::Old("read `inputs.from_stage` in ${CTX}"),
        _ => VariableKind::Unknown,
    }
}

/// Finds every `${NAME}` with an upper-case name.
pub fn uses(text: &str) -> Vec<Use<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(dollar) = text[from..].find("${").map(|at| from + at) {
        from = dollar + 2;
        let Some(length) = text[from..].find('}') else { break };
        let name = &text[from..from + length];
        if is_name(name) {
            let escaped = text[..dollar].ends_with('$');
            let start = if escaped { dollar - 1 } else { dollar };
            found.push(Use { at: start..from + length + 1, name, escaped });
            from += length + 1;
        }
    }
    found
}

/// `NAME`, `NAME_2`, or `NAME.some-stage`.
fn is_name(name: &str) -> bool {
    let (head, tail) = name.split_once('.').map_or((name, None), |(head, tail)| (head, Some(tail)));
    let is_head = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let is_tail = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    head.starts_with(|c: char| c.is_ascii_uppercase())
        && head.chars().all(is_head)
        && tail.is_none_or(|tail| !tail.is_empty() && tail.chars().all(is_tail))
}

/// Returns true if a prompt uses this variable.
pub fn mentions(text: &str, name: &str) -> bool {
    uses(text).iter().any(|found| !found.escaped && found.name == name)
}

/// Returns true if a prompt tells its reader how to report the status: by `${STATUS}`, or in the older format by the
/// word that `output_parse` looks for.
pub(crate) fn tells_status(prompt: &str, output_parse: Option<&str>) -> bool {
    let word = output_parse.map(deciding_word);
    mentions(prompt, "STATUS") || word.is_some_and(|word| word.is_none_or(|word| prompt.contains(word)))
}

/// The word by which `output_parse` finds the decision, if it looks for one.
pub(crate) fn deciding_word(output_parse: &str) -> Option<&str> {
    output_parse.split_whitespace().find_map(|pair| match pair.split_once(':') {
        Some(("plateau", word)) => Some(word),
        None if pair == "plateau" => Some(pair),
        _ => None,
    })
}

/// Replaces the variables by their values. Unknown variables are kept; missing inputs become empty.
pub fn resolve(text: &str, vars: &Vars) -> Resolved {
    let mut out = String::with_capacity(text.len() + 512);
    let mut warnings: Vec<PromptWarning> = Vec::new();
    let mut from = 0;
    for found in uses(text) {
        out.push_str(&text[from..found.at.start]);
        from = found.at.end;
        if found.escaped {
            out.push_str(&text[found.at.start + 1..found.at.end]);
            continue;
        }
        let (value, advice) = match (variable_kind(found.name), value(vars, found.name)) {
            (VariableKind::Current | VariableKind::Old(_), Some(value)) => {
                out.push_str(&value);
                continue;
            }
            // Only inputs of a stage can be missing; the variable's name would be of no use.
            (VariableKind::Old(_), None) => ("", "does not name an input of this stage and is replaced by nothing"),
            (VariableKind::Current, None) => (&text[found.at.clone()], "has no value here and is not replaced"),
            (VariableKind::Unknown, _) => (&text[found.at.clone()], "is not a variable and is not replaced"),
        };
        out.push_str(value);
        let advice = advice.to_owned();
        if !warnings.iter().any(|told| told.variable == found.name) {
            let line = text[..found.at.start].matches('\n').count() + 1;
            warnings.push(PromptWarning { line, variable: found.name.to_owned(), advice });
        }
    }
    out.push_str(&text[from..]);
    Resolved { text: out, warnings }
}

fn value<'a>(vars: &'a Vars, name: &str) -> Option<Cow<'a, str>> {
    Some(match name {
        "CTX" => vars.ctx.as_str().into(),
        "PROGRESS" | "PROGRESS_FILE" => vars.progress.as_str().into(),
        "OUTPUT" | "OUTPUT_PATH" => vars.output.as_str().into(),
        "STATUS" => vars.status.as_str().into(),
        "SESSION" | "SESSION_NAME" => vars.session.as_str().into(),
        "ITERATION" => vars.iteration.to_string().into(),
        "INDEX" => vars.iteration.saturating_sub(1).to_string().into(),
        "INPUTS" => vars.inputs.as_str().into(),
        "ITEM" => vars.item.as_deref()?.into(),
        name => {
            let stage = name.strip_prefix("INPUTS.")?;
            let (_, paths) = vars.inputs_by_stage.iter().find(|(from, _)| from == stage)?;
            paths.as_str().into()
        }
    })
}

/// The prompt of a node before its variables are resolved: as written, followed by how to report the status if the
/// prompt does not say so.
pub fn text_of(node: &Node) -> Cow<'_, str> {
    match node.explain_status {
        true => format!("{}\n{STATUS_INSTRUCTION}", node.prompt.trim_end_matches('\n')).into(),
        false => node.prompt.as_str().into(),
    }
}

/// The instruction for an agent whose prompt does not mention its status.
pub const STATUS_INSTRUCTION: &str = r#"
## When you are done

Write this JSON to `${STATUS}` as your last act; the run fails without it.

```json
{
  "decision": "continue",
  "reason": "why, in a sentence",
  "summary": "what you did, for whoever continues",
  "work": {"items_completed": [], "files_touched": []},
  "errors": []
}
```

`decision` is `continue` if there is more to do, `stop` if there is not, `error` if a person has to look at it.
"#;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vars() -> Vars {
        Vars {
            ctx: "/r/context.json".into(),
            progress: "/r/progress.md".into(),
            output: "/r/output.md".into(),
            status: "/r/status.json".into(),
            session: "night".into(),
            iteration: 3,
            inputs: "/a\n/b".into(),
            inputs_by_stage: vec![("ideas".into(), "/a".into())],
            item: Some("${CTX}".into()),
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str, warned: &[&str]) {
        let resolved = resolve(text, &vars());
        assert_eq!(resolved.text, expected, "{text}");
        let names: Vec<&str> = resolved.warnings.iter().map(|warning| warning.variable.as_str()).collect();
        assert_eq!(names, warned, "{text}");
    }

    #[test]
    fn variables_are_resolved_once() {
        check("read ${CTX}, write ${STATUS}", "read /r/context.json, write /r/status.json", &[]);
        check("${PROGRESS}${OUTPUT}", "/r/progress.md/r/output.md", &[]);
        check("about ${ITEM}", "about ${CTX}", &[]);
        check("", "", &[]);
    }

    #[test]
    fn old_ones_work_and_are_left_to_lint() {
        check("${SESSION_NAME} ${ITERATION} ${INDEX}", "night 3 2", &[]);
        check("${SESSION} ${SESSION}", "night night", &[]);
        check("${PROGRESS_FILE} ${OUTPUT_PATH}", "/r/progress.md /r/output.md", &[]);
        check("${INPUTS}|${INPUTS.ideas}", "/a\n/b|/a", &[]);
        check("<${INPUTS.other}>", "<>", &["INPUTS.other"]);
        let told = resolve("one\ntwo ${INPUTS.other}", &vars()).warnings.remove(0);
        assert_eq!(
            told.to_string(),
            "prompt line 2: `${INPUTS.other}` does not name an input of this stage and is replaced by nothing"
        );
    }

    #[test]
    fn an_agent_knows_how_to_tell_its_status() {
        let check = |prompt: &str, output_parse: Option<&str>, expected: bool| {
            assert_eq!(tells_status(prompt, output_parse), expected, "{prompt} {output_parse:?}");
        };
        check("write ${STATUS}", None, true);
        check("go", None, false);
        check("say PLATEAU: true", Some("reason:WHY plateau:PLATEAU"), true);
        check("go", Some("reason:WHY plateau:PLATEAU"), false);
        check("go", Some("changes:CHANGES"), true);
        check("write ${STATUS}", Some("plateau:PLATEAU"), true);
    }

    #[test]
    fn shell_text_is_left_alone() {
        check("echo ${HOME}", "echo ${HOME}", &["HOME"]);
        check("echo $${HOME} $${CTX}", "echo ${HOME} ${CTX}", &[]);
        check("${file} ${x:-y} $HOME ${} ${ CTX } ${CTX", "${file} ${x:-y} $HOME ${} ${ CTX } ${CTX", &[]);
        check("${a${CTX}}", "${a/r/context.json}", &[]);
    }

    #[test]
    fn an_item_without_a_list_is_said() {
        let resolved = resolve("${ITEM}", &Vars { item: None, ..vars() });
        assert_eq!((resolved.text.as_str(), resolved.warnings.len()), ("${ITEM}", 1));
    }

    proptest! {
        #[test]
        fn any_text_is_resolved(text in "([${}A-Z.é\n]|CTX|\\$\\{CTX\\}|INPUTS\\.x){0,40}") {
            let resolved = resolve(&text, &vars());
            if uses(&text).is_empty() {
                prop_assert_eq!(resolved.text, text);
            }
        }
    }
}
