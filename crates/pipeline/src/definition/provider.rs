//! Who does the work: the `provider` of a stage.

use std::ops::Range;

use stead_client::Harness;
use stead_model::{expected_one_of, nearest};
use stead_yaml::{Tree, Value};

use super::reading::{Reading, find};
use crate::Provider;
use crate::lint::Code;

const MOCK: &str = "mock";

/// Parses a provider as typed on the command line: a known name, `mock`, or a path to a program.
pub fn parse_provider(typed: &str) -> Result<Provider, String> {
    match typed {
        MOCK => Ok(Provider::Mock),
        name if Harness::from_name(name).is_some() => Ok(Provider::Known(name.to_owned())),
        path if path.contains('/') => Ok(Provider::Command(vec![path.to_owned()])),
        _ => Err(match nearest(typed, Harness::NAMES.iter().copied().chain([MOCK])) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let known = expected_one_of(Harness::NAMES.iter().copied().chain([MOCK]));
                format!("{known}, or the path of a program such as `./agent.sh`")
            }
        }),
    }
}

/// The provider's short name, for messages and branches over providers.
pub fn provider_name(provider: &Provider) -> &str {
    match provider {
        Provider::Known(name) => name,
        Provider::Command(argv) => argv.first().map_or("command", String::as_str),
        Provider::Mock => MOCK,
    }
}

pub(crate) fn provider(reading: &mut Reading, tree: &Tree, at: &Range<usize>) -> Option<Provider> {
    match &tree.value {
        Value::Text(typed) => match parse_provider(typed) {
            Ok(provider) => Some(provider),
            Err(hint) => {
                reading.findings.error(Code::L012, at, format!("unknown provider `{typed}`")).hint(hint);
                None
            }
        },
        Value::Map(entries) => {
            for entry in entries.iter().filter(|entry| entry.key != "command") {
                reading.unknown(entry, &["command"]);
            }
            let argv = find(entries, "command").map(|entry| reading.texts(entry)).unwrap_or_default();
            if argv.is_empty() {
                let finding = reading.findings.error(Code::L012, at, "the provider has no command");
                finding.hint("write `provider: {command: [\"./agent.sh\"]}`");
                return None;
            }
            Some(Provider::Command(argv))
        }
        _ => {
            let message = format!("`provider` must be a name or a `command`, not {}", tree.kind());
            let example = Harness::DEFAULT;
            let hint = format!("write `provider: {example}` or `provider: {{command: [\"./agent.sh\"]}}`");
            reading.wrong(at, message).hint(hint);
            None
        }
    }
}
