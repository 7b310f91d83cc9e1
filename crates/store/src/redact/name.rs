//! Which names have a secret as their value, and which have a hash or an id.

/// How a name of a secret ends, in lower case and without `_`, `-` and `.`.
pub(crate) const SECRET_ENDS: &[&str] = &[
    "password", "passwd", "passphrase", "passcode", "passwordhash", "pwd", "secret", "secretkey", "secretkeybase",
    "token", "apikey", "accesskey", "accesskeyid", "privatekey", "signingkey", "encryptionkey", "masterkey",
    "accountkey", "sharedaccesskey", "sharedaccesssignature", "authkey", "licensekey", "credential", "authtoken",
    "jwt", "subscriptionkey", "functionskey", "serviceaccountkey", "clientkeydata", "webhooksecret", "hmackey",
    "totpseed",
];

/// Whole names, written like above.
pub(crate) const SECRET_NAMES: &[&str] =
    &["auth", "pass", "pat", "userpass", "dbpass", "smtppass", "mysqlpass", "pgpass"];

/// Parts of the name of a variable in capitals that make its value a secret: `TOKEN_FOR_CI`, `DB_PASS_OLD`.
pub(crate) const SECRET_PARTS: &[&str] =
    &["PASSWORD", "PASSWD", "PASS", "PASSPHRASE", "SECRET", "TOKEN", "APIKEY", "PAT", "PRIVKEY"];

/// Parts that say that the value is something about the secret instead.
const ABOUT: &[&str] = &[
    "FILE", "PATH", "DIR", "URL", "URI", "TYPE", "NAME", "LENGTH", "LEN", "MIN", "MAX", "COUNT", "LIMIT", "TTL",
    "EXPIRY", "EXPIRES", "TIMEOUT", "ID", "HEADER", "STORE", "ENABLED", "REQUIRED", "POLICY", "ENDPOINT", "SIZE",
    "COMMAND", "CMD", "ASKPASS", "MANAGER", "BUDGET", "USAGE",
];

/// Parameters of an address that are secrets there and nowhere else.
pub(crate) const PARAMETERS: &[&str] = &[
    "sig", "signature", "key", "code", "xamzsignature", "xamzsecuritytoken", "xamzcredential", "xgoogsignature", "sk",
    "hmac",
];

/// Headers whose value is a scheme and a secret.
pub(crate) const HEADERS: &[&str] = &["authorization", "proxyauthorization", "xauthorization", "wwwauthenticate"];

/// Headers whose whole line is secret.
pub(crate) const COOKIES: &[&str] = &["cookie", "setcookie", "cookie2", "setcookie2"];

/// Names whose value looks random and is no secret.
pub(crate) const HARMLESS_ENDS: &[&str] = &[
    "id", "ids", "hash", "sha", "sha1", "sha256", "sha512", "md5", "digest", "checksum", "integrity", "commit",
    "revision", "rev", "etag", "uuid", "prev", "fingerprint", "session", "call", "agent", "checksums", "oid",
    "publickey", "resolution",
];

/// Fields of records that have hashes of lines, [`HASH`] letters each: cutting one of them would damage the ledger.
pub(crate) const LINE_HASHES: &[&str] = &["lines", "kept", "again", "gone"];

/// The letters of the hash of one line.
pub(crate) const HASH: usize = 11;

/// Values that only say what kind of value belongs there.
pub(crate) const WORDS: &[&str] = &[
    "null", "nil", "none", "true", "false", "undefined", "string", "str", "bytes", "bool", "boolean", "int", "integer",
    "number", "any", "object", "char", "self", "this", "some", "ok", "err", "yes", "no", "required", "optional",
    "secret", "inherit", "hidden", "redacted", "omitted", "empty", "invalid", "missing", "unset", "unknown", "basic",
    "bearer", "see", "is", "not", "the", "default", "void", "text", "keyword", "ident", "file", "env", "read", "write",
    "changed",
];

/// What a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Secret,
    /// A secret, if it is a parameter of an address.
    Parameter,
    Header,
    Cookie,
    Harmless,
    Plain,
}

/// Names longer than that are no names.
const LONGEST: usize = 64;

impl Name {
    pub(crate) fn of(name: &str) -> Self {
        if name.is_empty() || name.len() > LONGEST {
            return Self::Plain;
        }
        let mut buffer = [0; LONGEST];
        let plain = squeezed(name, &mut buffer);
        let bare = plain.trim_end_matches(|c: char| c.is_ascii_digit());
        if HEADERS.contains(&plain) {
            Self::Header
        } else if COOKIES.contains(&plain) {
            Self::Cookie
        } else if SECRET_ENDS.iter().any(|end| bare.ends_with(end)) || SECRET_NAMES.contains(&bare) || is_variable(name)
        {
            Self::Secret
        } else if HARMLESS_ENDS.iter().any(|end| ends_with_word(name, plain, end)) {
            Self::Harmless
        } else if PARAMETERS.contains(&plain) {
            Self::Parameter
        } else {
            Self::Plain
        }
    }
}

/// The name in lower case, without what joins its words.
fn squeezed<'b>(name: &str, buffer: &'b mut [u8; LONGEST]) -> &'b str {
    let letters = name.bytes().filter(u8::is_ascii_alphanumeric);
    let length = letters.zip(buffer.iter_mut()).map(|(byte, place)| *place = byte.to_ascii_lowercase()).count();
    std::str::from_utf8(&buffer[..length]).unwrap_or_default()
}

/// Returns true if the last word of the name is this one: `commit_id` and `commitId`, but not `grid`.
fn ends_with_word(name: &str, plain: &str, end: &str) -> bool {
    if plain == end {
        return true;
    }
    let Some(at) = name.len().checked_sub(end.len()) else { return false };
    let (Some(head), Some(tail)) = (name.get(..at), name.get(at..)) else { return false };
    tail.eq_ignore_ascii_case(end)
        && (head.ends_with(['_', '-', '.'])
            || tail.starts_with(|c: char| c.is_ascii_uppercase()) && head.ends_with(|c: char| c.is_ascii_lowercase()))
}

fn is_variable(name: &str) -> bool {
    let capitals = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    capitals
        && name.split('_').any(|part| SECRET_PARTS.contains(&part))
        && !name.split('_').any(|part| ABOUT.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: Name, names: &str) {
        for name in names.split_whitespace() {
            assert_eq!(Name::of(name), expected, "{name}");
        }
    }

    #[test]
    fn names_say_what_their_values_are() {
        check(
            Name::Secret,
            "password DB_PASSWORD dbPassword client-secret api_key X-Api-Key token2 TOKEN_FOR_CI AccountKey",
        );
        check(
            Name::Secret,
            "PGPASSWORD MYSQL_PWD _authToken aws_secret_access_key SECRET_KEY_BASE spring.datasource.password",
        );
        check(Name::Header, "Authorization proxy-authorization");
        check(Name::Cookie, "Cookie set-cookie");
        check(Name::Harmless, "id commit_id sessionId sha256 integrity file-hash");
        check(Name::Parameter, "sig key code X-Amz-Signature");
        check(
            Name::Plain,
            "tokens max_tokens TOKEN_URL PASSWORD_FILE tokenizer passwordless grid name keyboard secretary",
        );
    }

    #[test]
    fn the_tables_are_written_as_they_are_compared() {
        for names in [SECRET_ENDS, SECRET_NAMES, PARAMETERS, HEADERS, COOKIES] {
            for name in names {
                assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()), "{name}");
            }
        }
    }
}
