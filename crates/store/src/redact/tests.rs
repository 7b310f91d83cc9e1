//! Every row of the tables, every way a secret is written, and ordinary text that stays. Keys are made at run time, so
//! that no file has one.

use proptest::prelude::*;

use super::key::{Body, KEYS, Key};
use super::name::{COOKIES, HEADERS, PARAMETERS, SECRET_ENDS, SECRET_NAMES, SECRET_PARTS};
use super::option::{OPTIONS, With};
use super::*;

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Letters and digits by chance.
fn letters(seed: u64, length: usize, from: &[u8]) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let next = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(from[(state >> 33) as usize % from.len()])
    });
    next.take(length).collect()
}

/// A key of a row.
fn made(key: &Key, seed: u64) -> String {
    let length = key.least.max(16);
    let body = match key.body {
        Body::Hex => letters(seed, length - 1, b"0123456789abcdef") + "7",
        Body::Upper => letters(seed, length, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
        _ => letters(seed, length - 2, LETTERS) + "a7",
    };
    match key.prefix {
        "eyJ" => format!("eyJ{body}.eyJ{body}.{body}"),
        prefix => format!("{prefix}{body}"),
    }
}

/// The part of a key that must not be left.
fn core(key: &str) -> &str {
    &key[key.len() - 12..]
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(redact(text).as_str(), expected, "{text}");
    check_stable(text);
}

/// Redacting twice redacts no more, and pieces are redacted like the whole.
#[track_caller]
fn check_stable(text: &str) {
    let once = redact(text).into_owned();
    assert_eq!(redact(&once).as_str(), once, "twice: {text}");
}

/// Ways to write a word down.
const AROUND: &[(&str, &str)] = &[
    ("", ""),
    ("use ", " now"),
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("(", ")"),
    ("<", ">"),
    ("{\"a\": \"", "\", \"b\": 1}"),
    ("{\\\"a\\\": \\\"", "\\\"}"),
    ("line\\n", "\\nline"),
    ("\\u003d", "\\u0026"),
    ("%3D", "%26"),
    ("\u{1b}[1m", "\u{1b}[0m"),
    ("https://host/path?x=", "&y=1"),
    ("+export X=", "\n"),
    ("- key: ", "\n- b"),
    ("äöü ", " äöü"),
    ("key:\t", "\r\n"),
    ("[", "]"),
    ("x=", ","),
    ("$(echo ", ")"),
    ("see ", "."),
];

#[test]
fn every_key_is_covered_in_every_surrounding() {
    for (index, key) in KEYS.iter().enumerate() {
        for seed in 1..40 {
            let secret = made(key, seed * 1000 + index as u64);
            for (before, after) in AROUND {
                let text = format!("{before}{secret}{after}");
                let found = redact(&text);
                assert!(!found.contains(core(&secret)), "{}: {text} gives {}", key.kind, found.as_str());
                assert!(found.count() > 0 && before.chars().next().is_none_or(|c| found.starts_with(c)), "{text}");
                check_stable(&text);
            }
        }
    }
}

#[test]
fn the_value_of_every_secret_name_is_covered() {
    let names = SECRET_ENDS.iter().chain(SECRET_NAMES).map(|name| (*name).to_owned());
    let upper = SECRET_PARTS.iter().map(|part| format!("MY_{part}"));
    let long = SECRET_ENDS
        .iter()
        .flat_map(|end| [format!("db_{end}"), format!("DB-{}", end.to_uppercase()), format!("x.{end}2")]);
    for name in names.chain(upper).chain(long) {
        for secret in ["hunter22x", "Tr0ub4dor&3", "/abc+def/ghi1JKL=", "+x9/Zz81abQ", "pa55wort", "p@ss:w0rd"] {
            let check = |text: String, left: &str| {
                let found = redact(&text);
                assert!(!found.contains(&secret[..secret.len() - 2]), "{text} gives {}", found.as_str());
                assert!(found.contains(left), "{text} gives {}", found.as_str());
                check_stable(&text);
            };
            check(format!("{{\"{name}\": \"{secret}\", \"b\": 1}}"), "\", \"b\": 1}");
            check(format!("{{\\\"{name}\\\":\\\"{secret}\\\",\\\"b\\\":1}}"), "\\\"b\\\":1}");
            check(format!("{name}: '{secret}'\nb: 1"), "\nb: 1");
            check(format!("let {name} = \"{secret}\";"), "\";");
            check(format!("{name} => \"{secret}\""), "=> \"");
            if !secret.contains('&') {
                check(format!("{name}: {secret}\nb: 1"), "\nb: 1");
                check(format!("a:\n  {name}: {secret} # comment\n"), "# comment");
                check(format!("export {name}={secret}\nB=1"), "\nB=1");
                check(format!("{name}={secret} run"), " run");
                check(format!("https://host/?a=1&{name}={secret}&b=2"), "&b=2");
                check(format!("run --{name}={secret} --b"), " --b");
                check(format!("<{name}>{secret}</{name}>"), "</");
                check(format!("+{name} = {secret}\n b"), "\n b");
                check(format!("x\\n{name}={secret}\\ny"), "\\ny");
            }
            check(format!("- name: {name}\n  value: \"{secret}\"\n"), "\"\n");
        }
    }
    for name in PARAMETERS {
        check(
            &format!("https://host/x?a=1&{name}=abcDEF123%2F&b=2"),
            &format!("https://host/x?a=1&{name}=[redacted]&b=2"),
        );
    }
    for name in HEADERS {
        for scheme in ["Bearer ", "Basic ", "Token ", "ApiKey "] {
            check(&format!("curl -H '{name}: {scheme}abc123' x"), &format!("curl -H '{name}: {scheme}[redacted]' x"));
            check(&format!("> {name}: {scheme}abcdef\n> a"), &format!("> {name}: {scheme}[redacted]\n> a"));
            check(&format!("{{\"{name}\":\"{scheme}x1y2\"}}"), &format!("{{\"{name}\":\"{scheme}[redacted]\"}}"));
        }
    }
    for name in COOKIES {
        check(&format!("{name}: a=b; sid=12\nx"), &format!("{name}: [redacted]\nx"));
        check(&format!("-H \"{name}: sid=12\" x"), &format!("-H \"{name}: [redacted]\" x"));
    }
}

#[test]
fn the_value_of_every_option_is_covered() {
    for row in OPTIONS {
        let (letter, programs) =
            (char::from(row.letter), if row.programs.is_empty() { &["curl"] } else { row.programs });
        for program in programs {
            match row.with {
                With::Login(between) => {
                    let between = char::from(between);
                    check(
                        &format!("{program} -{letter} me{between}hunter2 x"),
                        &format!("{program} -{letter} me{between}[redacted] x"),
                    );
                    check(
                        &format!("{program} -{letter} 'me{between}hunter2' x"),
                        &format!("{program} -{letter} 'me{between}[redacted]' x"),
                    );
                }
                With::Password => {
                    let glued = format!("{program} a -{letter}hunter2 x");
                    let apart = format!("{program} login -{letter} hunter2 x");
                    let left = [&glued, &apart].into_iter().filter(|text| !redact(text).contains("hunter2")).count();
                    assert!(left > 0, "{glued}, {apart}");
                    check_stable(&glued);
                    check_stable(&apart);
                }
            }
        }
    }
    check("docker login -u me -p hunter2 host", "docker login -u me -p [redacted] host");
    check("mysql -uroot -phunter db", "mysql -uroot -p[redacted] db");
    check("sshpass -p 'a b' ssh x", "sshpass -p '[redacted]' ssh x");
    check("sshpass -phunter2 ssh x", "sshpass -p[redacted] ssh x");
    check(r#"["sshpass","-p","hunter2","ssh"]"#, r#"["sshpass","-p","[redacted]","ssh"]"#);
    check("curl -u admin:secret1 http://x", "curl -u admin:[redacted] http://x");
    check("curl --user admin:'x' y", "curl --user admin:'x' y");
    check("x --password hunter --next", "x --password [redacted] --next");
    check("x --password 'a b' y", "x --password '[redacted]' y");
    check(r#"["--token","hunter2"]"#, r#"["--token","[redacted]"]"#);
    check("gh auth login --with-token tok1", "gh auth login --with-token [redacted]");
    check("machine x login me password hunter2", "machine x login me password [redacted]");
}

#[test]
fn addresses_blocks_and_tokens_of_bots() {
    check("psql postgres://me:pw@db/x", "psql postgres://[redacted]@db/x");
    check("amqp://a:p@ss@host:1/v", "amqp://[redacted]@host:1/v");
    check("https://0123456789abcdef0123456789abcdef@o1.ingest.example/2", "https://[redacted]@o1.ingest.example/2");
    check("git@host:me/x.git ssh://git@host/x", "git@host:me/x.git ssh://git@host/x");
    let bot = format!("12345678:{}", letters(3, 35, LETTERS));
    check(&format!("bot {bot} x"), "bot [redacted] x");
    let body = letters(5, 64, LETTERS);
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let (begin, end) = (format!("-----BEGIN {label}-----"), format!("-----END {label}-----"));
        check(&format!("a\n{begin}\n{body}\n{body}\n{end}\nb"), "a\n[redacted]\nb");
        check(&format!("{{\"k\":\"{begin}\\n{body}\\n{end}\\n\"}}"), "{\"k\":\"[redacted]\\n\"}");
        check(&format!("> {begin}\n> {body}\nrest of it"), "> [redacted]\nrest of it");
        check(&format!("{begin}\n{body}"), COVER);
    }
    let public = format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n");
    check(&public, &public);
}

#[test]
fn random_strings_are_covered() {
    let mut missed = 0;
    for seed in 1..=1000 {
        for (length, from) in
            [(32, LETTERS), (40, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" as &[u8])]
        {
            let secret = letters(seed, length, from);
            missed += usize::from(redact(&format!("key {secret} x")).contains(&secret));
        }
    }
    assert!(missed <= 20, "{missed} of 2000");
}

#[test]
fn ordinary_text_is_untouched() {
    for text in [
        "Stead stopped `rm -rf .agent`: `.agent/config.toml` lies below it",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "00000000-0000-4000-8000-00000000abcd",
        "https://example.invalid/path?q=1",
        "src/main.rs:10",
        "loop `20261115T214129Z-prove-that-add-adds`",
        "the token: see docs",
        "max_tokens: 200000",
        "auth token in src/token1.rs",
        "secret: `src/secret1.rs`",
        "let token = lexer.next_token();",
        "password: String,",
        "fn login(token: &str, password: Option<&str>) -> bool {",
        "token=$TOKEN password=${PASSWORD} --token \"$TOKEN\"",
        "docker run -p 80:80 -u 1000:1000 x",
        "mkdir -p src/a1 && cp -p a b",
        "\"integrity\": \"sha512-nWGr6bXyc2+GhJ8w0vLx3JfQ7vJ3ydUZ0yVnVYjMwWJPHvOe9zTz4uHj3h6+3kkFjdgrgfbAaX+BGwX4ru3+Qg==\"",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGyX3aAbBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsSt me",
        "PWD=/home/me/project OLDPWD=/tmp",
        "PASSWORD_FILE=/run/secrets/db GIT_ASKPASS=/bin/true",
        "call toolu_01A09q90qw90lq917835lq9 in ses_65ca7f2d3ffeNgVvdbbGH6pq2X",
        "GetUserByEmailAddressAndPassword2Handler",
        "Basic authentication and Bearer tokens",
        "task-runner disk-usage-monitor sk-learn-contrib-something-else",
        "a.password == b.password",
        "tokens: 12, token: 3",
    ] {
        check(text, text);
        assert!(matches!(redact(text).into_text(), Cow::Borrowed(_)), "{text}");
    }
}

/// Lines of ordinary code, logs and lock files; the file is for false positives that were seen.
#[test]
fn ordinary_lines_are_untouched() {
    for line in include_str!("../../fixtures/redact/ordinary.txt").lines() {
        check(line, line);
    }
}

#[test]
fn json_stays_json() {
    let key = made(&KEYS[0], 1);
    let record = serde_json::json!({
        "password": "x\"y\\z1", "session": letters(9, 40, LETTERS), "text": format!("a\n\"{key}\"\u{7}"),
        "token": 5, "inner": format!("{{\"secret\":\"abc\\\"1\"}}"), "list": ["a", key], key.as_str(): 1,
    });
    let line = Redacted::line(&record);
    let read: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(read["password"], COVER);
    assert_eq!(read["session"], record["session"]);
    assert_eq!(read["text"], format!("a\n\"{COVER}\"\u{7}"));
    assert_eq!(read["inner"], format!("{{\"secret\":\"{COVER}\"}}"));
    assert_eq!((&read["token"], &read["list"][1]), (&serde_json::json!(5), &serde_json::json!(COVER)));
    assert!(!line.contains(&key) && line.count() == 5, "{}", line.as_str());
    assert_eq!(Redacted::json(line.as_str()).as_str(), line.as_str());
}

#[test]
fn an_option_and_its_value_may_be_two_words_of_a_list() {
    let check = |words: &[&str], expected: &[&str]| {
        let line = Redacted::line(&serde_json::json!({"run": words, "n": 1}));
        let expected = serde_json::json!({"run": expected, "n": 1}).to_string();
        assert_eq!(line.as_str(), expected);
        assert_eq!(Redacted::json(line.as_str()).as_str(), expected);
    };
    check(&["tool", "--password", "hunter", "x"], &["tool", "--password", COVER, "x"]);
    check(&["sshpass", "-p", "a \"b\"", "ssh"], &["sshpass", "-p", COVER, "ssh"]);
    check(&["mysql", "-phunter", "db"], &["mysql", COVER, "db"]);
    check(&["echo", "Authorization:", "Bearer", "abc123 x"], &["echo", "Authorization:", "Bearer", COVER]);
    check(&["curl", "-H", "Authorization: Bearer abc123"], &["curl", "-H", "Authorization: Bearer [redacted]"]);
    check(&["cargo", "test", "-p", "stead-store"], &["cargo", "test", "-p", "stead-store"]);
}

#[test]
fn hashes_of_lines_stay_in_records() {
    for name in name::LINE_HASHES {
        let record = serde_json::json!({*name: letters(3, 11 * 40, LETTERS) + "_-ghp_aB3x9"});
        assert_eq!(Redacted::line(&record).count(), 0);
    }
}

#[test]
fn lines_with_secrets_are_counted_from_one() {
    assert_eq!(secrets_in("a\nTOKEN=x1y2z3\n\npassword: \"a\"\n"), [2, 4]);
}

#[test]
fn no_half_of_a_secret_is_left_where_a_text_is_cut() {
    let key = made(&KEYS[10], 7);
    for at in 0..key.len() + 4 {
        let (head, tail) = (format!("{} {key} x", "w ".repeat(50)), format!("x {key} {}", "w ".repeat(50)));
        let (kept, end) = (redact_head(&head, 101 + at), redact_tail(&tail, 101 + at));
        assert!(!kept.contains(&key[..8]) && kept.len() <= 101 + at, "{}", kept.as_str());
        assert!(!end.contains(core(&key)) && end.len() <= 101 + at, "{}", end.as_str());
    }
}

/// A text that arrives in pieces of these lengths.
fn streamed(text: &str, lengths: &[usize]) -> String {
    let mut stream = RedactStream::default();
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    for length in lengths.iter().cycle() {
        let (piece, behind) = rest.split_at((*length).clamp(1, rest.len().max(1)).min(rest.len()));
        out.extend(stream.take(piece));
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    out.extend(stream.finish());
    String::from_utf8(out).unwrap()
}

#[test]
fn a_secret_in_two_pieces_is_covered() {
    let key = made(&KEYS[12], 3);
    let body = letters(5, 64, LETTERS);
    let text = format!(
        "a {key} b\npassword: hunter22\n-----BEGIN PRIVATE KEY-----\n{body}\n{body}\n-----END PRIVATE KEY-----\nend ä {key}"
    );
    for length in 1..90 {
        let found = streamed(&text, &[length]);
        assert!(!found.contains(core(&key)) && !found.contains("hunter22") && !found.contains(&body[..20]), "{found}");
        assert!(found.starts_with("a [redacted] b\n") && found.ends_with("\nend ä [redacted]"), "{found}");
    }
}

#[test]
fn a_line_without_end_is_written_in_parts() {
    let key = made(&KEYS[12], 3);
    let text = format!("{} {key} {}", "word ".repeat(80_000), "word ".repeat(80_000));
    let found = streamed(&text, &[4096]);
    assert!(!found.contains(core(&key)) && found.len() > 700_000);
}

fn a_secret() -> impl Strategy<Value = String> {
    (0..KEYS.len(), any::<u64>()).prop_map(|(row, seed)| made(&KEYS[row], seed))
}

proptest! {
    #[test]
    fn redacting_twice_redacts_no_more(
        text in "(?s)(password|token|--secret|-p |-u |Authorization|Cookie|https://|ghp_|eyJ|-----BEGIN PRIVATE KEY-----|[:=@ \"'\\\\\n]|[a-zA-Z0-9]{1,30}|.){0,60}"
    ) {
        let once = redact(&text).into_owned();
        let twice = redact(&once).into_owned();
        prop_assert_eq!(twice, once);
    }

    #[test]
    fn any_text_is_taken(text in any::<String>(), most in 0usize..200) {
        redact(&text);
        redact_head(&text, most);
        redact_tail(&text, most);
        secrets_in(&text);
        Redacted::json(text.as_str());
    }

    #[test]
    fn a_key_never_survives(before in "[ -~äöü\n]{0,40}", secret in a_secret(), after in "[ -~äöü\n]{0,40}") {
        // Next to a letter a key may be part of a longer word; and a word before it may be a name or an option.
        let text = format!("{before} {secret} {after}");
        let found = redact(&text);
        prop_assert!(!found.contains(core(&secret)), "{} gives {}", text, found.as_str());
    }

    #[test]
    fn a_key_never_survives_in_json(before in ".{0,20}", secret in a_secret(), after in ".{0,20}", lengths in prop::collection::vec(1usize..40, 1..5)) {
        let line = Redacted::line(&serde_json::json!({"text": format!("{before} {secret} {after}"), "n": [1, 2]}));
        prop_assert!(!line.contains(core(&secret)), "{}", line.as_str());
        prop_assert!(serde_json::from_str::<serde_json::Value>(&line).is_ok(), "{}", line.as_str());
        let inner = serde_json::json!({"inner": serde_json::json!({"x": secret}).to_string()}).to_string();
        prop_assert!(!redact(&inner).contains(core(&secret)), "{}", inner);
        let found = streamed(&format!("{before}\n{secret}\n{after}"), &lengths);
        prop_assert!(!found.contains(core(&secret)), "{}", found);
    }

    #[test]
    fn a_string_is_read_alike_wherever_it_stands(
        fields in prop::collection::vec((0..4usize, 0..7usize), 1..7), secret in a_secret(), lists: bool
    ) {
        // The strings of a line repeat each other: equal ones are searched once, which must not show.
        let login = format!("curl -u me:{secret} -p hunter2pass https://example.invalid");
        let random = "x7Gq2LmZp9RtVw4KsB1n";
        let texts = ["git checkout main", &login, &secret, random, "it is \"quoted\"", "hunter2pass99", "[redacted]"];
        let one = |(name, text): (usize, usize)| {
            let value = match lists {
                true => serde_json::json!(texts[text].split(' ').collect::<Vec<_>>()),
                false => serde_json::json!(texts[text]),
            };
            (["command", "part", "password", "session"][name], value)
        };
        let line = |fields: &[(&str, serde_json::Value)]| {
            let shown: Vec<String> = fields.iter().map(|(name, value)| format!("{{\"{name}\":{value}}}")).collect();
            Redacted::json(format!("[{}]", shown.join(","))).into_owned()
        };
        let fields: Vec<_> = fields.into_iter().map(one).collect();
        let alone: Vec<String> = fields.iter().map(|field| {
            let text = line(std::slice::from_ref(field));
            text[1..text.len() - 1].to_owned()
        }).collect();
        prop_assert_eq!(line(&fields), format!("[{}]", alone.join(",")));
    }

    #[test]
    fn words_hashes_and_ids_stay(
        words in "[a-z]{1,12}( [a-z_]{1,12}){0,8}", hash in "[0-9a-f]{40}", id in "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}"
    ) {
        for text in [words, format!("commit {hash}"), format!("{id}.json"), format!("sha256:{hash}{hash}")] {
            if text.contains("pass") {
                continue;
            }
            let found = redact(&text).into_owned();
            prop_assert_eq!(found, text);
        }
    }
}

/// Ids of evidence begin with the time, and every one of them has to survive.
#[test]
fn ids_that_begin_with_the_time_stay() {
    for number in 0..2_000 {
        let mark = crate::sha256(format!("{number}").as_bytes());
        for length in [6, 8, 12, 16] {
            let id = format!("20261118T0118{:02}{:03}Z-{}", number % 60, number % 1_000, &mark[..length]);
            assert_eq!(redact(&id).as_ref(), id);
            assert_eq!(redact(&format!("- proof: {id}, {id}")).as_ref(), format!("- proof: {id}, {id}"));
        }
    }
}

/// No key is so short that JSON strings of its length are not looked at.
#[test]
fn every_key_is_longer_than_a_short_word() {
    for key in KEYS {
        let shortest = key.prefix.len() + key.least;
        assert!(shortest >= json::SHORT, "{}", key.prefix);
    }
}

/// The folder of a shell is no password, whatever its name looks like; one in a connection string is.
#[test]
fn the_folder_of_a_shell_stays() {
    for text in ["PWD=/tmp/.tmpYQVy8F/work", "OLDPWD=/home/ann/a1b2"] {
        assert_eq!(redact(text).as_str(), text);
    }
    assert_eq!(redact("UID=sa;PWD=Hunter22;").as_str(), "UID=sa;PWD=[redacted];");
}
