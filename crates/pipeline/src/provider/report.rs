//! What an agent said before it ended, as far as its end lets it count.

use std::io::Read;
use std::path::Path;

use stead_client::{Client, Harness, Quota, Report};

use crate::Provider;
use crate::custody::{AgentEnd, Capture, Captured, How};

#[cfg(test)]
mod tests;

/// The exit code by which any command says that its provider will not work for now (`EX_TEMPFAIL`).
const TEMPORARY_FAILURE: i32 = 75;

const BLOCK: usize = 64 << 10;

/// Reads what an agent's program told before it ended.
pub fn read_end(provider: &Provider, end: &AgentEnd) -> Report {
    match provider {
        Provider::Known(name) => {
            Harness::from_name(name).map(|harness| known(harness.client(), end)).unwrap_or_default()
        }
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

/// The end of an agent that no engine saw: as if it had exited with 0, with what its log has.
pub(crate) fn logged_end(provider: &Provider, log: &Path) -> AgentEnd {
    let capture = match provider {
        Provider::Known(name) => Harness::from_name(name).map(|known| Capture::Lines(known.client().headless.heed)),
        Provider::Command(_) | Provider::Mock => None,
    };
    let mut said = Captured::new(capture.unwrap_or(Capture::End));
    let mut block = vec![0; BLOCK];
    if let Ok(mut file) = stead_store::open_file(log) {
        while let Ok(length @ 1..) = file.read(&mut block) {
            said.take(&block[..length]);
        }
    }
    AgentEnd { said: said.finish(), ..AgentEnd::without_start(How::Exit(0)) }
}

fn known(client: &Client, end: &AgentEnd) -> Report {
    let mut report = (client.headless.read)(&end.said);
    if let How::Exit(code) = end.how
        && client.headless.quota_exits.contains(&code)
    {
        report.quota =
            Some(Quota { until: None, reason: format!("`{}` ended with exit code {code}", client.facts.program) });
    }
    // Work that was done in the end was not kept from being done.
    if end.how == How::Exit(0) && report.message.is_some() {
        report.quota = None;
    }
    report
}
