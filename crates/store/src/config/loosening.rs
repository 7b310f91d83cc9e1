//! Whether changed settings let agents do more than before.

use std::path::PathBuf;

use super::key::{Key, Kind};
use super::parse::parse_file;
use super::{Config, Layer, Origin, Value};

impl Config {
    /// Why the second text of a settings file is looser than the first, if it is. `None` as text means that there is no
    /// file.
    pub fn loosens(before: Option<&str>, after: Option<&str>) -> Option<String> {
        let (was, _) = Self::of_text(before);
        let (is, broken) = Self::of_text(after);
        if broken && before.is_some() {
            return Some("its settings can no longer be read".to_owned());
        }
        was.entries().iter().zip(is.entries()).find_map(|(was, is)| {
            is_looser(was.key, &was.value, &is.value)
                .then(|| format!("`{}` goes from `{}` to `{}`", was.key, was.value, is.value))
        })
    }

    /// Takes over what is stricter in other settings.
    pub(super) fn take_stricter(&mut self, other: Self) {
        for (entry, other) in self.entries.iter_mut().zip(other.entries) {
            if is_looser(entry.key, &other.value, &entry.value) {
                *entry = other;
            }
        }
    }

    /// The settings of one text above the defaults, and whether a part of it could not be read.
    fn of_text(text: Option<&str>) -> (Self, bool) {
        let mut config = Self::default();
        let origin = Origin { file: Some(PathBuf::new()), ..Origin::layer(Layer::Project) };
        let parsed = parse_file(&origin, text.unwrap_or_default());
        let broken = !parsed.problems.is_empty();
        // What the file says counts, whoever may believe it.
        parsed.settings.into_iter().for_each(|setting| config.put(setting, &|_| true));
        (config, broken)
    }
}

/// Returns true if a gate with the second value lets more pass, if a record of the first is not written any more, if a
/// room moved, which leaves its guards, intents and records behind, if a run would start another command line, or if more
/// projects are trusted.
fn is_looser(key: &str, was: &Value, is: &Value) -> bool {
    let Some(key) = Key::find(key) else { return false };
    key.strictness(is) < key.strictness(was)
        || match (key.kind, was, is) {
            (Kind::Switch, ..) => {
                key.name.starts_with("record.") && (was, is) == (&Value::Bool(true), &Value::Bool(false))
            }
            // Nobody can tell which arguments of a program restrict it, so without them it may be allowed more, too.
            (Kind::Folder | Kind::Words, ..) => was != is,
            (Kind::PersonalList, Value::List(was), Value::List(is)) => is.iter().any(|one| !was.contains(one)),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use stead_client::Harness;

    use super::*;

    #[track_caller]
    fn check(before: Option<&str>, after: Option<&str>, expected: Option<&str>) {
        assert_eq!(Config::loosens(before, after).as_deref(), expected, "{before:?} {after:?}");
    }

    #[test]
    fn a_gate_that_is_switched_off_is_looser() {
        let off = "[gate]\nguards = false\n";
        check(None, Some(off), Some("`gate.guards` goes from `true` to `false`"));
        check(Some(off), None, None);
        check(Some(off), Some(off), None);
        check(Some("[intents]\nmode = \"warn\"\n"), None, None);
        check(None, Some("[intents]\nmode = \"warn\"\n"), Some("`intents.mode` goes from `enforce` to `warn`"));
        check(Some("[intents]\nshell = \"all\"\n"), None, Some("`intents.shell` goes from `all` to `effects`"));
        check(
            None,
            Some("[intents]\nagents_may_add = true\n"),
            Some("`intents.agents_may_add` goes from `false` to `true`"),
        );
        check(None, Some("[record]\nledger = false\n"), Some("`record.ledger` goes from `true` to `false`"));
        check(None, Some("[layout]\nguards = \"g\"\n"), Some("`layout.guards` goes from `.agent/guards` to `g`"));
        let told = "[notify]\ncommand = \"./x\"\n";
        check(None, Some(told), Some("`notify.command` goes from `` to `./x`"));
        check(Some(told), None, Some("`notify.command` goes from `./x` to ``"));
        check(Some(told), Some(told), None);
        check(Some(""), Some("[gate"), Some("its settings can no longer be read"));
    }

    #[test]
    fn other_arguments_of_an_agent_program_are_looser() {
        for harness in Harness::ALL {
            let some = format!("[provider.{harness}]\nargs = \"--safe\"\n");
            let more = format!("[provider.{harness}]\nargs = \"--safe --all\"\n");
            let key = format!("provider.{harness}.args");
            check(None, Some(&some), Some(&format!("`{key}` goes from `` to `--safe`")));
            check(Some(&some), Some(&more), Some(&format!("`{key}` goes from `--safe` to `--safe --all`")));
            check(Some(&some), None, Some(&format!("`{key}` goes from `--safe` to ``")));
            check(Some(&some), Some(&format!("# mine\n{some}")), None);
        }
    }

    #[test]
    fn to_trust_more_projects_is_looser() {
        let one = "[trust]\nfolders = [\"/a\"]\n";
        let two = "[trust]\nfolders = [\"/b\", \"/a\"]\n";
        check(Some(one), Some(two), Some("`trust.folders` goes from `/a` to `/b, /a`"));
        check(None, Some("[trust]\nremotes = [\"*\"]\n"), Some("`trust.remotes` goes from `` to `*`"));
        check(Some(two), Some(one), None);
    }

    #[test]
    fn other_settings_are_free() {
        check(Some("[context]\nbriefing_tokens = 5\n"), Some("# mine\n[context]\nbriefing_tokens = 9\n"), None);
        check(None, Some("[gate]\nguards = true\n"), None);
    }
}
