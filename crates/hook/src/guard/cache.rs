//! The compiled guards: one text at `.agent/cache/guards`, compiled from the guard files of project and person and from
//! the shipped ones. A call checks size and time of the folders and of the known files, and recompiles if one
//! differs. Only then are folders listed and YAML read.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use stead_guard::{
    Bodies, Compiled, CompiledView, Mode, Origin, ProjectRooms, SHIPPED_STAMP, Source, SourceTrust, Then, compile,
};
use stead_model::{cut, pieces};
use stead_store::{
    Durability, Exact, FolderLook, ItemKind, Room, Standing, StoreError, Trust, TrustItem, cache_time, extend_alarm,
    file_sum, is_untouched, open_cache, read_capped, read_until, replace_creating,
};

use crate::location::Env;
use crate::policy::PolicyText;
use crate::seal::{InForce, Kind, SealedProject};
use crate::trust;

/// The path of the compiled guards below the project root. Like the policy, it does not move with the layout.
pub(crate) const GUARDS: &str = ".agent/cache/guards";

/// A file compiled by another version is not used.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A file that changed this shortly before compilation, in nanoseconds, may have changed again with the same time
/// stamp.
const RACY: u128 = 50_000_000;

/// The largest guard file that is read.
const LARGEST: usize = 256 * 1024;

/// How long compiling may take, in seconds.
const PATIENCE: u32 = 8;

/// How many bytes are read at once; a longer index is read completely, bodies one by one.
const FIRST_READ: u64 = 16 * 1024;

/// Within this many bytes is the length of the guards.
const MEASURE: usize = 1024;

/// The compiled guards of a project.
pub(super) struct GuardText {
    /// Everything, or the part before the bodies.
    text: String,
    start: usize,
    may_warn: bool,
    bodies: Option<StoredBodies>,
    /// Why a folder of guards could not be listed: guards may be missing.
    unreadable: Option<String>,
}

/// Returns true if the call has just found this sum over the files of a folder.
pub(super) type HasSeen<'a> = dyn Fn(&Path, u64) -> bool + 'a;

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
    pub(super) fn load(root: &Path, policy: &PolicyText, env: &Env, has_seen: &HasSeen<'_>) -> Self {
        let folders = folders(root, policy);
        let path = root.join(GUARDS);
        if let Some(fresh) = Self::read(&path, policy, &folders, has_seen) {
            return fresh;
        }
        trust::first_look(root, env);
        let made = Self::make(root, policy, env, &folders);
        policy.announce_caches(root);
        // If the project is read-only, guards are compiled for each call, which is only slower.
        if made.unreadable.is_none() {
            let _ = replace_creating(&path, Exact::Compiled.bytes(&made.text), Durability::Quick);
        }
        made
    }

    /// The guards of a call; `None` if the text is corrupt.
    pub(super) fn view(&self) -> Option<CompiledView<'_>> {
        let text = self.text.get(self.start..)?;
        match &self.bodies {
            Some(bodies) => CompiledView::with_bodies(text, bodies),
            None => CompiledView::parse(text),
        }
    }

    /// Why guards may be missing, if a folder could not be listed.
    pub(super) fn unreadable(&self) -> Option<&str> {
        self.unreadable.as_deref()
    }

    /// Returns true if a guard may issue a deferred warning.
    pub(crate) fn may_warn(&self) -> bool {
        self.may_warn
    }

    /// Reads the compiled guards as far as needed, if they are up to date.
    fn read(path: &Path, policy: &PolicyText, folders: &[PathBuf], has_seen: &HasSeen<'_>) -> Option<Self> {
        let (mut file, data) = open_cache(path)?;
        let size = data.len();
        let mut bytes = Vec::new();
        read_until(&mut file, &mut bytes, usize::try_from(size.min(FIRST_READ)).ok()?)?;
        let Opening { start, compiled, may_warn, written } = Opening::read(valid_part(&bytes))?;
        is_untouched(&data, written).then_some(())?;
        // The length of the rest follows.
        read_until(&mut file, &mut bytes, usize::try_from(size).ok()?.min(start.checked_add(MEASURE)?))?;
        let length = {
            // The end may be an incomplete character, which is not in the part that is used.
            let text = valid_part(&bytes);
            if !is_fresh(text.get(..start)?, compiled, policy, folders, has_seen)? {
                return None;
            }
            CompiledView::measure(text.get(start..)?)?
        };
        let head = start.checked_add(length.head)?;
        if size != (head as u64).checked_add(length.bodies as u64)? {
            return None;
        }
        let is_whole = bytes.len() as u64 == size;
        if !is_whole {
            read_until(&mut file, &mut bytes, head)?;
            bytes.truncate(head);
        }
        let bodies = (!is_whole).then_some(StoredBodies { file, start: head as u64 });
        let read = Self { text: String::from_utf8(bytes).ok()?, start, may_warn, bodies, unreadable: None };
        read.view().is_some().then_some(read)
    }

    fn make(root: &Path, policy: &PolicyText, env: &Env, folders: &[PathBuf]) -> Self {
        let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos());
        let trust = Trust::of(root, env);
        let mut before = format!("policy\t{}\n{}\n", policy.first_line(), trust_line(trust.file().as_deref()));
        for folder in folders {
            let (look, names) = FolderLook::at(folder, &is_guard_file);
            before.push_str(&folder_lines(folder, &look, &names));
        }
        // Rare, and worth waiting for: hundreds of files with their tests take longer than a call may.
        extend_alarm(PATIENCE);
        let Compiled { lines, .. } = compile(&sources_in_force(root, policy, env, &trust), &guard_rooms(policy));
        let tells = |then: Then| matches!(then, Then::Warn | Then::Inject);
        let guards = CompiledView::parse(&lines).map(|view| view.guards()).unwrap_or_default();
        let may_warn = guards.iter().any(|guard| guard.mode < Mode::Enforce || tells(guard.then));
        let warns = if may_warn { "warns" } else { "silent" };
        let (length, written) = (before.len(), cache_time());
        let mut text =
            format!("stead-guard-cache\t{VERSION}\t{SHIPPED_STAMP:x}\t{now}\t{warns}\t{length}\t{written}\n{before}");
        let start = text.len();
        text.push_str(&lines);
        Self { text, start, may_warn, bodies: None, unreadable: folders.iter().enumerate().find_map(unreadable) }
    }
}

fn valid_part(bytes: &[u8]) -> &str {
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    bytes.get(..valid).and_then(|part| std::str::from_utf8(part).ok()).unwrap_or_default()
}

/// Reads more, up to this many bytes from the beginning.
/// The first line, if this version wrote it.
struct Opening {
    /// The offset of the guards.
    start: usize,
    /// When they were compiled, in nanoseconds since 1970.
    compiled: u128,
    may_warn: bool,
    /// When the file was written.
    written: u128,
}

impl Opening {
    fn read(text: &str) -> Option<Self> {
        let line = text.split_inclusive('\n').next()?;
        let mut fields = pieces(line.strip_suffix('\n')?.strip_prefix("stead-guard-cache\t")?, b'\t');
        let (version, stamp, compiled) = (fields.next()?, fields.next()?, fields.next()?);
        let (warns, length) = (fields.next()?, fields.next()?.parse().ok()?);
        let is_ours = version == VERSION && u64::from_str_radix(stamp, 16) == Ok(SHIPPED_STAMP);
        let start = line.len().checked_add(length)?;
        let written = fields.next()?.parse().ok()?;
        is_ours.then_some(Self { start, compiled: compiled.parse().ok()?, may_warn: warns == "warns", written })
    }
}

/// Returns true if the compiled guards are up to date; `text` is the part before the guards. `None` if it is corrupt.
fn is_fresh(
    text: &str,
    compiled: u128,
    policy: &PolicyText,
    folders: &[PathBuf],
    has_seen: &HasSeen<'_>,
) -> Option<bool> {
    let (_, rest) = cut(text, b'\n')?;
    let (line, rest) = cut(rest, b'\n')?;
    if line.strip_prefix("policy\t")? != policy.first_line() {
        return Some(false);
    }
    let (line, mut rest) = cut(rest, b'\n')?;
    let (_, file) = cut(line.strip_prefix("trust\t")?, b'\t')?;
    if line != trust_line(Some(Path::new(file)).filter(|file| !file.as_os_str().is_empty())) {
        return Some(false);
    }
    for folder in folders {
        let (line, behind) = cut(rest, b'\n')?;
        let mut fields = line.strip_prefix("folder\t")?.splitn(5, '\t');
        let sum = u64::from_str_radix(fields.next()?, 16).ok()?;
        let (newest, files): (u128, usize) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        let length: usize = fields.next()?.parse().ok()?;
        if fields.next()? != folder.to_string_lossy() || newest.saturating_add(RACY) > compiled {
            return Some(false);
        }
        let is_same = || Some(FolderLook::again(folder, behind.get(..length)?) == FolderLook { sum, newest, files });
        if !has_seen(folder, sum) && !is_same()? {
            return Some(false);
        }
        rest = behind.get(length..)?.strip_prefix('\n')?;
    }
    Some(true)
}

/// Returns true if an earlier version of Stead, which knew no trust, compiled the guards of exactly this folder. Inodes and
/// times of change are part of the fingerprint, so no repository can bring such a file along.
pub(crate) fn was_compiled_before_trust(root: &Path, folder: &Path) -> bool {
    let check = || {
        let text = stead_store::read_text(&root.join(GUARDS)).ok()?;
        let rest = text.strip_prefix("stead-guard-cache\t")?.split_once('\n')?.1;
        let rest = rest.strip_prefix("policy\t")?.split_once('\n')?.1;
        let (line, behind) = rest.strip_prefix("folder\t")?.split_once('\n')?;
        let mut fields = line.splitn(5, '\t');
        let sum = u64::from_str_radix(fields.next()?, 16).ok()?;
        let (newest, files) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        let names = behind.get(..fields.next()?.parse().ok()?)?;
        let is_here = fields.next()? == folder.to_string_lossy();
        Some(is_here && newest > 0 && FolderLook::again(folder, names) == FolderLook { sum, newest, files })
    };
    check().unwrap_or(false)
}

/// The fingerprint of a folder, followed by the names of its files, with their length, because a name may contain a
/// newline.
fn folder_lines(folder: &Path, look: &FolderLook, names: &str) -> String {
    let FolderLook { sum, newest, files } = look;
    format!("folder\t{sum:x}\t{newest}\t{files}\t{}\t{}\n{names}\n", names.len(), folder.to_string_lossy())
}

/// What a person trusts here, as one line: the stamp of the file and its path. A new stamp may mean other guards.
fn trust_line(file: Option<&Path>) -> String {
    let sum = file.and_then(|file| fs::metadata(file).ok()).map_or(0, |data| file_sum(&data).0);
    let file = file.map(Path::to_string_lossy).unwrap_or_default();
    format!("trust\t{sum:x}\t{file}")
}

/// The folders of guard files: the project's and the person's. If the environment names another one than the project knows
/// for this person, both count.
fn folders(root: &Path, policy: &PolicyText) -> Vec<PathBuf> {
    let users = policy.users.iter().map(|folder| folder.join("guards"));
    std::iter::once(policy.room(root, Room::Guards)).chain(users).collect()
}

/// Why a folder that is there cannot be listed. The project's may also be hidden by a folder above it; a home that the
/// environment names in vain is no home.
fn unreadable((at, folder): (usize, &PathBuf)) -> Option<String> {
    let error = fs::read_dir(folder).err().filter(|error| error.kind() != std::io::ErrorKind::NotFound)?;
    let is_there = at == 0 || fs::symlink_metadata(folder).is_ok();
    is_there.then(|| format!("`{}` cannot be listed: {error}", folder.display()))
}

pub(crate) fn is_guard_file(name: &str) -> bool {
    !name.starts_with('.') && (name.ends_with(".yaml") || name.ends_with(".yml"))
}

/// Reads every guard file of project and person.
pub fn guard_sources(root: &Path, policy: &PolicyText, env: &Env) -> Vec<Source> {
    sources_with(root, policy, &Trust::of(root, env))
}

fn sources_with(root: &Path, policy: &PolicyText, trust: &Trust) -> Vec<Source> {
    let mut sources = Vec::new();
    for (at, folder) in folders(root, policy).into_iter().enumerate() {
        let make = if at == 0 { Source::project } else { Source::user };
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(|name| is_guard_file(name));
        names.sort();
        for name in names.into_iter().take(FolderLook::LIMIT) {
            let path = folder.join(&name);
            let shown = shown(root, &path);
            let (text, unreadable) = match text_of(&path) {
                Ok(text) => (text, None),
                Err(why) => (String::new(), Some(why)),
            };
            let mut source = Source { unreadable, ..make(shown, text) };
            if source.origin == Origin::Project {
                source.trust = source_trust(trust, &source);
            }
            sources.push(source);
        }
    }
    sources
}

/// The guard files as they apply: of a file that became weaker, the sealed text, until a person accepts the change.
fn sources_in_force(root: &Path, policy: &PolicyText, env: &Env, trust: &Trust) -> Vec<Source> {
    let mut sources = sources_with(root, policy, trust);
    let sealed = SealedProject::of(root, policy, env).map(|project| project.in_force(&[Kind::Guard]));
    let own = &policy.users;
    for InForce { path, text, .. } in sealed.unwrap_or_default() {
        let shown = shown(root, &path);
        sources.retain(|source| source.file != shown);
        if !text.is_empty() {
            let is_own = own.iter().any(|folder| path.starts_with(folder));
            let mut source = if is_own { Source::user(shown, text) } else { Source::project(shown, text) };
            if source.origin == Origin::Project {
                source.trust = source_trust(trust, &source);
            }
            sources.push(source);
        }
    }
    sources
}

/// How messages name a guard file.
fn shown(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

fn source_trust(trust: &Trust, source: &Source) -> SourceTrust {
    let item = TrustItem::file(ItemKind::Guard, &source.file, source.text.clone().into_bytes());
    match trust.standing(&item) {
        Standing::Trusted => SourceTrust::Trusted,
        Standing::Local => SourceTrust::Local,
        Standing::New | Standing::Changed => SourceTrust::Untrusted,
    }
}

/// A file's text, or why there is none.
fn text_of(path: &Path) -> Result<String, String> {
    match read_capped(path, LARGEST) {
        Ok(Some(bytes)) => String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned()),
        Ok(None) => Err("it is a link to a file that does not exist".to_owned()),
        Err(StoreError::Io { source, .. }) => Err(source.to_string()),
        Err(StoreError::NotAFile { .. }) => Err("it is not a regular file".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// What guards need to know about the project.
pub fn guard_rooms(policy: &PolicyText) -> ProjectRooms {
    let rooms = [Room::Features, Room::Context, Room::Guards, Room::Roles];
    let named = |room: Room| policy.value("room", room.name()).unwrap_or_else(|| room.default_path()).to_owned();
    ProjectRooms { by_name: rooms.into_iter().map(|room| (room.name().to_owned(), named(room))).collect() }
}
