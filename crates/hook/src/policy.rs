//! The compiled policy: one small text file that says what applies in this project, so that a hook call parses neither
//! TOML nor YAML.
//!
//! It is at `.agent/cache/policy` and lists its source files with size, times and hash. A call checks size and times of
//! these files and the time of the policy itself, and recompiles if one has changed, or if the environment names other
//! folders of the person.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use stead_model::cut;
use stead_store::seal::{Seal, announce_from};
use stead_store::{
    CONFIG, CONFIG_LOCAL, Durability, Exact, Layout, MARKER, OWN, Person, ProjectState, Room, UserDirs, cache_time,
    confine, file_sum, is_untouched, open_cache, read_until, replace_creating,
};

use crate::compile::{POLICY_STAMP, compile, own_program, trust_source};
use crate::location::Env;

/// The path of the policy below the project root. It does not move with the layout: finding it must not need config.
pub(crate) const POLICY: &str = ".agent/cache/policy";

/// How the first line of the rules starts.
const RULES: &str = "heads\t";

/// A file changed within this time of compilation may have kept its time stamp, so its content is compared too, as git
/// does with its index.
const RACY: Duration = Duration::from_millis(50);

/// The policy text that applies, and where it came from.
pub struct PolicyText {
    pub(crate) text: String,
    /// The offset of the values, after the lines about its sources, and of the rules behind them.
    values: usize,
    /// The lines of the values: where each begins, and where its first field, its second field and it itself end.
    index: Vec<[usize; 4]>,
    /// The person's folders for settings and guards: the one that the project knows, and another one that the environment
    /// names.
    pub(crate) users: Vec<PathBuf>,
    /// The variables that name the person's folders, where the environment says something else.
    person: Vec<(String, OsString)>,
}

impl PolicyText {
    /// Reads the compiled policy, or compiles it.
    pub fn load(root: &Path, env: &Env) -> Self {
        confine(root, OWN);
        let policy = Self::current(root, env);
        policy.lines("room").for_each(|(_, folder)| confine(root, folder));
        policy
    }

    /// The same, and nothing is written.
    pub fn read(root: &Path, env: &Env) -> Self {
        confine(root, OWN);
        let text = make(root, env, &Folders::of(env));
        Self::new(text, 0, env)
    }

    fn current(root: &Path, env: &Env) -> Self {
        let path = root.join(POLICY);
        let folders = Folders::of(env);
        let compiled = read(&path);
        let age = compiled.as_ref().map_or(Age::Stale, |(text, data)| age(text, data, &folders, root));
        match (compiled, age) {
            (Some((text, _)), Age::Fresh { values }) => Self::new(text, values, env),
            _ => {
                let text = make(root, env, &folders);
                let made = Self::new(text, 0, env);
                made.announce_caches(root);
                // If the project is read-only, the policy is compiled for each call, which is only slower.
                let _ = replace_creating(&path, Exact::Compiled.bytes(&made.text), Durability::Quick);
                made
            }
        }
    }

    fn new(text: String, values: usize, env: &Env) -> Self {
        let mut policy = Self { text, values, index: Vec::new(), users: Vec::new(), person: Vec::new() };
        policy.index = policy.index();
        let person = policy.lines("person").map(|(name, value)| (name.to_owned(), OsString::from(value)));
        policy.person = person.collect();
        let known = match policy.person.is_empty() {
            true => None,
            false => UserDirs::from_env(&|name| known_variable(&policy.person, name, env)),
        };
        let user = policy.value("user", "config").map(PathBuf::from);
        policy.users.extend(known.map(|dirs| dirs.config));
        policy.users.extend(user.filter(|user| !policy.users.contains(user)));
        policy
    }

    /// Finds the lines before the rules. A call asks for dozens of values.
    fn index(&self) -> Vec<[usize; 4]> {
        let mut index = Vec::with_capacity(16);
        let mut start = self.values;
        while let Some(rest) = self.text.get(start..) {
            let (line, _) = cut(rest, b'\n').unwrap_or((rest, ""));
            if line.is_empty() || line.starts_with(RULES) {
                break;
            }
            if let Some((kind, rest)) = cut(line, b'\t')
                && let Some((name, _)) = cut(rest, b'\t')
            {
                let kind = start + kind.len();
                index.push([start, kind, kind + 1 + name.len(), start + line.len()]);
            }
            start += line.len() + 1;
        }
        index
    }

    /// Compiles the policy outside a project, which protects our own lines.
    pub(crate) fn outside(env: &Env) -> Self {
        Self::new(compile(None, env), 0, env)
    }

    /// What the project knows about the person's folders; empty if the environment says the same.
    pub(crate) fn person(&self) -> &[(String, OsString)] {
        &self.person
    }

    /// Lets this process announce what it compiles. Before a tool, it announces nothing else.
    pub(crate) fn announce_caches(&self, root: &Path) {
        if let Some(dir) = self.value("seal", "project") {
            let folder = root.join(Room::Cache.default_path());
            announce_from(&Seal::new(Path::new(dir), root), vec![folder]);
        }
    }

    /// What the person's state folder keeps about this checkout: the folder of its seal.
    pub(crate) fn project_state(&self, root: &Path) -> Option<ProjectState> {
        self.value("seal", "project").map(|dir| ProjectState::at(Path::new(dir), root))
    }

    /// Returns true if a gate is on. Only files decide: a client's settings can set variables for its hooks.
    pub(crate) fn gates(&self, switch: &str) -> bool {
        self.value("switch", switch) != Some("off")
    }

    /// Returns true if a recorder is on. The environment takes precedence.
    pub(crate) fn records(&self, switch: &str, variable: &str, env: &Env) -> bool {
        match env(variable).as_deref().and_then(|value| value.to_str()) {
            Some("true") => true,
            Some("false") => false,
            _ => self.value("switch", switch) != Some("off"),
        }
    }

    /// The folder of the project's indexes.
    pub(crate) fn indexes(&self, root: &Path) -> PathBuf {
        let context = self.value("room", Room::Context.name()).unwrap_or_else(|| Room::Context.default_path());
        root.join(context).join("indexes")
    }

    /// Where the rooms are.
    pub(crate) fn layout(&self) -> Layout {
        Layout::with(|room| self.value("room", room.name()))
    }

    /// The folder of a room.
    pub(crate) fn room(&self, root: &Path, room: Room) -> PathBuf {
        root.join(self.value("room", room.name()).unwrap_or_else(|| room.default_path()))
    }

    /// The line that differs between any two compilations.
    pub(crate) fn first_line(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }

    /// The text without the lines about its sources.
    pub(crate) fn values(&self) -> &str {
        self.text.get(self.values..).unwrap_or_default()
    }

    /// A setting that only some events need, as text: what files say, else its default.
    pub(crate) fn setting(&self, key: &str) -> Option<&str> {
        self.value("value", key).or_else(|| {
            let line = self.text.rsplit('\n').find_map(|line| line.strip_prefix("default\t")?.strip_prefix(key));
            line.and_then(|rest| rest.strip_prefix('\t'))
        })
    }

    /// The value of a `kind` line with this name. These lines precede the rules, so the search ends there.
    pub(crate) fn value(&self, kind: &str, name: &str) -> Option<&str> {
        self.lines(kind).find_map(|(known, value)| (known == name).then_some(value))
    }

    /// The names and values of all lines of a kind.
    fn lines(&self, kind: &str) -> impl Iterator<Item = (&str, &str)> {
        let lines = self.index.iter().filter(move |[start, end, ..]| self.text[*start..*end] == *kind);
        lines.map(|[_, kind, name, end]| (&self.text[kind + 1..*name], &self.text[name + 1..*end]))
    }
}

/// A variable as the person has it, if it names one of their folders, else as the environment has it.
pub(crate) fn known_variable(person: &[(String, OsString)], name: &str, env: &Env<'_>) -> Option<OsString> {
    match person.iter().find(|(known, _)| known == name) {
        Some((_, value)) => Some(value.clone()).filter(|value| !value.is_empty()),
        None => env(name),
    }
}

/// The person's folders by the environment.
struct Folders {
    /// The variables that name them, as a line of the policy.
    line: String,
}

impl Folders {
    fn of(env: &Env) -> Self {
        let values = Person::FOLDERS.map(|name| (name, env(name)));
        let mut line = String::from("folders");
        for (_, value) in &values {
            line.push('\t');
            line.push_str(&value.as_deref().unwrap_or_default().to_string_lossy());
        }
        // One line, whatever is in it.
        let line = if line.contains('\n') { line.replace('\n', " ") } else { line };
        Self { line }
    }
}

/// The source files that every policy has.
fn sources(root: &Path, user: Option<&Path>) -> [PathBuf; 5] {
    let user = user.map(|folder| folder.join("config.toml")).unwrap_or_default();
    [root.join(MARKER), root.join(CONFIG), root.join(CONFIG_LOCAL), user, Person::path(root)]
}

fn make(root: &Path, env: &Env, folders: &Folders) -> String {
    let config = UserDirs::from_env(env).map(|dirs| dirs.config);
    // Taken before the files are read: a change in between makes the policy stale, not wrong.
    let compiled = now();
    let mut text = format!("{}\n{}\n", program_line(), folders.line);
    for path in sources(root, config.as_deref()).iter().chain(&further_sources(root, env)) {
        text.push_str(&source_line(path));
        text.push('\n');
    }
    if let Some(config) = config.as_deref().and_then(Path::to_str).filter(|path| !path.contains(['\n', '\t'])) {
        text.push_str(&format!("user\tconfig\t{config}\n"));
    }
    text.push_str(&compile(Some(root), env));
    text.push_str("end\n");
    format!("stead-policy\t{POLICY_STAMP}\t{compiled}\t{}\n{text}", cache_time())
}

/// The text of a compiled policy, and the facts about its file.
fn read(path: &Path) -> Option<(String, fs::Metadata)> {
    let (mut file, data) = open_cache(path)?;
    let mut bytes = Vec::new();
    read_until(&mut file, &mut bytes, usize::try_from(data.len()).ok()?)?;
    Some((String::from_utf8(bytes).ok()?, data))
}

/// The source files that only some policies have: the person's settings where the project knows them, if the environment
/// names others, and what the person trusts, if that decides about a gate.
fn further_sources(root: &Path, env: &Env) -> Vec<PathBuf> {
    let known = Person::read(root).filter(|person| !person.differing(env).is_empty());
    let config = known.and_then(|person| person.dirs()).map(|dirs| dirs.config.join("config.toml"));
    config.into_iter().chain(trust_source(root, env)).collect()
}

/// Where this program is: its rules protect it there.
fn program_line() -> String {
    format!("program\t{}", own_program().unwrap_or_default().to_string_lossy())
}

fn now() -> u128 {
    UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos())
}

fn source_line(path: &Path) -> String {
    let shown = path.to_string_lossy();
    match fs::metadata(path) {
        Ok(data) => format!("source\t{:x}\t{:x}\t{shown}", file_sum(&data).0, hash_of(path)),
        Err(_) => format!("source\t-\t-\t{shown}"),
    }
}

fn hash_of(path: &Path) -> u64 {
    hash(&stead_store::read_file(path).unwrap_or_default())
}

/// FNV-1a: detects changes of small files, does not defend against an adversary.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Age {
    /// The offset of its values.
    Fresh {
        values: usize,
    },
    Stale,
}

fn age(text: &str, data: &fs::Metadata, folders: &Folders, root: &Path) -> Age {
    match fresh_values(text, data, folders, root) {
        Some(values) => Age::Fresh { values },
        None => Age::Stale,
    }
}

/// The offset of the values, if all that the policy was compiled from is as it was.
fn fresh_values(text: &str, data: &fs::Metadata, folders: &Folders, root: &Path) -> Option<usize> {
    let mut rest = text;
    let compiled = next_line(&mut rest)?.strip_prefix("stead-policy\t")?.strip_prefix(POLICY_STAMP)?;
    let (compiled, written) = compiled.strip_prefix('\t')?.split_once('\t')?;
    let compiled = Duration::from_nanos(compiled.parse().ok()?);
    is_untouched(data, written.parse().ok()?).then_some(())?;
    let is_ours = next_line(&mut rest)? == program_line() && next_line(&mut rest)? == folders.line;
    if !is_ours || !text.ends_with("\nend\n") {
        return None;
    }
    // The other sources follow from this one and from the folders. A project that was moved has another marker.
    let (marker, _) = source_fields(rest.split('\n').next()?)?;
    marker.strip_suffix(MARKER)?.strip_suffix('/').filter(|folder| Path::new(folder) == root)?;
    while let Some(line) = rest.split('\n').next().filter(|line| line.starts_with("source\t")) {
        let (named, known) = source_fields(line)?;
        is_as_known(Path::new(named), known, compiled).then_some(())?;
        next_line(&mut rest)?;
    }
    Some(text.len() - rest.len())
}

fn next_line<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let (line, after) = rest.split_once('\n')?;
    *rest = after;
    Some(line)
}

/// The file that a line is about, and how it was.
fn source_fields(line: &str) -> Option<(&str, [&str; 2])> {
    let mut fields = line.strip_prefix("source\t")?.splitn(3, '\t');
    let known = [fields.next()?, fields.next()?];
    Some((fields.next()?, known))
}

/// Returns true if a source file is as it was.
fn is_as_known(path: &Path, [stamp, hash]: [&str; 2], compiled: Duration) -> bool {
    let Ok(data) = fs::metadata(path) else { return stamp == "-" };
    let (sum, changed) = file_sum(&data);
    if u64::from_str_radix(stamp, 16) != Ok(sum) {
        return false;
    }
    // Recompiling once the file has come to rest settles it for good.
    let rests = changed + RACY;
    let is_changed =
        || UNIX_EPOCH.elapsed().unwrap_or_default() > rests || u64::from_str_radix(hash, 16) != Ok(hash_of(path));
    rests <= compiled || !is_changed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_of_a_program_elsewhere_is_stale() {
        let root = tempfile::tempdir().unwrap();
        let folders = Folders::of(&|_| None);
        let path = root.path().join("policy");
        let is_fresh = |text: &str, folders: &Folders| {
            fs::write(&path, text).unwrap();
            age(text, &fs::metadata(&path).unwrap(), folders, root.path()) != Age::Stale
        };
        let text = make(root.path(), &|_| None, &folders);
        assert!(is_fresh(&text, &folders));
        assert!(!is_fresh(&text.replacen(&program_line(), "program\t/opt/bin/stead", 1), &folders));
        // So is one for another home.
        let other = Folders::of(&|name| (name == "HOME").then(|| "/home/ann".into()));
        assert!(!is_fresh(&text, &other));
        // So is the one of another place.
        assert!(!is_fresh(&text.replace(MARKER, &format!("x/{MARKER}")), &folders));
        // A torn one, and one that somebody wrote later, are not believed.
        assert!(!is_fresh(text.trim_end(), &folders));
        std::thread::sleep(Duration::from_millis(200));
        assert!(!is_fresh(&text, &folders));
    }
}
