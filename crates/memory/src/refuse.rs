//! What is not worth a trace: a state that the next command changes ("build succeeded"), what a look at the code shows
//! ("there is a function foo in bar.rs"), and reflections that would fit any failure.
//!
//! A list of phrases would only catch those somebody thought of. Here the words of such sentences are listed, and a text is
//! refused if they leave next to nothing.

use std::collections::BTreeSet;

use stead_context::reflection_objection;

use crate::{MemoryError, TraceEvent, TraceKind};

/// Words that carry no content of their own.
const FILLER: &str = "
    a about again all also am an and any are as at be been being but by can could did do does doing each every everything
    for from further had has have here i in into is it its just let me my n na no none nothing now of off ok okay on one
    ones our out over please so some that the their them then there these they this those to too up us was we well were
    what which will with without would yes you your successfully correctly fine finally currently today already still";

/// Words about a state that the next command changes: what was run, and how it ended.
const TRANSIENT: &str = "
    0 app application artifact artifacts branch build builder building builds built bundle bundled changes check checked
    checks ci clean cleanly commit commits committed compilation compile compiled compiles compiling complete completed
    completes completion copied created dependencies dependency deploy deployed deployment dev done downloaded error
    errors ended executed execution exit exited fetched file files finish finished formatted generated green
    happy install installed installing job launched lint linted linter listening loaded log logged merged message
    minutes modules ms package packages pass passed passes passing pipeline point port process processed program pull
    pulled push pushed ready release released request restarted result results ran rebuilt run running runs saved
    script sec second seconds secs server started starts status step steps stopped succeed succeeded succeeds success
    successful suite task tasks terminated test tested testing tests time took type types updated uploaded upgraded
    warning warnings work worked working works written zero code workspace project build.
    cargo go gradle jest make maven mvn npm npx pnpm pytest tsc vite vitest webpack yarn";

/// Words about what code consists of.
const STRUCTURE: &str = "
    accept accepts argument arguments array attribute bool boolean call called calls class classes code column columns
    component constant constants constructor contain contained contains crate declare declared declares default define
    defined defines definition directory endpoint enum enums exist exists export exported exports extends field fields
    file files find folder found function functions handler header helper impl implement implementation implemented
    implements import imported imports inside int integer interface interfaces line lines list live lives locate located
    method methods model module modules name named namespace object package parameter parameters params path private
    property props public repository return returned returns route schema script see signature source string struct
    structs table take takes test tests trait traits tree two type typed types use used uses variable variables variant
    variants file's lies under three four";

/// Words that say more than how things are. One of them makes a text worth keeping.
const TELLING: &str = "
    after although always avoid avoided because before break breaks broke broken but cannot cant caused causes crash
    crashed crashes deadlock deny denied despite dont ensure except fail failed failing fails failure forbid forbidden
    forget forgot hang hangs if instead leak leaks loses must mustnt never not only otherwise outdated prefer rather reject
    rejected require required requires should shouldnt since slow slower unless until unsafe wrong wrongly";

/// The nouns of which a look at the code tells whether there is one.
const NOUNS: &str = "
    argument arguments attribute class classes column columns component constant constants constructor crate enum enums
    endpoint field fields file files folder function functions handler helper import imports interface interfaces line
    lines method methods model module modules parameter parameters property route schema script struct structs table test
    tests trait traits variable variables variant variants";

/// How many words must be left.
const ENOUGH: usize = 2;

/// How many words make a reason, which makes a plain statement worth keeping.
const REASON: usize = 3;

/// Why a trace is not worth keeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noise {
    Empty,
    NoCorrection,
    Transient,
    InCode,
    Generic(&'static str),
}

impl From<Noise> for MemoryError {
    fn from(noise: Noise) -> Self {
        let (why, hint) = match noise {
            Noise::Empty => ("it says nothing", "say with `--what` what happened"),
            Noise::NoCorrection => {
                ("a correction must say what is correct", "add `--correct` with what should have been done, or `--why`")
            }
            Noise::Transient => (
                "it describes a state that the next command changes",
                "store what was learned: what was assumed, what is correct, and why",
            ),
            Noise::InCode => (
                "the code says so itself",
                "store what the code does not show: the reason, the decision, or what went wrong",
            ),
            Noise::Generic(why) => (why, "name the function, the file, the value or the error"),
        };
        Self::Refused { why: why.to_owned(), hint }
    }
}

/// Refuses what is not worth a trace.
pub fn refusal(kind: TraceKind, event: &TraceEvent) -> Result<(), MemoryError> {
    noise(kind, event).map_or(Ok(()), |noise| Err(noise.into()))
}

pub(crate) fn noise(kind: TraceKind, event: &TraceEvent) -> Option<Noise> {
    let TraceEvent { what_happened: what, what_was_correct: correct, why } = event;
    if words(what).next().is_none() {
        return Some(Noise::Empty);
    }
    if kind == TraceKind::Reflection {
        let said = [what, correct].into_iter().filter(|text| !text.trim().is_empty());
        return said.into_iter().find_map(|text| reflection_objection(text)).map(Noise::Generic);
    }
    if kind == TraceKind::Correction && [correct, why].iter().all(|text| words(text).next().is_none()) {
        return Some(Noise::NoCorrection);
    }
    let all = format!("{what}\n{correct}\n{why}");
    let text = if has_reason(&format!("{correct}\n{why}")) { &all } else { what };
    match () {
        () if is_transient(text) => Some(Noise::Transient),
        () if is_in_code(text) => Some(Noise::InCode),
        () => None,
    }
}

fn list(text: &'static str) -> BTreeSet<&'static str> {
    text.split_whitespace().collect()
}

/// Returns true if next to nothing is left without the words about runs and their ends.
fn is_transient(text: &str) -> bool {
    let transient = list(TRANSIENT);
    beside_runs(text) < ENOUGH && words(text).any(|word| transient.contains(word.as_str()))
}

/// Returns true if a text says enough to be a reason.
fn has_reason(text: &str) -> bool {
    // A script without spaces has long words.
    beside_runs(text) >= REASON || text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count() > 3 * REASON
}

/// How many words of a text are not about runs and their ends.
fn beside_runs(text: &str) -> usize {
    let (filler, transient) = (list(FILLER), list(TRANSIENT));
    let is_letter = |word: &str| word.len() == 1;
    let is_known = |word: &str| filler.contains(word) || transient.contains(word) || is_number(word) || is_letter(word);
    words(text).filter(|word| !is_known(word)).collect::<BTreeSet<_>>().len()
}

/// Returns true if next to nothing is left without the words about code, its names and paths.
fn is_in_code(text: &str) -> bool {
    let (filler, structure, nouns) = (list(FILLER), list(STRUCTURE), list(NOUNS));
    let telling = list(TELLING);
    if words(text).any(|word| telling.contains(word.as_str())) {
        return false;
    }
    let mut left = BTreeSet::new();
    let (mut has_noun, mut after_noun, mut after_name) = (false, false, false);
    for token in text.split_whitespace() {
        let bare = token.trim_matches(|c: char| !c.is_alphanumeric() && c != '`').to_lowercase();
        let is_noun = nouns.contains(bare.as_str());
        let is_plain = filler.contains(bare.as_str()) || structure.contains(bare.as_str()) || is_number(&bare);
        // A noun names what follows: "the function foo", "the fields a and b".
        let named = !is_plain && !is_noun && after_noun;
        if !is_plain && !is_noun && !named && !is_code(token) {
            left.extend(words(&bare));
        }
        has_noun |= is_noun;
        after_noun = is_noun
            || after_noun && matches!(bare.as_str(), "called" | "named")
            || after_name && matches!(bare.as_str(), "and" | "or");
        after_name = named;
    }
    has_noun && left.len() < ENOUGH
}

/// Returns true if a word is a name in code or a path.
fn is_code(token: &str) -> bool {
    let bare = token.trim_matches(|c: char| ".,;:!?\"'".contains(c));
    let chars: Vec<char> = bare.chars().collect();
    let camel = chars.windows(2).any(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    camel || bare.contains(['_', '/', '`', '(', '<', '.']) || bare.contains("::")
}

fn is_number(word: &str) -> bool {
    let is_hash = word.len() >= 7 && word.chars().all(|c| c.is_ascii_hexdigit());
    let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
    is_hash || !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
}

/// Words in lower case, without the apostrophes of contractions.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    let text = text.to_lowercase().replace(['\'', '’'], "");
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    words.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: TraceKind, texts: [&str; 3], expected: Option<Noise>) {
        let [what, correct, why] = texts.map(str::to_owned);
        let event = TraceEvent { what_happened: what, what_was_correct: correct, why };
        let found = noise(kind, &event);
        let same = match (found, expected) {
            (Some(Noise::Generic(_)), Some(Noise::Generic(_))) => true,
            (found, expected) => found == expected,
        };
        assert!(same, "{texts:?}: {found:?}");
    }

    const TRANSIENT: &[&str] = &[
        "build succeeded",
        "Build succeeded.",
        "The build succeeded in 12.3s",
        "all tests pass",
        "All 214 tests passed!",
        "cargo build finished without errors",
        "npm install completed successfully",
        "Task completed.",
        "done",
        "the server is running on port 3000",
        "compiled with 3 warnings",
        "committed 3f78685 and pushed to the branch",
        "lint is clean, CI is green",
        "exit code 0",
        "Files saved",
        "the tests failed",
        "test suite finished: 12 passed, 0 failed",
        "Deployment was successful",
        "everything works now",
    ];

    const IN_CODE: &[&str] = &[
        "there is a function foo in bar.rs",
        "There is a function `foo` in src/bar.rs.",
        "bar.rs contains the function foo",
        "class UserService is defined in src/user_service.py",
        "src/main.rs has 200 lines",
        "the struct Door has two fields",
        "The method parseDate takes two arguments and returns a string",
        "src/api/routes.ts exports a function called createRouter",
        "there are three tests in tests/date.rs",
        "the module imports serde_json",
        "enum Color has the variants Red and Green",
        "The file config.toml exists",
    ];

    const KEPT: &[&str] = &[
        "keep the old API until clients of 1.x are gone",
        "used tabs in the Makefile's neighbour",
        "the build failed because libssl-dev is missing in the image",
        "tests passed only because `mock_db` hid the error",
        "never import serde in crates/model",
        "the function foo in bar.rs must not be called from a signal handler",
        "edited the generated file schema.rs instead of schema.sql",
        "deployed to staging although the migration was not reviewed",
        "`npm test` watches by default and never exits",
        "the agent marked PT-003 as tested without evidence",
        "ran terraform apply in the production account",
        "die Tabelle heißt jetzt anders als im Modell",
        "テストの前にデータベースを消してはいけない",
        "push to main is refused; open a pull request",
        "added a dependency for one function",
    ];

    #[test]
    fn states_that_pass_are_refused() {
        for text in TRANSIENT {
            check(TraceKind::Decision, [text, "", ""], Some(Noise::Transient));
            check(TraceKind::Violation, [text, "ok", "it worked"], Some(Noise::Transient));
            check(TraceKind::Correction, [text, "nothing", "n/a"], Some(Noise::Transient));
            check(TraceKind::Correction, [text, "x", "y"], Some(Noise::Transient));
            check(TraceKind::Correction, [text, "keep going", "CI is green"], Some(Noise::Transient));
        }
    }

    #[test]
    fn what_the_code_says_is_refused() {
        for text in IN_CODE {
            check(TraceKind::Decision, [text, "", ""], Some(Noise::InCode));
            check(TraceKind::Correction, [text, "look there", "it is so"], Some(Noise::InCode));
        }
    }

    #[test]
    fn what_was_learned_is_kept() {
        for text in KEPT {
            check(TraceKind::Decision, [text, "", ""], None);
            check(TraceKind::Correction, [text, "ask first", "the team decided so in May"], None);
        }
        check(TraceKind::Decision, ["use cargo test", "", "nextest loses output"], None);
        // A reason makes a plain statement worth keeping.
        for text in TRANSIENT.iter().chain(IN_CODE) {
            let reason = "never trust `cached_result`: the proxy keeps stale answers for an hour";
            check(TraceKind::Correction, [text, "clear the proxy cache before measuring", reason], None);
        }
    }

    #[test]
    fn empty_and_generic_texts_are_refused() {
        check(TraceKind::Decision, ["", "x", "y"], Some(Noise::Empty));
        check(TraceKind::Decision, [" …! ", "", ""], Some(Noise::Empty));
        check(TraceKind::Correction, ["wrote to the wrong table", "", " "], Some(Noise::NoCorrection));
        check(TraceKind::Reflection, ["be more careful", "", ""], Some(Noise::Generic("")));
        check(TraceKind::Reflection, ["`parse_date` drops the offset", "test better", ""], Some(Noise::Generic("")));
        check(TraceKind::Reflection, ["`parse_date` drops the offset", "compare with a date in UTC+2", ""], None);
    }
}
