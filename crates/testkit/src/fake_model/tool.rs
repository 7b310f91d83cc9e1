//! From a neutral call to the tool that the client offered for it. Names and properties are looked up in the request:
//! a client that renames one is told apart from one that never had it.

use serde_json::{Value, json};

use super::Call;
use super::answer::{Input, NativeCall};
use super::api::Offered;
use super::side::required;

const SHELL: &[&str] =
    &["Bash", "bash", "run_shell_command", "exec_command", "shell_command", "shell", "Execute", "run_terminal_command"];
const WRITE: &[&str] = &["Write", "write_file", "write", "create", "Create"];
const EDIT: &[&str] = &["Edit", "replace", "edit", "search_replace"];
const READ: &[&str] = &["Read", "read_file", "read", "view"];
const SPAWN: &[&str] = &["Agent", "Task", "agent", "task", "spawn_agent", "invoke_agent", "spawn_subagent"];
const SEARCH: &[&str] = &["ToolSearch", "search_tool"];
const PATCH: &str = "apply_patch";
/// Offered by its kind instead of a name.
pub(super) const FIND: &str = "tool_search";

/// A value of a call and the properties it may go by.
struct Field<'a>(&'a [&'a str], Value);

const COMMAND: &[&str] = &["command", "cmd"];
const PATH: &[&str] = &["file_path", "filePath", "path", "absolute_path", "target_file"];
const CONTENT: &[&str] = &["content", "file_text"];
const OLD: &[&str] = &["old_string", "oldString", "old_str"];
const NEW: &[&str] = &["new_string", "newString", "new_str"];
const TASK: &[&str] = &["prompt", "message", "task"];
const ROLE: &[&str] = &["subagent_type", "agent_type", "agent_name", "agent"];

/// Finds the client's tool for a call. The error says what was missing and what was there instead.
pub(super) fn resolve(call: &Call, offered: &[Offered]) -> Result<NativeCall, String> {
    match call {
        Call::Shell { command } => function(call, offered, SHELL, vec![Field(COMMAND, json!(command))]),
        Call::Write { path, content } => {
            let fields = vec![Field(PATH, json!(path)), Field(CONTENT, json!(content))];
            patch(offered, || format!("*** Add File: {path}\n{}", marked('+', content)))
                .map_or_else(|| function(call, offered, WRITE, fields), Ok)
        }
        Call::Edit { path, old, new } => {
            let fields = vec![Field(PATH, json!(path)), Field(OLD, json!(old)), Field(NEW, json!(new))];
            let listed = offered.iter().any(|tool| tool.name == "edit" && has(tool, "edits"));
            let fields = if listed {
                vec![Field(PATH, json!(path)), Field(&["edits"], json!([{"oldText": old, "newText": new}]))]
            } else {
                fields
            };
            patch(offered, || format!("*** Update File: {path}\n@@\n{}{}", marked('-', old), marked('+', new)))
                .map_or_else(|| function(call, offered, EDIT, fields), Ok)
        }
        Call::Read { path } => {
            let found = function(call, offered, READ, vec![Field(PATH, json!(path))]);
            // Clients without a tool for reading have a shell.
            found.or_else(|why| resolve(&Call::shell(format!("cat '{path}'")), offered).map_err(|_| why))
        }
        Call::Mcp { server, tool, arguments } => Ok(mcp(offered, server, tool, arguments)),
        Call::Spawn { role, task } => {
            let mut fields = vec![Field(TASK, json!(task))];
            if !role.is_empty() {
                fields.push(Field(ROLE, json!(role)));
            }
            let mut spawned = function(call, offered, SPAWN, fields)?;
            wait_for_it(&mut spawned, offered);
            Ok(spawned)
        }
        Call::FindTool { query } => {
            let unnamed =
                || NativeCall { name: FIND.to_owned(), namespace: None, input: Input::Object(json!({"query": query})) };
            Ok(function(call, offered, SEARCH, vec![Field(&["query"], json!(query))]).unwrap_or_else(|_| unnamed()))
        }
    }
}

fn function(call: &Call, offered: &[Offered], names: &[&str], fields: Vec<Field<'_>>) -> Result<NativeCall, String> {
    let found = names.iter().find_map(|name| offered.iter().find(|tool| tool.name == *name));
    let Some(tool) = found else {
        let there: Vec<_> = offered.iter().map(|tool| tool.name.as_str()).collect();
        return Err(format!("no tool for `{}` is offered; there are: {}", call.kind(), there.join(", ")));
    };
    let schema = tool.schema.clone().unwrap_or_default();
    let mut input = required(&schema);
    for Field(names, value) in fields {
        let property = names.iter().find(|name| schema["properties"].get(**name).is_some());
        let Some(property) = property else {
            let there: Vec<_> = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name).collect();
            return Err(format!("tool `{}` takes none of {names:?}; its properties are {there:?}", tool.name));
        };
        let takes_list = schema["properties"][*property]["type"] == "array";
        input.insert(
            (*property).to_owned(),
            if takes_list && !value.is_array() { json!(["bash", "-c", value]) } else { value },
        );
    }
    Ok(NativeCall {
        name: tool.name.clone(),
        namespace: tool.namespace.clone(),
        input: Input::Object(Value::Object(input)),
    })
}

/// Has the agent wait for its sub-agent where it could go on meanwhile: a headless run may end before the sub-agent does.
fn wait_for_it(spawned: &mut NativeCall, offered: &[Offered]) {
    let tool = offered.iter().find(|tool| tool.name == spawned.name);
    if let (true, Input::Object(Value::Object(input))) =
        (tool.is_some_and(|tool| has(tool, "background")), &mut spawned.input)
    {
        input.insert("background".to_owned(), json!(false));
    }
}

/// A tool takes a property.
fn has(tool: &Offered, property: &str) -> bool {
    tool.schema.as_ref().is_some_and(|schema| schema["properties"].get(property).is_some())
}

/// A patch, where the client has that tool.
fn patch(offered: &[Offered], body: impl Fn() -> String) -> Option<NativeCall> {
    let tool = offered.iter().find(|tool| tool.name == PATCH)?;
    let text = format!("*** Begin Patch\n{}*** End Patch\n", body());
    let input = match &tool.schema {
        None => Input::Text(text),
        Some(schema) => {
            let mut input = required(schema);
            input.insert("input".to_owned(), json!(text));
            Input::Object(Value::Object(input))
        }
    };
    Some(NativeCall { name: PATCH.to_owned(), namespace: tool.namespace.clone(), input })
}

fn marked(mark: char, text: &str) -> String {
    text.lines().map(|line| format!("{mark}{line}\n")).collect()
}

/// Calls a tool of a server that it names, where tools of servers are not offered themselves.
const DISPATCH: &str = "use_tool";

/// MCP tools go by many names, and some clients accept a call of one that they have not shown yet.
fn mcp(offered: &[Offered], server: &str, tool: &str, arguments: &Value) -> NativeCall {
    let flat = format!("mcp__{server}__{tool}");
    let names = [
        flat.clone(),
        format!("mcp_{server}_{tool}"),
        format!("{server}_{tool}"),
        format!("{server}-{tool}"),
        format!("{server}___{tool}"),
    ];
    let by_name = names.iter().find_map(|name| offered.iter().find(|one| one.name == *name));
    let group = format!("mcp__{server}");
    let grouped = || offered.iter().find(|one| one.name == tool && one.namespace.as_deref() == Some(&group));
    let found = by_name.or_else(grouped);
    if found.is_none() && offered.iter().any(|one| one.name == DISPATCH) {
        let input = json!({"tool_name": format!("{server}__{tool}"), "tool_input": arguments});
        return NativeCall { name: DISPATCH.to_owned(), namespace: None, input: Input::Object(input) };
    }
    NativeCall {
        name: found.map_or(flat, |tool| tool.name.clone()),
        namespace: found.and_then(|tool| tool.namespace.clone()),
        input: Input::Object(arguments.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, properties: &[&str], required: &[&str]) -> Offered {
        let each = properties.iter().map(|name| ((*name).to_owned(), json!({"type": "string"})));
        let properties: serde_json::Map<_, _> = each.collect();
        let schema = json!({"type": "object", "properties": properties, "required": required});
        Offered { name: name.to_owned(), namespace: None, schema: Some(schema) }
    }

    #[track_caller]
    fn check(call: Call, offered: &[Offered], expected: Value) {
        let shown = match resolve(&call, offered) {
            Ok(native) => json!([native.name, native.input.value()]),
            Err(why) => json!(why),
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_call_takes_the_names_that_are_offered() {
        let bash = tool("bash", &["command", "description"], &["command", "description"]);
        check(
            Call::shell("ls"),
            std::slice::from_ref(&bash),
            json!(["bash", {"command": "ls", "description": "scripted"}]),
        );
        check(Call::shell("ls"), &[tool("exec_command", &["cmd"], &["cmd"])], json!(["exec_command", {"cmd": "ls"}]));
        check(
            Call::write("/a", "x"),
            &[bash.clone(), tool("create", &["path", "file_text"], &["path"])],
            json!(["create", {"path": "/a", "file_text": "x"}]),
        );
        check(
            Call::edit("/a", "x", "y"),
            &[tool("edit", &["filePath", "oldString", "newString"], &[])],
            json!(["edit", {"filePath": "/a", "oldString": "x", "newString": "y"}]),
        );
        check(
            Call::edit("/a", "x", "y"),
            &[tool("edit", &["path", "edits"], &[])],
            json!(["edit", {"path": "/a", "edits": [{"oldText": "x", "newText": "y"}]}]),
        );
        check(
            Call::read("/a"),
            std::slice::from_ref(&bash),
            json!(["bash", {"command": "cat '/a'", "description": "scripted"}]),
        );
        check(
            Call::spawn("explore", "look"),
            &[tool("Task", &["prompt", "subagent_type", "description"], &["description"])],
            json!(["Task", {"description": "scripted", "prompt": "look", "subagent_type": "explore"}]),
        );
    }

    #[test]
    fn a_sub_agent_is_waited_for_where_there_is_a_choice() {
        let spawn = tool("spawn_subagent", &["prompt", "background"], &["prompt"]);
        check(Call::spawn("", "look"), &[spawn], json!(["spawn_subagent", {"prompt": "look", "background": false}]));
    }

    #[test]
    fn a_sub_agent_needs_no_role_and_a_hidden_tool_is_looked_for() {
        check(
            Call::spawn("", "look"),
            &[tool("spawn_agent", &["message"], &["message"])],
            json!(["spawn_agent", {"message": "look"}]),
        );
        check(Call::find_tool("agents"), &[], json!(["tool_search", {"query": "agents"}]));
        check(
            Call::find_tool("agents"),
            &[tool("ToolSearch", &["query"], &["query"])],
            json!(["ToolSearch", {"query": "agents"}]),
        );
    }

    #[test]
    fn a_patch_tool_takes_text() {
        let patch = Offered { name: PATCH.into(), namespace: None, schema: None };
        check(
            Call::edit("a.txt", "one", "two\nthree"),
            std::slice::from_ref(&patch),
            json!(["apply_patch", "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n+three\n*** End Patch\n"]),
        );
        check(
            Call::write("a.txt", "x\n"),
            &[patch],
            json!(["apply_patch", "*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\n"]),
        );
    }

    #[test]
    fn a_command_may_be_a_list() {
        let mut shell = tool("shell", &[], &[]);
        shell.schema = Some(json!({"properties": {"command": {"type": "array"}}}));
        check(Call::shell("ls"), &[shell], json!(["shell", {"command": ["bash", "-c", "ls"]}]));
    }

    #[test]
    fn mcp_tools_go_by_many_names() {
        let arguments = json!({"x": 1});
        let call = || Call::mcp("echo", "say", json!({"x": 1}));
        check(call(), &[tool("mcp_echo_say", &[], &[])], json!(["mcp_echo_say", arguments]));
        check(call(), &[], json!(["mcp__echo__say", arguments]));
        let named = json!({"tool_name": "echo__say", "tool_input": arguments});
        check(call(), &[tool("use_tool", &[], &[])], json!(["use_tool", named]));
        let grouped = Offered { namespace: Some("mcp__echo".into()), ..tool("say", &[], &[]) };
        assert_eq!(resolve(&call(), &[grouped]).unwrap().namespace.as_deref(), Some("mcp__echo"));
    }

    #[test]
    fn what_a_client_renamed_is_named() {
        check(
            Call::write("/a", "x"),
            &[tool("put", &[], &[]), tool("get", &[], &[])],
            json!("no tool for `write` is offered; there are: put, get"),
        );
        check(
            Call::shell("ls"),
            &[tool("Bash", &["script"], &[])],
            json!("tool `Bash` takes none of [\"command\", \"cmd\"]; its properties are [\"script\"]"),
        );
    }
}
