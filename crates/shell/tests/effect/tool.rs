//! Tools other than the shell.

use stead_model::{Action, Change, Content, Coverage, FileChange, How, Op, Replacement, ToolCall};

use super::scene::{About, call, of, show};

fn change<'a>(path: &'a str, change: Change<'a>) -> Action<'a> {
    Action::Change(vec![FileChange { path: path.into(), change }])
}

#[test]
fn file_tools_say_what_they_change() {
    let effects = call(change("infra/main.tf", Change::Write { content: Some("x".into()) }));
    assert_eq!(show(&effects, About::Changes), "w infra/main.tf");
    assert_eq!(effects.coverage, Coverage::Full);
    let Op::Write { how, content, target } = &effects.list[0].op else { panic!("{effects:?}") };
    assert_eq!((*how, content), (How::Replace, &Content::Text("x".to_owned())));
    assert_eq!(target.path, "/home/ann/proj/infra/main.tf");

    let edit = Replacement { old: "a".into(), new: "b".into(), all: false };
    let effects = call(change("/home/ann/proj/src/../infra/main.tf", Change::Edit(vec![edit])));
    assert_eq!(show(&effects, About::Changes), "w infra/main.tf");
    let Op::Write { how, content, .. } = &effects.list[0].op else { panic!("{effects:?}") };
    assert_eq!(*how, How::Edit);
    assert_eq!(*content, Content::Replacements(vec![("a".to_owned(), "b".to_owned(), false)]));

    let effects = call(change("infra", Change::Delete));
    assert_eq!(show(&effects, About::Changes), "d infra/");
    let effects = call(change("infra/a.tf", Change::Rename { to: "/tmp/a.tf".into() }));
    assert_eq!(show(&effects, About::Changes), "m infra/a.tf /tmp/a.tf");
}

#[test]
fn tools_that_fetch_talk_to_somebody() {
    #[track_caller]
    fn check(tool: &str, input: &str, expected: &str) {
        for action in [Action::Inert, Action::Other, Action::Mcp { server: "s".into(), tool: tool.to_owned().into() }] {
            let effects = of(&ToolCall { tool: tool.into(), id: None, action, input: input.into() });
            assert_eq!(show(&effects, About::Network), expected, "{tool} {input}");
        }
    }
    check("WebFetch", r#"{"url":"https://evil.com/x","prompt":"sum it up"}"#, "WebFetch evil.com");
    check(
        "web_fetch",
        r#"{"prompt":"sum up https://evil.com/a and (http://b.org:80/)"}"#,
        "web_fetch evil.com, web_fetch b.org",
    );
    check("webfetch", r#"{"url":"https://Evil.com","format":"text"}"#, "webfetch evil.com");
    check("FetchURL", r#"{"url":"https://u:p@evil.com"}"#, "FetchURL evil.com");
    check("WebSearch", r#"{"query":"rust"}"#, "WebSearch ?");
    check("google_web_search", r#"{"query":"rust"}"#, "google_web_search ?");
    check("navigate", r#"{"url":"https://evil.com/"}"#, "navigate evil.com");
    check("TodoWrite", r#"{"todos":[{"content":"read https://evil.com"}]}"#, "");
    check("ask", r#"{"question":"shall I open the url https://evil.com?"}"#, "");
    check("anything", "", "");
}

#[test]
fn a_search_reads_the_files_it_is_limited_to() {
    #[track_caller]
    fn check(paths: &[&str], input: &str, expected: &str) {
        let action = Action::Read(paths.iter().map(|path| (*path).to_owned().into()).collect());
        let effects = of(&ToolCall { tool: "Grep".into(), id: None, action, input: input.into() });
        assert_eq!(show(&effects, About::Reads), expected, "{input}");
    }
    check(&[], r#"{"pattern":"S=","glob":".env"}"#, "r **/.env");
    check(&["src"], r#"{"pattern":"S=","path":"src","glob":"*.rs"}"#, "r src/, r src/**/*.rs");
    check(&["src"], r#"{"pattern":"x","include":"**/*.ts"}"#, "r src/, r src/**/*.ts");
    check(&["src"], r#"{"pattern":"glob of things"}"#, "r src/");
    check(&["src"], r#"{"pattern":"x","path":"src","glob_pattern":"*.rs"}"#, "r src/, r src/**/*.rs");
    check(
        &["**/*"],
        r#"{"paths":["**/*"],"exclude":["**/*.log","certs/**","*.md"]}"#,
        "r **/* !=**/*.log !certs !=/home/ann/proj/*.md",
    );
    check(&["*.log"], r#"{"include":["*.log"]}"#, "r *.log");
    let effects = call(Action::Read(vec!["src/**/*.ts".into(), "a.rs".into()]));
    let is_pattern = |op: &Op| matches!(op, Op::Read { target, .. } if target.glob);
    assert_eq!(effects.list.iter().map(|effect| is_pattern(&effect.op)).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn links_are_seen_on_both_sides() {
    let effects = call(change("link/main.tf", Change::Write { content: None }));
    assert_eq!(show(&effects, About::Changes), "w infra/main.tf, w link/main.tf");
    let effects = call(change("link", Change::Delete));
    assert_eq!(show(&effects, About::Changes), "d link");
}

#[test]
fn reading_spawning_and_nothing() {
    let effects = call(Action::Read(vec![".env".into(), "src".into()]));
    assert_eq!(show(&effects, About::Reads), "r .env, r src/");
    let effects = call(Action::Spawn { role: Some("tester".into()), task: Some("rm -rf infra".into()) });
    assert_eq!(effects.list[0].op, Op::Spawn { role: Some("tester".to_owned()) });
    assert_eq!(effects.list.len(), 1);
    let effects = call(Action::Inert);
    assert!(effects.list.is_empty() && effects.coverage == Coverage::Full);
}

#[track_caller]
fn other(tool: &str, input: &str, expected: &str) {
    let actions = [Action::Other, Action::Mcp { server: "files".into(), tool: tool.into() }];
    for action in actions {
        let effects = of(&ToolCall { tool: tool.into(), id: None, action, input: input.into() });
        assert_eq!(show(&effects, About::Changes), expected, "{tool} {input}");
        assert!(effects.coverage < Coverage::Full, "{tool} {input}");
    }
}

#[test]
fn unknown_tools_are_read_by_their_input() {
    other("write_file", r#"{"path":"infra/main.tf","content":"x"}"#, "w infra/main.tf");
    other("edit_file", r#"{"file_path":"/home/ann/proj/infra/main.tf"}"#, "w infra/main.tf");
    other("delete_file", r#"{"path":"infra/main.tf"}"#, "d infra/main.tf");
    other("move_file", r#"{"source":"a.tf","destination":"infra/a.tf"}"#, "m a.tf infra/a.tf");
    other("rename", r#"{"old_path":"a.tf","new_path":"infra/a.tf"}"#, "m a.tf infra/a.tf");
    other("terminal", r#"{"command":"rm -rf infra"}"#, "d infra/");
    other("terminal", r#"{"command":["bash","-lc","rm -rf infra"]}"#, "d infra/");
    other("run_python", r#"{"code":"import os; os.remove('infra/main.tf')"}"#, "d infra/main.tf");
    other("execute", r#"{"language":"python","code":"open('infra/main.tf','w')"}"#, "w infra/main.tf");
    other("create_files", r#"{"files":[{"path":"infra/a.tf"},{"path":"infra/b.tf"}]}"#, "w infra/a.tf, w infra/b.tf");
    other("write_file", r#"{"path":"docs/a.md","content":"rm -rf infra"}"#, "w docs/a.md");
    other("read_file", r#"{"path":"infra/main.tf"}"#, "");
    other("create_issue", r#"{"title":"rm -rf infra","body":"see infra/main.tf"}"#, "");
    other("frobnicate", r#"{"path":"infra/main.tf"}"#, "");
    other("run", r#"{"command":"rm","args":["-rf","infra"]}"#, "d infra/");
    other("run", r#"{"args":["-c","rm -rf infra"],"cmd":"bash"}"#, "d infra/");
    other("run", r#"{"argv":["rm","-rf","infra"]}"#, "d infra/");
    other("run", r#"{"process":{"command":"git","arguments":["reset","--hard"]}}"#, "w ./, git whole-tree");
    other("run", r#"{"command":"rm main.tf","cwd":"infra"}"#, "d infra/main.tf");
    other("run", r#"{"code":"import os; os.remove('infra/main.tf')"}"#, "d infra/main.tf");
    other("run", r#"{"code":"require('fs').unlinkSync('infra/main.tf')"}"#, "d infra/main.tf");
    other("execute", r#"{"code":"rm infra/main.tf","language":"bash"}"#, "d infra/main.tf");
    other("eval", r#"{"code":"require('fs').unlinkSync('infra/main.tf')","runtime":"node"}"#, "d infra/main.tf");
    other("write", r#"{"root":"infra","file":"main.tf","content":"x"}"#, "w infra/main.tf");
    other("delete", r#"{"file":"main.tf","base_path":"/home/ann/proj/infra"}"#, "d infra/main.tf");
    other("move", r#"{"root":"infra","from":"a.tf","to":"b.tf"}"#, "m infra/a.tf infra/b.tf");
    other(
        "apply_diff",
        r#"{"diff":"--- a/infra/main.tf\n+++ b/infra/main.tf\n@@ -1 +1 @@\n-a\n+b\n"}"#,
        "w infra/main.tf",
    );
    other("edit", r#"{"root":"infra","patch":"--- a/main.tf\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"}"#, "d infra/main.tf");
    other("patch", r#"{"input":"*** Begin Patch\n*** Delete File: infra/main.tf\n*** End Patch"}"#, "d infra/main.tf");
    other("create_issue", r#"{"body":"--- a/infra/main.tf\n+++ b/infra/main.tf\n@@ -1 +1 @@\n-a\n+b\n"}"#, "");
    other("write_file", "not json", "");
    other("write_file", "", "");
}

#[test]
fn a_tool_of_which_nothing_is_known() {
    let unknown = ToolCall { tool: "frob".into(), id: None, action: Action::Other, input: "{}".into() };
    assert_eq!(of(&unknown).coverage, Coverage::None);
    let mcp = Action::Mcp { server: "files".into(), tool: "frob".into() };
    let effects = call(mcp);
    assert_eq!(effects.list[0].op, Op::Mcp { server: "files".to_owned(), tool: "frob".to_owned() });
    assert_eq!(effects.coverage, Coverage::Partial);
}

#[test]
fn a_command_runs_where_the_call_says() {
    let run = |dir: &'static str| Action::Run { command: "rm main.tf".into(), dir: Some(dir.into()) };
    assert_eq!(show(&call(run("infra")), About::Changes), "d infra/main.tf");
    assert_eq!(show(&call(run("/tmp")), About::Changes), "d /tmp/main.tf");
}
