use serde_json::{Map, Value};

/// A guard file that Stead writes itself, in mode `shadow`.
#[derive(Clone, Debug, Default)]
pub struct DraftFile {
    pub id: String,
    /// Comments above the guard, such as where it comes from.
    pub comments: Vec<String>,
    pub about: String,
    /// The key `match`.
    pub matches: Map<String, Value>,
    pub say: String,
    pub must: Vec<Value>,
    pub must_not: Vec<Value>,
}

impl DraftFile {
    /// The text of the file.
    pub fn text(&self) -> String {
        let comments: String = self.comments.iter().map(|line| format!("# {}\n", line.replace('\n', " "))).collect();
        let matches: Vec<String> = self.matches.iter().map(|(key, value)| format!("{key}: {value}")).collect();
        format!(
            "{comments}id: {}\nabout: {}\nmode: shadow\non: [before-tool]\nmatch: {{{}}}\nthen: deny\nsay: {}\ntests:\n  \
             must: {}\n  must_not: {}\n",
            self.id,
            Value::from(self.about.as_str()),
            matches.join(", "),
            Value::from(self.say.as_str()),
            Value::from(self.must.clone()),
            Value::from(self.must_not.clone()),
        )
    }
}

/// An id for a guard about a pattern that none of `taken` has.
pub fn free_id(pattern: &str, taken: &[String]) -> String {
    let words: Vec<String> = pattern
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(4)
        .map(str::to_lowercase)
        .collect();
    let id = format!("no-{}", words.join("-"));
    let free = |id: &String| !taken.contains(id);
    std::iter::once(id.clone()).chain((2..).map(|number| format!("{id}-{number}"))).find(free).unwrap_or(id)
}
