use stead_model::FileId;

use crate::location::Env;

/// Which run of the engine an agent works for. The engine sets it in the environment of its agents; it is only recorded
/// and grants nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunIdentity {
    pub(crate) run: Option<String>,
    pub(crate) stage: Option<String>,
    pub(crate) iteration: Option<u32>,
}

impl RunIdentity {
    /// Reads it; invalid values are ignored.
    pub(crate) fn from_env(env: &Env) -> Self {
        let id = |name: &str| FileId::check(env(name)?.to_str()?).ok().map(|id| id.as_str().to_owned());
        let Some(run) = id("STEAD_RUN") else { return Self::default() };
        let iteration = env("STEAD_ITERATION").and_then(|number| number.to_str()?.parse().ok());
        Self { run: Some(run), stage: id("STEAD_STAGE"), iteration }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(env: &[(&str, &str)], expected: (Option<&str>, Option<&str>, Option<u32>)) {
        let owned: Vec<(String, String)> = env.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let found = RunIdentity::from_env(&move |name: &str| {
            owned.iter().find(|(known, _)| known == name).map(|(_, value)| value.into())
        });
        assert_eq!((found.run.as_deref(), found.stage.as_deref(), found.iteration), expected, "{env:?}");
    }

    #[test]
    fn only_what_an_engine_sets_is_taken() {
        check(&[], (None, None, None));
        check(&[("STEAD_STAGE", "plan"), ("STEAD_ITERATION", "3")], (None, None, None));
        check(&[("STEAD_RUN", "night")], (Some("night"), None, None));
        let all = [("STEAD_RUN", "night"), ("STEAD_STAGE", "plan.claude"), ("STEAD_ITERATION", "3")];
        check(&all, (Some("night"), Some("plan.claude"), Some(3)));
        check(&[("STEAD_RUN", "../x"), ("STEAD_STAGE", "a")], (None, None, None));
        check(&[("STEAD_RUN", "a"), ("STEAD_STAGE", "b c"), ("STEAD_ITERATION", "-1")], (Some("a"), None, None));
        check(&[("STEAD_RUN", &"x".repeat(129))], (None, None, None));
    }
}
