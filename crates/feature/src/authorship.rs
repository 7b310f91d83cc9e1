//! Who wrote a feature's verifiers. The list says so where Stead added the entry; what an agent wrote into the file
//! itself was noted by a hook, because the file is the agent's to write then. Readers of the list put both together.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stead_store::{Durability, Redacted, StoreError, append_line, create_parents, read_capped};

use crate::{Document, Feature, FeatureError, FeatureList};

/// How long a hook waits for another one.
const PATIENCE: Duration = Duration::from_millis(300);

/// The largest file that is read.
const LIMIT: usize = 64 * 1024 * 1024;

/// The member of an entry that says who wrote its verifiers, and its words.
pub const VERIFIERS_BY: &str = "verifiers_by";
pub const BY_AGENT: &str = "agent";
pub const BY_PERSON: &str = "person";

/// One line of the file: the verifiers that an agent wrote for a feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentVerifiers {
    pub v: u32,
    pub ts: String,
    pub feature: String,
    pub verifiers: Vec<String>,
    /// The agent wrote that a person wrote them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disputed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl AgentVerifiers {
    pub const FILE: &'static str = "agent-verifiers.jsonl";
    pub const VERSION: u32 = 1;

    /// Adds a line to the file in the features folder.
    pub fn note(&self, features: &Path) -> Result<(), StoreError> {
        let path = features.join(Self::FILE);
        create_parents(&path)?;
        append_line(&path, Redacted::line(self), Durability::Quick, PATIENCE)
    }
}

/// What hooks noted about a list.
#[derive(Default)]
pub(crate) struct Authorship {
    noted: HashMap<String, Vec<AgentVerifiers>>,
}

impl Authorship {
    /// Reads what hooks noted beside a list. Lines that cannot be read are skipped.
    pub(crate) fn beside(list: &Path) -> Result<Self, FeatureError> {
        let Some(features) = list.parent() else { return Ok(Self::default()) };
        let Some(bytes) = read_capped(&features.join(AgentVerifiers::FILE), LIMIT)? else { return Ok(Self::default()) };
        let mut noted: HashMap<String, Vec<AgentVerifiers>> = HashMap::new();
        for line in bytes.split(|byte| *byte == b'\n') {
            if let Ok(line) = serde_json::from_slice::<AgentVerifiers>(line) {
                noted.entry(line.feature.clone()).or_default().push(line);
            }
        }
        Ok(Self { noted })
    }

    /// Marks a feature whose verifiers an agent wrote.
    pub(crate) fn apply(&self, feature: &mut Feature) {
        if self.is_noted(feature) {
            BY_AGENT.clone_into(&mut feature.verifiers_by);
        }
    }

    fn is_noted(&self, feature: &Feature) -> bool {
        let by_person = feature.verifiers_by == BY_PERSON;
        let noted = self.noted.get(&feature.id).map(Vec::as_slice).unwrap_or_default();
        noted.iter().any(|line| line.verifiers == feature.verifiers && (line.disputed || !by_person))
    }

    /// Writes the marks into the list.
    pub(crate) fn write_into(&self, document: &mut Document) -> Result<(), FeatureError> {
        if self.noted.is_empty() {
            return Ok(());
        }
        let features = FeatureList::parse(document.text().as_bytes(), document.path())?.features.into_iter();
        let unmarked = features.filter(|feature| feature.verifiers_by != BY_AGENT && self.is_noted(feature));
        document.mark_agent_verifiers(unmarked.map(|feature| feature.id))
    }
}

/// The features of a list whose verifiers are new or others than before.
pub fn new_verifiers<'a>(before: &FeatureList, after: &'a FeatureList) -> impl Iterator<Item = &'a Feature> {
    let known: HashMap<String, Vec<String>> =
        before.features.iter().map(|feature| (feature.id.clone(), feature.verifiers.clone())).collect();
    let is_new =
        move |feature: &&Feature| !feature.verifiers.is_empty() && known.get(&feature.id) != Some(&feature.verifiers);
    after.features.iter().filter(is_new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transact;

    fn feature(id: &str, by: &str, verifiers: &[&str]) -> Feature {
        let verifiers = verifiers.iter().map(|text| (*text).to_owned()).collect();
        Feature { id: id.into(), verifiers, verifiers_by: by.into(), ..Feature::default() }
    }

    fn noted(id: &str, verifiers: &[&str], disputed: bool) -> AgentVerifiers {
        AgentVerifiers {
            v: AgentVerifiers::VERSION,
            ts: "2026-11-17T09:00:00.000Z".into(),
            feature: id.into(),
            verifiers: verifiers.iter().map(|text| (*text).to_owned()).collect(),
            disputed,
            harness: None,
            session: None,
            other: Map::new(),
        }
    }

    #[test]
    fn what_a_hook_noted_is_an_agents() {
        let check = |line: &AgentVerifiers, feature: &Feature, expected: &str| {
            let authorship = Authorship { noted: HashMap::from([(line.feature.clone(), vec![line.clone()])]) };
            let mut feature = feature.clone();
            authorship.apply(&mut feature);
            assert_eq!(feature.verifiers_by, expected, "{line:?}");
        };
        check(&noted("a", &["x"], false), &feature("a", "", &["x"]), BY_AGENT);
        check(&noted("a", &["x"], false), &feature("a", "", &["y"]), "");
        check(&noted("b", &["x"], false), &feature("a", "", &["x"]), "");
        check(&noted("a", &["x"], false), &feature("a", BY_PERSON, &["x"]), BY_PERSON);
        check(&noted("a", &["x"], true), &feature("a", BY_PERSON, &["x"]), BY_AGENT);
    }

    #[test]
    fn readers_and_writers_of_the_list_see_the_mark() {
        let folder = tempfile::tempdir().unwrap();
        let features = folder.path();
        let text = r#"[{"id": "a", "verifiers": ["x"]}, {"id": "b", "verifiers": ["x"]}]"#;
        std::fs::write(features.join(FeatureList::FILE), text).unwrap();
        noted("a", &["x"], false).note(features).unwrap();
        let by = || {
            let list = FeatureList::read(features).unwrap().unwrap();
            let one = Document::require(features).unwrap().feature("a").unwrap();
            assert_eq!(one.verifiers_by, list.features[0].verifiers_by);
            list.features.into_iter().map(|feature| feature.verifiers_by).collect::<Vec<_>>()
        };
        assert_eq!(by(), [BY_AGENT, ""]);
        assert_eq!(std::fs::read_to_string(features.join(FeatureList::FILE)).unwrap(), text);
        transact(features, |_| Ok::<_, FeatureError>(())).unwrap();
        std::fs::remove_file(features.join(AgentVerifiers::FILE)).unwrap();
        assert_eq!(by(), [BY_AGENT, ""]);
    }

    #[test]
    fn verifiers_are_new_if_the_feature_or_its_commands_are() {
        let list = |features: &[Feature]| FeatureList { features: features.to_vec(), ..FeatureList::default() };
        let before = list(&[feature("a", "", &["x"]), feature("b", "", &["x"]), feature("c", "", &[])]);
        let after = list(&[
            feature("a", "", &["x"]),
            feature("b", "", &["y"]),
            feature("c", "", &["x"]),
            feature("d", "", &[]),
            feature("e", "", &["x"]),
        ]);
        let new: Vec<&str> = new_verifiers(&before, &after).map(|feature| feature.id.as_str()).collect();
        assert_eq!(new, ["b", "c", "e"]);
    }
}
