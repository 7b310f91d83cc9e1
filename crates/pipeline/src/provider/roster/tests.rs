//! The outputs in `fixtures/provider` are of the real programs.

use super::*;
use crate::Provider;
use crate::custody::{AgentEnd, Capture, Captured, How};
use crate::provider::{Quota, Report, read_end};

const LAST_WORDS: &str = "All is done. <promise>DONE</promise>";

/// Reads an output the way it is read when a run hears it.
fn report(name: &str, output: &str, how: How) -> Report {
    let mut said = Captured::new(Capture::Lines(find(name).unwrap().heed));
    // In small pieces, as pipes deliver them.
    output.as_bytes().chunks(100).for_each(|piece| said.take(piece));
    let end = AgentEnd { how, said: said.finish(), ..AgentEnd::without_start(How::Cancelled) };
    read_end(&Provider::Known(name.to_owned()), &end)
}

#[track_caller]
fn check(name: &str, output: &str, session: &str, cost: Option<f64>) {
    let report = report(name, output, How::Exit(0));
    assert_eq!(report.message.as_deref(), Some(LAST_WORDS), "{name}");
    assert_eq!((report.session.as_deref(), report.quota), (Some(session), None), "{name}");
    assert_eq!(report.cost_usd.map(|cost| format!("{cost:.6}")), cost.map(|cost| format!("{cost:.6}")), "{name}");
    assert_eq!(report.cost_usd.is_some(), find(name).unwrap().reports_cost, "{name}");
}

macro_rules! recorded {
    ($name:literal) => {
        include_str!(concat!("../../../fixtures/provider/", $name, ".jsonl"))
    };
}

#[test]
fn real_outputs_are_understood() {
    check("claude", recorded!("claude"), "f20706d1-a0b0-4597-ba4e-deeb69cb60ae", Some(0.00135));
    check("codex", recorded!("codex"), "01a1e178-5b8c-7c61-82d9-ecb85bd1b815", None);
    check("gemini", recorded!("gemini"), "88e9ba12-c1e1-4045-8e22-a7e8a14cec5b", None);
    check("qwen", recorded!("qwen"), "6aa37329-16fd-4e3f-93b0-7d6233b860ef", None);
    check("copilot", recorded!("copilot"), "c9f0bba0-afdb-45ec-90fb-60bfb0c0d792", None);
    check("kimi", recorded!("kimi"), "session_780165fc-4c02-4333-bd18-bcaf9f50bad5", None);
}

#[test]
fn opencode_tells_the_cost_of_each_step() {
    let steps = recorded!("opencode").matches("\"cost\":").count();
    assert_eq!(steps, 3);
    let report = report("opencode", recorded!("opencode"), How::Exit(0));
    assert_eq!(report.message.as_deref(), Some(LAST_WORDS));
    assert_eq!(report.session.as_deref(), Some("ses_e1e87779dffe46TUhhFx3QZ8wr"));
    assert!(report.cost_usd.is_some_and(|cost| cost > 0.0), "{report:?}");
}

/// As its documentation has them: these do not run without an account.
#[test]
fn documented_outputs_are_understood() {
    let droid = r#"{"type":"system","subtype":"init","session_id":"d1"}
{"type":"completion","finalText":"All is done. <promise>DONE</promise>","session_id":"d1"}"#;
    check("droid", droid, "d1", None);
    let result = r#"{"type":"result","subtype":"success","is_error":false,"result":"All is done. <promise>DONE</promise>","session_id":"s1"}"#;
    check("droid", result, "s1", None);
    check("cursor", result, "s1", None);
}

#[track_caller]
fn check_quota(name: &str, output: &str, until: Option<i64>) {
    check_quota_exit(name, output, 1, until);
}

#[track_caller]
fn check_quota_exit(name: &str, output: &str, exit: i32, until: Option<i64>) {
    let quota = report(name, output, How::Exit(exit)).quota;
    assert_eq!(quota.as_ref().map(|quota| quota.until), Some(until), "{name}: {output}");
    assert!(quota.is_some_and(|quota: Quota| !quota.reason.is_empty()));
}

#[test]
fn a_quota_is_known_by_its_event() {
    check_quota("copilot", recorded!("copilot-429"), None);
    check_quota("claude", recorded!("claude-429"), None);
    check_quota_exit("gemini", recorded!("gemini-429"), 173, None);
    let rejected = |resets: &str| {
        format!(
            r#"{{"type":"rate_limit_event","rate_limit_info":{{"status":"rejected","resetsAt":{resets}}}}}
{{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"limit","total_cost_usd":0.5}}"#
        )
    };
    check_quota("claude", &rejected("1788441600"), Some(1_788_441_600));
    check_quota("claude", &rejected("1788441600000"), Some(1_788_441_600));
    check_quota("claude", &rejected("null"), None);
    check_quota("claude", r#"{"type":"result","is_error":true,"api_error_status":529,"result":"overloaded"}"#, None);
    check_quota("opencode", recorded!("opencode-429"), None);
    let stated = r#"{"type":"error","timestamp":1794784771925,"error":{"data":{"statusCode":429,"responseHeaders":{"retry-after":"60"}}}}"#;
    check_quota("opencode", stated, Some(1_794_784_831));
    check_quota("kimi", recorded!("kimi-429"), None);
}

#[test]
fn words_about_a_quota_are_only_words() {
    let check =
        |name: &str, output: &str, how: How| assert_eq!(report(name, output, how).quota, None, "{name}: {output}");
    // Codex tells it in prose only.
    check("codex", recorded!("codex-429"), How::Exit(1));
    check("gemini", recorded!("gemini-429"), How::Exit(1));
    check("claude", "429 Too Many Requests: rate limit\n{\"rate_limit_event\": \"rejected\"}", How::Exit(1));
    let said = r#"{"type":"result","is_error":false,"api_error_status":null,"result":"the \"rate_limit_event\" is rejected, 429"}"#;
    check("claude", said, How::Exit(0));
    check("claude", r#"{"type":"result","is_error":true,"api_error_status":401,"result":"429"}"#, How::Exit(1));
    // Work that was done in spite of it counts.
    let recovered = r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected"}}
{"type":"result","is_error":false,"result":"done"}"#;
    check("claude", recovered, How::Exit(0));
}

#[test]
fn any_output_is_read_without_harm() {
    for profile in ALL {
        for garbage in
            ["", "{}", "{", "null\n[]\n{\"type\":7}", "{\"type\":\"result\"}\n{\"role\":\"assistant\"}", "\u{0}"]
        {
            let report = (profile.read)(garbage);
            assert_eq!(
                (report.message, report.cost_usd, report.quota),
                (None, None, None),
                "{} {garbage}",
                profile.name
            );
        }
        let nonsense = r#"{"type":"result","total_cost_usd":-1e999,"result":["x"],"session_id":{}}
{"type":"step_finish","part":{"cost":-3}}"#;
        assert_eq!((profile.read)(nonsense).cost_usd, None, "{}", profile.name);
    }
}

#[test]
fn profiles_are_whole() {
    for profile in ALL {
        assert!(!profile.may.is_empty() && !profile.heed.is_empty() && profile.model_flag.starts_with('-'));
        assert!(session_vars().count() > 20);
        let dangerous = ["yolo", "danger", "bypass", "skip-permissions"];
        assert!(!profile.args.iter().any(|arg| dangerous.iter().any(|word| arg.contains(word))), "{}", profile.name);
    }
    assert!(find("nobody").is_none());
}
