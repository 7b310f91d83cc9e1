use std::borrow::Cow;

use serde::Deserialize;

/// The words of an entry that a list of features shows or filters by, read without the rest.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Heading<'a> {
    #[serde(borrow)]
    title: Option<Cow<'a, str>>,
    #[serde(borrow)]
    category: Option<Cow<'a, str>>,
    #[serde(borrow)]
    labels: Option<Labels<'a>>,
}

/// Labels are a list, or a single one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Labels<'a> {
    One(Cow<'a, str>),
    Many(Vec<Cow<'a, str>>),
}

impl Heading<'_> {
    pub fn title(&self) -> &str {
        self.title.as_deref().unwrap_or_default()
    }

    pub fn is_of(&self, category: &str) -> bool {
        self.category.as_deref() == Some(category)
    }

    pub fn has_label(&self, label: &str) -> bool {
        match &self.labels {
            None => false,
            Some(Labels::One(one)) => one.trim() == label,
            Some(Labels::Many(all)) => all.iter().any(|one| one.trim() == label),
        }
    }
}
