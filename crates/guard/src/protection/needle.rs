//! Needles: what no call that concerns a rule can do without. The compiler writes them before the rules, and the hook
//! looks for them before it reads any rule.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use stead_model::{Base, Target, cut, pieces};
use stead_shell::Place;

use super::rule::Rule;

/// Starts the needles, and the line that says where to look for those that begin with a byte.
const HEADS: &str = "heads\t";

/// Starts the line of the needles that begin with one byte.
const GROUP: &str = "at\t";

/// Ends the needles.
const RULES: &str = "rules";

/// The width of a byte's entry in the first line: what may begin with it, and the place of its line in hexadecimal digits.
const ENTRY: usize = 5;

/// The entry of a byte with which nothing begins.
const NOTHING: &str = "00000";

/// What may begin with a byte: a name, or one of the others.
const NAME: u8 = 1;
const OTHER: u8 = 2;

/// The letter in front of a needle in the line of its first byte.
const IS_NAME: u8 = b'n';
/// A name with a slash, in the line of its second part.
const IS_SECOND: u8 = b's';
const IS_VERB: u8 = b'v';
const IS_CLIENT: u8 = b'c';

/// The needles by kind.
#[derive(Default)]
struct Lists {
    names: Vec<String>,
    below: Vec<String>,
    moved: Vec<String>,
    verbs: Vec<String>,
    clients: Vec<String>,
}

/// Writes the needles of the rules, with the line that ends them.
pub fn render_needles(rules: &[Rule<'_>]) -> String {
    let mut lists = Lists::default();
    let Lists { names, below, moved, verbs, clients } = &mut lists;
    let add = |list: &mut Vec<String>, needle: String| {
        if !needle.trim_matches('*').is_empty() && !list.contains(&needle) {
            list.push(needle);
        }
    };
    for rule in rules {
        match rule {
            Rule::Free { .. } | Rule::Off { .. } | Rule::Variables { .. } => {}
            Rule::Client { programs } => programs.split(',').for_each(|name| add(clients, name.to_owned())),
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
    lists.render()
}

impl Lists {
    /// The needles by their first byte. A call reads the entries of the bytes in its text, and only these lines.
    fn render(&self) -> String {
        let mut groups: BTreeMap<u8, (u8, String)> = BTreeMap::new();
        let mut add = |begin: &str, bit: u8, kind: u8, needle: &str| {
            if let Some(byte) = begin.bytes().next().map(|byte| byte.to_ascii_lowercase()) {
                let (bits, line) = groups.entry(byte).or_default();
                *bits |= bit;
                line.push('\t');
                line.push(char::from(kind));
                line.push_str(needle);
            }
        };
        for needle in &self.names {
            let name = Name::read(needle);
            add(name.text, NAME, IS_NAME, needle);
            if let Some(second) = name.second {
                add(&name.text[second..], OTHER, IS_SECOND, name.text);
            }
        }
        self.verbs.iter().for_each(|words| add(words, OTHER, IS_VERB, words));
        self.clients.iter().for_each(|name| add(name, OTHER, IS_CLIENT, name));
        // The program has no needle of its own; its letter has to be looked at.
        groups.entry(b's').or_default().0 |= OTHER;

        let mut heads = vec![NOTHING.to_owned(); 256];
        let mut lines = String::new();
        for (byte, (bits, line)) in &groups {
            // From the end of the first line.
            let entry = format!("{bits}{:04x}", lines.len());
            for byte in [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()] {
                heads[usize::from(byte)].clone_from(&entry);
            }
            lines.push_str(&format!("{GROUP}{byte:02x}{line}\n"));
        }
        // Too many to be found: without the first line there are no needles, which is slow but safe.
        let heads = if lines.len() > 0xffff { String::new() } else { heads.concat() };
        let list = |kind: &str, needles: &[String]| format!("{kind}\t{}\n", needles.join("\t"));
        let lists = [list("below", &self.below), list("moved", &self.moved)].concat();
        format!("{HEADS}{heads}\n{lines}{lists}{RULES}\n")
    }
}

/// The longest part of a component without `*`, with a `*` on the sides where the name continues.
fn longest_literal(component: &str) -> String {
    let parts: Vec<&str> = component.split('*').collect();
    let longest = parts.iter().enumerate().max_by_key(|(_, part)| part.len()).map_or(0, |(at, _)| at);
    let (left, right) = (longest > 0, longest + 1 < parts.len());
    format!("{}{}{}", if left { "*" } else { "" }, parts[longest], if right { "*" } else { "" })
}

/// The needles of a policy, read where a text may have one.
pub(crate) struct Needles<'a> {
    /// An entry for each byte; empty if the policy has no needles.
    heads: &'a [u8],
    /// The lines behind it.
    lines: &'a str,
    /// What `VARIABLE/folder` means here (a folder below the one that the variable names), once asked for.
    folders: OnceCell<Vec<PathBuf>>,
}

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
        let mut rest = policy;
        while let Some((line, behind)) = cut(rest, b'\n').filter(|(line, _)| *line != RULES) {
            if let Some(heads) = line.strip_prefix(HEADS).filter(|heads| heads.len() == 256 * ENTRY) {
                return Self { heads: heads.as_bytes(), lines: behind, folders: OnceCell::new() };
            }
            rest = behind;
        }
        Self { heads: &[], lines: "", folders: OnceCell::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Returns true if something of a kind may begin with a byte.
    fn may_begin(&self, byte: u8, kind: u8) -> bool {
        self.heads.get(usize::from(byte) * ENTRY).is_some_and(|bits| bits & kind != 0)
    }

    /// The needles that begin with a byte, each with the letter of its kind.
    fn group(&self, byte: u8) -> impl Iterator<Item = (u8, &'a str)> + use<'a> {
        let place = self.heads.get(usize::from(byte) * ENTRY + 1..).and_then(|entry| entry.get(..ENTRY - 1));
        let at = place
            .unwrap_or_default()
            .iter()
            .fold(0, |at, digit| at * 16 + usize::from(if *digit > b'9' { digit - b'a' + 10 } else { digit - b'0' }));
        // Behind the digits of the byte.
        let line =
            self.lines.get(at + GROUP.len() + 2..).and_then(|lines| cut(lines, b'\n')).map_or("", |(line, _)| line);
        let needles = pieces(line, b'\t').filter(|needle| !needle.is_empty());
        needles.map(|needle| (needle.as_bytes()[0], &needle[1..]))
    }

    /// The needles of a kind that is listed as a whole.
    fn list(&self, kind: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut rest = self.lines;
        let mut list = "";
        while let Some((line, behind)) = cut(rest, b'\n').filter(|(line, _)| *line != RULES) {
            if let Some(found) = line.strip_prefix(kind).and_then(|line| line.strip_prefix('\t')) {
                list = found;
                break;
            }
            rest = behind;
        }
        pieces(list, b'\t').filter(|needle| !needle.is_empty())
    }

    /// Returns true if a text that runs in this folder has no needle in it.
    pub(crate) fn are_quiet(&self, text: &str, folder: &Path, place: &Place<'_>) -> bool {
        !self.are_in(text) && !self.are_hinted(text, folder) && self.is_far(folder, place)
    }

    /// The places of a text where something of a kind may begin.
    fn starts(&self, text: &[u8], kind: u8) -> impl Iterator<Item = usize> {
        let starts = text.iter().enumerate().filter(move |(_, byte)| self.may_begin(**byte, kind));
        starts.map(|(at, _)| at)
    }

    /// Returns true if one of the names stands in the text.
    fn are_in(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        self.starts(bytes, NAME).any(|at| {
            let mut names = self.group(bytes[at]).filter(|(kind, _)| *kind == IS_NAME);
            names.any(|(_, name)| Name::read(name).stands(bytes, at))
        })
    }

    /// Returns true if the text may call a verb of `stead` that weakens it (the verb is there as it is written, or its
    /// first word and the name of the program are), or if the two parts of a name with a slash stand apart, such as in
    /// `cd ~/.config && mytool stead`.
    fn are_hinted(&self, text: &str, folder: &Path) -> bool {
        let bytes = text.as_bytes();
        let (mut program, mut verb) = (false, false);
        let around = |name: &str| has(bytes, name) || has(folder.as_os_str().as_encoded_bytes(), name);
        for at in self.starts(bytes, OTHER).filter(|at| *at == 0 || !is_part(bytes[at - 1])) {
            // A client may be started without hooks, and Stead with other variables.
            program |= is_word(bytes, at, "stead");
            let mut is_named = is_package(bytes, at) || program && changes_variables(text);
            for (kind, needle) in self.group(bytes[at]) {
                match kind {
                    IS_VERB => {
                        is_named |= is_word(bytes, at, needle);
                        verb |= is_word(bytes, at, pieces(needle, b' ').next().unwrap_or_default());
                    }
                    IS_CLIENT => is_named |= is_word(bytes, at, needle) || is_folder(bytes, at, needle),
                    IS_SECOND => {
                        let (outer, name) = needle.split_once('/').unwrap_or_default();
                        is_named |= stands(bytes, at, name, false, false) && around(outer);
                    }
                    _ => {}
                }
            }
            if is_named || program && verb {
                return true;
            }
        }
        false
    }

    /// Returns true if one of the words may start a client.
    pub(crate) fn name_client(&self, argv: &[String]) -> bool {
        let clients = |byte: u8| self.group(byte).filter(|(kind, _)| *kind == IS_CLIENT).map(|(_, client)| client);
        argv.iter().any(|word| {
            let mut names = word.split(['/', '@', '.']).filter(|name| !name.is_empty());
            let is_package = || word.contains('@') && clients(b'@').any(|package| word.contains(package));
            names.any(|name| clients(name.as_bytes()[0]).any(|client| name.eq_ignore_ascii_case(client)))
                || is_package()
        })
    }

    /// Returns true if a path has none of the names in it.
    pub(crate) fn is_far(&self, path: &Path, place: &Place<'_>) -> bool {
        let folders = self.folders.get_or_init(|| {
            let named = |needle: &str| {
                let (variable, folder) = needle.split_once('/')?;
                Some(Path::new(&(place.env)(variable)?).join(folder))
            };
            self.list("below").filter_map(named).collect()
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
        !place.tree.is_some_and(holds) && !moved("HOME") && !self.list("moved").any(moved)
    }
}

impl<'a> Name<'a> {
    fn read(name: &'a str) -> Self {
        let (open, text) = name.strip_prefix('*').map_or((false, name), |name| (true, name));
        let (more, text) = text.strip_suffix('*').map_or((false, text), |name| (true, name));
        let second = text.bytes().position(|byte| byte == b'/').map(|at| at + 1);
        Self { text, open, more, second }
    }

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

/// Returns true if a package such as `@acme/tool` stands at this place of the text, as the folder of its files.
fn is_folder(text: &[u8], at: usize, package: &str) -> bool {
    package.starts_with('@')
        && text[at..].strip_prefix(package.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'/'))
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
        let text = render_needles(&rules);
        let (heads, lines) = text.split_once('\n').unwrap();
        let expected = "at\t2e\tn.agent\tn.tool\tn.config/stead\nat\t40\tc@some/tool-code\nat\t68\tn*hooks\n\
            at\t73\tnsettings.json\ts.config/stead\nat\t74\tctool\nat\t75\tvuninstall\n\
            below\tXDG_CONFIG_HOME/stead\nmoved\tTOOL_HOME\tXDG_CONFIG_HOME\nrules\n";
        assert_eq!(lines, expected);
        let entry = |byte: u8| &heads[HEADS.len()..][usize::from(byte) * ENTRY..][..ENTRY];
        assert_eq!([entry(b'.'), entry(b's'), entry(b'S')], ["10000", "30049", "30049"]);
        assert_eq!([entry(b'x'), entry(0xc3)], [NOTHING; 2]);
    }

    /// Whatever a needle begins with, it is found where it stands.
    #[test]
    fn every_needle_is_found() {
        let names = ["ärger/x", "Z", "*.toml", "-x", ".a", "é"].map(|name| name.to_lowercase());
        let words = ["go away", "Über", "zap"].map(str::to_owned);
        let lists = Lists {
            names: names.into(),
            verbs: words.clone().into(),
            clients: vec!["kl".into(), "Ça".into(), "@acme/cli".into()],
            ..Lists::default()
        };
        let text = lists.render();
        let needles = Needles::read(&text);
        let far = Path::new("/far");
        for name in ["ärger/x", "z", "q.toml", "-x", ".a", "é", "Z"] {
            assert!(needles.are_in(name) && needles.are_in(&format!("k {name} k")), "{name}");
        }
        for word in words
            .iter()
            .map(String::as_str)
            .chain(["kl", "Ça", "npm i stead", "cd ärger; rm x", "npx @acme/cli@2", "node y/@acme/cli/x.js"])
        {
            assert!(needles.are_hinted(word, far) && needles.are_hinted(&format!("k; {word}"), far), "{word}");
        }
        for other in ["", "k", "q.tomls", "au", "gone", "ü", "e", "dist/cli/x.js", "acme/cli"] {
            assert!(!needles.are_in(other) && !needles.are_hinted(other, far), "{other}");
        }
        let starts = |word: &str| needles.name_client(&[word.to_owned()]);
        assert!(starts("/usr/bin/KL") && starts("@acme/cli@2") && starts("x/@acme/cli/index.js"));
        assert!(!starts("k") && !starts("dist/cli/index.js") && !starts("acme/cli"));
    }

    #[test]
    fn too_many_needles_count_as_none() {
        let names = (0..6_000).map(|number| format!("x-{number:09}")).collect();
        let text = Lists { names, ..Lists::default() }.render();
        assert!(Needles::read(&text).is_empty());
        assert!(Needles::read("names\t.agent\nrules\n").is_empty());
    }
}
