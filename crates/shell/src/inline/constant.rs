use crate::inline::eval::Eval;
use crate::inline::language::Language;
use crate::inline::value::Value;

/// A module's attribute that has a value.
pub(crate) fn attribute(eval: &Eval<'_>, module: &str, name: &str) -> Option<Value> {
    match (module, name) {
        ("os", "curdir") => Some(Value::text(".")),
        ("os" | "os.path" | "path", "sep") => Some(Value::text("/")),
        ("sys" | "process", "argv") => given(eval, &format!("{module}.{name}")),
        ("process.env", name) => match eval.variable(&Value::text(name)) {
            Value::Unknown => None,
            value => Some(value),
        },
        _ => None,
    }
}

/// What some names hold from the start: the script, and the words that it is given in the list of its language.
pub(crate) fn given(eval: &Eval<'_>, name: &str) -> Option<Value> {
    let script = eval.surroundings.script.clone();
    match (eval.language, name) {
        (Language::Python, "__file__") | (Language::JavaScript, "__filename") => return script.map(Value::text),
        (Language::JavaScript, "__dirname") => {
            return script.map(|script| Value::text(script.rsplit_once('/').map_or(".", |(folder, _)| folder)));
        }
        _ => {}
    }
    let before = match (eval.language, name) {
        (Language::Python, "sys.argv") | (Language::Php, "$argv") => vec![script.unwrap_or_else(|| "-c".to_owned())],
        (Language::JavaScript, "process.argv") => ["node".to_owned()].into_iter().chain(script).collect(),
        (Language::Ruby, "ARGV") | (Language::Perl, "@ARGV" | "$ARGV") => Vec::new(),
        _ => return None,
    };
    Some(Value::List(before.into_iter().chain(eval.surroundings.words.iter().cloned()).map(Value::text).collect()))
}
