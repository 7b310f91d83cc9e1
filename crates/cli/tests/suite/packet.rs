//! `stead packet` and `stead files`, with files that people edited.

use serde_json::{Value, json};
use stead_testkit::World;

use crate::world::{lines, marked, payload};

fn put(world: &World, id: &str, text: &str) -> String {
    let path = format!("project/.agent/context/packets/{id}.md");
    world.write(&path, text);
    path
}

const HEAD: &str = "---\nid: ID\ncreated_at: 2026-01-01T00:00:00Z\nupdated_at: 2026-01-01T00:00:00Z\nstatus: draft\npurpose: a purpose\n";

#[test]
fn packets_are_listed_by_their_last_change() {
    let world = marked();
    let none = world.stead(&["packet", "list"]);
    assert_eq!((none.code, none.stdout.as_str()), (0, ""));
    assert!(none.stderr.contains("no packets yet"), "{none}");
    put(&world, "a", &format!("{HEAD}---\n"));
    put(&world, "b", &format!("{}---\n", HEAD.replace("updated_at: 2026-01-01", "updated_at: 2026-02-01")));
    put(&world, "c", "no head at all");
    let said = world.stead(&["packet", "list"]).ok();
    let rows: Vec<&str> = said.lines().collect();
    assert_eq!(
        rows[..2],
        ["b  draft     2026-02-01T00:00:00Z  a purpose", "a  draft     2026-01-01T00:00:00Z  a purpose"]
    );
    assert!(
        rows[2].starts_with("c  unreadable  ")
            && rows[2].ends_with("c.md`: line 1: the file does not start with `---`"),
        "{said}"
    );
    assert_eq!(world.stead(&["packet", "activate", "a"]).ok(), "a is active\n");
    assert_eq!(world.stead(&["packet", "activate", "a"]).ok(), "a is active already\n");
    let said = world.stead(&["packet", "list", "--json"]).json();
    let ids: Vec<&str> = said["items"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert_eq!(
        world.stead(&["packet", "list", "--status", "active", "--json"]).json()["items"].as_array().unwrap().len(),
        1
    );
    let open = world.stead(&["packet", "open", "a"]).ok();
    assert_eq!(open, "$PROJECT/.agent/context/packets/a.md\n");
    assert_eq!(world.stead(&["packet", "show", "a", "--json"]).json()["head"]["status"], "active");
}

/// Whatever a person wrote survives a change of one field, to the byte.
#[test]
fn an_edit_keeps_what_people_wrote() {
    let world = marked();
    let mine = "my_key:   {\"odd\":  1}   \n# a comment\nlist:\n  - indented\n---\n\nWords first.\n\n## Own Section\n\tx  \n\n\n## Intent\n```\n## Plan\n```\nno end of line";
    for (id, text) in [
        ("plain", format!("{HEAD}{mine}")),
        ("crlf", format!("{HEAD}{mine}").replace('\n', "\r\n")),
        ("bom", format!("\u{feff}{HEAD}{mine}")),
    ] {
        let path = put(&world, id, &text);
        world.stead(&["packet", "block", id]).ok();
        let now = world.read(&path);
        let updated = now.lines().find(|line| line.starts_with("updated_at: ")).unwrap().to_owned();
        let expected =
            text.replace("status: draft", "status: blocked").replace("updated_at: 2026-01-01T00:00:00Z", &updated);
        assert_eq!(now, expected, "{id}");
        assert_eq!(world.stead(&["packet", "show", id]).ok(), expected, "{id}");
    }
}

#[test]
fn nonsense_is_an_error_with_file_and_line() {
    let world = marked();
    let check = |text: &str, said: &str| {
        let path = put(&world, "bad", text);
        for args in [&["packet", "activate", "bad"][..], &["packet", "show", "bad"], &["pickup", "bad"]] {
            let run = world.stead(args);
            assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{run}");
            assert!(run.stderr.contains("packets/bad.md`") && run.stderr.contains(said), "{run}");
        }
        assert_eq!(world.read(&path), text);
        let lint = world.stead(&["packet", "lint", "bad"]);
        assert!(lint.code == 1 && lint.stdout.contains("bad.md:"), "{lint}");
    };
    check("", "line 1: the file does not start with `---`");
    check("# Just words\n", "line 1: the file does not start with `---`");
    check("---\nid: x\n## Intent\n", "line 4: the front matter that starts on line 1 is not closed");
    check("---\nid: x\nstatus: draft\nstatus: done\n---\n", "line 4: `status` appears twice");
    check("---\nid: x\nstatus: activ\n---\n", "line 3: `status` is `activ`, not one of");
    check("---\nid: x\nvalidators: [cargo test]\n---\n", "line 3: `validators` is not a JSON list of strings");
    check(
        "---\nid: x\nrelevant_files_confirmed:\n  - a.rs\n---\n",
        "line 3: `relevant_files_confirmed` is a list over",
    );
    check("---\nid: x\ncreated_at: yesterday\n---\n", "line 3: `created_at` is not an ISO 8601 timestamp");
    let run = world.stead(&["packet", "show", "baad"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, "error: there is no packet `baad`\nhint: did you mean `bad`?\n"));
    let path = put(&world, "bad", "");
    std::fs::write(world.folder().join(path), b"---\n\xff\n---\n").unwrap();
    let run = world.stead(&["packet", "done", "bad"]);
    assert!(run.code == 1 && run.stderr.contains("is not valid UTF-8 at byte 4"), "{run}");
    assert_eq!(world.stead(&["packet", "lint", "--json"]).json()["items"][0]["severity"], "error");
}

#[test]
fn sixteen_changes_at_once_leave_a_whole_packet() {
    let world = marked();
    let path = put(&world, "a", &format!("{HEAD}---\n## Relevant Files\n### Confirmed\n### Suggested\n"));
    for number in 0..16 {
        world.write(format!("project/f{number}"), "x");
    }
    std::thread::scope(|scope| {
        for number in 0..16 {
            let world = &world;
            scope.spawn(move || world.stead(&["files", "confirm", &format!("f{number}"), "--packet", "a"]).ok());
        }
    });
    let said = world.stead(&["packet", "show", "a", "--json"]).json();
    assert_eq!(said["head"]["relevant_files_confirmed"].as_array().unwrap().len(), 16);
    assert_eq!(world.read(path).matches("- `f").count(), 16);
    assert_eq!(lines(&world, "relevant-files.jsonl").len(), 16);
}

/// The disk is full in the middle of a change: the packet stays the old one, whole.
#[test]
fn a_full_disk_leaves_the_old_packet() {
    let world = marked();
    let script = "mount -t tmpfs -o size=64k none .agent/context/packets\n\
        { printf -- '---\\nid: a\\nstatus: draft\\n---\\n'; printf '%20000s' ''; } > .agent/context/packets/a.md\n\
        dd if=/dev/zero of=.agent/context/packets/fill bs=1k count=100 2>/dev/null || true\n\
        \"$STEAD\" packet activate a && exit 9\n\
        head -3 .agent/context/packets/a.md; wc -c < .agent/context/packets/a.md; ls -A .agent/context/packets";
    let Some(run) = world.sh_with_own_mounts(script, b"") else { return };
    assert_eq!((run.code, run.stdout.as_str()), (0, "---\nid: a\nstatus: draft\n20028\na.md\nfill\n"), "{run}");
    assert!(run.stderr.contains("hint: free some space"), "{run}");
}

fn touch(world: &World, tool: &str, path: &str) {
    let input = json!({"file_path": path, "old_string": "a", "new_string": "b"});
    let own = json!({"tool_name": tool, "tool_input": input, "tool_response": {}, "tool_use_id": "c"});
    world.hook("claude PostToolUse", payload(world, "PostToolUse", own));
}

#[test]
fn people_choose_which_files_matter() {
    let world = marked();
    for name in ["a.rs", "b.rs", "c.rs", "ignored"] {
        world.write(format!("project/{name}"), "x");
    }
    world.write("project/.gitignore", "ignored\n");
    for name in ["a.rs", "b.rs", "ignored", "gone.rs"] {
        touch(&world, "Read", name);
    }
    let shown = || {
        let said = world.stead(&["files"]).ok();
        let mut rows: Vec<String> = said.lines().map(str::to_owned).collect();
        rows.sort();
        rows
    };
    assert_eq!(
        shown(),
        ["suggested  read      a.rs", "suggested  read      b.rs", "suggested  read      gone.rs (gone)"]
    );
    assert_eq!(world.stead(&["files", "confirm", "c.rs"]).ok(), "confirmed c.rs\n");
    assert_eq!(world.stead(&["files", "drop", "./b.rs"]).ok(), "dropped b.rs\n");
    assert_eq!(
        shown(),
        ["confirmed  confirm   c.rs", "suggested  read      a.rs", "suggested  read      gone.rs (gone)"]
    );
    let line = &lines(&world, "relevant-files.jsonl")[4];
    assert_eq!((&line["source"], &line["confidence"]), (&json!("user"), &json!(1.0)));
    let run = world.stead(&["files", "confirm", "d.rs"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.starts_with("error: there is no file `d.rs` in the project\nhint: did you mean `"), "{run}");
    assert_eq!(world.stead(&["files", "confirm", "../x"]).code, 1);
    assert_eq!(world.stead(&["files", "drop", "never.rs"]).code, 1);
    let said = world.stead(&["handoff", "x", "--json"]).json();
    assert_eq!((&said["confirmed"], &said["suggested"]), (&json!(["c.rs"]), &json!(["a.rs"])));
    world.stead(&["files", "confirm", "b.rs", "--packet", "latest"]).ok();
    world.stead(&["files", "drop", "a.rs", "--packet", "latest"]).ok();
    let head = world.stead(&["packet", "show", "latest", "--json"]).json()["head"].clone();
    assert_eq!(head["relevant_files_confirmed"], json!(["c.rs", "b.rs"]));
    assert_eq!(head["relevant_files_suggested"], json!([]));
    let mut hashed: Vec<&String> = head["file_hashes"].as_object().unwrap().keys().collect();
    hashed.sort();
    assert_eq!(hashed, ["b.rs", "c.rs"]);
    let run = world.stead(&["files", "drop", "a.rs", "--packet", "latest"]);
    assert!(run.code == 1 && run.stderr.contains("is not among the files of packet"), "{run}");
    let schema = world.stead(&["schema", "relevant-file"]).json();
    let packet_lines: Vec<Value> = lines(&world, "relevant-files.jsonl");
    assert!(packet_lines.iter().all(|line| jsonschema::draft202012::is_valid(&schema, line)));
    assert_eq!(packet_lines.iter().filter(|line| line["packet_id"].is_string()).count(), 2);
}

#[test]
fn the_log_is_shortened_while_hooks_write() {
    let world = marked();
    world.write("project/a.rs", "x");
    for _ in 0..20 {
        touch(&world, "Read", "a.rs");
    }
    touch(&world, "Edit", "a.rs");
    touch(&world, "Read", "a.rs");
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let world = &world;
            scope.spawn(move || (0..8).for_each(|number| touch(world, "Read", &format!("w{worker}-{number}"))));
        }
        let world = &world;
        scope.spawn(move || (0..6).for_each(|_| drop(world.stead(&["files", "compact"]).ok())));
    });
    world.stead(&["files", "compact", "--json"]).ok();
    let kept = lines(&world, "relevant-files.jsonl");
    assert_eq!(kept.len(), 1 + 32);
    let line = kept.iter().find(|line| line["file_path"] == "a.rs").unwrap();
    assert_eq!((&line["count"], &line["action"], &line["confidence"]), (&json!(22), &json!("edit"), &json!(0.9)));
}

/// A list that a person wrote in another notation is not taken for an empty one, and can be repaired.
#[test]
fn what_is_certain_is_repaired_and_the_rest_is_kept() {
    let world = marked();
    for name in ["a.rs", "b.rs", "c.rs"] {
        world.write(format!("project/{name}"), "x");
    }
    let id = "20261115T194530Z-fix";
    let body = "---\n## Intent\nx\n## Relevant Files\n### Confirmed\n- `c.rs:7` by hand\n### Suggested\n## Next Prompt (Draft)\ngo\n";
    let text = format!(
        "---\nid: {id}\ncreated_at: 2026-11-15\nstatus: Active\npurpose: p\nrelevant_files_confirmed: [a.rs, b.rs]\n{body}"
    );
    let path = put(&world, id, &text);
    let run = world.stead(&["files", "confirm", "c.rs", "--packet", id]);
    assert!(run.code == 1 && run.stderr.contains("`stead packet lint 20261115T194530Z-fix --fix` repairs"), "{run}");
    assert_eq!(world.read(&path), text, "it was not overwritten");
    let run = world.stead(&["packet", "lint", id, "--fix"]);
    assert_eq!(run.code, 0, "{run}");
    for part in
        ["fixed: `status` is `active`", "fixed: `relevant_files_confirmed` is a JSON list", "fixed: added `## Notes`"]
    {
        assert!(run.stdout.contains(part), "{part}: {run}");
    }
    let said = world.stead(&["packet", "show", id, "--json"]).json();
    assert_eq!(said["head"]["relevant_files_confirmed"], json!(["a.rs", "b.rs", "c.rs"]));
    assert!(world.read(&path).contains("- `c.rs:7` by hand\n"), "{}", world.read(&path));
    let again = world.stead(&["packet", "lint", id, "--fix"]);
    assert!(!again.stdout.contains("fixed"), "{again}");
    // What only a person can decide stays.
    let odd = text.replace("status: Active", "status: soon");
    put(&world, id, &odd);
    let run = world.stead(&["packet", "lint", id, "--fix"]);
    assert!(run.code == 1 && run.stdout.contains("error: `status` is `soon`"), "{run}");
}

#[test]
fn files_that_a_person_lists_by_hand_count() {
    let world = marked();
    world.write("project/src/a.rs", "x");
    put(
        &world,
        "a",
        &format!(
            "{HEAD}---\n## Relevant Files\n### Confirmed\n- src/a.rs:12 the parser\n## Next Prompt (Draft)\ngo\n## Validators / Exit Criteria\n- `true`\n"
        ),
    );
    let said = world.stead(&["pickup", "a", "--json"]).json();
    assert_eq!((&said["files"][0]["path"], &said["files"][0]["list"]), (&json!("src/a.rs"), &json!("confirmed")));
    assert_eq!(said["validators"], json!(["true"]));
}

#[test]
fn the_latest_packet_is_one_to_continue() {
    let world = marked();
    put(&world, "20260101T000000Z-work", &format!("{HEAD}---\n## Next Prompt (Draft)\ngo\n"));
    let later = HEAD.replace("updated_at: 2026-01-01", "updated_at: 2026-03-01");
    put(&world, "20260102T000000Z-done", &format!("{}---\n", later.replace("draft", "done")));
    put(&world, "20260103T000000Z-saved", &format!("{later}kind: snapshot\n---\n"));
    assert!(world.stead(&["pickup", "latest"]).ok().contains("Packet `20260101T000000Z-work`"));
    assert!(world.stead(&["packet", "list"]).ok().contains("a purpose (snapshot)"));
    world.stead(&["packet", "done", "work"]).ok();
    let run = world.stead(&["pickup", "latest"]);
    assert!(run.code == 1 && run.stderr.contains("all 3 packets are done or automatic snapshots"), "{run}");
    assert!(world.stead(&["pickup", "saved"]).code == 0);
}

#[test]
fn empty_lists_say_so() {
    let world = marked();
    for (args, said) in [
        (&["packet", "list"][..], "no packets yet"),
        (&["packet", "list", "--status", "active"], "no packet is active"),
        (&["files"], "no relevant files yet"),
        (&["note", "list"], "no notes yet"),
        (&["loop", "list"], "no loops yet"),
        (&["loop", "log"], "nothing has happened to a loop yet"),
        (&["role", "list"], "no role files"),
        (&["role", "lifecycle", "status"], "no role has started its lifecycle"),
        (&["role", "validate", "--all"], "no role files"),
        (&["evidence", "list", "--runs"], "no tests or builds were recorded yet"),
        (&["lesson", "list"], "no lessons yet"),
    ] {
        let run = world.stead(args);
        assert_eq!((run.code, run.stdout.as_str()), (0, ""), "{args:?}: {run}");
        assert!(run.stderr.contains(said), "{args:?}: {run}");
    }
}
