//! The compiled policy: one small text file that says what applies in this project, so that a hook call parses neither
//! TOML nor YAML.
//!
//! It is at `.agent/cache/policy` and lists its source files with size, time and hash. A call checks size and time of
//! these files, and recompiles if one has changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use stead_model::pieces;
use stead_store::{CONFIG, CONFIG_LOCAL, Durability, MARKER, OWN, Room, UserDirs, confine, replace_creating};

use crate::compile::{POLICY_STAMP, compile, own_program};
use crate::location::Env;

/// The path of the policy below the project root. It does not move with the layout: finding it must not need config.
pub(crate) const POLICY: &str = ".agent/cache/policy";

/// How the first line of the rules starts, after the end of the line before it.
const RULES: &str = "\nnames\t";

/// A file changed within this many nanoseconds of compilation may have kept its time stamp, so its content is compared
/// too, as git does with its index.
const RACY: u128 = 50_000_000;

/// The policy text that applies, and where it came from.
pub struct PolicyText {
    pub(crate) text: String,
    /// The offset of the values, after the lines about its sources, and of the rules behind them.
    values: usize,
    rules: usize,
    /// The person's folder for settings and guards.
    pub(crate) user: Option<PathBuf>,
}

impl PolicyText {
    /// Reads the compiled policy, or compiles it.
    pub fn load(root: &Path, env: &Env) -> Self {
        confine(root, OWN);
        let policy = Self::current(root, env);
        policy.lines("room").for_each(|(_, folder)| confine(root, folder));
        policy
    }

    fn current(root: &Path, env: &Env) -> Self {
        let path = root.join(POLICY);
        let user = UserDirs::from_env(env).map(|dirs| dirs.config);
        let sources = sources(root, user.as_deref());
        let compiled = fs::read_to_string(&path).ok();
        let age = compiled.as_deref().map_or(Age::Stale, |text| age(text, &sources));
        match (compiled, age) {
            (Some(text), Age::Fresh { values }) => Self::new(text, values, user),
            _ => {
                let text = make(root, env, &sources);
                // If the project is read-only, the policy is compiled for each call, which is only slower.
                let _ = replace_creating(&path, text.as_bytes(), Durability::Quick);
                Self::new(text, 0, user)
            }
        }
    }

    fn new(text: String, values: usize, user: Option<PathBuf>) -> Self {
        let rules = text.get(values..).and_then(|text| text.find(RULES)).map_or(text.len(), |at| values + at);
        Self { text, values, rules, user }
    }

    /// Compiles the policy outside a project, which protects our own lines.
    pub(crate) fn outside(env: &Env) -> Self {
        Self::new(compile(None, env), 0, None)
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
        let lines = pieces(self.text.get(self.values..self.rules).unwrap_or_default(), b'\n');
        lines.filter_map(move |line| line.strip_prefix(kind)?.strip_prefix('\t')?.split_once('\t'))
    }
}

/// The source files of a policy.
fn sources(root: &Path, user: Option<&Path>) -> [PathBuf; 4] {
    let user = user.map(|folder| folder.join("config.toml")).unwrap_or_default();
    [root.join(MARKER), root.join(CONFIG), root.join(CONFIG_LOCAL), user]
}

fn make(root: &Path, env: &Env, sources: &[PathBuf]) -> String {
    // The time is taken before the files are read: a change in between makes the policy stale, not wrong.
    let stamps: Vec<String> = sources.iter().map(|path| source_line(path)).collect();
    let mut text = format!("stead-policy\t{POLICY_STAMP}\t{}\n{}\n", now(), program_line());
    for stamp in stamps {
        text.push_str(&stamp);
        text.push('\n');
    }
    text.push_str(&compile(Some(root), env));
    text.push_str("end\n");
    text
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
    match Look::at(path) {
        Some(look) => format!("source\t{}\t{}\t{:x}\t{shown}", look.size, look.time, hash_of(path)),
        None => format!("source\t-\t-\t-\t{shown}"),
    }
}

/// A file's size and time of change.
#[derive(PartialEq, Eq)]
struct Look {
    size: u64,
    time: u128,
}

impl Look {
    fn at(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let time = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(Self { size: metadata.len(), time })
    }
}

fn hash_of(path: &Path) -> u64 {
    hash(&fs::read(path).unwrap_or_default())
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

fn age(text: &str, sources: &[PathBuf]) -> Age {
    let mut values = 0;
    let mut lines = text.split_inclusive('\n').map(|line| {
        values += line.len();
        line.trim_end_matches('\n')
    });
    if is_fresh(text, &mut lines, sources) == Some(true) { Age::Fresh { values } } else { Age::Stale }
}

fn is_fresh<'a>(text: &str, lines: &mut impl Iterator<Item = &'a str>, sources: &[PathBuf]) -> Option<bool> {
    let (stamp, compiled) = lines.next()?.strip_prefix("stead-policy\t")?.split_once('\t')?;
    let compiled: u128 = compiled.parse().ok()?;
    if stamp != POLICY_STAMP || lines.next()? != program_line() || !text.ends_with("\nend\n") {
        return Some(false);
    }
    for path in sources {
        let mut fields = lines.next()?.strip_prefix("source\t")?.splitn(4, '\t');
        let (size, time, hash, named) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        if path.to_string_lossy() != named {
            return Some(false);
        }
        let Some(look) = Look::at(path) else {
            if size == "-" {
                continue;
            }
            return Some(false);
        };
        if size == "-" || size.parse() != Ok(look.size) || time.parse() != Ok(look.time) {
            return Some(false);
        }
        // Recompiling once the file has come to rest settles it for good.
        if look.time + RACY > compiled
            && (now() > look.time + RACY || u64::from_str_radix(hash, 16) != Ok(hash_of(path)))
        {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_of_a_program_elsewhere_is_stale() {
        let root = tempfile::tempdir().unwrap();
        let sources = sources(root.path(), None);
        let text = make(root.path(), &|_| None, &sources);
        assert!(age(&text, &sources) != Age::Stale);
        let moved = text.replacen(&program_line(), "program\t/opt/bin/stead", 1);
        assert!(age(&moved, &sources) == Age::Stale);
    }
}
