//! The short id of a verdict, for people and agents.

/// Letters that are not easily confused.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Eight letters are forty bits: collisions within one project are unlikely.
const LENGTH: usize = 8;

const FRONT: &str = "v-";

/// Creates an id from the time and the process.
pub(crate) fn verdict_id(nanos: u128, process: u32, session: &str) -> String {
    let bytes = nanos.to_le_bytes().into_iter().chain(process.to_le_bytes()).chain(session.bytes());
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    // The low bits of this hash depend too much on its last bytes.
    let mut bits = (hash ^ (hash >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 29;
    let letters = (0..LENGTH).map(|at| char::from(LETTERS[((bits >> (5 * at)) & 31) as usize]));
    FRONT.chars().chain(letters).collect()
}

/// Reads a typed verdict id: with or without brackets and prefix, in any case.
pub fn read_verdict_id(typed: &str) -> Option<String> {
    let typed = typed.trim().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    let letters = typed.strip_prefix(FRONT).unwrap_or(&typed);
    let known = letters.len() == LENGTH && letters.bytes().all(|byte| LETTERS.contains(&byte));
    known.then(|| format!("{FRONT}{letters}"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_differ_and_read_back() {
        let ids: HashSet<String> =
            (0..20_000).map(|tick| verdict_id(1_794_771_930_123_000_000 + tick, 4711, "s")).collect();
        assert_eq!(ids.len(), 20_000);
        assert!(ids.iter().all(|id| read_verdict_id(id).as_ref() == Some(id)));
    }

    #[test]
    fn what_somebody_typed_is_understood() {
        let check =
            |typed: &str, expected: Option<&str>| assert_eq!(read_verdict_id(typed).as_deref(), expected, "{typed}");
        check("v-7k2m9qd4", Some("v-7k2m9qd4"));
        check(" [V-7K2M9QD4] ", Some("v-7k2m9qd4"));
        check("7k2m9qd4", Some("v-7k2m9qd4"));
        check("v-7k2m9qd", None);
        check("v-7k2m9qdi", None);
        check("", None);
    }
}
