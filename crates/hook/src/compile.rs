//! Compiles config, layout and the facts about clients to the policy text that a hook call reads.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use stead_client::Harness;
use stead_guard::protection::{OwnRoom, Rule, builtin_rules, program_rule, render_needles};
use stead_model::Base;
use stead_settings::{our_lines, our_program};
use stead_store::{Config, Entry, Layout, Marker, Person, ProjectState, Room, StoreError, UserDirs, trust_file};

use crate::file_facts::resolve;
use crate::location::Env;
use crate::seal::{PERSON, sealed_configs, sealed_marker, watched_variables};

/// Changes whenever the built-in rules change, so that a policy compiled by another version is not used. A test prints
/// the new value.
pub(crate) const POLICY_STAMP: &str = "7-c37f73a127a1ad7b";

/// Switches: the config key, and its name in the policy.
const SWITCHES: &[&str] = &[
    "record.sessions", "record.relevant_files", "record.prompts", "record.evidence", "record.ledger", "record.lessons",
    "gate.self_protection", "gate.guards", "auto_init",
];

/// Switches that apply once the project has intents, unless config sets them.
const ON_WITH_INTENTS: &[&str] = &["gate.stale_files"];

/// Compiles the policy of a project, or the policy outside of any.
pub(crate) fn compile(root: Option<&Path>, env: &Env) -> String {
    let sealed = root.map(|root| sealed_configs(root, env)).unwrap_or_default();
    let (config, problems) = Config::load_sealed(root, &lasting(env), &[], &sealed);
    let person = root.and_then(Person::read);
    let mut text = String::new();
    // Each call reads these lines. The person's folders almost always are those of the environment, and then there is none.
    for (name, value) in person.iter().flat_map(|person| person.differing(env)) {
        text.push_str(&format!("person\t{name}\t{value}\n"));
    }
    // Each call reads these lines, so what is on has none.
    for key in SWITCHES.iter().filter(|key| !config.bool(key)) {
        text.push_str(&format!("switch\t{key}\toff\n"));
    }
    for key in ON_WITH_INTENTS {
        let state = match (config.bool(key), config.is_set(key)) {
            (false, _) => "off",
            (true, true) => "on",
            (true, false) => continue,
        };
        text.push_str(&format!("switch\t{key}\t{state}\n"));
    }
    if let Some(root) = root
        && let Err(error) = Marker::read(root)
    {
        // Not written to, but still protected.
        text.push_str(&format!("note\tmarker\t{}\n", one_line(&error)));
        // One that was sealed is still the project's, unless a later version wrote a new one.
        if !matches!(error, StoreError::MarkerNewer { .. }) && sealed_marker(root, env).is_some() {
            text.push_str("note\tsealed\tmarker\n");
        }
    }
    if let Some(problem) = problems.first() {
        text.push_str(&format!("note\tconfig\t{}\n", one_line(problem)));
    }
    text.push_str(&seals(root, env));
    let layout = Layout::of(&config);
    text.push_str(&format!("room\t{}\t{}\n", Room::Context.name(), layout.relative(Room::Context)));
    text.push_str(&chosen(&config, &layout));
    let programs = programs(root, env, person.as_ref().and_then(|person| person.get("PATH")));
    let others: Vec<(Base<'static>, String)> = person.iter().flat_map(|person| other_folders(person, env)).collect();
    let own_rules = rules(&layout);
    let mut rules = with_others(&own_rules, &others);
    rules.extend(programs.iter().map(|(folder, name)| program_rule(folder, name)));
    let linked = linked_folders(&rules);
    let more: Vec<Rule<'_>> = linked.iter().flat_map(|(at, real)| moved(&rules[*at], fixed(real))).collect();
    rules.extend(more);
    // Config may let agents add intents; the command itself checks what they add.
    if config.bool("intents.agents_may_add") {
        rules.retain(|rule| !matches!(rule, Rule::Verb { words } if words == "intent add"));
    }
    text.push_str(&render(&rules));
    // Last, because only few events ask for them.
    for entry in settings(&config).filter(|entry| !config.is_set(entry.key)) {
        text.push_str(&format!("default\t{}\t{}\n", entry.key, one_line(&entry.value)));
    }
    text
}

/// Where the seals of the project and of the person's own files are kept.
fn seals(root: Option<&Path>, env: &Env) -> String {
    let state = |root: &Path| UserDirs::of_project(root, env).map(|dirs| dirs.state);
    let Some((root, state)) = root.and_then(|root| Some((root, state(root)?))) else { return String::new() };
    let line = |name: &str, dir: &Path| match dir.to_str() {
        Some(dir) if !dir.contains(['\n', '\t']) => format!("seal\t{name}\t{dir}\n"),
        _ => String::new(),
    };
    let project = ProjectState::sealed(&state, root);
    project.map(|project| line("project", project.dir()) + &line("person", &state.join(PERSON))).unwrap_or_default()
}

/// Where files of the person may be besides the folders that rules mean when the person's folders count: where the
/// environment says, and where clients had theirs when the person was last seen.
fn other_folders(person: &Person, env: &Env) -> Vec<(Base<'static>, String)> {
    let is_folder = |name: &str| Person::FOLDERS.contains(&name);
    let mut folders = match person.differing(env).is_empty() {
        true => Vec::new(),
        false => user_folders(&|name| env(name).filter(|_| is_folder(name))),
    };
    folders.extend(user_folders(&|name| person.get(name).filter(|_| !is_folder(name)).map(OsString::from)));
    folders
}

/// The environment without what only one call is to see: it must not affect later calls.
fn lasting<'a>(env: &'a Env<'a>) -> impl Fn(&str) -> Option<OsString> + use<'a> {
    |name| if name.starts_with("STEAD_") { None } else { env(name) }
}

/// The file that says what the person trusts, if a gate depends on it.
pub(crate) fn trust_source(root: &Path, env: &Env) -> Option<PathBuf> {
    let (config, _) = Config::load(Some(root), &lasting(env), &[]);
    config.depends_on_trust().then(|| trust_file(root, env)).flatten()
}

/// The folders and names of `stead`: this program's own, those that exist on PATH, also on the person's, with links resolved
/// (to `stead-0.1`, say), those that hook lines name, and in every folder on PATH the name under which another one would be
/// found. One inside the project is a build, and is not protected, unless a hook line names it or it would be found before
/// the one in use.
fn programs(root: Option<&Path>, env: &Env, persons_path: Option<&str>) -> Vec<(String, String)> {
    const NAME: &str = "stead";
    let paths = [env("PATH").unwrap_or_default(), OsString::from(persons_path.unwrap_or_default())];
    let folders = paths.iter().flat_map(std::env::split_paths).filter(|folder| folder.is_absolute());
    let folders: Vec<PathBuf> = folders.collect();
    let real = root.and_then(|root| root.canonicalize().ok());
    let is_inside = |program: &Path| root.into_iter().chain(real.as_deref()).any(|root| program.starts_with(root));
    let in_use = folders.iter().position(|folder| folder.join(NAME).is_file());
    let is_used_outside = in_use.is_some_and(|at| !is_inside(&folders[at]));
    let earlier = folders.iter().take(in_use.filter(|_| is_used_outside).unwrap_or_default());
    let found = folders.iter().map(|folder| folder.join(NAME)).filter(|program| program.is_file());
    let installed = own_program().into_iter().chain(found);
    let installed = installed.flat_map(|program| program.canonicalize().into_iter().chain([program]));
    // Links in a folder's path are resolved before anything is compared with it.
    let would_be = folders.iter().map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.clone()).join(NAME));
    let outside = installed.chain(would_be).filter(|program| !is_inside(program));
    let inside = earlier.map(|folder| folder.join(NAME)).chain(named_by_lines(root, env));
    let mut places: Vec<(String, String)> = outside
        .chain(inside)
        .filter(|program| program.is_absolute())
        .filter_map(|program| Some((program.parent()?.to_str()?.to_owned(), program.file_name()?.to_str()?.to_owned())))
        .filter(|(_, name)| name.starts_with(NAME))
        .collect();
    places.sort();
    places.dedup();
    places
}

/// The programs that Stead's lines in settings files name by their paths.
fn named_by_lines(root: Option<&Path>, env: &Env) -> Vec<PathBuf> {
    let files = Harness::ALL.iter().flat_map(|harness| harness.client().facts.settings);
    let texts = files.filter_map(|file| {
        let path = resolve(file.spot, root.unwrap_or(Path::new("/")), env).filter(|path| path.is_file())?;
        Some((file.shape, std::fs::read_to_string(path).ok()?))
    });
    let lines = texts.flat_map(|(shape, text)| our_lines(shape, &text).unwrap_or_default());
    let named = lines.filter_map(|line| our_program(line.command()?)).map(PathBuf::from);
    named.filter(|program| program.is_absolute()).collect()
}

/// The program that is running, with links resolved.
pub(crate) fn own_program() -> Option<PathBuf> {
    std::env::current_exe().ok()
}

/// Values that only some events need; the usual call skips these lines.
fn chosen(config: &Config, layout: &Layout) -> String {
    let mut text = String::new();
    for room in [Room::Roles, Room::Intents, Room::Runs, Room::Features, Room::Guards] {
        if layout.relative(room) != room.default_path() {
            text.push_str(&format!("room\t{}\t{}\n", room.name(), layout.relative(room)));
        }
    }
    for entry in settings(config).filter(|entry| config.is_set(entry.key)) {
        text.push_str(&format!("value\t{}\t{}\n", entry.key, one_line(&entry.value)));
    }
    text
}

/// The settings that hooks ask for, other than switches.
fn settings(config: &Config) -> impl Iterator<Item = &Entry> {
    let is_needed = |key: &str| ["context.", "intents.", "orchestrate."].iter().any(|start| key.starts_with(start));
    config.entries().iter().filter(move |entry| is_needed(entry.key))
}

/// The gate knows only rooms that contain Stead's own files.
fn store_room(room: OwnRoom) -> Room {
    match room {
        OwnRoom::Context => Room::Context,
        OwnRoom::Intents => Room::Intents,
        OwnRoom::Runs => Room::Runs,
        OwnRoom::Features => Room::Features,
        OwnRoom::Guards => Room::Guards,
        OwnRoom::Graph => Room::Graph,
        OwnRoom::Cache => Room::Cache,
    }
}

fn one_line(text: &dyn std::fmt::Display) -> String {
    text.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Formats the built-in rules for a layout: first the literals that a call is searched for, then the rules.
pub fn rules_text(layout: &Layout) -> String {
    render(&rules(layout))
}

/// The rules, and those about a person's files also for other folders that a base may mean.
fn with_others<'a>(rules: &[Rule<'a>], others: &'a [(Base<'static>, String)]) -> Vec<Rule<'a>>
where
    'static: 'a,
{
    let there = rules.iter().flat_map(|rule| {
        let own = others.iter().filter(|(base, _)| is_below(rule, *base));
        own.filter_map(|(_, folder)| moved(rule, Base::Var { name: "", fallback: folder }))
    });
    rules.iter().cloned().chain(there).collect()
}

fn rules(layout: &Layout) -> Vec<Rule<'static>> {
    let mut rules = builtin_rules(&|room| layout.relative(store_room(room)).to_owned());
    for harness in Harness::ALL {
        let facts = &harness.client().facts;
        let files = facts.switches.files.iter();
        rules.extend(files.map(|file| Rule::Own {
            base: file.spot.base,
            path: file.spot.path.into(),
            what: file.what.into(),
        }));
        let programs = facts.switches.programs.join(",");
        let commands = facts.switches.commands.iter();
        rules.extend(commands.map(|command| Rule::Off {
            client: facts.title.into(),
            programs: programs.clone().into(),
            words: command.words.into(),
            does: command.does.into(),
        }));
        rules.push(Rule::Client { programs: programs.into() });
        for file in facts.settings {
            rules.push(Rule::Settings {
                base: file.spot.base,
                path: file.spot.path.into(),
                client: facts.title.into(),
                shape: file.shape,
                watch: file.watch.into(),
            });
        }
    }
    rules.push(Rule::Variables { names: watched_variables().join(",").into() });
    rules
}

/// The folders that the bases of rules mean in an environment.
fn user_folders(env: &Env) -> Vec<(Base<'static>, String)> {
    let home = || env("HOME").map(PathBuf::from);
    let mut folders = Vec::new();
    for rule in rules(&Layout::default()) {
        let (Rule::Own { base, .. } | Rule::Settings { base, .. }) = rule else { continue };
        let named = match base {
            Base::Project => Vec::new(),
            Base::Home => home().into_iter().collect(),
            Base::Var { name, fallback } => {
                env(name).map(PathBuf::from).into_iter().chain(home().map(|home| home.join(fallback))).collect()
            }
        };
        let named = named.into_iter().filter(|folder: &PathBuf| folder.is_absolute());
        for folder in named.filter_map(|folder| Some((base, folder.to_str()?.to_owned()))) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
    folders
}

/// A folder that no variable moves.
fn fixed(folder: &str) -> Base<'_> {
    Base::Var { name: "", fallback: folder }
}

/// The fixed folder of a rule that lies neither in the project nor in a home.
fn fixed_folder<'r>(rule: &'r Rule<'_>) -> Option<&'r str> {
    match rule {
        Rule::Own { base: Base::Var { name: "", fallback }, .. }
        | Rule::Settings { base: Base::Var { name: "", fallback }, .. } => {
            Some(*fallback).filter(|folder| folder.starts_with('/'))
        }
        _ => None,
    }
}

/// The rules whose fixed folder has another name with links resolved. A call does not resolve these folders.
fn linked_folders(rules: &[Rule<'_>]) -> Vec<(usize, String)> {
    let real = |folder: &str| stead_store::real_path(Path::new(folder)).ok()?.to_str().map(str::to_owned);
    let each = rules.iter().enumerate().filter_map(|(at, rule)| Some((at, fixed_folder(rule)?)));
    each.filter_map(|(at, folder)| Some((at, real(folder).filter(|real| real != folder)?))).collect()
}

fn is_below(rule: &Rule<'_>, folder: Base<'_>) -> bool {
    matches!(rule, Rule::Own { base, .. } | Rule::Settings { base, .. } if *base == folder)
}

/// A rule for another folder than its own.
fn moved<'a>(rule: &Rule<'a>, base: Base<'a>) -> Option<Rule<'a>> {
    match rule.clone() {
        Rule::Own { path, what, .. } => Some(Rule::Own { base, path, what }),
        Rule::Settings { path, client, shape, watch, .. } => Some(Rule::Settings { base, path, client, shape, watch }),
        _ => None,
    }
}

fn render(rules: &[Rule<'_>]) -> String {
    let mut text = render_needles(rules);
    for rule in rules {
        text.push_str(&rule.render());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_program_behind_a_link_is_protected() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().canonicalize().unwrap();
        std::fs::write(folder.join("stead-1.2"), "").unwrap();
        std::os::unix::fs::symlink("stead-1.2", folder.join("stead")).unwrap();
        let path = folder.clone();
        let found = programs(None, &move |name| (name == "PATH").then(|| path.clone().into_os_string()), None);
        for name in ["stead", "stead-1.2"] {
            assert!(found.contains(&(folder.display().to_string(), name.to_owned())), "{found:?}");
        }
    }

    #[test]
    fn a_program_that_would_shadow_stead_is_protected() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let root = folder.join("project");
        for name in ["project/bin", "project/late", "first", "used", "last"] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }
        std::fs::write(folder.join("used/stead"), "").unwrap();
        let found = |order: &[&str]| {
            let path = std::env::join_paths(order.iter().map(|name| folder.join(name))).unwrap();
            let found = programs(Some(&root), &move |name| (name == "PATH").then(|| path.clone()), None);
            let below = found.into_iter().filter_map(|(place, name)| {
                Some(Path::new(&place).strip_prefix(&folder).ok()?.join(name).to_string_lossy().into_owned())
            });
            below.collect::<Vec<_>>()
        };
        let all = found(&["project/bin", "first", "used", "project/late", "last"]);
        assert_eq!(all, ["first/stead", "last/stead", "project/bin/stead", "used/stead"]);
        std::fs::write(root.join("bin/stead"), "").unwrap();
        assert_eq!(found(&["project/bin", "used"]), ["used/stead"], "the one in use is a build");
        let line = format!(
            r#"{{"hooks":{{"Stop":[{{"hooks":[{{"command":"{} hook claude Stop"}}]}}]}}}}"#,
            root.join("bin/stead").display()
        );
        std::fs::create_dir(root.join(".claude")).unwrap();
        std::fs::write(root.join(".claude/settings.local.json"), line).unwrap();
        assert_eq!(found(&["project/bin", "used"]), ["project/bin/stead", "used/stead"], "a line names it");
    }

    #[test]
    fn a_moved_room_is_named_once() {
        let root = tempfile::tempdir().unwrap();
        let moved: String = Room::ALL.iter().map(|room| format!("{} = \"elsewhere/{0}\"\n", room.name())).collect();
        std::fs::create_dir(root.path().join(".agent")).unwrap();
        std::fs::write(root.path().join(".agent/config.toml"), format!("[layout]\n{moved}")).unwrap();
        let text = compile(Some(root.path()), &|_| None);
        let mut named: Vec<&str> = text.lines().filter(|line| line.starts_with("room\t")).collect();
        assert!(named.contains(&"room\tfeatures\telsewhere/features"), "{named:?}");
        let count = named.len();
        named.sort_unstable();
        named.dedup();
        assert_eq!(named.len(), count, "{named:?}");
    }

    #[test]
    fn the_stamp_follows_the_rules() {
        let hash = crate::policy::hash(rules_text(&Layout::default()).as_bytes());
        let stamp = format!("7-{hash:x}");
        assert!(stamp == POLICY_STAMP, "the built-in rules changed: set POLICY_STAMP to \"{stamp}\"");
    }
}
