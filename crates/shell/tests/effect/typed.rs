//! Programs that take their commands from a terminal: whatever is typed there later, nobody sees.

use proptest::prelude::*;

use super::scene::run;

fn is_typed(command: &str) -> bool {
    run(command).gaps.iter().any(|gap| gap.is_typed)
}

/// Each takes commands if it has no other input.
const PROMPTS: &[&str] = &[
    "bash",
    "bash --norc -i",
    "bash -s",
    "bash -s one two",
    "sh -i",
    "zsh -f",
    "dash",
    "fish",
    "/bin/bash -l",
    "python3",
    "python3 -i",
    "python3 -q -u",
    "python3 -i tool.py",
    "python3 -",
    "node",
    "node -i",
    "ruby",
    "perl",
    "php -a",
    "lua",
    "deno",
    "irb",
    "ipython",
    "sqlite3",
    "sqlite3 x.db",
    "psql",
    "psql -h db shop ann",
    "mysql -u root shop",
    "vim x",
    "nvim",
    "ed x",
    "emacs x",
    "gdb ./x",
    "script",
    "tmux",
    "bash < /dev/tty",
    "bash 0< /dev/stdin",
    "cat | bash",
    "tee log | sh",
    "cat - | head -n 3 | python3",
    "bash -c bash",
    "bash -c 'cd infra && exec python3'",
    "script -qc bash /dev/null",
    "sudo -i",
    "sudo -u ann -s",
    "su",
    "su - ann",
    "docker exec -it box bash",
    "true && bash",
    "if true; then sh; fi",
    "f() { bash; }; f",
];

/// None of these reads a command from the terminal.
const TOLD: &[&str] = &[
    "bash -c 'echo a'",
    "bash -ic 'echo a'",
    "bash -i -c 'echo a'",
    "bash clean.sh",
    "bash clean.sh -i",
    "bash --version",
    "echo ls | bash",
    "curl https://example.com/x | sh",
    "bash < clean.sh",
    "bash <<'EOF'\nls\nEOF",
    "bash <<< ls",
    "sh -s -- one < clean.sh",
    "(cd infra && bash) < clean.sh",
    "while read -r line; do sh; done < list.txt",
    "cat list.txt | { read -r x; bash; }",
    "cat clean.sh | bash",
    "python3 tool.py",
    "python3 -c 'print(1)'",
    "python3 -m pytest -q",
    "python3 --version",
    "python3 -V",
    "python3 - <<'EOF'\nprint(1)\nEOF",
    "echo 'print(1)' | python3",
    "node --version",
    "node -v",
    "node -e 'x'",
    "node -p 1",
    "node --test",
    "node app.js",
    "ruby -v",
    "perl -v",
    "perl -pe s/a/b/ x",
    "php -v",
    "php -m",
    "php -l x.php",
    "php -S localhost:8000",
    "deno test",
    "sqlite3 x.db 'select 1'",
    "sqlite3 x.db < dump.sql",
    "echo .tables | sqlite3 x.db",
    "sqlite3 -version",
    "psql -c 'select 1'",
    "psql -l",
    "psql -f x.sql shop",
    "mysql -e 'select 1' shop",
    "mysql shop < dump.sql",
    "vim -es -c '%s/a/b/' -c wq x",
    "vim +q x",
    "nvim --headless +qa",
    "emacs --batch x",
    "ed -s x <<< wq",
    "gdb -batch -ex bt ./x",
    "script -c ls out",
    "sudo ls",
    "sudo -v",
    "su ann -c ls",
    "cat x",
    "cat",
    "xargs -n1 sh -c 'ls'",
    "ls | xargs sh",
    "git commit -m bash",
    "grep -r bash .",
    "which python3 node",
    "type bash",
    "command -v bash",
];

#[test]
fn what_takes_commands_from_a_terminal_is_told() {
    let wrong: Vec<&&str> = PROMPTS.iter().filter(|command| !is_typed(command)).collect();
    assert!(wrong.is_empty(), "nobody says that these are typed into: {wrong:#?}");
    let wrong: Vec<&&str> = TOLD.iter().filter(|command| is_typed(command)).collect();
    assert!(wrong.is_empty(), "these have been told: {wrong:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    /// Whatever stands around it.
    #[test]
    fn nothing_around_a_program_hides_what_is_typed(
        program in prop::sample::select(PROMPTS),
        around in prop::sample::select(vec![
            "{}", "cd infra; {}", "{}; ls", "ls && {} || true", "( {} )", "{ {}; }", "env A=1 {}", "A=1 {}", "nohup {}",
            "time {}", "nice -n 5 {}", "{} 2>/dev/null", "{} > out.txt", "for i in 1 2; do {}; done", "exec {}",
            "sh -c \"{}\"", "timeout 60 {}", "command {}", "stdbuf -oL {}", "! {}",
        ]),
    ) {
        let is_word = program.chars().all(|c| c.is_ascii_alphanumeric() || " -/._".contains(c));
        let command = around.replace("{}", program);
        prop_assume!(is_word || around.starts_with('{') || around.contains("; {}"));
        prop_assert!(is_typed(&command), "{command}");
    }

    /// Another input, also one that nobody knows.
    #[test]
    fn what_is_fed_is_not_typed(
        program in prop::sample::select(vec!["bash", "sh -s", "python3", "node", "perl", "sqlite3 x.db", "psql shop"]),
        fed in prop::sample::select(vec![
            "{} < clean.sh", "{} < unknown", "unknown | {}", "echo a | {}", "{} <<< a", "( cd x; {} ) < unknown",
            "unknown | ( cd x && {} )", "{} < \"$FILE\"", "cat x | {}",
        ]),
    ) {
        let command = fed.replace("{}", program);
        prop_assert!(!is_typed(&command), "{command}");
    }
}
