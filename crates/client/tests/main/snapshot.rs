//! What each payload becomes, and what each verdict becomes there.

use std::fmt::Write;

use stead_model::{Detail, Event, Reply, Verdict};

use crate::fixture::Fixture;

#[test]
fn payloads_and_replies() {
    insta::glob!("../../fixtures", "**/*.json", |path| {
        let fixture = Fixture::read(path);
        insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
            insta::assert_snapshot!("reply", show(&fixture));
        });
    });
}

fn show(fixture: &Fixture) -> String {
    let client = fixture.harness.client();
    let event = client.decode(&fixture.payload, Some(&fixture.named)).unwrap();
    let heard = client.heard_in(&event);
    let mut text = show_event(&event);
    if event.call.is_some() && (event.result.is_some() || matches!(event.detail, Detail::Failed { .. })) {
        let outcome = (client.outcome)(&event);
        writeln!(text, "  outcome {:?} {:?}", outcome.exit, outcome.output).unwrap();
    }
    for (name, verdict) in verdicts() {
        writeln!(text, "{name:8} {}", show_reply(&client.reply(&heard, &verdict))).unwrap();
    }
    text
}

fn verdicts() -> [(&'static str, Verdict); 6] {
    [
        ("allow", Verdict::allow()),
        ("warn", Verdict::warn("gate", "careful")),
        ("ask", Verdict::ask("gate", "really?")),
        ("deny", Verdict::deny("gate", "no")),
        ("context", Verdict::inform("by the way")),
        ("rewrite", Verdict { rewrite: Some(r#"{"changed":true}"#.into()), ..Verdict::allow() }),
    ]
}

fn show_event(event: &Event<'_>) -> String {
    let mut text = format!("{} {:?}\n", event.kind, event.native);
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            writeln!(text, "  {name} {value}").unwrap();
        }
    };
    line("session", event.session.as_deref().map(str::to_owned));
    line("agent", event.agent.as_ref().map(|agent| format!("{:?} role {:?}", agent.id, agent.role)));
    line("cwd", event.cwd.as_deref().map(str::to_owned));
    line("project", event.project.as_deref().map(str::to_owned));
    line("transcript", event.transcript.as_deref().map(str::to_owned));
    if let Some(call) = &event.call {
        line("call", Some(format!("{:?} id {:?}", call.tool, call.id)));
        line("action", Some(format!("{:?}", call.action)));
        line("input", Some(call.input.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
    line("detail", (event.detail != Detail::None).then(|| format!("{:?}", event.detail)));
    text
}

fn show_reply(reply: &Reply) -> String {
    let mut text = reply.stdout.clone();
    if text.is_empty() {
        text.push('-');
    }
    if reply.exit != 0 || !reply.stderr.is_empty() {
        write!(text, "  exit {} stderr {:?}", reply.exit, reply.stderr).unwrap();
    }
    text
}
