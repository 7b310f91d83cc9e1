//! What keys with a known beginning look like. One row per beginning; a test makes a key from every row.

use super::byte::{is_boundary, run_end};

/// Which bytes a key consists of after its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// `A-Z a-z 0-9`
    Letters,
    /// Those, `_` and `-`.
    Url,
    /// Those and `.`.
    Dotted,
    /// Letters, `+`, `/` and `=`, and what [`Body::Dotted`] has.
    Any,
    /// `A-Z 0-9`
    Upper,
    /// `0-9 a-f A-F`
    Hex,
    /// The rest of an address: everything but blanks, quotes and brackets.
    Address,
}

/// Where a key may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Anywhere: nothing else looks like that.
    Anywhere,
    /// Where a word begins.
    Word,
    /// Anywhere, and the letters and digits before it are part of the key.
    Behind,
}

/// A kind of key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    pub kind: &'static str,
    pub prefix: &'static str,
    pub body: Body,
    /// The fewest bytes after the beginning.
    pub least: usize,
    pub start: Start,
}

use Body::{Address, Any, Dotted, Hex, Letters, Upper, Url};
use Start::{Anywhere, Behind, Word};

macro_rules! keys {
    ($($kind:literal: $([$start:ident $body:ident $least:literal $($prefix:literal)+])+;)+) => {
        &[$($($(Key { kind: $kind, prefix: $prefix, body: $body, least: $least, start: $start },)+)+)+]
    };
}

/// The least lengths are shorter than the real keys, so that a cut one is found too.
#[rustfmt::skip]
pub(crate) const KEYS: &[Key] = keys! {
    "AWS access key": [Word Upper 16 "AKIA" "ASIA" "ABIA" "ACCA"] [Word Any 32 "ABSK"];
    "Google": [Anywhere Url 24 "AIza"] [Word Dotted 16 "ya29."] [Anywhere Url 16 "GOCSPX-"] [Word Url 24 "1//0"];
    "Azure": [Behind Dotted 20 "Q~"] [Anywhere Any 24 "AccountKey=" "SharedAccessKey="];
    "GitHub": [Anywhere Letters 16 "ghp_" "gho_" "ghu_" "ghs_" "ghr_"] [Anywhere Url 16 "github_pat_"];
    "GitLab": [Anywhere Dotted 16
        "glpat-" "gldt-" "glrt-" "glptt-" "glcbt-" "glft-" "glimt-" "glagent-" "glsoat-" "glffct-" "GR1348941" "_gitlab_session="];
    "Bitbucket and Atlassian": [Word Url 20 "ATBB" "ATCTT3" "ATATT3"];
    "npm": [Anywhere Letters 20 "npm_"];
    "PyPI": [Anywhere Url 32 "pypi-"];
    "crates.io": [Word Letters 32 "cio"];
    "RubyGems": [Anywhere Hex 32 "rubygems_"];
    "NuGet": [Word Letters 43 "oy2"];
    "Clojars": [Anywhere Hex 32 "CLOJARS_"];
    "Docker": [Anywhere Url 16 "dckr_pat_" "dckr_oat_"];
    "Slack": [Anywhere Url 10 "xoxb-" "xoxp-" "xoxa-" "xoxr-" "xoxs-" "xoxc-" "xoxd-" "xoxe-" "xoxe.xoxp-" "xoxe.xoxb-" "xapp-"]
        [Anywhere Address 12 "hooks.slack.com/services/" "hooks.slack.com/workflows/" "hooks.slack.com/triggers/"];
    "Discord": [Anywhere Address 12 "discord.com/api/webhooks/" "discordapp.com/api/webhooks/"];
    "Teams": [Anywhere Address 12 "webhook.office.com/webhookb2/" "outlook.office.com/webhook/"];
    "Telegram": [Anywhere Address 20 "api.telegram.org/bot"];
    "Other webhooks": [Anywhere Address 8 "hooks.zapier.com/hooks/catch/" "maker.ifttt.com/trigger/" "chat.googleapis.com/v1/spaces/"];
    "Stripe": [Anywhere Letters 12 "sk_live_" "sk_test_" "rk_live_" "rk_test_" "pk_live_" "pk_test_"] [Anywhere Any 20 "whsec_"];
    "Twilio": [Word Hex 32 "SK"];
    "SendGrid": [Anywhere Dotted 32 "SG."];
    "Mailgun": [Word Hex 32 "key-" "pubkey-"];
    "Brevo": [Anywhere Url 32 "xkeysib-" "xsmtpsib-"];
    "Hugging Face": [Word Letters 20 "hf_" "api_org_"];
    "OpenAI": [Word Url 20 "sk-"] [Anywhere Url 16 "sk-proj-" "sk-svcacct-" "sk-admin-" "sk-None-"];
    "Anthropic": [Anywhere Url 12 "sk-ant-"];
    "Other model services": [Word Url 20 "gsk_" "xai-" "r8_" "pplx-" "nvapi-" "fw_" "tgp_v1_" "pcsk_" "csk-" "fireworks_"]
        [Anywhere Url 16 "sk-or-v1-" "lsv2_pt_" "lsv2_sk_"];
    "Cloudflare": [Anywhere Url 24 "cfut_" "cfat_" "cfk_"] [Word Url 64 "v1.0-"];
    "DigitalOcean": [Anywhere Hex 32 "dop_v1_" "doo_v1_" "dor_v1_"];
    "Heroku": [Anywhere Url 24 "HRKU-"];
    "Databricks": [Word Url 32 "dapi"];
    "Vault": [Word Dotted 20 "hvs." "hvb." "hvr."];
    "Terraform": [Behind Url 24 ".atlasv1."];
    "Linear": [Anywhere Letters 20 "lin_api_" "lin_oauth_"];
    "Notion": [Word Letters 24 "secret_"] [Word Letters 24 "ntn_"];
    "Sentry": [Anywhere Any 24 "sntrys_" "sntryu_"];
    "Shopify": [Anywhere Hex 24 "shpat_" "shpca_" "shppa_" "shpss_"];
    "Square": [Word Url 40 "EAAA"] [Anywhere Url 20 "sq0atp-" "sq0csp-" "sq0idp-"];
    "Grafana": [Anywhere Any 20 "glc_" "glsa_"];
    "Other services": [Word Dotted 20 "dt0c01." "dp.pt." "dp.st." "dp.ct." "sl." "pat-na1-" "pat-eu1-"]
        [Anywhere Url 20 "figd_" "PMAK-" "NRAK-" "NRJS-" "CFPAT-" "CCIPAT_" "CCIPRJ_" "nfp_" "vcp_" "tskey-" "waka_" "bkua_"
         "pscale_tkn_" "pscale_pw_" "pscale_oauth_" "sbp_" "sb_secret_" "pnu_" "pul-" "squ_" "sqp_" "sqa_" "rnd_"
         "AKCp" "fio-u-" "tfp_" "hcaik_" "duffel_live_" "EZAK" "shippo_live_" "rdme_" "fo1_" "fm2_"]
        [Word Letters 16 "LTAI" "AKID"] [Anywhere Any 24 "ops_eyJ" "access_token$production$" "sha256~"];
    "age": [Anywhere Upper 40 "AGE-SECRET-KEY-1" "AGE-SECRET-KEY-PQ-1"];
    "JSON web token": [Anywhere Dotted 24 "eyJ"];
    "Header": [Word Any 16 "Bearer " "bearer " "BEARER " "Basic " "basic "];
};

impl Body {
    /// Returns true if a key may contain this byte.
    pub(crate) fn has(self, byte: u8) -> bool {
        match self {
            Self::Letters => byte.is_ascii_alphanumeric(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~'),
            Self::Any => byte.is_ascii_alphanumeric() || b"_-.~+/=".contains(&byte),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Address => byte.is_ascii_graphic() && !b"\"'`<>()[]{}\\|,;".contains(&byte),
        }
    }

    /// Returns true unless the bytes could be words: those have no digits and are written in one case.
    fn is_no_word(self, body: &[u8]) -> bool {
        let has = |test: fn(&u8) -> bool| body.iter().any(test);
        matches!(self, Self::Upper | Self::Address)
            || has(u8::is_ascii_digit)
            || has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
    }
}

impl Key {
    /// The range of this key if its beginning is at `at`.
    fn range_at(&self, bytes: &[u8], at: usize) -> Option<(usize, usize)> {
        let start = at + self.prefix.len();
        if self.start == Word && !is_boundary(bytes, at) {
            return None;
        }
        let mut end = run_end(bytes, start, |byte| self.body.has(byte));
        // A full stop or hyphen at the end belongs to the sentence.
        while end > start && matches!(bytes[end - 1], b'.' | b'-') {
            end -= 1;
        }
        let body = &bytes[start..end];
        // Hex digits inside of a longer word are something else.
        let goes_on = self.start == Word && self.body == Hex;
        if goes_on && bytes.get(end).is_some_and(u8::is_ascii_alphanumeric) {
            return None;
        }
        if body.len() < self.least || !self.body.is_no_word(body) {
            return None;
        }
        if self.prefix == "eyJ" && !body.contains(&b'.') {
            return None;
        }
        let before = match self.start {
            Behind => bytes[..at].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count(),
            _ => 0,
        };
        let kept = self.prefix.find(' ').map_or(0, |blank| blank + 1);
        Some((at + kept - before, end))
    }
}

/// Which rows begin with which bytes, so that few are compared.
pub(super) struct Keys {
    /// One bit per pair of first bytes.
    pairs: [u64; 1024],
    /// The first row of each first byte, counted from 1, and behind each row the next one of the same byte.
    first: [u16; 256],
    next: [u16; KEYS.len()],
}

const fn pair(first: u8, second: u8) -> usize {
    (first as usize) << 8 | second as usize
}

impl Keys {
    pub(super) const ALL: &Self = &Self::build();

    const fn build() -> Self {
        let mut keys = Self { pairs: [0; 1024], first: [0; 256], next: [0; KEYS.len()] };
        let mut row = 0;
        while row < KEYS.len() {
            let prefix = KEYS[row].prefix.as_bytes();
            let index = pair(prefix[0], prefix[1]);
            keys.pairs[index >> 6] |= 1 << (index & 63);
            keys.next[row] = keys.first[prefix[0] as usize];
            row += 1;
            keys.first[prefix[0] as usize] = row as u16;
        }
        keys
    }

    /// Returns true if a key could begin with these bytes.
    #[inline]
    pub(super) fn may_begin(&self, first: u8, second: u8) -> bool {
        let index = pair(first, second);
        self.pairs[index >> 6] >> (index & 63) & 1 == 1
    }

    /// The range of a key that begins at `at`; the longest, if several do.
    pub(super) fn range_at(&self, bytes: &[u8], at: usize) -> Option<(usize, usize)> {
        let rest = &bytes[at..];
        let mut longest = None;
        let mut row = self.first[bytes[at] as usize];
        while row > 0 {
            let index = usize::from(row) - 1;
            if rest.starts_with(KEYS[index].prefix.as_bytes()) {
                longest = longest.max(KEYS[index].range_at(bytes, at).map(|(start, end)| (end, start)));
            }
            row = self.next[index];
        }
        longest.map(|(end, start)| (start, end))
    }
}
