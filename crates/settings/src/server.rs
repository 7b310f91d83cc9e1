//! The entry of an MCP server in a settings text.

use serde_json::{Map, Value};
use stead_model::Syntax;

use crate::json_text::{self, Step};
use crate::remove::emptied;
use crate::{SettingsError, document, toml_text};

/// Where a server is registered: the key of the table of servers, and the server's name in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerPlace<'a> {
    pub syntax: Syntax,
    pub table: &'a str,
    pub name: &'a str,
}

impl ServerPlace<'_> {
    /// Finds the entry.
    pub fn find(&self, text: &str) -> Result<Option<Value>, SettingsError> {
        Ok(self.servers(text)?.and_then(|servers| servers.get(self.name).cloned()))
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

    /// Removes the entry, and the table if it becomes empty. `None` if there is no entry.
    pub fn remove(&self, text: &str) -> Result<Option<String>, SettingsError> {
        let (mark, body) = split(text);
        if self.find(body)?.is_none() {
            return Ok(None);
        }
        let done = match self.syntax {
            Syntax::Json => {
                let document = document::read_as(self.syntax, body)?;
                json_text::remove(body, &emptied(&document, &self.path(), 1))?
            }
            Syntax::Toml => toml_text::remove(body, &toml_text::table_range(body, &[self.table, self.name])?),
        };
        Ok(Some(format!("{mark}{done}")))
    }

    /// Returns true if a text sets nothing.
    pub fn is_bare(&self, text: &str) -> bool {
        document::read_as(self.syntax, text).is_ok_and(|value| value.as_object().is_some_and(Map::is_empty))
    }

    fn path(&self) -> Vec<Step> {
        vec![Step::key(self.table), Step::key(self.name)]
    }

    fn servers(&self, text: &str) -> Result<Option<Value>, SettingsError> {
        let document = document::read_as(self.syntax, text)?;
        let wrong = |place: &str| SettingsError::Structure { place: place.to_owned(), expected: "an object" };
        match document.as_object().ok_or_else(|| wrong("/"))?.get(self.table) {
            None => Ok(None),
            Some(servers @ Value::Object(_)) => Ok(Some(servers.clone())),
            Some(_) => Err(wrong(self.table)),
        }
    }

    fn insert_json(&self, body: &str, entry: &Value) -> Result<String, SettingsError> {
        let text = json_text::with_object(body)?;
        match self.servers(&text)? {
            None => {
                let servers = Map::from_iter([(self.name.to_owned(), entry.clone())]);
                json_text::add_member(&text, &[], self.table, &Value::Object(servers))
            }
            Some(servers) if servers.get(self.name).is_some() => json_text::replace(&text, &self.path(), entry),
            Some(_) => json_text::add_member(&text, &[Step::key(self.table)], self.name, entry),
        }
    }

    fn insert_toml(&self, body: &str, entry: &Value) -> Result<String, SettingsError> {
        let keys = [self.table, self.name];
        let rendered = toml_text::render_table(&keys, entry, json_text::newline(body));
        let done = match self.find(body)? {
            Some(_) => toml_text::replace(body, &toml_text::table_range(body, &keys)?, &rendered),
            None => toml_text::append(body, &rendered),
        };
        // A table of servers that is written in one line cannot be continued below it.
        document::read_as(Syntax::Toml, &done).map_err(|_| toml_text::not_a_table(&keys))?;
        Ok(done)
    }
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

    const JSON: ServerPlace<'_> = ServerPlace { syntax: Syntax::Json, table: "mcpServers", name: "stead" };
    const TOML: ServerPlace<'_> = ServerPlace { syntax: Syntax::Toml, table: "mcp_servers", name: "stead" };

    /// What is inserted can be found, is not inserted twice, and leaves no trace when it is removed.
    #[track_caller]
    fn check(place: ServerPlace<'_>, before: &str, expected: &str) {
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
        check(TOML, "[mcp_servers.x]\ncommand = \"y\"\n", &format!("[mcp_servers.x]\ncommand = \"y\"\n\n{table}"));
    }

    #[test]
    fn what_cannot_be_edited_is_refused() {
        let entry = json!({"command": "stead"});
        for text in ["[]", "{\"mcpServers\": []}", "{\"a\": }"] {
            assert!(JSON.insert(Some(text), &entry).is_err(), "{text}");
        }
        for text in ["mcp_servers = 1", "mcp_servers = { x = { command = \"y\" } }", "a = = 1"] {
            assert!(TOML.insert(Some(text), &entry).is_err(), "{text}");
        }
        assert_eq!(JSON.remove("{\"mcpServers\": {}}").unwrap(), None);
    }
}
