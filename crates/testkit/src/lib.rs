//! Sealed test projects and recorded payloads.
