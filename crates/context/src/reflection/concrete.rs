//! Tells a reflection that helps the next attempt from a resolution. It must name a thing (a name in code, a file, a
//! command in quotes, a value, a product), and say something about it. A list of generic phrases would only catch those
//! somebody thought of; here the words that fit everywhere do not count, and what is left must be enough.

use std::collections::BTreeSet;

const NOTHING_NAMED: &str = "it names nothing concrete";
const NOTHING_SAID: &str = "it would fit any failure";

/// How many different things and words must be left. All numbers together count once.
const ENOUGH: usize = 2;

/// Words that fit any failure.
const GENERIC: &str = "
    able about accurate action actually add additional after again agent all also always and another any anything
    appropriate approach are aspect assume assumed assuming assumption assumptions attempt attempts attention aware
    based be because been before being best better both but by can care careful carefully cause caused change changed
    changes check checked checking checks clean clear code coding complete completely concentrate confirm consider
    consideration considered correct correctly could deep deeper deeply detail detailed details did different diligent
    do does doing done double due each earlier edge case cases effort else ensure enough error errors even every
    everything exactly existing expect expectation expected extra fail failed failing fails failure failures fast
    feature few find fine first fix fixed fixes focus follow following for from full fully further future general get
    go going good great had happen happened hard harder has have help here how if implement implementation implemented
    important improve improved in incorrect incorrectly into is issue issues it its job just keep know known last later
    learn learned less like look looked looking made make making matter may maybe me mind misread missed missing mistake
    mistakes more most much must my need needed needs never new next no not note nothing now of off ok on once one only
    or other others out over overall part pass passed passing past pay perfect perfectly plan please possible practice
    practices problem problems proper properly put quality question questions quick quickly rather re read reading
    really reason redo remember repeat requirement requirements research result results retry review reviewed right
    run running rush rushed safe same scope see sense should shall simple since skip slow slower slowly so solution
    solve some something soon spec step steps still strictly sure take task tasks test tested testing tests than that
    the their them then there these they thing things think thinking this thorough thoroughly through time times to too
    tried try trying twice under understand understanding understood unexpected until up us use used useful using
    validate validated verify verified verifying very want was way we well went were what when where whether which while
    who why will wish with within without wont word words work worked working works would write writing wrong you your
    yourself";

/// Returns why a text is not a reflection; `None` if it is one.
pub fn objection(text: &str) -> Option<&'static str> {
    let generic: BTreeSet<&str> = GENERIC.split_whitespace().collect();
    let (quotes, prose) = quotations(text);
    let things: BTreeSet<&str> = named(&quotes, &prose, &generic).collect();
    let mut said = BTreeSet::new();
    let mut numbers = 0;
    for token in prose.iter().flat_map(|part| tokens(part)) {
        match () {
            () if is_thing(token, &generic) => {}
            () if token.contains(|c: char| c.is_ascii_digit()) => numbers = 1,
            () => said.extend(words(token).filter(|word| !generic.contains(word.as_str()))),
        }
    }
    let names = usize::from(has_name(text, &generic));
    match () {
        () if things.len() + numbers + names == 0 => Some(NOTHING_NAMED),
        () if things.len() + numbers + said.len() < ENOUGH => Some(NOTHING_SAID),
        () => None,
    }
}

/// The concrete things that a text names, each once: what is in quotes, and what looks like code, a path or an option.
pub fn things(text: &str) -> Vec<&str> {
    let generic: BTreeSet<&str> = GENERIC.split_whitespace().collect();
    let (quotes, prose) = quotations(text);
    let mut things = Vec::new();
    for thing in named(&quotes, &prose, &generic) {
        if !things.contains(&thing) {
            things.push(thing);
        }
    }
    things
}

fn named<'t>(quotes: &[&'t str], prose: &[&'t str], generic: &BTreeSet<&str>) -> impl Iterator<Item = &'t str> {
    let says = |text: &str| words(text).any(|word| !generic.contains(word.as_str()));
    let quoted: Vec<&str> = quotes.iter().copied().filter(|quote| says(quote)).collect();
    let tokens = prose.iter().copied().flat_map(tokens).filter(|token| is_thing(token, generic));
    let named: Vec<&str> = quoted.into_iter().chain(tokens).collect();
    named.into_iter()
}

/// Returns true if two texts say the same.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    words(one).eq(words(other))
}

/// Words in lower case: letters and digits, with the apostrophes of contractions removed.
fn words(text: &str) -> impl Iterator<Item = String> {
    let text = text.to_lowercase().replace(['\'', '’'], "");
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1)
        .map(str::to_owned)
        .collect();
    words.into_iter()
}

/// Words with what is written inside of them, without the punctuation around.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && !"-./_(".contains(c)))
}

/// What stands in back quotes or quotation marks, and the rest.
fn quotations(text: &str) -> (Vec<&str>, Vec<&str>) {
    const PAIRS: [(char, char); 4] = [('`', '`'), ('"', '"'), ('“', '”'), ('«', '»')];
    let (mut quotes, mut prose) = (Vec::new(), Vec::new());
    let mut rest = text;
    while let Some((at, open)) = rest.char_indices().find(|(_, c)| PAIRS.iter().any(|(open, _)| open == c)) {
        let inside = &rest[at + open.len_utf8()..];
        let close = PAIRS.iter().find(|(one, _)| *one == open).map_or(open, |(_, close)| *close);
        let Some((quote, behind)) = inside.split_once(close) else { break };
        prose.push(&rest[..at]);
        quotes.push(quote);
        rest = behind;
    }
    prose.push(rest);
    (quotes, prose)
}

/// Returns true if a word looks like code, a path or an option, and not like prose.
fn is_thing(token: &str, generic: &BTreeSet<&str>) -> bool {
    let parts: Vec<&str> = token.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
    let says = parts.iter().any(|part| !generic.contains(part.to_lowercase().as_str()));
    let inner = |sign: &str| token.trim_matches(|c: char| !c.is_alphanumeric()).contains(sign);
    let chars: Vec<char> = token.chars().collect();
    let camel = chars.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let dotted = chars.windows(3).any(|three| three[1] == '.' && three[0].is_alphanumeric() && three[2].is_lowercase())
        && parts.iter().all(|part| part.len() > 1);
    let path = token.matches('/').count() > 1 || token.starts_with("./") || token.starts_with("../");
    let option = token.starts_with("--") && parts.first().is_some_and(|part| part.len() > 1);
    let call = token.contains("()") || inner("::") || inner("->");
    says && (inner("_") || camel || dotted || path || option || call)
}

/// Returns true if a word inside of a sentence starts with a capital: the name of something.
fn has_name(text: &str, generic: &BTreeSet<&str>) -> bool {
    let mut starts = true;
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = bare.to_lowercase().replace(['\'', '’'], "");
        let is_capital = bare.starts_with(char::is_uppercase) && bare.chars().count() > 1;
        let is_loud = bare.chars().count() > 3 && bare.chars().all(char::is_uppercase);
        if !starts && is_capital && !is_loud && !generic.contains(lower.as_str()) {
            return true;
        }
        starts = word.ends_with(['.', '!', '?', ':']);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolutions_are_refused() {
        for text in [
            "",
            "   ",
            "be more careful",
            "Be more careful next time.",
            "test better",
            "I should test more thoroughly and read the requirements carefully",
            "Reflect on performance",
            "write better code and double check everything",
            "I will pay more attention to detail in the future",
            "I made a mistake; I will do better",
            "Be 100% more careful",
            "run the tests 10 times before I go on",
            "check `everything` twice",
            "be \"more careful\"",
            "check src/a.rs",
            "check `src/login.rs` twice",
            "test better with `pytest`",
            "be more careful in src/login/form.rs",
            "be more careful 7 8 9",
            "use pytest better",
            "MUST BE MORE CAREFUL WITH EDGE CASES",
            "I Will Be More Careful Next Time",
            "strive for excellence and diligence",
            "slow down, breathe, concentrate",
            "my assumptions were incorrect and/or incomplete",
            "the implementation did not handle all edge cases",
            "ensure quality",
            "think step-by-step, e.g. by planning i.e. thinking",
            "double-check before claiming success",
        ] {
            assert!(objection(text).is_some(), "{text}");
        }
    }

    #[test]
    fn reflections_that_name_something_pass() {
        for text in [
            "I assumed that `parse_date` keeps the time zone",
            "parse_date drops the offset",
            "login returns 401 for an empty password",
            "the cache still fails on Windows",
            "tests/date.rs compares local times; use a fixed zone",
            "`npm test` watches by default and never exits",
            "the service listens on port 8080, not 3000",
            "\"cannot read property id of undefined\": the session is null before sign-in",
            "I took Session::user for the signed-in user, but it is the owner",
            "assumed getUser throws; it returns null",
            "the flag --no-cache is ignored by the proxy",
            "Der Index von Postgres war nicht angelegt",
            "add 2024-02-29 to `dates.json`",
            "the mock in ../fixtures/users.json has no email",
            "run `cargo test --test dates` with TZ=Asia/Tokyo before reporting",
        ] {
            assert_eq!(objection(text), None, "{text}");
        }
    }

    /// A generic sentence stays one whatever number or generic quotation is put into it.
    #[test]
    fn decoration_makes_nothing_concrete() {
        let empty = ["be more careful", "test better and verify everything", "think harder about the problem"];
        for text in empty {
            for with in ["{} 7", "{} 100%", "\"{}\"", "`{}`", "{}!!!", "1. {}", "{} (v2)", "-- {} --"] {
                let text = with.replace("{}", text);
                assert!(objection(&text).is_some(), "{text}");
            }
        }
    }
}
