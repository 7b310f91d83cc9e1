use std::path::Path;

use stead_client::{Harness, Scope};
use stead_model::Verdict;

/// Builds the command of one line. In a shared file it is bare and does nothing for a teammate without Stead: several
/// clients treat the shell's "not found" as a denial of everything. Elsewhere it names this program by its path.
pub(crate) fn line_command(harness: Harness, event: &str, scope: Scope, program: &Path) -> String {
    match scope {
        Scope::Project => {
            let absent = match silence(harness, event).as_str() {
                "" => "exit 0".to_owned(),
                silence => format!("{{ echo '{silence}'; exit 0; }}"),
            };
            format!("command -v stead >/dev/null 2>&1 || {absent}; exec stead hook {harness} {event}")
        }
        Scope::ProjectStrict => format!("stead hook {harness} {event}"),
        Scope::Local | Scope::Personal | Scope::User => {
            format!("{} hook {harness} {event}", shell_program(scope, program))
        }
    }
}

/// What this client expects when there is nothing to report; some treat an empty answer as a broken hook.
fn silence(harness: Harness, event: &str) -> String {
    let client = harness.client();
    client.reply(&client.heard(event), &Verdict::allow()).stdout
}

/// The program as a file that is entirely ours calls it, escaped for a quoted string.
pub(crate) fn whole_program(scope: Scope, program: &Path) -> String {
    match scope {
        Scope::Project | Scope::ProjectStrict => "stead".to_owned(),
        Scope::Local | Scope::Personal | Scope::User => {
            let quoted = serde_json::Value::from(program.display().to_string()).to_string();
            quoted.trim_matches('"').to_owned()
        }
    }
}

/// The program that a file of ours calls, as it is written there.
pub(crate) fn named_program(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.trim_start().starts_with("const STEAD"))?;
    let quoted = line.get(line.find('"')?..=line.rfind('"')?)?;
    serde_json::from_str(quoted).ok()
}

/// The program as a person or an agent types it: bare in a shared file, else by its path.
pub(crate) fn shell_program(scope: Scope, program: &Path) -> String {
    match scope {
        Scope::Project | Scope::ProjectStrict => "stead".to_owned(),
        Scope::Local | Scope::Personal | Scope::User => shell_word(&program.display().to_string()),
    }
}

/// Quotes a text for the shell if needed.
fn shell_word(text: &str) -> String {
    let is_plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c));
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use stead_settings::our_command;

    use super::*;

    #[track_caller]
    fn check(scope: Scope, program: &str, expected: &str) {
        let command = line_command(Harness::Claude, "Stop", scope, Path::new(program));
        assert_eq!(command, expected);
        assert_eq!(our_command(&command).as_deref(), Some("claude"), "{command}");
    }

    #[test]
    fn a_missing_stead_says_what_the_client_takes_for_silence() {
        for harness in Harness::ALL {
            let client = harness.client();
            for line in client.facts.install.lines {
                let command = line_command(harness, line.event, Scope::Project, Path::new("stead"));
                let mut shell = std::process::Command::new("/bin/sh");
                let output = shell.args(["-c", &command]).env("PATH", "/nowhere").output().unwrap();
                let expected = client.reply(&client.heard(line.event), &Verdict::allow());
                assert_eq!(String::from_utf8_lossy(&output.stdout).trim_end(), expected.stdout, "{command}");
                assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{command}");
                assert_eq!(our_command(&command).as_deref(), Some(harness.name()), "{command}");
            }
        }
    }

    #[test]
    fn commands_are_known_again() {
        let guarded = "command -v stead >/dev/null 2>&1 || exit 0; exec stead hook claude Stop";
        check(Scope::Project, "/x/stead", guarded);
        check(Scope::ProjectStrict, "/x/stead", "stead hook claude Stop");
        check(Scope::User, "/x/stead", "/x/stead hook claude Stop");
        check(Scope::Local, "/a b/stead", "'/a b/stead' hook claude Stop");
        check(Scope::User, "/o'hara/stead", r"'/o'\''hara/stead' hook claude Stop");
        check(Scope::User, "/$(x)/\"q\"/stead", "'/$(x)/\"q\"/stead' hook claude Stop");
    }
}
