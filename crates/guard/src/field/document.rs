use serde_json::Value;

/// The format of a document, by its file extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Yaml,
    Toml,
}

impl Format {
    pub(crate) fn of(path: &str) -> Option<Self> {
        let (_, ending) = path.rsplit_once('.')?;
        match ending.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }
}

/// A text parsed as a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Document {
    Is(Value),
    Missing,
    /// It does not parse.
    Broken,
}

impl Document {
    pub(crate) fn value(&self) -> Option<&Value> {
        match self {
            Self::Is(value) => Some(value),
            Self::Missing | Self::Broken => None,
        }
    }
}

/// Parses a document; a file with an unknown extension is read as JSON.
pub(crate) fn read(path: &str, text: &str) -> Document {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value = match Format::of(path).unwrap_or(Format::Json) {
        Format::Json => serde_json::from_str(text).ok(),
        Format::Yaml => stead_yaml::parse_document(text),
        Format::Toml => toml::from_str::<toml::Table>(text).ok().and_then(|table| serde_json::to_value(table).ok()),
    };
    value.map_or(Document::Broken, Document::Is)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn three_ways_to_write_one_thing() {
        let check = |path: &str, text: &str| {
            assert_eq!(read(path, text), Document::Is(json!({"a": [{"id": "x", "ok": true}]})), "{path}");
        };
        check("x.json", "{\"a\": [{\"id\": \"x\", \"ok\": true}]}");
        check("x.json", "\u{feff}{\"a\": [{\"id\": \"x\", \"ok\": true}]}");
        check("x.yml", "a:\n- id: x\n  ok: true\n");
        check("x.TOML", "[[a]]\nid = 'x'\nok = true\n");
        assert_eq!(read("x.json", "{"), Document::Broken);
        assert_eq!(read("x.json", ""), Document::Broken);
        assert_eq!(read("x.toml", "= 1"), Document::Broken);
        assert_eq!(read("x.yaml", "a: [\n"), Document::Broken);
    }
}
