use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stead_client::{Harness, Headless, PromptWay};

use super::*;
use crate::Provider;
use crate::custody::{Cancel, How, run};

/// A project with programs of its own on PATH.
struct Ground {
    folder: tempfile::TempDir,
}

impl Ground {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("bin")).unwrap();
        fs::create_dir_all(folder.path().join("work")).unwrap();
        fs::create_dir_all(folder.path().join("run")).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a program that tells how it was called.
    fn program(&self, name: &str) {
        self.script(name, "for word in \"$@\"; do echo \"arg $word\"; done; echo \"stdin $(cat)\"; env");
    }

    fn script(&self, name: &str, body: &str) {
        use std::os::unix::fs::PermissionsExt;
        fs::write(self.path(name), format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Prepares a task and runs what came of it; gives its log.
    fn run(&self, provider: &Provider, prompt: &str, args: &[String]) -> Result<String, ProviderError> {
        let launch = self.prepare(provider, prompt, args)?;
        let end = run(&launch, &Cancel::new());
        assert_eq!(end.how, How::Exit(0), "{launch:?}");
        Ok(fs::read_to_string(self.path("run/agent.log")).unwrap())
    }

    fn prepare(
        &self,
        provider: &Provider,
        prompt: &str,
        args: &[String],
    ) -> Result<crate::custody::Launch, ProviderError> {
        let path = format!("{}:/usr/bin:/bin", self.path("bin").display());
        let env = move |name: &str| (name == "PATH").then(|| OsString::from(&path));
        let (log, context, status) = (self.path("run/agent.log"), self.path("run/c.json"), self.path("run/s.json"));
        let (output, progress) = (self.path("run/o.md"), self.path("run/p.md"));
        let (root, dir) = (self.folder.path(), self.path("work"));
        let task = Task {
            prompt,
            model: Some("big-one"),
            root,
            dir: &dir,
            log: &log,
            timeout: Some(Duration::from_secs(120)),
            run: "night",
            run_id: "0f1e",
            stage: "plan.claude",
            iteration: 7,
            context: &context,
            status: &status,
            output: &output,
            progress: &progress,
            command: None,
            env: &env,
            args,
        };
        prepare(provider, &task)
    }
}

fn known(name: &str) -> Provider {
    Provider::Known(name.to_owned())
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn every_known_program_gets_its_prompt_model_and_extra_arguments() {
    for harness in Harness::ALL {
        let ground = Ground::new();
        let (name, headless) = (harness.name(), &harness.client().headless);
        ground.program(&format!("bin/{}", harness.client().facts.program));
        let prompt = "Do it.\n\"quoted\" $HOME 'x'";
        let log = ground.run(&known(name), prompt, &words(&["--extra", "a b"])).unwrap();
        for arg in
            headless.args.iter().chain(headless.last_args).chain(&[Headless::MODEL_FLAG, "big-one", "--extra", "a b"])
        {
            assert!(log.contains(&format!("arg {arg}\n")), "{name}: {arg}\n{log}");
        }
        let expected = match headless.prompt {
            PromptWay::Stdin => format!("stdin {prompt}\n"),
            PromptWay::Argument(flag) => format!("arg {flag}\narg {prompt}\n"),
            PromptWay::File(flag) => format!("arg {flag}\narg {}\n", ground.path("run/prompt.md").display()),
        };
        assert!(log.contains(&expected), "{name}\n{log}");
    }
}

#[test]
fn agents_know_where_they_belong() {
    let ground = Ground::new();
    ground.program("bin/claude");
    let log = ground.run(&known("claude"), "x", &[]).unwrap();
    let path = |name: &str| ground.path(name).display().to_string();
    for line in [
        "STEAD_RUN=night".to_owned(),
        "STEAD_STAGE=plan.claude".to_owned(),
        "STEAD_ITERATION=7".to_owned(),
        format!("STEAD_CONTEXT={}", path("run/c.json")),
        format!("STEAD_STATUS={}", path("run/s.json")),
        format!("STEAD_OUTPUT={}", path("run/o.md")),
        format!("STEAD_PROGRESS={}", path("run/p.md")),
    ] {
        assert!(log.lines().any(|found| found == line), "{line}\n{log}");
    }
    assert!(log.lines().any(|line| line.starts_with("STEAD_RUN_ID=") && line.ends_with("0f1e")), "{log}");
    let launch = ground.prepare(&known("codex"), "x", &[]).unwrap_err();
    assert!(matches!(launch, ProviderError::MissingProgram { .. }) && launch.hint().is_some());
    let unset = ground.prepare(&known("claude"), "x", &[]).unwrap().unset;
    for name in ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "GEMINI_CLI", "QWEN_CODE"] {
        assert!(unset.iter().any(|unset| unset == name), "{name}");
    }
}

#[test]
fn a_prompt_that_is_too_long_for_an_argument_goes_into_a_file() {
    let ground = Ground::new();
    ground.program("bin/kimi");
    let prompt = "long ".repeat(200_000);
    let log = ground.run(&known("kimi"), &prompt, &[]).unwrap();
    let file = ground.path("run/prompt.md");
    assert_eq!(fs::read_to_string(&file).unwrap(), prompt);
    assert!(log.contains(&file.display().to_string()) && log.len() < 100_000);
    ground.script("bin/claude", "wc -c");
    assert!(ground.run(&known("claude"), &prompt, &[]).unwrap().contains("1000000"));
}

#[test]
fn any_command_is_a_provider() {
    let ground = Ground::new();
    ground.program("agent.sh");
    ground.program("bin/mine");
    let command = |command: &[&str]| Provider::Command(words(command));
    for program in ["./agent.sh", "agent.sh/../agent.sh", "mine", &ground.path("agent.sh").display().to_string()] {
        let result = ground.run(&command(&[program, "--as", "given"]), "the prompt", &words(&["--not-for-commands"]));
        let Ok(log) = result else {
            assert_eq!(program, "agent.sh/../agent.sh");
            continue;
        };
        assert!(log.contains("arg --as\narg given\nstdin the prompt\n") && !log.contains("not-for"), "{log}");
        assert!(log.contains(&format!("PWD={}", fs::canonicalize(ground.path("work")).unwrap().display())), "{log}");
    }
    for (wrong, hint) in [(&["./gone.sh"][..], "root"), (&["gone"], "PATH"), (&[], "name a program"), (&[""], "name")] {
        let error = ground.prepare(&command(wrong), "", &[]).unwrap_err();
        let said = format!("{error}; {}", error.hint().unwrap_or_default());
        assert!(said.contains(hint), "{said}");
    }
}

#[test]
fn a_command_says_by_its_exit_code_that_it_must_wait() {
    let ground = Ground::new();
    let check = |body: &str, is_quota: bool, message: Option<&str>| {
        let _ = fs::remove_file(ground.path("agent.sh"));
        ground.script("agent.sh", body);
        let provider = Provider::Command(words(&["./agent.sh"]));
        let end = run(&ground.prepare(&provider, "", &[]).unwrap(), &Cancel::new());
        let report = read_end(&provider, &end);
        assert_eq!((report.quota.is_some(), report.message.as_deref()), (is_quota, message), "{body}");
    };
    check("exit 75", true, None);
    check("echo rate limit reached, quota, 429; exit 1", false, Some("rate limit reached, quota, 429"));
    check("echo noise >&2; echo '<promise>DONE</promise>'", false, Some("<promise>DONE</promise>"));
}

#[test]
fn unknown_names_are_errors_with_the_nearest() {
    let error = argv(&known("cluade"), None, &[]).unwrap_err();
    assert_eq!(error.hint().as_deref(), Some("did you mean `claude`?"));
    assert!(argv(&known("something-else"), None, &[]).unwrap_err().hint().unwrap().contains("command"));
}

#[test]
fn the_command_line_can_be_shown() {
    let line = argv(&known("codex"), Some("m"), &words(&["--extra"])).unwrap();
    assert_eq!(line.join(" "), "codex exec --json --skip-git-repo-check --sandbox workspace-write --model m --extra -");
    assert_eq!(argv(&Provider::Command(words(&["./a", "b"])), None, &[]).unwrap(), ["./a", "b"]);
    assert_eq!(argv(&Provider::Mock, None, &[]).unwrap(), ["mock"]);
    assert!(reports_cost(&known("claude")) && !reports_cost(&known("codex")) && !reports_cost(&Provider::Mock));
}

#[test]
fn the_page_about_providers_is_true() {
    let page = include_str!("../../../../docs/providers.md");
    for harness in Harness::ALL {
        let line = argv(&known(harness.name()), None, &[]).unwrap().join(" ");
        let row = format!("| `{harness}` | `{line}` | {} |", harness.client().headless.may);
        assert!(page.contains(&row), "{row}");
    }
}

#[test]
fn fixtures_are_looked_up_by_iteration() {
    let ground = Ground::new();
    let folder = ground.path("fixtures");
    fs::create_dir(&folder).unwrap();
    let plan = serde_json::json!({"index": 0, "id": "a", "stage": "a", "template": "a", "dir": "stage-00-a",
        "prompt": "", "termination": {"type": "fixed"}, "guardrails": {"max_iterations": 3}, "provider": "mock",
        "fixtures": folder});
    let node: crate::Node = serde_json::from_value(plan).unwrap();
    let check = |iteration: u32, output: &str, status: &str| {
        let mocked = mock::answer(&node, iteration).unwrap();
        assert_eq!((mocked.output.as_str(), mocked.status.contains(status)), (output, true), "{mocked:?}");
    };
    check(1, "Nothing to report.\n", "continue");
    write(&folder, "status.json", r#"{"decision":"stop"}"#);
    check(1, "Nothing to report.\n", "stop");
    write(&folder, "default.txt", "by default");
    check(1, "by default", "stop");
    write(&folder, "iteration-2.txt", "---status\n{\"decision\":\"error\"}\n---\nsecond");
    check(2, "second", "error");
    check(20, "by default", "stop");
    fs::create_dir(folder.join("iteration-3.txt")).unwrap();
    assert!(mock::answer(&node, 3).is_err());
    let texts = vec![("iteration-2.txt".to_owned(), "built in".to_owned())];
    let built_in = crate::Node { fixtures: None, fixture_texts: texts, ..node };
    assert_eq!(mock::answer(&built_in, 2).unwrap().output, "built in");
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}
