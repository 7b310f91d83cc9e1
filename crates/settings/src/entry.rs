//! An entry of ours in a settings text that is not a hook: an MCP server, a status line.

use serde_json::{Map, Value};
use stead_model::Syntax;

use crate::json_text::{self, Step};
use crate::remove::emptied;
use crate::{SettingsError, document, toml_text};

/// Where an entry is: the keys that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPlace<'a> {
    pub syntax: Syntax,
    pub keys: Vec<&'a str>,
}

impl EntryPlace<'_> {
    /// Finds the entry.
    pub fn find(&self, text: &str) -> Result<Option<Value>, SettingsError> {
        let document = document::read_as(self.syntax, text)?;
        let (known, found) = self.walk(&document)?;
        Ok((known == self.keys.len()).then(|| found.clone()))
    }

    /// Adds the entry, or replaces a different one, and returns the new text.
    pub fn insert(&self, text: Option<&str>, entry: &Value) -> Result<String, SettingsError> {
        let (mark, body) = split(text.unwrap_or_default());
        if self.find(body)?.as_ref() == Some(entry) {
            return Ok(format!("{mark}{body}"));
        }
        let done = match self.syntax {
            Syntax::Json => self.insert_json(body, entry),
            Syntax::Toml => self.insert_toml(body, entry),
        }?;
        Ok(format!("{mark}{done}"))
    }

    /// Removes the entry, and the tables around it that become empty. `None` if there is no entry.
    pub fn remove(&self, text: &str) -> Result<Option<String>, SettingsError> {
        let (mark, body) = split(text);
        if self.find(body)?.is_none() {
            return Ok(None);
        }
        let done = match self.syntax {
            Syntax::Json => {
                let document = document::read_as(self.syntax, body)?;
                json_text::remove(body, &emptied(&document, &steps(&self.keys), 1))?
            }
            Syntax::Toml => toml_text::remove(body, &toml_text::table_range(body, &self.keys)?),
        };
        Ok(Some(format!("{mark}{done}")))
    }

    /// Returns true if a text sets nothing.
    pub fn is_bare(&self, text: &str) -> bool {
        document::read_as(self.syntax, text).is_ok_and(|value| value.as_object().is_some_and(Map::is_empty))
    }

    /// Follows the keys as far as they exist: how many, and what is there. What has to contain further keys is an object.
    fn walk<'v>(&self, document: &'v Value) -> Result<(usize, &'v Value), SettingsError> {
        let mut found = document;
        for (known, key) in self.keys.iter().enumerate() {
            let place = if known == 0 { "/".to_owned() } else { self.keys[..known].join(".") };
            let table = found.as_object().ok_or(SettingsError::Structure { place, expected: "an object" })?;
            match table.get(*key) {
                Some(next) => found = next,
                None => return Ok((known, found)),
            }
        }
        Ok((self.keys.len(), found))
    }

    fn insert_json(&self, body: &str, entry: &Value) -> Result<String, SettingsError> {
        let text = json_text::with_object(body)?;
        let (known, _) = self.walk(&document::read_as(self.syntax, &text)?)?;
        match self.keys.get(known) {
            None => json_text::replace(&text, &steps(&self.keys), entry),
            Some(key) => {
                let inner = self.keys[known + 1..].iter().rev();
                let value = inner.fold(entry.clone(), |value, key| Map::from_iter([((*key).to_owned(), value)]).into());
                json_text::add_member(&text, &steps(&self.keys[..known]), key, &value)
            }
        }
    }

    fn insert_toml(&self, body: &str, entry: &Value) -> Result<String, SettingsError> {
        let rendered = toml_text::render_table(&self.keys, entry, json_text::newline(body));
        let done = match self.find(body)? {
            Some(_) => toml_text::replace(body, &toml_text::table_range(body, &self.keys)?, &rendered),
            None => toml_text::append(body, &rendered),
        };
        // A table that is written in one line cannot be continued below it.
        document::read_as(Syntax::Toml, &done).map_err(|_| toml_text::not_a_table(&self.keys))?;
        Ok(done)
    }
}

fn steps(keys: &[&str]) -> Vec<Step> {
    keys.iter().map(|key| Step::key(key)).collect()
}

fn split(text: &str) -> (&str, &str) {
    match text.strip_prefix(document::BOM) {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const JSON: (Syntax, &[&str]) = (Syntax::Json, &["mcpServers", "stead"]);
    const TOML: (Syntax, &[&str]) = (Syntax::Toml, &["mcp_servers", "stead"]);
    const LINE: (Syntax, &[&str]) = (Syntax::Json, &["line"]);
    const TABLE: (Syntax, &[&str]) = (Syntax::Toml, &["line"]);

    fn at((syntax, keys): (Syntax, &'static [&'static str])) -> EntryPlace<'static> {
        EntryPlace { syntax, keys: keys.to_vec() }
    }

    /// What is inserted can be found, is not inserted twice, and leaves no trace when it is removed.
    #[track_caller]
    fn check(place: (Syntax, &'static [&'static str]), before: &str, expected: &str) {
        let place = at(place);
        let entry = json!({"command": "stead", "args": ["mcp"]});
        let after = place.insert(Some(before), &entry).unwrap();
        assert_eq!(after, expected, "{before:?}");
        assert_eq!(place.find(&after).unwrap(), Some(entry.clone()));
        assert_eq!(place.insert(Some(&after), &entry).unwrap(), after);
        let other = place.insert(Some(&after), &json!({"command": "/opt/stead", "args": ["mcp"]})).unwrap();
        assert_eq!(place.insert(Some(&other), &entry).unwrap(), after);
        let back = place.remove(&after).unwrap().unwrap();
        assert_eq!(place.find(&back).unwrap(), None);
        if !before.is_empty() && !before.contains("{}") {
            assert_eq!(back, before);
        }
    }

    #[test]
    fn an_entry_comes_and_goes() {
        let entry = "{\n      \"command\": \"stead\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }";
        check(JSON, "", &format!("{{\n  \"mcpServers\": {{\n    \"stead\": {entry}\n  }}\n}}\n"));
        check(
            JSON,
            "{\n  // mine\n  \"a\": 1\n}\n",
            &format!("{{\n  // mine\n  \"a\": 1,\n  \"mcpServers\": {{\n    \"stead\": {entry}\n  }}\n}}\n"),
        );
        check(
            JSON,
            "{\n  \"mcpServers\": {\n    \"x\": {} // keep\n  }\n}\n",
            &format!("{{\n  \"mcpServers\": {{\n    \"x\": {{}}, // keep\n    \"stead\": {entry}\n  }}\n}}\n"),
        );
        let table = "[mcp_servers.stead]\ncommand = \"stead\"\nargs = [\"mcp\"]\n";
        check(TOML, "", table);
        check(TOML, "# mine\nmodel = \"m\"\n", &format!("# mine\nmodel = \"m\"\n\n{table}"));
        check(LINE, "{\"a\": 1}\n", "{\"a\": 1, \"line\": {\"command\": \"stead\", \"args\": [\"mcp\"]}}\n");
        check(TABLE, "# mine\n[a]\nb = 1\n", "# mine\n[a]\nb = 1\n\n[line]\ncommand = \"stead\"\nargs = [\"mcp\"]\n");
        check(TOML, "[mcp_servers.x]\ncommand = \"y\"\n", &format!("[mcp_servers.x]\ncommand = \"y\"\n\n{table}"));
    }

    #[test]
    fn what_cannot_be_edited_is_refused() {
        let entry = json!({"command": "stead"});
        for text in ["[]", "{\"mcpServers\": []}", "{\"a\": }"] {
            assert!(at(JSON).insert(Some(text), &entry).is_err(), "{text}");
        }
        for text in ["mcp_servers = 1", "mcp_servers = { x = { command = \"y\" } }", "a = = 1"] {
            assert!(at(TOML).insert(Some(text), &entry).is_err(), "{text}");
        }
        assert_eq!(at(JSON).remove("{\"mcpServers\": {}}").unwrap(), None);
    }
}
