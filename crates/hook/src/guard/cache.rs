//! The compiled guards: one text at `.agent/cache/guards`, made from the guard files of project and person and from
//! those that come with Stead. A call looks at the two folders, not into their files, and compiles anew when one looks
//! different. Only then is YAML read.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use stead_guard::{Bodies, Compiled, CompiledView, Ground, Mode, SHIPPED_STAMP, Source, Then, compile};
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

/// So much is read at once; a longer index is read to its end, bodies one by one.
const FIRST_READ: u64 = 16 * 1024;

/// The compiled guards of a project.
pub struct GuardText {
    /// All of it, or the part before the bodies.
    text: String,
    start: usize,
    may_warn: bool,
    bodies: Option<StoredBodies>,
}

/// The bodies in their file.
struct StoredBodies {
    file: File,
    start: u64,
}

impl Bodies for StoredBodies {
    fn read(&self, at: usize, length: usize) -> Option<String> {
        (&self.file).seek(SeekFrom::Start(self.start.checked_add(at as u64)?)).ok()?;
        let mut text = String::new();
        (&self.file).take(length as u64).read_to_string(&mut text).ok()?;
        Some(text)
    }
}

impl GuardText {
    /// Reads the compiled guards, or compiles them.
    pub fn load(root: &Path, policy: &PolicyText) -> Self {
        let folders = folders(root, policy);
        let looks = folders.each_ref().map(|folder| FolderLook::at(folder, &is_guard_file));
        let path = root.join(GUARDS);
        if let Some(fresh) = Self::read(&path, policy, &folders, &looks) {
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
        let text = self.text.get(self.start..)?;
        match &self.bodies {
            Some(bodies) => CompiledView::with_bodies(text, bodies),
            None => CompiledView::parse(text),
        }
    }

    /// Says whether a guard may have something to tell that is not said at once.
    pub(crate) fn may_warn(&self) -> bool {
        self.may_warn
    }

    /// Reads what was compiled, as far as it is needed and if it still holds.
    fn read(path: &Path, policy: &PolicyText, folders: &[PathBuf; 2], looks: &[FolderLook; 2]) -> Option<Self> {
        let mut file = File::open(path).ok()?;
        let size = file.metadata().ok()?.len();
        let mut bytes = vec![0; usize::try_from(size.min(FIRST_READ)).ok()?];
        file.read_exact(&mut bytes).ok()?;
        let (start, may_warn, length) = {
            // Cut off in the midst of a letter, perhaps, which is not in the part that is looked at.
            let text = valid_part(&bytes);
            let (start, may_warn) = fresh(text, policy, folders, looks)?;
            (start, may_warn, CompiledView::measure(text.get(start..)?)?)
        };
        let head = start.checked_add(length.head)?;
        if size != (head as u64).checked_add(length.bodies as u64)? {
            return None;
        }
        let is_whole = bytes.len() as u64 == size;
        if !is_whole {
            let known = bytes.len();
            bytes.resize(head, 0);
            if head > known {
                file.read_exact(&mut bytes[known..]).ok()?;
            }
        }
        let bodies = (!is_whole).then_some(StoredBodies { file, start: head as u64 });
        let read = Self { text: String::from_utf8(bytes).ok()?, start, may_warn, bodies };
        read.view().is_some().then_some(read)
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
        Self { text, start, may_warn, bodies: None }
    }
}

fn valid_part(bytes: &[u8]) -> &str {
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    bytes.get(..valid).and_then(|part| std::str::from_utf8(part).ok()).unwrap_or_default()
}

/// Where the guards begin and whether they may warn, if what was compiled still holds.
fn fresh(text: &str, policy: &PolicyText, folders: &[PathBuf; 2], looks: &[FolderLook; 2]) -> Option<(usize, bool)> {
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
    Some((start, warns == "warns"))
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
