//! Imports what other tools left in a project: loops of the Ralph plugin, handoffs of HumanLayer and Continuous-Claude,
//! and role files from before the format was fixed.
//!
//! A source is only read, except that a role file in the roles folder is repaired in place. An import records its
//! source, so a second run imports nothing twice. Whatever cannot be imported is named.

mod draft;
mod item;
mod markdown_handoff;
mod moment;
mod ralph;
mod role;
mod source;
mod yaml_handoff;

use std::path::{Path, PathBuf};

use item::{Carried, Names};
pub use item::{Import, ImportKind, Outcome, apply_import};
use source::{Source, handoff_files, read_source};

use stead_context::{RoleName, fingerprint, stamp, title_slug};

/// The folders that imports read and write.
pub struct ImportPlaces<'a> {
    pub root: &'a Path,
    pub context: &'a Path,
    pub roles: &'a Path,
}

/// Finds everything that can be imported and what would happen to it. `now` is the current time.
pub fn find_imports(places: &ImportPlaces<'_>, kinds: &[ImportKind], now: &str) -> Vec<Import> {
    let mut survey = Survey { places, now, imports: Vec::new() };
    for kind in kinds {
        match kind {
            ImportKind::Loop => survey.loops(),
            ImportKind::Handoff => survey.handoffs(),
            ImportKind::Role => survey.roles(),
        }
    }
    survey.imports
}

struct Survey<'a> {
    places: &'a ImportPlaces<'a>,
    now: &'a str,
    imports: Vec<Import>,
}

impl Survey<'_> {
    fn loops(&mut self) {
        let folder = self.places.context.join("loops");
        let mut names = Names::new(&folder);
        let path = self.places.root.join(ralph::STATE);
        let Some(source) = self.read(ImportKind::Loop, &path) else { return };
        let import = match ralph::read(&source.text) {
            Err(why) => Import::new(ImportKind::Loop, &source.name, Outcome::Refused { why }),
            Ok(found) => {
                // The file changes with every iteration, so it is recognised by what does not.
                let hash = fingerprint([found.prompt.as_str(), found.started.as_str()]);
                match Carried::read(&folder).by_hash(&source.name, &hash) {
                    Some(target) => Import::new(ImportKind::Loop, &source.name, Outcome::Already { target }),
                    None => {
                        let stem = format!(
                            "{}-{}",
                            stamp(&found.started),
                            title_slug(found.prompt.lines().next().unwrap_or_default())
                        );
                        let (id, target) = names.free(&stem);
                        let text = found.render(&id, &source.name, &hash, self.now);
                        let mut import = Import::new(ImportKind::Loop, &source.name, Outcome::New { target, text });
                        import.left = found.left;
                        import
                    }
                }
            }
        };
        self.imports.push(import);
    }

    fn handoffs(&mut self) {
        let folder = self.places.context.join("packets");
        let (mut names, carried) = (Names::new(&folder), Carried::read(&folder));
        for path in handoff_files(self.places.root) {
            let Some(source) = self.read(ImportKind::Handoff, &path) else { continue };
            let import = self.handoff(&source, &carried, &mut names);
            self.imports.push(import);
        }
    }

    fn handoff(&self, source: &Source, carried: &Carried, names: &mut Names) -> Import {
        let new = |outcome| Import::new(ImportKind::Handoff, &source.name, outcome);
        let hash = fingerprint([source.text.as_str()]);
        match carried.by_name(&source.name) {
            Some((target, known)) if known == hash => return new(Outcome::Already { target }),
            Some((target, _)) => return new(Outcome::Outdated { target }),
            None => {}
        }
        let is_yaml = source.name.ends_with(".yaml") || source.name.ends_with(".yml");
        let read = if is_yaml { yaml_handoff::read(&source.text) } else { markdown_handoff::read(&source.text) };
        let mut draft = match read {
            Ok(Some(draft)) => draft,
            Ok(None) => return new(Outcome::Foreign { why: "not a handoff" }),
            Err(why) => return new(Outcome::Refused { why }),
        };
        let created = draft.date.as_deref().and_then(moment::of_text);
        let created = created.or_else(|| moment::of_name(&source.name)).unwrap_or(source.modified);
        let created = stead_model::rfc3339(created);
        draft.keep_files_of(self.places.root);
        let (id, target) = names.free(&format!("{}-{}", stamp(&created), title_slug(&draft.purpose)));
        let (text, covered) = draft.render(&id, &created, &source.name, &hash);
        let mut import = new(Outcome::New { target, text });
        import.left = draft.left;
        if covered > 0 {
            import.left.push(format!("redacted secrets: {covered}"));
        }
        import
    }

    fn roles(&mut self) {
        let (roles, old) = (self.places.roles.to_owned(), self.places.root.join(role::OLD_FOLDER));
        for folder in if roles == old { vec![roles] } else { vec![roles, old] } {
            for name in stead_context::roles(&folder) {
                self.role(&name, &name.file(&folder));
            }
        }
    }

    fn role(&mut self, name: &RoleName, path: &Path) {
        let source = self.name(path);
        let target = name.file(self.places.roles);
        let found = role::import(name, path, &target, self.now);
        self.imports.extend(found.map(|(outcome, done, left)| Import {
            done,
            left,
            ..Import::new(ImportKind::Role, &source, outcome)
        }));
    }

    /// Reads a source; one that cannot be read is recorded and skipped.
    fn read(&mut self, kind: ImportKind, path: &Path) -> Option<Source> {
        let name = self.name(path);
        match read_source(path, name.clone()) {
            Ok(source) => source,
            Err(why) => {
                self.imports.push(Import::new(kind, &name, Outcome::Refused { why }));
                None
            }
        }
    }

    /// A file's name relative to the project.
    fn name(&self, path: &Path) -> String {
        let inside: PathBuf = path.strip_prefix(self.places.root).unwrap_or(path).to_owned();
        inside.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
    }
}

#[cfg(test)]
mod tests;
