//! OpenCode's plugin, loaded by a real `node` and answered by a real program in Stead's place.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use stead_client::Harness;

/// Writes down what it was asked and answers with the file named after the event, if there is one.
const STAND_IN: &str = r#"#!/bin/sh
cd "$(dirname "$0")"
printf '%s ' "$*" >> asked; cat >> asked; echo >> asked
if [ -f "crash.$3" ]; then exit 101; fi
if [ -f "hang.$3" ]; then exec sleep 60; fi
if [ -f "answer.$3" ]; then cat "answer.$3"; else echo '{}'; fi
"#;

/// Loads the plugin as its host would and gives the test the hooks, and the prompts they sent.
const HOST: &str = r#"
import assert from "node:assert/strict"
import { pathToFileURL } from "node:url"
if (process.env.AS_RUN) process.argv.push("run")
const { Stead } = await import(pathToFileURL(process.env.PLUGIN))
const prompts = []
const toasts = []
const tui = { showToast: async ({ body }) => { toasts.push(body.message) } }
const client = { session: { promptAsync: async (prompt) => { prompts.push(prompt) } }, tui }
const hooks = await Stead({ client, directory: process.cwd(), worktree: process.cwd() })
const created = (id, parentID) =>
  hooks.event({ event: { type: "session.created", properties: { sessionID: id, info: { id, parentID } } } })
const idle = (id) => hooks.event({ event: { type: "session.idle", properties: { sessionID: id } } })
"#;

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new(stead: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("stead");
        fs::write(&program, STAND_IN).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let plugin = Harness::from_name("opencode").unwrap().client().facts.install.whole.unwrap();
        let called = stead.map_or_else(|| program.display().to_string(), str::to_owned);
        // Nobody wants to wait ten seconds for a program that hangs.
        let plugin = plugin.replace("{stead}", &called).replace("PATIENCE = 10_000", "PATIENCE = 2_000");
        assert!(plugin.contains("PATIENCE = 2_000"));
        fs::write(folder.path().join("plugin.mjs"), plugin).unwrap();
        Self { folder }
    }

    fn answer(self, event: &str, json: &str) -> Self {
        fs::write(self.folder.path().join(format!("answer.{event}")), json).unwrap();
        self
    }

    fn hang(self, event: &str) -> Self {
        fs::write(self.folder.path().join(format!("hang.{event}")), "").unwrap();
        self
    }

    fn crash(self, event: &str) -> Self {
        fs::write(self.folder.path().join(format!("crash.{event}")), "").unwrap();
        self
    }

    /// Runs a script against the hooks; it fails by an assertion of its own.
    #[track_caller]
    fn run(self, script: &str) -> Self {
        self.run_as("", script)
    }

    #[track_caller]
    fn run_as(self, headless: &str, script: &str) -> Self {
        let path: &Path = self.folder.path();
        fs::write(path.join("script.mjs"), format!("{HOST}\n{script}")).unwrap();
        let output = Command::new("node")
            .arg("script.mjs")
            .current_dir(path)
            .env("PLUGIN", path.join("plugin.mjs"))
            .env("AS_RUN", headless)
            .output()
            .expect("`node` must be on PATH: the plugin for OpenCode is tested in it");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        self
    }

    fn asked(&self) -> String {
        fs::read_to_string(self.folder.path().join("asked")).unwrap_or_default()
    }
}

const BEFORE: &str = r#"hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, output)"#;

#[test]
fn a_denial_is_thrown_with_its_reason() {
    let world = World::new(None).answer("tool.execute.before", r#"{"deny":"not here"}"#).run(&format!(
        r#"const output = {{ args: {{ command: "ls" }} }}
        await assert.rejects({BEFORE}, {{ message: "not here" }})"#
    ));
    let asked = world.asked();
    assert!(asked.starts_with("hook opencode tool.execute.before {"), "{asked}");
    for part in [r#""tool":"bash""#, r#""args":{"command":"ls"}"#, r#""directory":"/"#, r#""worktree":"/"#] {
        assert!(asked.contains(part), "{part} in {asked}");
    }
}

#[test]
fn arguments_change_in_place() {
    World::new(None).answer("tool.execute.before", r#"{"args":{"command":"ls -l","extra":1}}"#).run(&format!(
        r#"const args = {{ command: "ls", gone: true }}
        const output = {{ args }}
        await {BEFORE}
        assert.equal(output.args, args)
        assert.deepEqual(args, {{ command: "ls -l", extra: 1 }})"#
    ));
}

#[test]
fn a_broken_program_stops_calls_and_nothing_else() {
    let mut world = World::new(None);
    for event in ["tool.execute.before", "tool.execute.after", "chat.message", "session.created", "session.idle"] {
        world = world.crash(event);
    }
    world.run(&format!(
        r#"const output = {{ args: {{}}, output: "x", parts: [{{ type: "text", text: "hi" }}], system: [] }}
        await assert.rejects({BEFORE}, /stead doctor/)
        await hooks["tool.execute.after"]({{ tool: "bash", sessionID: "s", callID: "c", args: {{}} }}, output)
        await hooks["chat.message"]({{ sessionID: "s" }}, output)
        await created("s"); await idle("s")
        await hooks["experimental.chat.system.transform"]({{ sessionID: "s" }}, output)
        assert.deepEqual([output.output, output.parts[0].text, output.system, prompts], ["x", "hi", [], []])"#
    ));
}

#[test]
fn a_program_that_hangs_stops_a_call() {
    World::new(None).hang("tool.execute.before").run(&format!(
        r#"const output = {{ args: {{}} }}
        await assert.rejects({BEFORE}, /could not judge/)"#
    ));
}

#[test]
fn an_answer_that_is_no_json_stops_a_call() {
    World::new(None).answer("tool.execute.before", "usage: stead").run(&format!(
        r#"const output = {{ args: {{}} }}
        await assert.rejects({BEFORE}, /could not judge/)"#
    ));
}

#[test]
fn without_the_program_nothing_happens() {
    World::new(Some("stead-that-nobody-installed")).run(&format!(
        r#"const output = {{ args: {{ command: "ls" }} }}
        await {BEFORE}
        await created("s"); await idle("s")
        assert.deepEqual([output.args, prompts], [{{ command: "ls" }}, []])"#
    ));
}

#[test]
fn session_context_is_added_to_every_model_call() {
    let world = World::new(None).answer("session.created", r#"{"context":"welcome"}"#).run(
        r#"await created("s")
        for (const id of ["s", "s", "resumed"]) {
          const output = { system: ["base"] }
          await hooks["experimental.chat.system.transform"]({ sessionID: id }, output)
          assert.deepEqual(output.system, ["base", "welcome"])
        }"#,
    );
    let asked = world.asked();
    assert_eq!(asked.matches("hook opencode session.created").count(), 2, "{asked}");
    assert_eq!(asked.matches(r#""resumed":true"#).count(), 1, "{asked}");
}

#[test]
fn context_reaches_prompt_result_and_summary() {
    World::new(None)
        .answer("chat.message", r#"{"context":"mind this"}"#)
        .answer("tool.execute.before", r#"{"context":"a warning"}"#)
        .answer("tool.execute.after", r#"{"context":"a note"}"#)
        .answer("experimental.session.compacting", r#"{"context":"keep this"}"#)
        .run(&format!(
            r#"const output = {{ args: {{}}, output: "result", parts: [{{ type: "text", text: "hi" }}], context: [] }}
            await hooks["chat.message"]({{ sessionID: "s" }}, output)
            await {BEFORE}
            await hooks["tool.execute.after"]({{ tool: "bash", sessionID: "s", callID: "c", args: {{}} }}, output)
            await hooks["experimental.session.compacting"]({{ sessionID: "s" }}, output)
            assert.equal(output.parts[0].text, "hi\n\nmind this")
            assert.equal(output.output, "result\n\na warning\n\na note")
            assert.deepEqual(output.context, ["keep this"])"#
        ));
}

#[test]
fn a_line_for_the_person_is_shown_in_the_window() {
    let answer = r#"{"deny":"not here","notice":"blocked a call"}"#;
    let script = |expected: &str| {
        format!(
            r#"const output = {{ args: {{}} }}
            await assert.rejects({BEFORE}, {{ message: "not here" }})
            assert.deepEqual(toasts, {expected})"#
        )
    };
    World::new(None).answer("tool.execute.before", answer).run(&script(r#"["blocked a call"]"#));
    World::new(None).answer("tool.execute.before", answer).run_as("1", &script("[]"));
}

#[test]
fn a_refused_result_is_thrown() {
    World::new(None).answer("tool.execute.after", r#"{"deny":"undo that"}"#).run(
        r#"await assert.rejects(
          hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", callID: "c", args: {} }, { output: "x" }),
          { message: "undo that" })"#,
    );
}

#[test]
fn a_turn_goes_on_at_idle_and_knows_it_was_continued() {
    let world = World::new(None).answer("session.idle", r#"{"continue":"go on"}"#).run(
        r#"await hooks["experimental.text.complete"]({ sessionID: "s" }, { text: "done?" })
        await idle("s")
        await hooks["chat.message"]({ sessionID: "s" }, { parts: [{ type: "text", text: "go on" }] })
        await idle("s")
        await hooks["chat.message"]({ sessionID: "s" }, { parts: [{ type: "text", text: "a person speaks" }] })
        await idle("s")
        assert.equal(prompts.length, 3)
        assert.deepEqual(prompts[0], { path: { id: "s" }, body: { parts: [{ type: "text", text: "go on" }] } })"#,
    );
    let asked = world.asked();
    let lines: Vec<_> = asked.lines().collect();
    assert_eq!(lines.len(), 5, "{asked}");
    assert!(lines[0].contains(r#""last":"done?","continued":false"#), "{asked}");
    assert!(lines[1].contains(r#""machine":true"#), "{asked}");
    assert!(lines[2].contains(r#""continued":true"#), "{asked}");
    assert!(lines[3].contains(r#""machine":false"#), "{asked}");
    assert!(lines[4].contains(r#""continued":false"#), "{asked}");
}

#[test]
fn a_headless_run_goes_on_where_a_text_ends() {
    let world = World::new(None).answer("experimental.text.complete", r#"{"continue":"go on"}"#).run_as(
        "1",
        r#"await hooks["experimental.text.complete"]({ sessionID: "s" }, { text: "done" })
        await idle("s")
        assert.equal(prompts.length, 1)"#,
    );
    assert_eq!(world.asked().lines().count(), 1, "{}", world.asked());
}

#[test]
fn a_child_session_names_the_one_at_the_top() {
    let world = World::new(None).run(
        r#"await created("top"); await created("child", "top"); await created("grandchild", "child")
        await hooks["tool.execute.before"]({ tool: "bash", sessionID: "grandchild", callID: "c" }, { args: {} })"#,
    );
    let asked = world.asked();
    let last = asked.lines().last().unwrap();
    assert!(last.contains(r#""parent":"top""#), "{asked}");
}

#[test]
fn a_typed_command_is_told_with_the_message_that_it_became() {
    let world = World::new(None).run(
        r#"const parts = (text) => ({ parts: [{ type: "text", text }] })
        const typed = { command: "stead-loop", sessionID: "s", arguments: "cancel x" }
        await hooks["command.execute.before"](typed, parts("Run it."))
        await hooks["chat.message"]({ sessionID: "other" }, parts("Run it."))
        await hooks["chat.message"]({ sessionID: "s" }, parts("Run it."))
        await hooks["chat.message"]({ sessionID: "s" }, parts("Run it."))
        await hooks["command.execute.before"](typed, parts("Run it."))
        await hooks["chat.message"]({ sessionID: "s" }, parts("Something else."))"#,
    );
    let asked = world.asked();
    let lines: Vec<&str> = asked.lines().collect();
    let tells = |line: &&str| line.contains(r#""command":{"command":"stead-loop","arguments":"cancel x""#);
    assert_eq!(lines.iter().map(tells).collect::<Vec<_>>(), [false, false, true, false, false, false], "{asked}");
    assert!(lines[0].starts_with("hook opencode command.execute.before {"), "{asked}");
}

#[test]
fn the_model_of_the_latest_message_is_named_after_a_call() {
    let world = World::new(None).run(
        r#"const after = (sessionID) =>
          hooks["tool.execute.after"]({ tool: "bash", sessionID, callID: "c", args: {} }, { output: "" })
        const message = { message: { model: { providerID: "p", modelID: "m" } }, parts: [] }
        await after("s")
        await hooks["chat.message"]({ sessionID: "s" }, message)
        await after("s")
        await after("other")"#,
    );
    let asked = world.asked();
    let calls: Vec<&str> = asked.lines().filter(|line| line.starts_with("hook opencode tool.execute.after")).collect();
    let named: Vec<bool> =
        calls.iter().map(|call| call.contains(r#""model":{"providerID":"p","modelID":"m"}"#)).collect();
    assert_eq!(named, [false, true, false], "{asked}");
}
