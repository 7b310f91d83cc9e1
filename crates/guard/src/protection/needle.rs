//! Needles: what no call that concerns a rule can do without. The compiler writes them before the rules, and the hook
//! looks for them before it reads any rule.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use stead_model::{Base, Target, pieces};
use stead_shell::Place;

use super::rule::Rule;

/// Ends the needles.
const RULES: &str = "rules";

/// Writes the needles of the rules, one line for each kind, with the line that ends them.
pub fn render_needles(rules: &[Rule<'_>]) -> String {
    let mut kinds: [(&str, Vec<String>); 5] =
        ["names", "below", "moved", "verbs", "clients"].map(|kind| (kind, Vec::new()));
    let [(_, names), (_, below), (_, moved), (_, verbs), (_, clients)] = &mut kinds;
    let add = |list: &mut Vec<String>, needle: String| {
        if !needle.trim_matches('*').is_empty() && !list.contains(&needle) {
            list.push(needle);
        }
    };
    for rule in rules {
        match rule {
            Rule::Free { .. } | Rule::Off { .. } | Rule::Variables { .. } => {}
            // A package is found by the last part of its name.
            Rule::Client { programs } => {
                programs
                    .split(',')
                    .for_each(|name| add(clients, name.rsplit('/').next().unwrap_or_default().to_owned()));
            }
            Rule::Verb { words } => add(verbs, words.to_string()),
            Rule::Own { base, path, .. } | Rule::Settings { base, path, .. } => {
                let (first, rest) = path.split_once('/').unwrap_or((path, ""));
                if let Base::Var { name, .. } = base {
                    add(moved, (*name).to_owned());
                }
                match base {
                    // A common name such as our own is not enough without its folder.
                    Base::Var { name, fallback } if !rest.is_empty() && !first.starts_with('.') => {
                        let around = fallback.rsplit('/').next().unwrap_or_default();
                        add(names, format!("{around}/{first}").to_lowercase());
                        if !name.is_empty() {
                            add(below, format!("{name}/{first}"));
                        }
                    }
                    // A file directly in its base folder is deleted with that folder, so the folder's name counts, too.
                    Base::Var { fallback, .. } if rest.is_empty() => {
                        add(names, longest_literal(first).to_lowercase());
                        add(names, fallback.rsplit('/').next().unwrap_or_default().to_lowercase());
                    }
                    _ => add(names, longest_literal(first).to_lowercase()),
                }
            }
        }
    }
    let lines = kinds.iter().map(|(kind, needles)| format!("{kind}\t{}\n", needles.join("\t")));
    lines.chain([format!("{RULES}\n")]).collect()
}

/// The longest part of a component without `*`, with a `*` on the sides where the name continues.
fn longest_literal(component: &str) -> String {
    let parts: Vec<&str> = component.split('*').collect();
    let longest = parts.iter().enumerate().max_by_key(|(_, part)| part.len()).map_or(0, |(at, _)| at);
    let (left, right) = (longest > 0, longest + 1 < parts.len());
    format!("{}{}{}", if left { "*" } else { "" }, parts[longest], if right { "*" } else { "" })
}

/// The needles of a policy.
pub(crate) struct Needles<'a> {
    names: Vec<Name<'a>>,
    /// `VARIABLE/folder`: a folder below the one that the variable names; and what that means here, once asked for.
    below: &'a str,
    folders: OnceCell<Vec<PathBuf>>,
    /// Variables that move the folder of a client.
    moved: &'a str,
    /// Verbs of `stead` that weaken it.
    verbs: Vec<&'a str>,
    /// Programs of clients.
    clients: Vec<&'a str>,
    /// What may begin with a byte: a name, or a verb or the second part of a name.
    first: [u8; 256],
}

const NAME: u8 = 1;
const OTHER: u8 = 2;

/// A name in a path, in lower case.
struct Name<'a> {
    text: &'a str,
    /// More letters may stand before or behind it.
    open: bool,
    more: bool,
    /// Where its second part begins, for a name with a slash.
    second: Option<usize>,
}

impl<'a> Needles<'a> {
    pub(crate) fn read(policy: &'a str) -> Self {
        let (names, verbs, clients) = (Vec::with_capacity(48), Vec::with_capacity(32), Vec::with_capacity(20));
        let folders = OnceCell::new();
        let mut needles = Self { names, below: "", folders, moved: "", verbs, clients, first: [0; 256] };
        needles.mark("stead", OTHER);
        for line in policy.lines().take_while(|line| *line != RULES) {
            if let Some(names) = line.strip_prefix("names\t") {
                pieces(names, b'\t').filter(|name| !name.is_empty()).for_each(|name| needles.add(name));
            } else if let Some(below) = line.strip_prefix("below\t") {
                needles.below = below;
            } else if let Some(moved) = line.strip_prefix("moved\t") {
                needles.moved = moved;
            } else if let Some(verbs) = line.strip_prefix("verbs\t") {
                for words in pieces(verbs, b'\t').filter(|words| !words.is_empty()) {
                    needles.mark(words, OTHER);
                    needles.verbs.push(words);
                }
            } else if let Some(clients) = line.strip_prefix("clients\t") {
                for name in pieces(clients, b'\t').filter(|name| !name.is_empty()) {
                    needles.mark(name, OTHER);
                    needles.clients.push(name);
                }
            }
        }
        needles
    }

    fn add(&mut self, name: &'a str) {
        let (open, text) = name.strip_prefix('*').map_or((false, name), |name| (true, name));
        let (more, text) = text.strip_suffix('*').map_or((false, text), |name| (true, name));
        let second = text.bytes().position(|byte| byte == b'/').map(|at| at + 1);
        self.mark(text, NAME);
        if let Some(second) = second {
            self.mark(&text[second..], OTHER);
        }
        self.names.push(Name { text, open, more, second });
    }

    fn mark(&mut self, text: &str, kind: u8) {
        if let Some(byte) = text.bytes().next() {
            self.first[usize::from(byte.to_ascii_lowercase())] |= kind;
            self.first[usize::from(byte.to_ascii_uppercase())] |= kind;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns true if a text that runs in this folder has no needle in it.
    pub(crate) fn are_quiet(&self, text: &str, folder: &Path, place: &Place<'_>) -> bool {
        !self.are_in(text) && !self.are_hinted(text, folder) && self.is_far(folder, place)
    }

    /// The places of a text where something of a kind may begin.
    fn starts(&self, text: &[u8], kind: u8) -> impl Iterator<Item = usize> {
        let starts = text.iter().enumerate().filter(move |(_, byte)| self.first[usize::from(**byte)] & kind != 0);
        starts.map(|(at, _)| at)
    }

    /// Returns true if one of the names stands in the text.
    fn are_in(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        self.starts(bytes, NAME).any(|at| {
            let low = bytes[at].to_ascii_lowercase();
            self.names.iter().any(|name| name.text.as_bytes().first() == Some(&low) && name.stands(bytes, at))
        })
    }

    /// Returns true if the text may call a verb of `stead` that weakens it (the verb is there as it is written, or its
    /// first word and the name of the program are), or if the two parts of a name with a slash stand apart, such as in
    /// `cd ~/.config && mytool stead`.
    fn are_hinted(&self, text: &str, folder: &Path) -> bool {
        let bytes = text.as_bytes();
        let (mut program, mut verb) = (false, false);
        for at in self.starts(bytes, OTHER).filter(|at| *at == 0 || !is_part(bytes[at - 1])) {
            for words in self.verbs.iter().filter(|words| words.as_bytes().first() == bytes.get(at)) {
                if is_word(bytes, at, words) {
                    return true;
                }
                verb |= is_word(bytes, at, pieces(words, b' ').next().unwrap_or_default());
            }
            // A client may be started without hooks, and Stead with other variables.
            program |= is_word(bytes, at, "stead");
            let mut clients = self.clients.iter().filter(|name| name.as_bytes().first() == bytes.get(at));
            let is_named = clients.any(|name| is_word(bytes, at, name)) || is_package(bytes, at);
            if is_named || program && changes_variables(text) {
                return true;
            }
            let around = |name: &str| has(bytes, name) || has(folder.as_os_str().as_encoded_bytes(), name);
            let mut pairs = self.names.iter().filter_map(|name| Some(name.text.split_at(name.second?)));
            let apart = |(outer, name): (&str, &str)| {
                stands(bytes, at, name, false, false) && around(outer.trim_end_matches('/'))
            };
            if program && verb || pairs.any(apart) {
                return true;
            }
        }
        false
    }

    /// Returns true if one of the words may start a client.
    pub(crate) fn name_client(&self, argv: &[String]) -> bool {
        argv.iter().any(|word| {
            let mut names = word.split(['/', '@', '.']);
            names.any(|name| self.clients.iter().any(|client| name.eq_ignore_ascii_case(client)))
        })
    }

    /// Returns true if a path has none of the names in it.
    pub(crate) fn is_far(&self, path: &Path, place: &Place<'_>) -> bool {
        let folders = self.folders.get_or_init(|| {
            let named = |needle: &str| {
                let (variable, folder) = needle.split_once('/')?;
                Some(Path::new(&(place.env)(variable)?).join(folder))
            };
            pieces(self.below, b'\t').filter_map(named).collect()
        });
        !self.are_in(&path.to_string_lossy()) && !folders.iter().any(|folder| path.starts_with(folder))
    }

    /// Returns true if a target is far from all that is protected, with all that is in it if `deep` says so.
    pub(crate) fn are_far(&self, target: &Target, deep: bool, place: &Place<'_>) -> bool {
        let path = Path::new(&target.path);
        let program = || path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"stead"));
        let known = !target.guessed && target.path.is_ascii() && !program() && self.is_far(path, place);
        if !deep && !target.tree && !target.glob {
            return known;
        }
        let Some(inside) = target.inside.as_deref().filter(|_| known) else { return false };
        let signs = if target.glob { inside.find(['*', '?', '[', '{']) } else { None };
        let fixed = signs.map_or(inside, |at| inside[..at].rsplit_once('/').map_or("", |(folder, _)| folder));
        let Some(root) = target.path.strip_suffix(inside).filter(|_| !fixed.is_empty()) else { return false };
        // Below a folder of the project a path says by its names whether it is protected, unless the checkout or a
        // client's own folder lies there.
        let holds = |other: &Path| other.starts_with(format!("{root}{fixed}"));
        let moved = |variable: &str| (place.env)(variable).is_some_and(|folder| holds(Path::new(&folder)));
        !place.tree.is_some_and(holds) && !moved("HOME") && !pieces(self.moved, b'\t').any(moved)
    }
}

impl Name<'_> {
    fn stands(&self, text: &[u8], at: usize) -> bool {
        stands(text, at, self.text, self.open, self.more)
    }
}

fn has(text: &[u8], name: &str) -> bool {
    (0..text.len()).any(|at| stands(text, at, name, false, false))
}

/// Returns true if the name stands at this place of the text, in any ASCII case, as a name of its own.
fn stands(text: &[u8], at: usize, name: &str, open: bool, more: bool) -> bool {
    let end = at + name.len();
    let same = text.len() >= end && text[at..end].eq_ignore_ascii_case(name.as_bytes());
    let starts = || open || name.starts_with('.') || at == 0 || !is_part(text[at - 1]);
    same && starts() && (more || text.get(end).is_none_or(|byte| !is_part(*byte)))
}

/// Returns true if `stead` stands here as a word that a program is given and that is no path: it may be a package.
fn is_package(text: &[u8], at: usize) -> bool {
    if !is_word(text, at, "stead") {
        return false;
    }
    let begin = text[..at].iter().rposition(u8::is_ascii_whitespace).map_or(0, |space| space + 1);
    let before = text[..begin].trim_ascii_end();
    let is_given = before.last().is_some_and(|byte| !b";&|(".contains(byte)) && !text[..begin].ends_with(b"\n");
    is_given && !b"/.~$-".contains(&text[begin])
}

/// Returns true if a command may set or remove variables for a program.
fn changes_variables(text: &str) -> bool {
    text.contains('=') || text.contains("env") || text.contains("unset") || text.contains("export")
}

/// Returns true if these words stand at this place of the text as words.
fn is_word(text: &[u8], at: usize, words: &str) -> bool {
    let after = text.get(at + words.len());
    // A folder of that name is no program.
    text[at..].starts_with(words.as_bytes())
        && !(at > 0 && is_part(text[at - 1]))
        && !after.is_some_and(|byte| is_part(*byte) || *byte == b'/')
}

/// Letters go on; so do bytes of letters beyond ASCII.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_gives_the_name_it_starts_with() {
        let lines = [
            "own\tproject\t.agent/config.toml\tx",
            "own\tproject\t.agent/guards/**\tx",
            "free\tproject\tother/x",
            "settings\tvar:TOOL_HOME:.tool\tsettings.json\tTool\tflat\t",
            "settings\tproject\t.tool/hooks/*.json\tTool\tflat\t",
            "settings\tproject\tmy*hooks/x.json\tTool\tflat\t",
            "own\tvar:XDG_CONFIG_HOME:.config\tstead/**\tx",
            "verb\tuninstall",
            "client\ttool,@some/tool-code",
            "off\tTool\ttool\t--bare\tx",
            "variables\tHOME",
        ];
        let rules: Vec<_> = lines.iter().filter_map(|line| Rule::parse(line)).collect();
        let expected = "names\t.agent\tsettings.json\t.tool\t*hooks\t.config/stead\nbelow\tXDG_CONFIG_HOME/stead\n\
            moved\tTOOL_HOME\tXDG_CONFIG_HOME\nverbs\tuninstall\nclients\ttool\ttool-code\nrules\n";
        assert_eq!(render_needles(&rules), expected);
    }
}
