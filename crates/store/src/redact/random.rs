//! Strings that look random and have no name. Measured by `cargo xtask eval redact`.

/// Whether strings are covered that only look random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Random {
    Cover,
    Keep,
}

impl Random {
    /// The shortest string that is judged.
    pub(super) const LEAST: usize = 20;
    /// The longest: longer ones are data.
    const MOST: usize = 512;
}

/// What stands before a hash, a public key, data or an id.
pub(crate) const HARMLESS_BEFORE: &[&str] = &[
    "sha1-", "sha256-", "sha384-", "sha512-", "h1:", "SHA256:", "base64,", "ssh-rsa ", "ssh-ed25519 ", "sha256:",
    "integrity:",
];

/// How public keys, hashes and ids begin.
pub(crate) const HARMLESS_STARTS: &[&str] = &[
    "AAAA", "toolu_", "toolu-", "call_", "call-", "ses_", "msg_", "prt_", "req_", "resp_", "rs_", "fc_", "chatcmpl-",
    "cmpl-", "run_", "thread_", "asst_", "file-", "evt_", "sha1-", "sha256-", "sha384-", "sha512-", "iVBORw0KGgo",
    "R0lGOD", "0x", "0X", "_ZN", "_R",
];

/// Which letters often follow `a`, `b`, … in words and names: nearly all pairs of ordinary text, a third of all pairs.
const PAIRS: [&str; 26] = [
    "bcdfgilmnprstuwxy", "aeiloru", "aefhiklorstu", "adegiors", "abcdefglmnpqrstvwxy", "aefgilorstu", "einrsu",
    "aeiort", "abcdefglmnoprstvxz", "s", "ei", "adefilostuy", "aeimopstu", "acdefgiklnopstuwy", "cdfgiklmnoprstuvw",
    "aeiloprstuy", "u", "acdefgilmnorstuy", "acehikoprstuy", "acdefhilmoprstuy", "abcdefgilmnprst", "aei", "aehinor",
    "pt", "npst", "e",
];

/// Returns true if a string has letters and digits as they come by chance, not as in names.
pub(super) fn is_random(bytes: &[u8], start: usize, end: usize) -> bool {
    let run = &bytes[start..end];
    if run.len() > Random::MOST || !run.iter().any(u8::is_ascii_lowercase) {
        return false;
    }
    let starts = |text: &str| run.starts_with(text.as_bytes());
    let before = |text: &str| bytes[..start].ends_with(text.as_bytes());
    if HARMLESS_STARTS.iter().any(|text| starts(text)) || HARMLESS_BEFORE.iter().any(|text| before(text)) {
        return false;
    }
    Look::at(behind_time(run)).is_random()
}

/// The rest of an id that begins with the time, such as `20261118T011801123Z-…`: digits and the letters of a time say
/// nothing about the rest.
fn behind_time(run: &[u8]) -> &[u8] {
    let shape =
        |part: &[u8]| part.len() == 15 && part[8] == b'T' && (0..15).all(|at| at == 8 || part[at].is_ascii_digit());
    match run.split_at_checked(15) {
        Some((time, rest)) if shape(time) => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let rest = &rest[digits..];
            rest.strip_prefix(b"Z").unwrap_or(rest)
        }
        _ => run,
    }
}

/// What was counted in a string.
#[derive(Default)]
struct Look {
    /// Lower case, upper case, digits, others.
    counts: [usize; 4],
    /// How often letters and digits next to each other are of another case.
    changes: usize,
    /// Letters next to each other, and those of them that are common.
    pairs: usize,
    common: usize,
    is_hex: bool,
}

impl Look {
    fn at(run: &[u8]) -> Self {
        const OTHER: usize = 3;
        let mut look = Self { is_hex: true, ..Self::default() };
        let mut last = (OTHER, 0);
        for byte in run {
            let case = match byte {
                b'a'..=b'z' => 0,
                b'A'..=b'Z' => 1,
                b'0'..=b'9' => 2,
                _ => OTHER,
            };
            look.counts[case] += 1;
            look.is_hex &= byte.is_ascii_hexdigit() || case == OTHER;
            if case != OTHER && last.0 != OTHER {
                look.changes += usize::from(case != last.0);
                if case < 2 && last.0 < 2 {
                    let (first, second) = (last.1 | 0x20, *byte | 0x20);
                    look.pairs += 1;
                    look.common += usize::from(PAIRS[usize::from(first - b'a')].as_bytes().contains(&second));
                }
            }
            last = (case, *byte);
        }
        look
    }

    fn is_random(&self) -> bool {
        let [lower, upper, digits, others] = self.counts;
        let all = lower + upper + digits;
        let percent = |part: usize, whole: usize| part * 100 / whole.max(1);
        let (changes, common) = (percent(self.changes, all), percent(self.common, self.pairs));
        if self.is_hex || all < Random::LEAST - 3 || others * 5 > all {
            return false;
        }
        // By chance it is about 120; names have less than 60.
        let surprise = changes + (100 - common);
        match (upper, digits) {
            (0, 0) => false,
            // Lower case and digits.
            (0, _) => all >= 24 && others == 0 && digits * 8 >= all && changes >= 25 && common <= 62,
            (_, 0) => all >= 22 && surprise >= 88,
            _ => lower >= 3 && surprise >= 72,
        }
    }
}
