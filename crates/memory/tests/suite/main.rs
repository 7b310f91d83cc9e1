//! Tests over real files: the sentence model as it is published and installed.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod semantic;
