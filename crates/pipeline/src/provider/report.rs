use super::{Profile, find};
use crate::Provider;
use crate::custody::{AgentEnd, How};

/// What an agent's program told of its work, as far as it tells such things.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The agent's last words.
    pub message: Option<String>,
    pub cost_usd: Option<f64>,
    /// The client's own session id.
    pub session: Option<String>,
    /// The provider will not work for now, and said so in a form made for programs.
    pub quota: Option<Quota>,
}

/// A quota that is used up, or an outage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quota {
    /// When it is over, in seconds since 1970, where the provider stated it.
    pub until: Option<i64>,
    /// The provider's own words.
    pub reason: String,
}

/// The exit code by which any command says that its provider will not work for now (`EX_TEMPFAIL`).
const TEMPORARY_FAILURE: i32 = 75;

/// Reads what an agent's program told before it ended.
pub fn read_end(provider: &Provider, end: &AgentEnd) -> Report {
    match provider {
        Provider::Known(name) => find(name).map(|profile| known(profile, end)).unwrap_or_default(),
        Provider::Command(_) => {
            let said = end.said.trim();
            let quota = (end.how == How::Exit(TEMPORARY_FAILURE)).then(|| Quota {
                until: None,
                reason: format!("the command ended with exit code {TEMPORARY_FAILURE}"),
            });
            Report { message: (!said.is_empty()).then(|| said.to_owned()), quota, ..Report::default() }
        }
        Provider::Mock => Report::default(),
    }
}

fn known(profile: &Profile, end: &AgentEnd) -> Report {
    let mut report = (profile.read)(&end.said);
    if let How::Exit(code) = end.how
        && profile.quota_exits.contains(&code)
    {
        report.quota =
            Some(Quota { until: None, reason: format!("`{}` ended with exit code {code}", profile.program) });
    }
    // Work that was done in the end was not kept from being done.
    if end.how == How::Exit(0) && report.message.is_some() {
        report.quota = None;
    }
    report
}
