use std::fs;
use std::process::Command;

use super::*;
use crate::Marker;

const NOW: &str = "2026-11-17T20:00:00.000Z";

/// A person with a home, and repositories.
struct Home {
    world: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        Self { world: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.world.path()).unwrap().join(name)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, dir: &str, words: &[&str]) {
        let mut git = Command::new("git");
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("HOME", self.path("home")).arg("-C").arg(self.path(dir));
        git.args(["-c", "user.name=T", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"]);
        assert!(git.args(words).output().unwrap().status.success(), "{words:?}");
    }

    /// A repository with a marker and this stage.
    fn repository(&self, name: &str, stage: &str) {
        self.write(&format!("{name}/.agent/context/root.json"), &Marker::create(NOW).render());
        self.write(&format!("{name}/{STAGE}"), stage);
        self.git(name, &["init", "-q", "-b", "main"]);
        self.commit(name);
    }

    fn commit(&self, name: &str) {
        self.git(name, &["add", "-A"]);
        self.git(name, &["commit", "-q", "-m", "x"]);
    }

    fn trust(&self, name: &str) -> Trust {
        let home = self.path("home");
        Trust::of(&self.path(name), &move |variable| (variable == "HOME").then(|| home.clone().into()))
    }

    fn item(&self, name: &str, kind: ItemKind, path: &str) -> TrustItem {
        TrustItem::file(kind, path, fs::read(self.path(name).join(path)).unwrap())
    }

    fn stage(&self, name: &str) -> TrustItem {
        self.item(name, ItemKind::Stage, STAGE)
    }

    #[track_caller]
    fn check(&self, name: &str, expected: Standing) {
        assert_eq!(self.trust(name).standing(&self.stage(name)), expected);
    }
}

const STAGE: &str = ".agent/stages/s/stage.yaml";

#[test]
fn what_arrives_is_trusted_by_a_person_and_exactly_as_it_is() {
    let home = Home::new();
    home.repository("origin", "one");
    home.git(".", &["clone", "-q", "origin", "clone"]);
    home.check("clone", Standing::New);
    home.trust("clone").look(&[home.stage("clone")], NOW, Durability::Quick).unwrap();
    home.check("clone", Standing::New);
    home.trust("clone").accept(&[home.stage("clone")], NOW).unwrap();
    home.check("clone", Standing::Trusted);
    // Changed here, by hand or by git: a definition that arrived is trusted only as it was seen.
    home.write(&format!("clone/{STAGE}"), "two");
    home.check("clone", Standing::Changed);
    home.git("clone", &["checkout", "-q", "."]);
    home.check("clone", Standing::Trusted);
    assert_eq!(home.trust("clone").trusted_text(STAGE).unwrap(), b"one");
    home.write(&format!("origin/{STAGE}"), "three");
    home.commit("origin");
    home.git("clone", &["pull", "-q"]);
    home.check("clone", Standing::Changed);
    home.trust("clone").accept(&[home.stage("clone")], NOW).unwrap();
    home.check("clone", Standing::Trusted);
    home.trust("clone").revoke(&[home.stage("clone")], NOW).unwrap();
    home.check("clone", Standing::New);
}

#[test]
fn a_project_set_up_here_trusts_what_is_written_here_but_not_what_git_brings() {
    let home = Home::new();
    home.repository("here", "first");
    fs::remove_file(home.path("here").join(STAGE)).unwrap();
    home.trust("here").set_up(SetUpBy::Program, true, &[], NOW).unwrap();
    home.write(&format!("here/{STAGE}"), "mine");
    home.check("here", Standing::Local);
    home.commit("here");
    // Nothing was ever fetched.
    home.check("here", Standing::Local);
    home.git(".", &["clone", "-q", "here", "colleague"]);
    home.write(&format!("colleague/{STAGE}"), "theirs");
    home.commit("colleague");
    home.git("here", &["pull", "-q", "../colleague", "main"]);
    home.check("here", Standing::New);
    home.write(&format!("here/{STAGE}"), "mine again");
    home.check("here", Standing::Local);
    // What was seen while it was not committed stays trusted afterwards.
    home.trust("here").look(&[home.stage("here")], NOW, Durability::Quick).unwrap();
    home.commit("here");
    home.check("here", Standing::Local);
}

#[test]
fn a_program_that_sets_a_project_up_trusts_nothing_that_was_there() {
    let home = Home::new();
    home.repository("unpacked", "hostile");
    fs::remove_dir_all(home.path("unpacked/.git")).unwrap();
    home.trust("unpacked").set_up(SetUpBy::Program, true, &[home.stage("unpacked")], NOW).unwrap();
    home.check("unpacked", Standing::New);
    home.write(&format!("unpacked/{STAGE}"), "changed");
    home.check("unpacked", Standing::Local);
    home.trust("unpacked").set_up(SetUpBy::Person, true, &[home.stage("unpacked")], NOW).unwrap();
    home.check("unpacked", Standing::Trusted);
}

#[test]
fn what_agents_write_after_the_first_look_is_local() {
    let home = Home::new();
    home.repository("origin", "one");
    home.write("origin/.agent/context/packets/theirs.md", "theirs");
    home.commit("origin");
    home.git(".", &["clone", "-q", "origin", "clone"]);
    let packet = |name: &str| home.item("clone", ItemKind::Packet, &format!(".agent/context/packets/{name}.md"));
    home.write("clone/.agent/context/packets/early.md", "early");
    home.trust("clone").look(&[packet("theirs"), packet("early")], NOW, Durability::Quick).unwrap();
    home.write("clone/.agent/context/packets/mine.md", "mine");
    let trust = home.trust("clone");
    assert_eq!(
        ["theirs", "early", "mine"].map(|name| trust.standing(&packet(name))),
        [Standing::New, Standing::New, Standing::Local]
    );
    // Git brings another one.
    home.write("origin/.agent/context/packets/later.md", "later");
    home.commit("origin");
    home.git("clone", &["pull", "-q"]);
    assert_eq!(home.trust("clone").standing(&packet("later")), Standing::New);
}

#[test]
fn a_part_that_git_brought_stays_untrusted_when_the_rest_of_its_file_changes() {
    fn lines(path: &str, content: &[u8]) -> Vec<TrustItem> {
        let text = String::from_utf8_lossy(content).into_owned();
        let item = |line: &str| TrustItem::extracted(ItemKind::Lesson, format!("{path}#{line}"), line.into(), lines);
        text.lines().map(item).collect()
    }
    let home = Home::new();
    let file = ".agent/intents/AGENT.md";
    home.repository("origin", "one");
    home.git(".", &["clone", "-q", "origin", "clone"]);
    home.trust("clone").look(&[], NOW, Durability::Quick).unwrap();
    home.write(&format!("origin/{file}"), "theirs\n");
    home.commit("origin");
    home.git("clone", &["pull", "-q"]);
    home.write(&format!("clone/{file}"), "theirs\nmine\n");
    let items = lines(file, &fs::read(home.path("clone").join(file)).unwrap());
    let trust = home.trust("clone");
    assert_eq!(items.iter().map(|item| trust.standing(item)).collect::<Vec<_>>(), [Standing::New, Standing::Local]);
}

#[test]
fn a_persons_settings_trust_whole_projects() {
    let home = Home::new();
    home.repository("work/origin", "one");
    home.git("work", &["clone", "-q", "origin", "clone"]);
    home.check("work/clone", Standing::New);
    home.write(
        "home/.config/stead/config.toml",
        &format!("[trust]\nfolders = [\"{}\"]\n", home.path("work").display()),
    );
    home.check("work/clone", Standing::Trusted);
    home.write("home/.config/stead/config.toml", "[trust]\nremotes = [\"example.com/acme/*\"]\n");
    home.git("work/clone", &["remote", "set-url", "origin", "git@example.com:acme/tool.git"]);
    // Nobody has looked yet, so the address was not noted.
    home.check("work/clone", Standing::New);
    home.trust("work/clone").look(&[home.stage("work/clone")], NOW, Durability::Quick).unwrap();
    home.check("work/clone", Standing::Trusted);
    home.write("home/.config/stead/config.toml", "");
    home.check("work/clone", Standing::New);
    // An address that changes later proves nothing.
    home.git(".", &["clone", "-q", "work/origin", "other"]);
    home.trust("other").look(&[home.stage("other")], NOW, Durability::Quick).unwrap();
    home.write("home/.config/stead/config.toml", "[trust]\nremotes = [\"example.com/acme/*\"]\n");
    home.git("other", &["remote", "set-url", "origin", "git@example.com:acme/tool.git"]);
    home.check("other", Standing::New);
}

#[test]
fn without_a_readable_record_nothing_is_trusted() {
    let home = Home::new();
    home.repository("here", "one");
    home.trust("here").accept(&[home.stage("here")], NOW).unwrap();
    let file = home.trust("here").file().unwrap();
    let text = fs::read_to_string(&file).unwrap();
    for broken in ["", "{", "[]", "{\"v\": 2}", &text.replace("\"v\": 1", "\"v\": 9")] {
        fs::write(&file, broken).unwrap();
        home.check("here", Standing::New);
    }
    fs::write(&file, &text).unwrap();
    home.check("here", Standing::Trusted);
    // A state folder inside the project could have come with it.
    let root = home.path("here");
    let inside = root.join("home");
    let trust = Trust::of(&root, &move |variable| (variable == "HOME").then(|| inside.clone().into()));
    assert_eq!((trust.file(), trust.standing(&home.stage("here"))), (None, Standing::New));
}
