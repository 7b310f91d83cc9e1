use std::sync::LazyLock;

use serde_json::value::RawValue;
use stead_client::Harness;
use stead_model::{Reply, Verdict};

/// The harness to fuzz; all of them without it. One program for all keeps a new harness out of this folder.
const VARIABLE: &str = "STEAD_FUZZ_HARNESS";

static CHOSEN: LazyLock<Vec<Harness>> = LazyLock::new(|| match std::env::var(VARIABLE) {
    Ok(name) => match Harness::from_name(&name) {
        Some(harness) => vec![harness],
        None => panic!("{VARIABLE}: there is no harness `{name}`"),
    },
    Err(_) => Harness::ALL.to_vec(),
});

/// Every JSON object is read, everything else is refused, and each verdict is answered with an exit code that its
/// client knows.
pub fn client(data: &[u8]) {
    for harness in CHOSEN.iter() {
        one(*harness, data);
    }
}

fn one(harness: Harness, data: &[u8]) {
    let client = harness.client();
    let text = String::from_utf8_lossy(data);
    let events = client.facts.events;
    let named = events.get(data.len() % (events.len() + 1)).map(|fact| fact.native);
    let decoded = client.decode(&text, named);
    // Raw, because a value may be out of range for a number type and still be JSON.
    match serde_json::from_str::<&RawValue>(&text) {
        Ok(raw) if raw.get().starts_with('{') => assert!(decoded.is_ok(), "a JSON object was refused: {decoded:?}"),
        Ok(_) => {}
        Err(error) => assert!(decoded.is_err(), "what is no JSON was accepted, although {error}"),
    }
    let Ok(event) = decoded else {
        return;
    };
    let heard = client.heard(&event.native);
    for verdict in [
        Verdict::allow(),
        Verdict::warn("fuzz", "careful"),
        Verdict::ask("fuzz", "really?"),
        Verdict::deny("fuzz", "no"),
        Verdict::inform("by the way"),
    ] {
        let Reply { stdout, exit, .. } = client.reply(&heard, &verdict);
        assert!(matches!(exit, 0 | 2), "exit {exit} for {verdict:?}");
        assert!(exit == 2 || !stdout.contains('\0'), "a NUL in the reply");
    }
}
