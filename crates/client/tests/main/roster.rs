//! Names and what they lead to. That nobody else names a client is a rule of `cargo xtask tidy`.

use stead_client::Harness;

#[test]
fn names_lead_back() {
    for harness in Harness::ALL {
        assert_eq!(Harness::from_name(harness.name()), Some(harness));
        assert_eq!(harness.name(), format!("{harness:?}").to_lowercase());
    }
    assert_eq!(Harness::from_name("Claude"), None);
}
