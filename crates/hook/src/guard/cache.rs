//! The compiled guards: one text at `.agent/cache/guards`, made from the guard files of project and person and from
//! those that come with Stead. A call looks at the two folders, not into their files, and compiles anew when one looks
//! different. Only then is YAML read.

use std::fs;
use std::path::{Path, PathBuf};

use stead_guard::{Compiled, CompiledView, Ground, Mode, SHIPPED_STAMP, Source, Then, compile};
use stead_store::{Durability, FolderLook, Room, extend_alarm, read_capped, replace};

use crate::policy::PolicyText;

/// Where the compiled guards lie, below the project root. It does not move with the layout, as the policy does not.
pub(crate) const GUARDS: &str = ".agent/cache/guards";

/// What another version compiled is not used.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A file changed so shortly before compilation, in nanoseconds, may have changed again without looking different.
const RACY: u128 = 50_000_000;

/// The largest guard file that is read.
const LARGEST: usize = 256 * 1024;

/// How long compiling may take, in seconds.
const PATIENCE: u32 = 8;

/// The compiled guards of a project.
pub struct GuardText {
    text: String,
    start: usize,
    may_warn: bool,
}

impl GuardText {
    /// Reads the compiled guards, or compiles them.
    pub fn load(root: &Path, policy: &PolicyText) -> Self {
        let folders = folders(root, policy);
        let looks = folders.each_ref().map(|folder| FolderLook::at(folder, &is_guard_file));
        let path = root.join(GUARDS);
        if let Ok(text) = fs::read_to_string(&path)
            && let Some(fresh) = Self::fresh(text, policy, &folders, &looks)
        {
            return fresh;
        }
        let made = Self::make(root, policy, &folders, &looks);
        // A project that cannot be written is compiled for each call: slower, not different.
        if path.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok()) {
            let _ = replace(&path, made.text.as_bytes(), Durability::Quick);
        }
        made
    }

    /// What a call asks; `None` when the text is damaged.
    pub fn view(&self) -> Option<CompiledView<'_>> {
        CompiledView::parse(self.text.get(self.start..)?)
    }

    /// Says whether a guard may have something to tell that is not said at once.
    pub(crate) fn may_warn(&self) -> bool {
        self.may_warn
    }

    fn fresh(text: String, policy: &PolicyText, folders: &[PathBuf; 2], looks: &[FolderLook; 2]) -> Option<Self> {
        let mut lines = text.split_inclusive('\n');
        let mut start = 0;
        let mut next = || {
            let line = lines.next()?;
            start += line.len();
            line.strip_suffix('\n')
        };
        let mut first = next()?.strip_prefix("stead-guard-cache\t")?.split('\t');
        let (version, stamp, compiled) = (first.next()?, first.next()?, first.next()?);
        let warns = first.next()?;
        let compiled: u128 = compiled.parse().ok()?;
        if version != VERSION
            || u64::from_str_radix(stamp, 16) != Ok(SHIPPED_STAMP)
            || next()?.strip_prefix("policy\t")? != policy.first_line()
        {
            return None;
        }
        for (folder, look) in folders.iter().zip(looks) {
            if !is_same(next()?, folder, look) || look.newest + RACY > compiled {
                return None;
            }
        }
        let fresh = Self { may_warn: warns == "warns", start, text };
        fresh.view().is_some().then_some(fresh)
    }

    fn make(root: &Path, policy: &PolicyText, folders: &[PathBuf; 2], looks: &[FolderLook; 2]) -> Self {
        let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos());
        // Seldom, and worth waiting for: hundreds of files with their tests take longer than a call may.
        extend_alarm(PATIENCE);
        let Compiled { lines, .. } = compile(&guard_sources(root, policy), &guard_ground(policy));
        let tells = |then: Then| matches!(then, Then::Warn | Then::Inject);
        let guards = CompiledView::parse(&lines).map(|view| view.guards()).unwrap_or_default();
        let may_warn = guards.iter().any(|guard| guard.mode < Mode::Enforce || tells(guard.then));
        let warns = if may_warn { "warns" } else { "silent" };
        let mut text = format!(
            "stead-guard-cache\t{VERSION}\t{SHIPPED_STAMP:x}\t{now}\t{warns}\npolicy\t{}\n",
            policy.first_line()
        );
        for (folder, look) in folders.iter().zip(looks) {
            text.push_str(&folder_line(folder, look));
            text.push('\n');
        }
        let start = text.len();
        text.push_str(&lines);
        Self { text, start, may_warn }
    }
}

fn folder_line(folder: &Path, look: &FolderLook) -> String {
    format!("folder\t{:x}\t{}\t{}\t{}", look.sum, look.newest, look.files, folder.to_string_lossy())
}

/// Says whether a line tells of this folder as it looks now; read rather than written, because every call asks.
fn is_same(line: &str, folder: &Path, look: &FolderLook) -> bool {
    let Some(mut fields) = line.strip_prefix("folder\t").map(|rest| rest.splitn(4, '\t')) else { return false };
    let mut next = || fields.next().unwrap_or_default();
    u64::from_str_radix(next(), 16) == Ok(look.sum)
        && next().parse() == Ok(look.newest)
        && next().parse() == Ok(look.files)
        && next() == folder.to_string_lossy()
}

/// The folders that guard files are read from: the project's and the person's.
fn folders(root: &Path, policy: &PolicyText) -> [PathBuf; 2] {
    let user = policy.user.as_ref().map(|folder| folder.join("guards")).unwrap_or_default();
    [policy.room(root, Room::Guards), user]
}

fn is_guard_file(name: &str) -> bool {
    !name.starts_with('.') && (name.ends_with(".yaml") || name.ends_with(".yml"))
}

/// Reads every guard file of project and person.
pub fn guard_sources(root: &Path, policy: &PolicyText) -> Vec<Source> {
    let [project, user] = folders(root, policy);
    let mut sources = Vec::new();
    for (folder, make) in [(project, Source::project as fn(String, String) -> Source), (user, Source::user)] {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(|name| is_guard_file(name));
        names.sort();
        for name in names.into_iter().take(FolderLook::LIMIT) {
            let path = folder.join(&name);
            let shown = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            sources.push(make(shown, text_of(&path)));
        }
    }
    sources
}

/// A file's text. What cannot be read becomes a text that is no guard, so that somebody hears of it.
fn text_of(path: &Path) -> String {
    match read_capped(path, LARGEST) {
        Ok(Some(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
        Ok(None) => String::new(),
        Err(error) => format!("unreadable: {:?}\n", error.to_string()),
    }
}

/// What the project is to guards.
pub fn guard_ground(policy: &PolicyText) -> Ground {
    let rooms = [Room::Features, Room::Context, Room::Guards, Room::Roles];
    let named = |room: Room| policy.value("room", room.name()).unwrap_or_else(|| room.default_path()).to_owned();
    Ground { rooms: rooms.into_iter().map(|room| (room.name().to_owned(), named(room))).collect() }
}
