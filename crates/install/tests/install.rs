//! Lines go into real files and come out again, whatever was there.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use stead_client::{Harness, Scope};
use stead_install::{Note, Old, Plan, Reach, Site, UndoRecord, apply, detect, diff, named, plan, plan_removal};
use stead_model::Shape;
use tempfile::TempDir;

/// A project and a home folder of their own.
struct Place {
    folder: TempDir,
    program: PathBuf,
    env: BTreeMap<String, OsString>,
}

impl Place {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let env = BTreeMap::from([("HOME".to_owned(), folder.path().join("home").into())]);
        let place = Self { folder, program: PathBuf::from("/opt/o'hara bin/stead"), env };
        fs::create_dir_all(place.root()).unwrap();
        fs::create_dir_all(place.path("home")).unwrap();
        place
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.folder.path().join(inside)
    }

    fn root(&self) -> PathBuf {
        self.path("project")
    }

    fn record(&self, reach: Reach) -> PathBuf {
        match reach {
            Reach::Project => self.path("project/.agent/context/indexes/install.json"),
            Reach::User => self.path("home/.local/state/stead/install.json"),
        }
    }

    fn write(&self, inside: &str, text: &str) -> PathBuf {
        let path = self.path(inside);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn with<T>(&self, work: impl FnOnce(&Site<'_>) -> T) -> T {
        let root = self.root();
        let env = |name: &str| self.env.get(name).cloned();
        work(&Site { root: &root, program: &self.program, env: &env })
    }

    fn plan(&self, harnesses: &[Harness], scope: Scope, old: Old) -> Plan {
        self.with(|site| plan(site, harnesses, scope, old))
    }

    /// Plans and applies; every edit must succeed.
    #[track_caller]
    fn install(&self, harnesses: &[Harness], scope: Scope) -> usize {
        self.with(|site| {
            let plan = plan(site, harnesses, scope, Old::Keep);
            let applied = apply(site, &plan, &self.record(Reach::of(scope))).unwrap();
            assert_eq!(applied.failed, []);
            applied.done.len()
        })
    }

    #[track_caller]
    fn uninstall(&self, harnesses: &[Harness], reach: Reach) -> usize {
        self.with(|site| {
            let record = UndoRecord::read(&self.record(reach)).unwrap();
            let plan = plan_removal(site, harnesses, reach, &record);
            assert_eq!(plan.notes, []);
            let applied = apply(site, &plan, &self.record(reach)).unwrap();
            assert_eq!(applied.failed, []);
            applied.done.len()
        })
    }

    /// Every file below the folder with its content, undo records left out.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        fn walk(base: &Path, dir: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
            for entry in fs::read_dir(dir).unwrap().flatten() {
                let path = entry.path();
                let name = path.strip_prefix(base).unwrap().display().to_string();
                if path.is_dir() {
                    found.insert(format!("{name}/"), Vec::new());
                    walk(base, &path, found);
                } else if !name.ends_with("install.json") {
                    found.insert(name, fs::read(&path).unwrap());
                }
            }
        }
        let mut found = BTreeMap::new();
        walk(self.folder.path(), self.folder.path(), &mut found);
        found.retain(|name, _| !name.contains(".agent") && !name.contains(".local/"));
        found
    }
}

/// An existing file in an odd style, as a person might have it.
fn odd_text(shape: Shape) -> Option<&'static str> {
    match shape {
        Shape::Groups => Some(
            "\u{feff}{\r\n\t// mine\r\n\t\"model\" : \"x\", \"hooks\": { \"Stop\": [ {\"hooks\": [ {\"type\":\"command\",\"command\":\"say done\"} ] } ] /* end */ },\r\n}",
        ),
        Shape::BareGroups => Some("{\"Stop\":[{\"hooks\":[{\"command\":\"x\"}]}]}"),
        Shape::Flat => {
            Some("{ \"version\": 1,\n    \"hooks\": {\n        \"stop\": [{\"command\": \"x\"}] // mine\n    } }\n\n")
        }
        Shape::TomlList | Shape::TomlGroups => {
            Some("# mine\r\nmodel = 'x'\r\n[[hooks]]\r\nevent = \"Stop\"\r\ncommand = \"x\"\r\n[other] # tail")
        }
        Shape::Whole => None,
    }
}

fn scopes(harness: Harness) -> Vec<Scope> {
    let install = &harness.client().facts.install;
    let mut scopes = vec![Scope::User];
    if install.project.is_some() {
        scopes.extend([Scope::Project, Scope::ProjectStrict, Scope::Personal]);
    }
    if install.local.is_some() {
        scopes.push(Scope::Local);
    }
    scopes
}

fn target(place: &Place, harness: Harness, scope: Scope) -> PathBuf {
    let install = &harness.client().facts.install;
    match scope {
        Scope::Project | Scope::ProjectStrict => place.root().join(install.project.unwrap()),
        Scope::Local => place.root().join(install.local.unwrap()),
        Scope::Personal => place.root().join(install.local.or(install.project).unwrap()),
        Scope::User => place.with(|site| site.resolve(install.user).unwrap()),
    }
}

#[test]
fn a_fresh_project_gets_lines_once_and_is_left_as_it_was() {
    for harness in Harness::ALL {
        for scope in scopes(harness) {
            let place = Place::new();
            let before = place.files();
            assert_eq!(place.install(&[harness], scope), 1, "{harness} {scope:?}");
            let text = fs::read_to_string(target(&place, harness, scope)).unwrap();
            assert!(stead_settings::has_our_lines(harness.client().facts.install.shape, &text), "{text}");
            assert_eq!(place.install(&[harness], scope), 0, "running again changes nothing: {harness} {scope:?}");
            assert_eq!(place.uninstall(&[harness], Reach::of(scope)), 1);
            assert_eq!(place.files(), before, "{harness} {scope:?}");
            assert!(!place.record(Reach::of(scope)).exists(), "nothing is left to remember");
        }
    }
}

#[test]
fn an_existing_file_comes_back_byte_for_byte() {
    for harness in Harness::ALL {
        for scope in scopes(harness) {
            let Some(text) = odd_text(harness.client().facts.install.shape) else {
                continue;
            };
            let place = Place::new();
            let path = target(&place, harness, scope);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            let before = place.files();
            assert_eq!(place.install(&[harness], scope), 1, "{harness} {scope:?}");
            assert_ne!(place.files(), before);
            place.uninstall(&[harness], Reach::of(scope));
            assert_eq!(place.files(), before, "{harness} {scope:?}");
        }
    }
}

#[test]
fn what_a_person_changed_since_stays() {
    let place = Place::new();
    let path = place.write("project/.claude/settings.json", "{\n  \"model\": \"x\"\n}\n");
    place.install(&[Harness::Claude], Scope::Project);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"x\"", "\"y\"")).unwrap();
    place.uninstall(&[Harness::Claude], Reach::Project);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\n  \"model\": \"y\"\n}\n");
}

#[test]
fn a_file_made_for_us_stays_while_a_person_uses_it() {
    let place = Place::new();
    place.install(&[Harness::Claude], Scope::Project);
    let path = place.path("project/.claude/settings.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen('{', "{\n  \"model\": \"y\",", 1)).unwrap();
    place.uninstall(&[Harness::Claude], Reach::Project);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\n  \"model\": \"y\"\n}\n");
}

#[test]
fn a_teammate_without_a_record_can_take_the_lines_out() {
    let place = Place::new();
    let mine = "{\n  \"model\": \"x\"\n}\n";
    let path = place.write("project/.claude/settings.json", mine);
    let all: Vec<Harness> = Harness::ALL.into_iter().filter(|h| h.client().facts.install.project.is_some()).collect();
    place.install(&all, Scope::Project);
    fs::remove_file(place.record(Reach::Project)).unwrap();
    place.uninstall(&Harness::ALL, Reach::Project);
    assert_eq!(fs::read_to_string(&path).unwrap(), mine);
    assert!(!place.path("project/.opencode/plugins/stead.js").exists());
    assert!(!place.path("project/.github/hooks/stead.json").exists());
    for harness in all {
        let install = &harness.client().facts.install;
        let left = fs::read_to_string(place.root().join(install.project.unwrap())).unwrap_or_default();
        assert!(!left.contains("stead hook"), "{harness}: {left}");
    }
}

#[test]
fn installing_again_in_another_way_keeps_the_first_old_bytes() {
    let place = Place::new();
    let path = place.write("project/.claude/settings.json", "{ }");
    place.install(&[Harness::Claude], Scope::Project);
    assert_eq!(place.install(&[Harness::Claude], Scope::ProjectStrict), 1);
    assert!(fs::read_to_string(&path).unwrap().contains("onFailure"));
    place.uninstall(&[Harness::Claude], Reach::Project);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{ }");
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let place = Place::new();
    let bad = place.write("project/.gemini/settings.json", "{ \"a\": \n oops }");
    fs::create_dir_all(place.path("project/.qwen")).unwrap();
    fs::write(place.path("project/.qwen/settings.json"), b"{\"a\": \"\xff\"}").unwrap();
    let plan = place.plan(&[Harness::Gemini, Harness::Claude, Harness::Qwen], Scope::Project, Old::Keep);
    let whys: Vec<_> = plan
        .notes
        .iter()
        .filter_map(|note| match note {
            Note::Bad { harness, why, .. } => Some(format!("{harness}: {why}")),
            _ => None,
        })
        .collect();
    assert_eq!(whys, ["gemini: line 2, column 2: unexpected word", "qwen: it is not UTF-8 text"]);
    assert_eq!(plan.edits.len(), 1);
    place.with(|site| apply(site, &plan, &place.record(Reach::Project)).unwrap());
    assert_eq!(fs::read_to_string(bad).unwrap(), "{ \"a\": \n oops }");
    assert!(place.path("project/.claude/settings.json").exists());
}

#[test]
fn a_client_without_project_settings_is_skipped_with_a_word() {
    let place = Place::new();
    let plan = place.plan(&[Harness::Kimi], Scope::Project, Old::Keep);
    assert_eq!(plan.edits, []);
    let words = place.with(|site| plan.notes.iter().map(|note| note.words(site)).collect::<Vec<_>>());
    assert_eq!(words.len(), 1);
    assert!(words[0].contains("`--user`"), "{words:?}");
}

#[test]
fn older_hooks_are_shown_and_replaced_on_demand() {
    let place = Place::new();
    let text = r#"{"hooks":{"PreToolUse":[{"matcher":{"tool_name":"Write"},"hooks":[{"type":"command","command":"python3 .claude/hooks/block-tested-true.py"}]},{"matcher":{"tool_name":"Read"},"hooks":[{"type":"command","command":"mine"}]}]}}"#;
    let path = place.write("project/.claude/settings.json", text);
    let found = |plan: &Plan| plan.notes.iter().filter(|note| matches!(note, Note::Found { .. })).count();
    let kept = place.plan(&[Harness::Claude], Scope::Project, Old::Keep);
    assert_eq!(found(&kept), 3);
    assert!(kept.edits[0].after.as_deref().unwrap().contains("block-tested-true.py"));
    let replaced = place.plan(&[Harness::Claude], Scope::Project, Old::Replace);
    assert_eq!(found(&replaced), 3);
    let after = replaced.edits[0].after.clone().unwrap();
    assert!(!after.contains("block-tested-true.py") && after.contains("\"matcher\":\"Read\""), "{after}");
    assert_eq!(stead_settings::findings(Shape::Groups, &after), []);
    place.with(|site| apply(site, &replaced, &place.record(Reach::Project)).unwrap());
    place.uninstall(&[Harness::Claude], Reach::Project);
    assert_eq!(fs::read_to_string(&path).unwrap(), text, "undoing brings the older hooks back");
}

#[cfg(unix)]
#[test]
fn a_linked_settings_file_stays_a_link() {
    let place = Place::new();
    let real = place.write("dotfiles/claude.json", "{\"a\":1}");
    fs::create_dir_all(place.path("home/.claude")).unwrap();
    let link = place.path("home/.claude/settings.json");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    place.install(&[Harness::Claude], Scope::User);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("hook claude"));
    place.uninstall(&[Harness::Claude], Reach::User);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&real).unwrap(), "{\"a\":1}");
}

#[test]
fn variables_move_the_users_settings() {
    for (harness, variable, file) in [
        (Harness::Claude, "CLAUDE_CONFIG_DIR", "settings.json"),
        (Harness::Codex, "CODEX_HOME", "hooks.json"),
        (Harness::Kimi, "KIMI_CODE_HOME", "config.toml"),
    ] {
        let mut place = Place::new();
        let elsewhere = place.path("else where");
        place.env.insert(variable.to_owned(), elsewhere.clone().into());
        place.install(&[harness], Scope::User);
        let text = fs::read_to_string(elsewhere.join(file)).unwrap();
        assert!(text.contains(" hook "), "{text}");
        assert!(place.files().keys().all(|name| !name.starts_with("home/.")), "{:?}", place.files().keys());
    }
}

#[test]
fn a_path_that_cannot_be_is_named_and_the_rest_is_done() {
    let place = Place::new();
    place.write("project/.codex", "in the way");
    let plan = place.plan(&[Harness::Codex, Harness::Claude], Scope::Project, Old::Keep);
    assert!(
        plan.notes.iter().any(|note| matches!(note, Note::Bad { harness: Harness::Codex, .. })),
        "{:?}",
        plan.notes
    );
    let applied = place.with(|site| apply(site, &plan, &place.record(Reach::Project)).unwrap());
    assert_eq!(applied.done, [place.path("project/.claude/settings.json")]);
    assert_eq!(fs::read_to_string(place.path("project/.codex")).unwrap(), "in the way");
}

#[cfg(unix)]
#[test]
fn a_failed_write_is_named_and_the_rest_is_done() {
    let place = Place::new();
    fs::create_dir_all(place.path("project/.codex")).unwrap();
    let link = place.path("project/.codex/hooks.json");
    // Not even root can write through a link into a folder that does not exist.
    std::os::unix::fs::symlink(place.path("nowhere/hooks.json"), &link).unwrap();
    let plan = place.plan(&[Harness::Codex, Harness::Claude], Scope::Project, Old::Keep);
    let applied = place.with(|site| apply(site, &plan, &place.record(Reach::Project)).unwrap());
    assert_eq!(applied.done, [place.path("project/.claude/settings.json")]);
    assert_eq!(applied.failed.len(), 1);
    assert_eq!(applied.failed[0].0, link);
    assert!(!place.path("nowhere").exists());
    place.uninstall(&[Harness::Codex, Harness::Claude], Reach::Project);
    assert!(!place.path("project/.claude").exists());
}

#[test]
fn without_a_place_for_the_record_nothing_is_changed() {
    let place = Place::new();
    place.write("project/.agent", "in the way");
    let before = place.files();
    let error = place.with(|site| {
        let plan = plan(site, &[Harness::Claude], Scope::Project, Old::Keep);
        apply(site, &plan, &place.record(Reach::Project)).unwrap_err()
    });
    assert!(error.to_string().contains("install.json"), "{error}");
    assert_eq!(place.files(), before);
}

#[test]
fn a_file_changed_between_plan_and_write_is_left_alone() {
    let place = Place::new();
    let path = place.write("project/.claude/settings.json", "{}");
    let plan = place.plan(&[Harness::Claude], Scope::Project, Old::Keep);
    fs::write(&path, "{\"new\":1}").unwrap();
    let applied = place.with(|site| apply(site, &plan, &place.record(Reach::Project)).unwrap());
    assert_eq!(applied.failed.len(), 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"new\":1}");
    place.install(&[Harness::Claude], Scope::Project);
    place.uninstall(&[Harness::Claude], Reach::Project);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"new\":1}");
}

#[test]
fn a_broken_or_newer_record_is_an_error_not_a_loss() {
    let place = Place::new();
    place.write("project/.agent/context/indexes/install.json", "{ torn");
    let error = UndoRecord::read(&place.record(Reach::Project)).unwrap_err();
    assert!(error.to_string().contains("cannot be read") && error.hint().is_some());
    place.write("project/.agent/context/indexes/install.json", "{\"schema\":7}");
    let error = UndoRecord::read(&place.record(Reach::Project)).unwrap_err();
    assert!(error.to_string().contains("schema 7"), "{error}");
}

#[test]
fn clients_are_found_by_program_or_trace() {
    let mut place = Place::new();
    assert_eq!(place.with(detect), []);
    place.write("project/GEMINI.md", "");
    place.write("bin/codex", "");
    place.env.insert("PATH".to_owned(), place.path("bin").into());
    let found: Vec<Harness> = place.with(detect).into_iter().map(|client| client.harness).collect();
    assert_eq!(found, [Harness::Codex, Harness::Gemini]);
    assert_eq!(named(["claude", " codex", "claude", ""]).unwrap(), [Harness::Claude, Harness::Codex]);
    let error = named(["emacs"]).unwrap_err();
    assert_eq!(error.to_string(), "unknown harness `emacs`");
    assert!(error.hint().unwrap().contains("`claude`, `codex`"));
}

#[test]
fn diffs_name_files_from_the_project() {
    let place = Place::new();
    place.write("project/.codex/hooks.json", "{\n  \"description\": \"mine\"\n}\n");
    let plan = place.plan(&[Harness::Codex], Scope::Project, Old::Keep);
    let text = place.with(|site| diff(site, &plan.edits[0]));
    let head = "--- a/.codex/hooks.json\n+++ b/.codex/hooks.json\n@@ -1,3 +1,";
    assert!(text.starts_with(head), "{text}");
    assert!(text.contains("-  \"description\": \"mine\"\n+  \"description\": \"mine\",\n"), "{text}");
    let fresh = place.plan(&[Harness::Claude], Scope::Project, Old::Keep);
    let text = place.with(|site| diff(site, &fresh.edits[0]));
    assert!(text.starts_with("--- /dev/null\n+++ b/.claude/settings.json\n"), "{text}");
}

/// Some clients trust a line by its text and silently skip a changed one.
#[test]
fn another_version_of_the_program_changes_no_line_that_works() {
    for harness in Harness::ALL {
        for scope in [Scope::Project, Scope::ProjectStrict, Scope::Local, Scope::User] {
            let mut place = Place::new();
            place.program = place.write("old bin/stead", "");
            place.install(&[harness], scope);
            place.program = place.write("opt/stead-2.0/stead", "");
            let edits = place.plan(&[harness], scope, Old::Keep).edits;
            assert_eq!(edits, [], "{harness} {scope:?}: the lines still work");
            // A line whose program is gone does nothing, so it is written again.
            fs::remove_file(place.path("old bin/stead")).unwrap();
            let names_it = matches!(scope, Scope::Local | Scope::User);
            let install = &harness.client().facts.install;
            let is_there = scope != Scope::Local && (scope == Scope::User || install.project.is_some());
            let is_there = is_there || scope == Scope::Local && install.local.is_some();
            let edits = place.plan(&[harness], scope, Old::Keep).edits;
            assert_eq!(!edits.is_empty(), names_it && is_there, "{harness} {scope:?}");
        }
    }
}
