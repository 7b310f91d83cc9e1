//! The night of docs/night.md: it hits its time limit, is given more, ends unverified, and its page is in docs/night.

use super::night::timeless;
use super::{run_file, stage, state};
use crate::page;
use crate::world::marked;

const STAGE: &str = "termination:\n  type: judgment\n  min_iterations: 1\n  consensus: 1\nguardrails:\n  max_iterations: 5\n  \
    iteration_timeout_seconds: 600\nverify: [\"sh tests/lexer.sh\", \"sh tests/round_trip.sh\"]\n";

/// Two iterations get something done, the third one hangs until it is morning, and no one makes the last test pass.
const AGENT: &str = r#"
say() { printf '{"decision":"%s","reason":"%s","summary":"%s","work":{"files_touched":["src/%s"]}}' "$@" > "$STEAD_STATUS"; }
case $STEAD_ITERATION in
  1) sleep 1; say continue "the lexer is next" "Wrote the grammar down as tests." grammar.rs ;;
  2) sleep 2; say continue "the parser is next" "Rewrote the lexer; its tests pass." lexer.rs ;;
  3) [ -e morning ] || exec sleep 600
     sleep 1; say continue "comments are lost" "Rewrote the parser." parser.rs ;;
  4) sleep 2; say stop "only the round trip fails" "Kept comments as trivia." parser.rs ;;
  *) sleep 1; say stop "the round trip needs a decision: are blank lines kept?" "Looked for the cause." printer.rs ;;
esac
"#;

/// What the image says, without where it says it: what bars are about, the rows, and where it was resumed.
fn words(image: &str) -> String {
    let of = |line: &str| {
        let (_, rest) = line.split_once("<title>").or_else(|| line.split_once("class=\"ink\""))?;
        Some(rest.split_once('>').map_or(rest, |(_, words)| words).split("</").next()?.to_owned())
    };
    let titles: Vec<String> = image.lines().filter_map(of).collect();
    format!("{}\n{} resumed", titles.join("\n"), image.matches(">resumed<").count())
}

#[test]
fn the_night_in_docs_is_what_the_program_does() {
    let world = marked();
    stage(&world, "parser", STAGE, AGENT);
    world.write("project/tests/lexer.sh", "exit 0\n");
    world.write("project/tests/round_trip.sh", "echo 'comments are lost' >&2; exit 1\n");
    let said = |run: &stead_testkit::Run| timeless(&format!("{}{}", run.stdout, run.stderr));
    let night = world.stead(&["run", "stage", "parser", "night", "--max-runtime", "10s"]);
    assert_eq!((night.code, &state(&world, "night")["status"]), (3, &"limit".into()), "{night}");
    world.write("project/morning", "");
    let morning = world.stead(&["run", "stage", "parser", "night", "--resume", "--max-runtime", "1h"]);
    assert_eq!((morning.code, &state(&world, "night")["status"]), (6, &"unverified".into()), "{morning}");
    world.stead(&["report", "night"]).ok();
    page::check_file("night/index.md", &world.read(run_file("night/report/index.md")), timeless);
    page::check_file("night/timeline.svg", &world.read(run_file("night/report/timeline.svg")), words);
    let page = std::fs::read_to_string(page::docs("night.md")).unwrap();
    for run in [night, morning] {
        for line in said(&run).lines().filter(|line| !line.trim().is_empty()) {
            assert!(timeless(&page).contains(line.trim()), "docs/night.md does not show {line:?}");
        }
    }
}
