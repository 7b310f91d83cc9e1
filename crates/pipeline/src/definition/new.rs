//! Creates stages and pipelines: a copy of an existing one, or a complete skeleton.

use std::fs;
use std::path::{Path, PathBuf};

use stead_store::{Creation, Durability, Exact, create, create_parents, read_capped};
use stead_yaml::{Value, parse};

use super::catalog::require_name;
use super::{Catalog, DefinitionError, Fixtures};

const STAGE: &str = include_str!("../../builtin/skeleton/stage.yaml");
const PROMPT: &str = include_str!("../../builtin/skeleton/prompt.md");
const FIXTURE: &str = include_str!("../../builtin/skeleton/default.txt");
const STATUS: &str = include_str!("../../builtin/skeleton/status.json");
const PIPELINE: &str = include_str!("../../builtin/skeleton/pipeline.yaml");

const FIXTURE_LIMIT: usize = 4 * 1024 * 1024;

impl Catalog {
    /// Creates the folder of a new stage and returns the files that were written.
    pub fn new_stage(&self, name: &str, from: Option<&str>) -> Result<Vec<PathBuf>, DefinitionError> {
        require_name(name)?;
        let folder = self.stages.join(name);
        if folder.symlink_metadata().is_ok() {
            return Err(DefinitionError::Taken { path: folder });
        }
        let files = match from {
            None => vec![
                ("stage.yaml".to_owned(), named(STAGE, name).into_bytes()),
                ("prompt.md".to_owned(), PROMPT.into()),
                ("fixtures/default.txt".to_owned(), FIXTURE.into()),
                ("fixtures/status.json".to_owned(), STATUS.into()),
            ],
            Some(from) => self.copied(from, name)?,
        };
        // The manifest makes it a stage, so it is written last.
        let (last, rest) = (files.first(), files.iter().skip(1));
        rest.chain(last).map(|(file, bytes)| write_new(folder.join(file), bytes)).collect()
    }

    /// The files of a stage under another name, the manifest first.
    fn copied(&self, from: &str, name: &str) -> Result<Vec<(String, Vec<u8>)>, DefinitionError> {
        let stage = self.stage_files(from)?;
        for loaded in [&stage.manifest, &stage.prompt] {
            if loaded.fault.is_some() {
                let findings = crate::lint::check_stage(stage.clone()).findings;
                return Err(DefinitionError::Faulty { what: format!("stage {from}"), findings });
            }
        }
        let manifest = &stage.manifest.file;
        let file = manifest.name.rsplit('/').next().unwrap_or("stage.yaml");
        let mut files = vec![
            (file.to_owned(), named(&manifest.text, name).into_bytes()),
            ("prompt.md".to_owned(), stage.prompt.file.text.clone().into_bytes()),
        ];
        let fixtures = match stage.fixtures {
            Fixtures::Texts(texts) => texts.into_iter().map(|(name, text)| (name, text.into_bytes())).collect(),
            Fixtures::Folder(folder) => texts_in(&folder)?,
        };
        files.extend(fixtures.into_iter().map(|(name, bytes)| (format!("fixtures/{name}"), bytes)));
        Ok(files)
    }

    /// Creates a new pipeline and returns its file.
    pub fn new_pipeline(&self, name: &str, from: Option<&str>) -> Result<PathBuf, DefinitionError> {
        require_name(name)?;
        if let Some((_, _, loaded)) = self.pipeline_file(name).ok().filter(|_| self.has_own_pipeline(name)) {
            return Err(DefinitionError::Taken { path: loaded.file.path.clone().unwrap_or_default() });
        }
        let text = match from {
            None => PIPELINE.to_owned(),
            Some(from) => self.pipeline_file(from)?.2.file.text.clone(),
        };
        write_new(self.pipelines.join(format!("{name}.yaml")), named(&text, name).as_bytes())
    }

    fn has_own_pipeline(&self, name: &str) -> bool {
        ["yaml", "yml"].iter().any(|ending| self.pipelines.join(format!("{name}.{ending}")).exists())
    }
}

/// The text with its top-level `name` set.
fn named(text: &str, name: &str) -> String {
    if let Ok(tree) = parse(text)
        && let Value::Map(entries) = &tree.value
        && let Some(entry) = entries.iter().find(|entry| entry.key == "name" && !entry.value.at.is_empty())
    {
        let at = entry.value.at.clone();
        return format!("{}{name}{}", &text[..at.start], &text[at.end..]);
    }
    format!("name: {name}\n{text}")
}

fn texts_in(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, DefinitionError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        if entry.path().is_file()
            && let Some(bytes) = read_capped(&entry.path(), FIXTURE_LIMIT)?
        {
            files.push((name, bytes));
        }
    }
    files.sort();
    Ok(files)
}

fn write_new(path: PathBuf, bytes: &[u8]) -> Result<PathBuf, DefinitionError> {
    create_parents(&path)?;
    match create(&path, Exact::Edited.bytes(bytes), Durability::Synced)? {
        Creation::Created => Ok(path),
        Creation::Existed => Err(DefinitionError::Taken { path }),
    }
}
