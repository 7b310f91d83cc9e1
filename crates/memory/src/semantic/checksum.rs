/// A sum that tells whether a file is what was written, at the speed at which memory is read. Any single changed byte
/// changes it. It does not protect against people who want it to stay the same; for that there is the SHA-256.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    const LANES: usize = 4;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let mut sums = [1_u64, 2, 3, 4];
    let (blocks, rest) = bytes.as_chunks::<{ 8 * LANES }>();
    for block in blocks {
        for (sum, word) in sums.iter_mut().zip(block.as_chunks().0) {
            *sum = mix(*sum, u64::from_le_bytes(*word));
        }
    }
    let all = sums.into_iter().chain(rest.iter().map(|byte| u64::from(*byte)));
    all.fold(bytes.len() as u64, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_counts() {
        let bytes: Vec<u8> = (0..=100).collect();
        let whole = checksum(&bytes);
        for at in 0..bytes.len() {
            let mut other = bytes.clone();
            other[at] ^= 1;
            assert_ne!(checksum(&other), whole, "{at}");
            assert_ne!(checksum(&bytes[..at]), whole, "{at}");
        }
        assert_ne!(checksum(&[0; 32]), checksum(&[0; 64]));
    }
}
