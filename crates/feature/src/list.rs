use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use stead_model::{FileId, nearest};
use stead_store::seal::read_in_force;

use crate::authorship::Authorship;
use crate::{Feature, FeatureError};

/// The features of a project, which agents and people maintain in `feature-list.json`, read leniently: what gates and
/// recorders need. [`crate::Outline`] is the strict reader.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureList {
    pub path: PathBuf,
    pub features: Vec<Feature>,
    /// Entries that could not be read, with a short message each.
    pub problems: Vec<String>,
}

impl FeatureList {
    pub const FILE: &'static str = "feature-list.json";

    /// The schema of the lists that this version writes.
    pub const SCHEMA: &'static str = "stead.feature-list/1";

    /// The largest list that is read: room for far more than 10,000 features.
    pub const LIMIT: usize = 64 * 1024 * 1024;

    /// Reads the list of the features room; `None` if there is none. An invalid entry is reported as a problem and does
    /// not affect the others.
    pub fn read(features: &Path) -> Result<Option<Self>, FeatureError> {
        let path = features.join(Self::FILE);
        match read_in_force(&path, Self::LIMIT)? {
            Some(bytes) => Self::parse_signed(&bytes, &path).map(Some),
            None => Ok(None),
        }
    }

    /// Parses the text of the list at that path, with what hooks noted about it.
    pub(crate) fn parse_signed(bytes: &[u8], path: &Path) -> Result<Self, FeatureError> {
        let mut list = Self::parse(bytes, path)?;
        let authorship = Authorship::beside(path)?;
        list.features.iter_mut().for_each(|feature| authorship.apply(feature));
        Ok(list)
    }

    /// Reads the list, which must exist.
    pub fn require(features: &Path) -> Result<Self, FeatureError> {
        Self::read(features)?.ok_or_else(|| FeatureError::ListMissing { path: features.join(Self::FILE) })
    }

    /// Parses the text of a list; `path` is for errors.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, FeatureError> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let document: Value = serde_json::from_slice(bytes).map_err(|error| FeatureError::Syntax {
            path: path.to_owned(),
            line: error.line(),
            column: error.column(),
            message: plain(&error),
        })?;
        let shape = |why: &str| FeatureError::Shape { path: path.to_owned(), why: why.to_owned() };
        let entries = match &document {
            Value::Array(entries) => entries,
            Value::Object(members) => match members.get("features") {
                Some(Value::Array(entries)) => entries,
                Some(_) => return Err(shape("`features` is not a list")),
                None => return Err(shape("it has no `features`")),
            },
            _ => return Err(shape("it is not an object")),
        };
        let mut list = Self { path: path.to_owned(), ..Self::default() };
        let mut known = HashSet::new();
        for (at, entry) in entries.iter().enumerate() {
            match Feature::read(entry) {
                Ok(feature) if known.contains(&feature.id) => {
                    list.problems.push(format!("feature {}: `{}` is listed twice", at + 1, feature.id));
                }
                Ok(feature) => match FileId::check(&feature.id) {
                    Ok(_) => {
                        known.insert(feature.id.clone());
                        list.features.push(feature);
                    }
                    Err(why) => list.problems.push(format!("feature {}: the id `{}`: {why}", at + 1, feature.id)),
                },
                Err(why) => list.problems.push(format!("feature {}: {why}", at + 1)),
            }
        }
        Ok(list)
    }

    /// Finds a feature by its id.
    pub fn find(&self, id: &str) -> Result<&Feature, FeatureError> {
        if let Some(feature) = self.features.iter().find(|feature| feature.id == id) {
            return Ok(feature);
        }
        if let Err(why) = FileId::check(id) {
            return Err(FeatureError::BadId { id: id.to_owned(), why: why.to_string() });
        }
        let nearest = nearest(id, self.features.iter().map(|feature| feature.id.as_str())).map(str::to_owned);
        Err(FeatureError::Unknown { id: id.to_owned(), nearest, path: self.path.clone() })
    }
}

/// The message without the position, which is given separately.
pub(crate) fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<FeatureList, String> {
        FeatureList::parse(text.as_bytes(), Path::new("list")).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn check(text: &str, ids: &[&str], problems: &[&str]) {
        let list = parse(text).unwrap();
        assert_eq!(list.features.iter().map(|feature| feature.id.as_str()).collect::<Vec<_>>(), ids, "{text}");
        assert_eq!(list.problems, problems, "{text}");
    }

    #[test]
    fn one_bad_entry_does_not_take_the_others() {
        check(r#"{"features":[]}"#, &[], &[]);
        check(r#"[{"id":"a"}]"#, &["a"], &[]);
        check("\u{feff}{\"features\":[{\"id\":\"a\"}]}", &["a"], &[]);
        check(
            r#"{"features":[1,{"title":"x"},{"id":"a"},{"id":"a"},{"id":"../up"},{"id":7},{"id":"b","files":3}]}"#,
            &["a", "7"],
            &[
                "feature 1: it is not an object",
                "feature 2: it has no `id`",
                "feature 4: `a` is listed twice",
                "feature 5: the id `../up`: it starts with a dot",
                "feature 7: `files` is not a list of paths",
            ],
        );
    }

    #[test]
    fn fields_are_forgiving_and_unknown_ones_stay() {
        let text = r#"{"features":[{"id":"a","title":null,"files":"src/**","verifiers":["cargo test"," "],
            "status":"coded","tested":"true","owner":{"x":1}}]}"#;
        let list = parse(text).unwrap();
        let feature = &list.features[0];
        assert_eq!(
            (feature.files.as_slice(), feature.verifiers.as_slice()),
            (&["src/**".to_owned()][..], &["cargo test".to_owned()][..])
        );
        assert!(!feature.tested, "only `true` is true");
        assert_eq!(feature.other["owner"]["x"], 1);
    }

    #[test]
    fn errors_say_where() {
        assert_eq!(parse("{\n \"features\": [}").unwrap_err(), "`list`:2:15: expected value");
        assert_eq!(parse("").unwrap_err(), "`list`:1:0: EOF while parsing a value");
        assert_eq!(parse("{}").unwrap_err(), "`list` is not a feature list: it has no `features`");
        assert_eq!(parse("3").unwrap_err(), "`list` is not a feature list: it is not an object");
        assert_eq!(parse(r#"{"features":{}}"#).unwrap_err(), "`list` is not a feature list: `features` is not a list");
    }

    #[test]
    fn a_mistyped_id_finds_its_feature() {
        let list = parse(r#"[{"id":"login"},{"id":"logout"}]"#).unwrap();
        let error = list.find("lgin").unwrap_err();
        assert_eq!(error.hint().unwrap(), "did you mean `login`?");
        assert!(matches!(list.find("a/b"), Err(FeatureError::BadId { .. })));
    }
}
