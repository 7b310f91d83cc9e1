use super::{Layer, Origin, Value};

/// A value that a layer sets and that does not count, because it would loosen a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTaken {
    pub value: Value,
    pub origin: Origin,
    pub because: Because,
}

/// Why a value does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// The person's own settings are stricter.
    Person(Origin),
    /// Only a trusted project may loosen a default.
    Untrusted,
    /// The environment and the command line never loosen a gate.
    Passing(Layer),
    /// The environment names other folders than the ones this person is known by here.
    OtherUser,
}

impl Because {
    /// The reason in words. `short` names an origin.
    pub fn words(&self, short: &dyn Fn(&Origin) -> String) -> String {
        match self {
            Self::Person(origin) => format!("{} is stricter", short(origin)),
            Self::Untrusted => "the project is not trusted to loosen a default".to_owned(),
            Self::Passing(Layer::Flag) => "the command line cannot loosen a gate".to_owned(),
            Self::Passing(_) => "the environment cannot loosen a gate".to_owned(),
            Self::OtherUser => "the environment names another home than the person has".to_owned(),
        }
    }
}
