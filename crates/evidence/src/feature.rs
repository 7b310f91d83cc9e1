use serde_json::{Map, Value};

/// One feature of the list: a piece of work, its files, and the commands that prove it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feature {
    pub id: String,
    pub title: String,
    /// Paths and patterns below the project root; those that start with `!` exclude files. Without any, the whole
    /// project counts.
    pub files: Vec<String>,
    /// Commands that must succeed in the project's root.
    pub verifiers: Vec<String>,
    pub status: String,
    pub tested: bool,
    /// Fields that this version does not know.
    pub other: Map<String, Value>,
}

impl Feature {
    /// Reads one entry of the list leniently. Fails with a short message.
    pub(crate) fn read(value: &Value) -> Result<Self, String> {
        let Value::Object(members) = value else { return Err("it is not an object".into()) };
        let mut feature = Self::default();
        for (name, value) in members {
            match name.as_str() {
                "id" => feature.id = id(value)?,
                "title" => feature.title = text(value),
                "files" => feature.files = list(value).ok_or("`files` is not a list of paths")?,
                "verifiers" => feature.verifiers = list(value).ok_or("`verifiers` is not a list of commands")?,
                "status" => feature.status = text(value),
                "tested" => feature.tested = value == &Value::Bool(true),
                _ => {
                    feature.other.insert(name.clone(), value.clone());
                }
            }
        }
        if feature.id.is_empty() { Err("it has no `id`".into()) } else { Ok(feature) }
    }
}

/// Numbers are ids too.
fn id(value: &Value) -> Result<String, String> {
    match value {
        Value::String(id) => Ok(id.trim().to_owned()),
        Value::Number(id) => Ok(id.to_string()),
        _ => Err("its `id` is not a string".into()),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A list of strings, or a single string. Blank ones are ignored.
fn list(value: &Value) -> Option<Vec<String>> {
    let texts: Vec<&str> = match value {
        Value::Null => Vec::new(),
        Value::String(one) => vec![one],
        Value::Array(items) => items.iter().map(Value::as_str).collect::<Option<_>>()?,
        _ => return None,
    };
    Some(texts.into_iter().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect())
}
