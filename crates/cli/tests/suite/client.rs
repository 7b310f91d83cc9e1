//! Every client's own words: payloads as recorded ones are shaped, and what an answer means there.

use serde_json::{Value, json};
use stead_testkit::{Run, World, rows};

/// How one client spells what an agent does.
pub(crate) struct Client {
    pub(crate) name: &'static str,
    /// Native names of the events before and after a tool, and of a prompt.
    before: &'static str,
    after: &'static str,
    prompt: &'static str,
    shell: &'static str,
    write: [&'static str; 3],
    edit: [&'static str; 4],
    read: Option<[&'static str; 2]>,
    spawn: [&'static str; 3],
    /// Text for the model is taken before a tool, after it, or only with a prompt.
    pub(crate) warns: Warns,
    pub(crate) rewrites: bool,
    /// A stop of a sub-agent can be held, by this event.
    pub(crate) holds_sub: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Warns {
    Before,
    After,
    Prompt,
}

const SESSION: &str = "0f0e0d0c-0000-4000-8000-00000000abcd";

const FILE: [&str; 4] = ["Edit", "file_path", "old_string", "new_string"];

/// Of a sub-agent, where it has one of its own.
const SUB_SESSION: &str = "0f0e0d0c-0000-4000-8000-00000000ef01";

/// The clients for what is the same in all of them: while a person waits, each third.
pub(crate) fn clients() -> impl Iterator<Item = &'static Client> {
    rows(CLIENTS, 3)
}

pub(crate) const CLIENTS: &[Client] = &[
    Client {
        name: "claude",
        before: "PreToolUse",
        after: "PostToolUse",
        prompt: "UserPromptSubmit",
        shell: "Bash",
        write: ["Write", "file_path", "content"],
        edit: FILE,
        read: Some(["Read", "file_path"]),
        spawn: ["Agent", "subagent_type", "prompt"],
        warns: Warns::Before,
        rewrites: true,
        holds_sub: Some("SubagentStop"),
    },
    Client {
        name: "codex",
        before: "PreToolUse",
        after: "PostToolUse",
        prompt: "UserPromptSubmit",
        shell: "Bash",
        write: ["apply_patch", "", ""],
        edit: ["apply_patch", "", "", ""],
        read: None,
        spawn: ["spawn_agent", "agent_type", "message"],
        warns: Warns::Before,
        rewrites: true,
        holds_sub: Some("SubagentStop"),
    },
    Client {
        name: "gemini",
        before: "BeforeTool",
        after: "AfterTool",
        prompt: "BeforeAgent",
        shell: "run_shell_command",
        write: ["write_file", "file_path", "content"],
        edit: ["replace", "file_path", "old_string", "new_string"],
        read: Some(["read_file", "file_path"]),
        spawn: ["invoke_agent", "agent_name", "prompt"],
        warns: Warns::After,
        rewrites: true,
        holds_sub: None,
    },
    Client {
        name: "qwen",
        before: "PreToolUse",
        after: "PostToolUse",
        prompt: "UserPromptSubmit",
        shell: "run_shell_command",
        write: ["write_file", "file_path", "content"],
        edit: ["edit", "file_path", "old_string", "new_string"],
        read: Some(["read_file", "file_path"]),
        spawn: ["agent", "subagent_type", "prompt"],
        warns: Warns::After,
        rewrites: false,
        holds_sub: None,
    },
    Client {
        name: "opencode",
        before: "tool.execute.before",
        after: "tool.execute.after",
        prompt: "chat.message",
        shell: "bash",
        write: ["write", "filePath", "content"],
        edit: ["edit", "filePath", "oldString", "newString"],
        read: Some(["read", "filePath"]),
        spawn: ["task", "subagent_type", "prompt"],
        warns: Warns::Before,
        rewrites: true,
        holds_sub: Some("session.idle"),
    },
    Client {
        name: "kilo",
        before: "tool.execute.before",
        after: "tool.execute.after",
        prompt: "chat.message",
        shell: "bash",
        write: ["write", "filePath", "content"],
        edit: ["edit", "filePath", "oldString", "newString"],
        read: Some(["read", "filePath"]),
        spawn: ["task", "subagent_type", "prompt"],
        warns: Warns::Before,
        rewrites: true,
        holds_sub: Some("session.idle"),
    },
    Client {
        name: "pi",
        before: "tool.execute.before",
        after: "tool.execute.after",
        prompt: "chat.message",
        shell: "bash",
        write: ["write", "path", "content"],
        edit: ["edit", "path", "oldText", "newText"],
        read: Some(["read", "path"]),
        spawn: ["task", "subagent_type", "prompt"],
        warns: Warns::Before,
        rewrites: true,
        holds_sub: None,
    },
    Client {
        name: "copilot",
        before: "preToolUse",
        after: "postToolUse",
        prompt: "userPromptSubmitted",
        shell: "bash",
        write: ["create", "path", "file_text"],
        edit: ["edit", "path", "old_str", "new_str"],
        read: Some(["view", "path"]),
        spawn: ["task", "agent_type", "prompt"],
        warns: Warns::After,
        rewrites: true,
        holds_sub: Some("agentStop"),
    },
    Client {
        name: "kimi",
        before: "PreToolUse",
        after: "PostToolUse",
        prompt: "UserPromptSubmit",
        shell: "Bash",
        write: ["Write", "path", "content"],
        edit: ["Edit", "path", "old_string", "new_string"],
        read: Some(["Read", "path"]),
        spawn: ["Agent", "subagent_type", "prompt"],
        warns: Warns::Prompt,
        rewrites: false,
        holds_sub: Some("Stop"),
    },
    Client {
        name: "droid",
        before: "PreToolUse",
        after: "PostToolUse",
        prompt: "UserPromptSubmit",
        shell: "Execute",
        write: ["Create", "file_path", "content"],
        edit: FILE,
        read: Some(["Read", "file_path"]),
        spawn: ["Task", "subagent_type", "prompt"],
        warns: Warns::After,
        rewrites: true,
        holds_sub: None,
    },
    Client {
        name: "cursor",
        before: "preToolUse",
        after: "postToolUse",
        prompt: "beforeSubmitPrompt",
        shell: "Shell",
        write: ["Write", "file_path", "content"],
        edit: ["StrReplace", "file_path", "old_string", "new_string"],
        read: Some(["Read", "file_path"]),
        spawn: ["Task", "subagent_type", "prompt"],
        warns: Warns::After,
        rewrites: false,
        holds_sub: Some("subagentStop"),
    },
    Client {
        name: "grok",
        before: "PreToolUse",
        after: "PostToolUse",
        prompt: "UserPromptSubmit",
        shell: "run_terminal_command",
        write: ["write", "file_path", "content"],
        edit: ["search_replace", "file_path", "old_string", "new_string"],
        read: Some(["read_file", "target_file"]),
        spawn: ["spawn_subagent", "subagent_type", "prompt"],
        warns: Warns::Before,
        rewrites: true,
        holds_sub: Some("SubagentStop"),
    },
];

/// The client passes only the start of a reason on; it ends with the command that tells the rest.
pub(crate) fn is_cut(reason: &str) -> bool {
    reason.contains("… (rest: `stead explain v-")
}

/// Who makes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Main,
    /// A sub-agent of this role, sent out by [`Client::send_out`] before.
    Sub(&'static str),
}

/// One tool call, whatever the client calls the tool.
pub(crate) struct Call {
    tool: String,
    input: Value,
}

impl Client {
    /// A tool by its name.
    pub(crate) fn named(&self, tool: &str, input: Value) -> Call {
        Call { tool: tool.to_owned(), input }
    }

    pub(crate) fn shell(&self, command: &str) -> Call {
        Call { tool: self.shell.to_owned(), input: json!({"command": command}) }
    }

    pub(crate) fn write(&self, path: &str, content: &str) -> Call {
        let [tool, file, text] = self.write;
        if tool == "apply_patch" {
            let body: String = content.lines().map(|line| format!("+{line}\n")).collect();
            return self.patch(&format!("*** Add File: {path}\n{body}"));
        }
        Call { tool: tool.to_owned(), input: json!({file: path, text: content}) }
    }

    /// Replaces one line by another.
    pub(crate) fn edit(&self, path: &str, old: &str, new: &str) -> Call {
        let [tool, file, from, to] = self.edit;
        if tool == "apply_patch" {
            return self.patch(&format!("*** Update File: {path}\n@@\n-{old}\n+{new}\n"));
        }
        let input = match self.name {
            "pi" => json!({file: path, "edits": [{from: old, to: new}]}),
            _ => json!({file: path, from: old, to: new}),
        };
        Call { tool: tool.to_owned(), input }
    }

    fn patch(&self, body: &str) -> Call {
        let command = format!("*** Begin Patch\n{body}*** End Patch\n");
        Call { tool: "apply_patch".to_owned(), input: json!({"command": command}) }
    }

    /// Reads a file by the client's own tool, or by the shell where it has none.
    pub(crate) fn read(&self, path: &str) -> Call {
        match self.read {
            Some([tool, file]) => Call { tool: tool.to_owned(), input: json!({file: path}) },
            None => self.shell(&format!("cat '{path}'")),
        }
    }

    fn spawn(&self, role: &str) -> Call {
        let [tool, name, task] = self.spawn;
        Call { tool: tool.to_owned(), input: json!({name: role, task: "Look."}) }
    }

    /// Asks Stead before a call.
    pub(crate) fn before(&self, world: &World, by: By, call: &Call) -> Run {
        world.hook(&format!("{} {}", self.name, self.before), self.payload(world, self.before, by, Some(call)))
    }

    /// Tells Stead of a call that was made.
    pub(crate) fn after(&self, world: &World, by: By, call: &Call) -> Run {
        world.hook(&format!("{} {}", self.name, self.after), self.payload(world, self.after, by, Some(call)))
    }

    pub(crate) fn prompt(&self, world: &World) -> Run {
        world.hook(&format!("{} {}", self.name, self.prompt), self.payload(world, self.prompt, By::Main, None))
    }

    /// The turn of the main agent ends.
    pub(crate) fn stop(&self, world: &World) -> Run {
        let harness = stead_client::Harness::ALL.into_iter().find(|harness| harness.name() == self.name).unwrap();
        let mut facts = harness.client().facts.events.iter();
        let event = facts.find(|fact| fact.kind == stead_model::EventKind::Stop).unwrap().native;
        world.hook(&format!("{} {event}", self.name), self.payload(world, event, By::Main, None))
    }

    /// Sends a sub-agent out, as far as the client tells of it.
    pub(crate) fn send_out(&self, world: &World, role: &'static str) {
        self.before(world, By::Main, &self.spawn(role));
        let starts = match self.name {
            "claude" | "codex" | "qwen" | "kimi" | "grok" => "SubagentStart",
            "copilot" | "cursor" => "subagentStart",
            "opencode" | "kilo" => "session.created",
            "droid" => "SessionStart",
            _ => return,
        };
        world.hook(&format!("{} {starts}", self.name), self.payload(world, starts, By::Sub(role), None));
    }

    /// A sub-agent wants to end.
    pub(crate) fn end(&self, world: &World, role: &'static str) -> Run {
        let event = self.holds_sub.unwrap();
        world.hook(&format!("{} {event}", self.name), self.payload(world, event, By::Sub(role), None))
    }

    fn payload(&self, world: &World, event: &str, by: By, call: Option<&Call>) -> String {
        let project = world.project();
        let role = match by {
            By::Main => None,
            By::Sub(role) => Some(role),
        };
        let mut said = match self.name {
            "opencode" | "kilo" | "pi" => self.opencode(world, event, role, call),
            "copilot" => self.copilot(world, role, call),
            _ => {
                let mut said = json!({"session_id": SESSION, "cwd": project, "hook_event_name": event});
                if let Some(call) = call {
                    said["tool_name"] = json!(call.tool);
                    said["tool_input"] = call.input.clone();
                    said[if self.name == "kimi" { "tool_call_id" } else { "tool_use_id" }] = json!("call-1");
                    if event == self.after {
                        said["tool_response"] = if self.name == "codex" { json!("done\n") } else { json!({}) };
                    }
                } else if event == self.prompt {
                    said["prompt"] = json!("Go on.");
                }
                said
            }
        };
        let own = match self.name {
            "claude" => {
                json!({"transcript_path": world.home().join(".claude/projects/p/s.jsonl"), "permission_mode": "acceptEdits"})
            }
            "codex" => json!({"turn_id": "t1", "model": "gpt-5.5", "permission_mode": "bypassPermissions",
                "transcript_path": world.home().join(".codex/sessions/rollout-1.jsonl")}),
            "gemini" => {
                json!({"timestamp": "2026-11-15T18:01:11.935Z", "transcript_path": project.join("chats/s.jsonl")})
            }
            "qwen" => json!({"timestamp": "2026-11-15T18:07:31.392Z", "permission_mode": "yolo", "prompt_id": "p1",
                "submitted_by": "user", "transcript_path": world.home().join(".qwen/projects/p/s.jsonl")}),
            "kimi" => json!({"client_type": "kimi_code_cli"}),
            "droid" => {
                json!({"permission_mode": "auto-low", "transcript_path": world.home().join(".factory/sessions/p/s.jsonl")})
            }
            "cursor" => json!({"cursor_version": "2026.09.18", "conversation_id": SESSION, "generation_id": "g1",
                "workspace_roots": [project], "status": "completed", "loop_count": 0}),
            "grok" => {
                json!({"hookEventName": event, "timestamp": "2026-11-19T04:00:00.5+00:00", "workspaceRoot": project,
                "permission_mode": "default", "reason": "end_turn"})
            }
            _ => json!({}),
        };
        said.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        if let Some(role) = role {
            let marks = match (self.name, event) {
                ("claude" | "codex" | "qwen", _) => json!({"agent_id": "agent-1", "agent_type": role}),
                ("kimi", "SubagentStart") => json!({"agent_name": role}),
                ("grok", "SubagentStart") => json!({"subagentId": "agent-1", "subagentType": role}),
                // What it does belongs to a session of its own.
                ("grok", _) => json!({"session_id": "agent-1", "subagentType": role}),
                ("droid", "SubagentStop") => json!({"task_name": role}),
                ("droid", "SessionStart") => json!({"session_id": SUB_SESSION, "calling_session_id": SESSION}),
                ("droid", _) => json!({"session_id": SUB_SESSION}),
                ("cursor", "subagentStart" | "subagentStop") => {
                    json!({"subagent_id": "agent-1", "subagent_type": role, "parent_conversation_id": SESSION})
                }
                _ => json!({}),
            };
            said.as_object_mut().unwrap().extend(marks.as_object().unwrap().clone());
        }
        said.to_string()
    }

    fn opencode(&self, world: &World, event: &str, role: Option<&str>, call: Option<&Call>) -> Value {
        let session = if role.is_some() { "ses_child" } else { SESSION };
        let mut said = json!({"client": self.name, "directory": world.project(), "worktree": world.project()});
        if role.is_some() {
            said["parent"] = json!(SESSION);
        }
        match call {
            Some(call) => {
                said["input"] = json!({"tool": call.tool, "sessionID": session, "callID": "call-1"});
                said["output"] = match event == self.before {
                    true => json!({"args": call.input}),
                    false => json!({"output": "done\n", "metadata": {"exit": 0}}),
                };
                if event == self.after {
                    said["input"]["args"] = call.input.clone();
                }
            }
            None if event == self.prompt => {
                said["input"] = json!({"sessionID": session});
                said["output"] = json!({"parts": [{"type": "text", "text": "Go on."}]});
            }
            None => said["event"] = json!({"type": event, "properties": {"sessionID": session}}),
        }
        said
    }

    fn copilot(&self, world: &World, role: Option<&str>, call: Option<&Call>) -> Value {
        let mut said = json!({"sessionId": SESSION, "timestamp": 1_794_767_635_475_u64, "cwd": world.project()});
        if let Some(role) = role {
            let marks =
                json!({"sessionId": "agent-1", "agentId": "agent-1", "agentType": role, "parentAgentId": SESSION});
            said.as_object_mut().unwrap().extend(marks.as_object().unwrap().clone());
        }
        match call {
            Some(call) => {
                said["toolName"] = json!(call.tool);
                said["toolArgs"] = call.input.clone();
                said["toolResult"] = json!({"resultType": "success", "textResultForLlm": "done"});
            }
            None => said["prompt"] = json!("Go on."),
        }
        said
    }
}

/// What an answer says.
pub(crate) fn said(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap_or_default()
}

/// The reason with which a call is denied; `None` when it may be made.
pub(crate) fn denial(run: &Run) -> Option<String> {
    let said = said(run);
    let own = &said["hookSpecificOutput"];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    match () {
        () if own["permissionDecision"] == "deny" => text(&own["permissionDecisionReason"]),
        () if said["permissionDecision"] == "deny" => text(&said["permissionDecisionReason"]),
        () if said["decision"] == "deny" => text(&said["reason"]),
        () if said["permission"] == "deny" => text(&said["agent_message"]),
        () => text(&said["deny"]),
    }
}

/// The words with which an agent is kept working.
pub(crate) fn hold(run: &Run) -> Option<String> {
    let said = said(run);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if run.code == 2 {
        return Some(run.stderr.clone());
    }
    match () {
        () if said["decision"] == "block" => text(&said["reason"]),
        // Text for the model at a stop continues the turn.
        () if said["hookSpecificOutput"]["hookEventName"] == "Stop" => {
            text(&said["hookSpecificOutput"]["additionalContext"])
        }
        () => text(&said["continue"]).or(text(&said["followup_message"])),
    }
}

/// What the model is given to read.
pub(crate) fn context(run: &Run) -> String {
    let said = said(run);
    let places = [
        &said["hookSpecificOutput"]["additionalContext"],
        &said["additionalContext"],
        &said["additional_context"],
        &said["context"],
    ];
    match places.into_iter().find_map(Value::as_str) {
        Some(text) => text.to_owned(),
        // One client takes plain text.
        None if said.is_null() => run.stdout.clone(),
        None => String::new(),
    }
}

/// The changed input of a call.
pub(crate) fn rewritten(run: &Run) -> Option<Value> {
    let said = said(run);
    let own = &said["hookSpecificOutput"];
    let places =
        [&own["updatedInput"], &own["tool_input"], &said["args"], &said["modifiedArgs"], &said["updated_input"]];
    places.into_iter().find(|value| value.is_object()).cloned()
}
