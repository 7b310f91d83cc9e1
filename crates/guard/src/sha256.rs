//! SHA-256, for pinning executable guards: SHA-1 has practical collisions.

use sha2::{Digest, Sha256};

/// Returns the digest in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
