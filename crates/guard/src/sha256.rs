//! SHA-256, for pinning executable guards: SHA-1 no longer pins anything against somebody who prepares both files.

use sha2::{Digest, Sha256};

/// Gives the digest in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
