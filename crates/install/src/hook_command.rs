use std::path::Path;

use stead_client::{Harness, Scope};
use stead_model::Verdict;

/// Where a link to this program is, below the person's state folder: a program that was started long ago, or elsewhere, has
/// another PATH than a shell has now.
pub(crate) const LINK: &str = "bin/stead";

/// A call in a file that is shared with people who may not have Stead: it is found on PATH or by its link, or `absent` is done.
pub(crate) fn shared_call(absent: &str, call: &str) -> String {
    let is_there = "command -v stead >/dev/null 2>&1";
    let folder = "${XDG_STATE_HOME:-$HOME/.local/state}/stead/bin";
    format!("{is_there} || PATH=$PATH:{folder}; {is_there} || {absent}; exec {call}")
}

/// Builds the command of one line. In a shared file it is bare and does nothing for a teammate without Stead: several
/// clients treat the shell's "not found" as a denial of everything. Elsewhere it names this program by its path.
pub(crate) fn line_command(harness: Harness, event: &str, scope: Scope, program: &Path) -> String {
    match scope {
        Scope::Project => {
            let absent = match silence(harness, event).as_str() {
                "" => "exit 0".to_owned(),
                silence => format!("{{ echo '{silence}'; exit 0; }}"),
            };
            shared_call(&absent, &format!("stead hook {harness} {event}"))
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

    #[cfg(unix)]
    #[test]
    fn a_link_is_called_where_path_is_another() {
        let home = tempfile::tempdir().unwrap();
        let link = home.path().join(".local/state/stead").join(LINK);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("/bin/echo", &link).unwrap();
        let command = line_command(Harness::Claude, "Stop", Scope::Project, Path::new("stead"));
        let called = |state: Option<&Path>, shell: &str| {
            let mut shell = std::process::Command::new(shell);
            shell.args(["-c", &command]).env_clear().env("PATH", "/nowhere").env("HOME", home.path());
            let output = shell.envs(state.map(|state| ("XDG_STATE_HOME", state))).output().unwrap();
            (output.status.code(), String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
        };
        for shell in ["/bin/sh", "/bin/bash"] {
            assert_eq!(called(None, shell), (Some(0), "hook claude Stop".to_owned()));
            assert_eq!(
                called(Some(&home.path().join(".local/state")), shell),
                (Some(0), "hook claude Stop".to_owned())
            );
            assert_eq!(called(Some(home.path()), shell), (Some(0), String::new()));
        }
    }

    #[test]
    fn commands_are_known_again() {
        let guarded = "command -v stead >/dev/null 2>&1 || PATH=$PATH:${XDG_STATE_HOME:-$HOME/.local/state}/stead/bin; \
            command -v stead >/dev/null 2>&1 || exit 0; exec stead hook claude Stop";
        check(Scope::Project, "/x/stead", guarded);
        check(Scope::ProjectStrict, "/x/stead", "stead hook claude Stop");
        check(Scope::User, "/x/stead", "/x/stead hook claude Stop");
        check(Scope::Local, "/a b/stead", "'/a b/stead' hook claude Stop");
        check(Scope::User, "/o'hara/stead", r"'/o'\''hara/stead' hook claude Stop");
        check(Scope::User, "/$(x)/\"q\"/stead", "'/$(x)/\"q\"/stead' hook claude Stop");
    }
}
