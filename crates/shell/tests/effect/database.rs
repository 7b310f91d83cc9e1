//! SQL that a call gives to a database.

use stead_model::Op;

use super::scene::run;

fn statements(command: &str) -> Vec<String> {
    let told = |op: &Op| match op {
        Op::Sql { program, words } => Some(format!("{program}: {}", words.join(" "))),
        _ => None,
    };
    run(command).list.iter().filter_map(|effect| told(&effect.op)).collect()
}

#[test]
fn sql_is_found_where_it_stands() {
    let check = |command: &str, expected: &[&str]| assert_eq!(statements(command), expected, "{command}");
    check("psql -c 'DROP TABLE a'", &["psql: DROP TABLE a"]);
    check("psql -tAc 'select 1; select 2'", &["psql: select 1", "psql: select 2"]);
    check("echo 'drop table a' | psql", &["psql: drop table a"]);
    check("psql <<< 'drop table a'", &["psql: drop table a"]);
    check("sudo mysql -e 'drop table a' db", &["mysql: drop table a"]);
    check("sqlite3 a.db 'delete from a'", &["sqlite3: delete from a"]);
    check("printf 'drop table a' > d.sql; psql -f d.sql", &["psql: drop table a"]);
    check("docker exec db psql -c 'drop table a'", &["psql: drop table a"]);
    check("wrangler d1 execute x --command 'drop table a'", &["wrangler: drop table a"]);
    check("psql -c \"select 'drop table a'\"", &["psql: select"]);
    check("psql -l", &[]);
    check("echo 'drop table a'", &[]);
}

#[test]
fn psql_may_run_a_shell_command() {
    let deletes = |command: &str| run(command).list.iter().any(|effect| matches!(effect.op, Op::Delete(_)));
    assert!(deletes("psql -c '\\! rm infra/main.tf'"));
    assert!(!deletes("psql -c '\\d infra'"));
}
