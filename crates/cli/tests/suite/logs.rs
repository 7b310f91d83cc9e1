//! `stead logs`.

use stead_testkit::Finish;

use crate::world::{bare, marked};

#[test]
fn a_log_is_shown_in_short() {
    let world = bare();
    let mut log = String::from("booting\n");
    for number in 0..20_000 {
        log.push_str(&format!("12:{:02} GET /item/{number} 200\n", number % 60));
        if number % 100 == 7 {
            log.push_str(&format!("12:{:02} ERROR request {number} refused\n", number % 60));
        }
    }
    log.push_str("FATAL out of memory\n  at alloc.c:10\nbye\n");
    world.write("project/server.log", &log);
    let said = world.stead(&["logs", "server.log", "--tokens", "300"]).ok();
    assert!(said.starts_with("20204 lines, ") && said.contains("1 fatal, 200 errors"), "{said}");
    assert!(said.contains("ERROR request 7 refused  (×200, last in line "), "{said}");
    assert!(
        said.contains("FATAL out of memory") && said.contains("at alloc.c:10") && said.contains("booting"),
        "{said}"
    );
    assert!(said.len() < 1400, "{}", said.len());
    let json = world.stead(&["logs", "server.log", "--json"]).json();
    assert_eq!(
        (json["line_count"].as_u64(), json["error_count"].as_u64(), json["fatal_count"].as_u64()),
        (Some(20204), Some(200), Some(1))
    );
}

#[test]
fn lines_can_be_asked_for() {
    let world = bare();
    world.write("project/a.log", "user=1 in\nuser=22 in\nuser=3 out\n");
    let said = world.stead(&["logs", "a.log", "--grep", "user=[0-9]{2}"]).ok();
    assert!(said.starts_with("3 lines, 32 bytes, 1 other match\n"), "{said}");
    assert_eq!(world.stead(&["logs", "a.log", "--grep", "nobody"]).code, 1);
    let run = world.stead(&["logs", "a.log", "--grep", "("]);
    assert!(run.code == 2 && run.stderr.contains("`(` is not a valid regular expression"), "{run}");
    let mut command = world.command(env!("CARGO_BIN_EXE_stead"), &world.project());
    let said = command.args(["logs", "-"]).finish(&world, b"one\nWARN two\n").ok();
    assert!(said.starts_with("2 lines, 13 bytes, 1 warning\n"), "{said}");
}

#[test]
fn what_is_no_log_is_an_error() {
    let world = bare();
    let run = world.stead(&["logs", "none.log"]);
    assert!(run.code == 1 && run.stderr.starts_with("error: could not read `none.log`\ncaused by: "), "{run}");
    let run = world.stead(&["logs", "."]);
    assert!(run.code == 1 && run.stderr.ends_with("hint: name a file in it\n"), "{run}");
    world.write("project/odd.log", b"\xff\xfe\0ERROR\n\n\n");
    assert!(world.stead(&["logs", "odd.log"]).ok().contains("ERROR"));
    world.write("project/empty.log", "");
    assert_eq!(world.stead(&["logs", "empty.log"]).ok(), "0 lines, 0 bytes\n");
}

/// It reads for an agent what the agent may read itself, and logs that guards send it here for.
#[test]
fn an_agent_is_read_nothing_that_it_may_not_read() {
    let mut world = marked();
    world.stead(&["guard", "enable", "destructive"]).ok();
    world.stead(&["guard", "enable", "logs-through-tools"]).ok();
    world.write("project/.env", "TOKEN=secret\n");
    world.write("project/big.log", "ERROR: x\n".repeat(3_000));
    world.sh("ln -s .env plain.log").ok();
    world.stead(&["logs", ".env"]).ok();
    world.set("CLAUDECODE", "1");
    for path in [".env", "plain.log"] {
        let run = world.stead(&["logs", path]);
        assert!(
            run.code == 1 && run.stderr.contains(&format!("agents may not read `{path}`: guard `destructive.secrets`")),
            "{run}"
        );
        assert!(!run.stdout.contains("secret"), "{run}");
    }
    world.stead(&["logs", "big.log"]).ok();
}
