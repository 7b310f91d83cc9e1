use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use stead_model::nearest;
use stead_store::{StoreError, read_capped};

use super::builtin::{PIPELINES, STAGES};
use super::stage::OLD_FILE;
use super::{DefinitionError, SourceFile, name_problem};

/// The stages and pipelines of a project: its own, and the built-in ones it does not override.
#[derive(Clone, Debug)]
pub struct Catalog {
    pub(crate) root: PathBuf,
    pub(crate) stages: PathBuf,
    pub(crate) pipelines: PathBuf,
}

stead_model::named! {
    /// Who wrote a stage or a pipeline.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Origin {
        Project = "project",
        /// The project's, overriding a built-in one.
        Override = "override",
        Builtin = "builtin",
    }
}

/// A file, and why it could not be read, if so.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub file: Arc<SourceFile>,
    pub fault: Option<LoadFault>,
}

/// Why a file could not be read, and what to do about it; `None` if it does not exist.
#[derive(Clone, Debug)]
pub struct LoadFault {
    pub why: String,
    pub hint: Option<&'static str>,
}

/// The files of one stage.
#[derive(Clone, Debug)]
pub struct StageFiles {
    pub name: String,
    pub origin: Origin,
    pub manifest: Loaded,
    pub prompt: Loaded,
    pub fixtures: Fixtures,
    /// A file with the older name beside the manifest, which is ignored.
    pub leftover: Option<Arc<SourceFile>>,
}

#[derive(Clone, Debug)]
pub enum Fixtures {
    Folder(PathBuf),
    Texts(Vec<(String, String)>),
}

impl Fixtures {
    /// The files by their names, sorted.
    pub fn files(&self) -> Vec<(String, String)> {
        let mut files = match self {
            Self::Texts(texts) => texts.clone(),
            Self::Folder(folder) => {
                let named = names(folder, |path| path.is_file().then(|| last(path)).flatten());
                let text = |name: &String| read_capped(&folder.join(name), PROMPT_LIMIT).ok().flatten();
                let texts = named
                    .iter()
                    .filter_map(|name| Some((name.clone(), String::from_utf8_lossy(&text(name)?).into_owned())));
                texts.collect()
            }
        };
        files.sort();
        files
    }

    /// How many iterations have an answer of their own, without a gap.
    pub(crate) fn iterations(&self) -> u32 {
        let has = |number: &u32| {
            let name = format!("iteration-{number}.txt");
            match self {
                Self::Texts(texts) => texts.iter().any(|(known, _)| *known == name),
                Self::Folder(folder) => folder.join(name).is_file(),
            }
        };
        u32::try_from((1..).take_while(has).count()).unwrap_or(u32::MAX)
    }
}

/// The size limit of a prompt.
const PROMPT_LIMIT: usize = 4 * 1024 * 1024;
const ENDINGS: [&str; 2] = ["yaml", "yml"];

impl Catalog {
    /// `stages` and `pipelines` are the project's folders for them, below `root`; they need not exist.
    pub fn new(root: &Path, stages: PathBuf, pipelines: PathBuf) -> Self {
        Self { root: root.to_owned(), stages, pipelines }
    }

    /// The names of all stages, sorted.
    pub fn stages(&self) -> Vec<(String, Origin)> {
        let own = names(&self.stages, |path| is_stage(path).then(|| last(path)).flatten());
        merged(own, &STAGES.iter().map(|stage| stage.name).collect::<Vec<_>>())
    }

    /// Folders among the stages that contain no stage, by the name used in messages.
    pub(crate) fn strays(&self) -> Vec<Arc<SourceFile>> {
        let folders = names(&self.stages, |path| (path.is_dir() && !is_stage(path)).then(|| last(path)).flatten());
        let file = |folder: &String| {
            let path = self.stages.join(folder);
            Arc::new(SourceFile { name: self.named(&path), path: Some(path), text: String::new() })
        };
        folders.iter().map(file).collect()
    }

    /// The names of all pipelines, sorted.
    pub fn pipelines(&self) -> Vec<(String, Origin)> {
        let own = names(&self.pipelines, |path| {
            let ending = path.extension()?.to_str()?;
            let fits = ENDINGS.contains(&ending) && path.is_file();
            fits.then(|| path.file_stem().map(|name| name.to_string_lossy().into_owned())).flatten()
        });
        merged(own, &PIPELINES.iter().map(|pipeline| pipeline.name).collect::<Vec<_>>())
    }

    /// Finds a stage by its name.
    pub fn stage_files(&self, typed: &str) -> Result<StageFiles, DefinitionError> {
        let all = self.stages();
        let Some((name, origin)) = all.iter().find(|(name, _)| name == typed).cloned() else {
            let other_kind = self.pipelines().iter().any(|(name, _)| name == typed);
            let nearest = nearest(typed, all.iter().map(|(name, _)| name.as_str())).map(str::to_owned);
            return Err(DefinitionError::UnknownStage { name: typed.to_owned(), nearest, other_kind });
        };
        if let (Origin::Builtin, Some(stage)) = (origin, STAGES.iter().find(|stage| stage.name == name)) {
            let part = |file: &str, text: &str| builtin(format!("builtin:stages/{name}/{file}"), text);
            let texts = stage.fixtures.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
            return Ok(StageFiles {
                manifest: part("stage.yaml", stage.manifest),
                prompt: part("prompt.md", stage.prompt),
                fixtures: Fixtures::Texts(texts),
                leftover: None,
                name,
                origin,
            });
        }
        let folder = self.stages.join(&name);
        let new = folder.join("stage.yaml");
        let old = folder.join(OLD_FILE);
        let (manifest, leftover) = match (new.exists(), old.exists()) {
            (false, true) => (&old, None),
            (true, true) => (&new, Some(self.load(&old, stead_yaml::LIMIT).file)),
            (_, false) => (&new, None),
        };
        Ok(StageFiles {
            manifest: self.load(manifest, stead_yaml::LIMIT),
            leftover,
            prompt: self.load(&folder.join("prompt.md"), PROMPT_LIMIT),
            fixtures: Fixtures::Folder(folder.join("fixtures")),
            name,
            origin,
        })
    }

    /// Finds a pipeline by name; the file extension may be included.
    pub(crate) fn pipeline_file(&self, typed: &str) -> Result<(String, Origin, Loaded), DefinitionError> {
        let all = self.pipelines();
        let plain = ENDINGS.iter().find_map(|ending| typed.strip_suffix(ending)?.strip_suffix('.')).unwrap_or(typed);
        let Some((name, origin)) = all.iter().find(|(name, _)| name == plain).cloned() else {
            let other_kind = self.stages().iter().any(|(name, _)| name == plain);
            let nearest = nearest(plain, all.iter().map(|(name, _)| name.as_str())).map(str::to_owned);
            return Err(DefinitionError::UnknownPipeline { name: plain.to_owned(), nearest, other_kind });
        };
        if let (Origin::Builtin, Some(pipeline)) = (origin, PIPELINES.iter().find(|pipeline| pipeline.name == name)) {
            let loaded = builtin(format!("builtin:pipelines/{name}.yaml"), pipeline.text);
            return Ok((name, origin, loaded));
        }
        let paths = ENDINGS.map(|ending| self.pipelines.join(format!("{name}.{ending}")));
        let path = paths.iter().find(|path| path.is_file()).unwrap_or(&paths[0]);
        let loaded = self.load(path, stead_yaml::LIMIT);
        Ok((name, origin, loaded))
    }

    /// A file with the other extension beside a pipeline's, which is ignored.
    pub(crate) fn pipeline_leftover(&self, file: &SourceFile) -> Option<Arc<SourceFile>> {
        let path = file.path.as_ref()?;
        let other = ENDINGS.map(|ending| path.with_extension(ending)).into_iter().find(|other| other != path)?;
        let name = self.named(&other);
        other.is_file().then(|| Arc::new(SourceFile { name, path: Some(other), text: String::new() }))
    }

    /// A built-in file by the part of its name after `builtin:`.
    pub(crate) fn builtin_text(&self, inner: &str) -> Option<SourceFile> {
        let stage = |rest: &str| {
            let (name, file) = rest.split_once('/')?;
            let stage = STAGES.iter().find(|stage| stage.name == name)?;
            match file {
                "stage.yaml" => Some(stage.manifest),
                "prompt.md" => Some(stage.prompt),
                _ => None,
            }
        };
        let pipeline = |rest: &str| {
            let name = rest.strip_suffix(".yaml")?;
            PIPELINES.iter().find(|pipeline| pipeline.name == name).map(|pipeline| pipeline.text)
        };
        let text = match inner.split_once('/')? {
            ("stages", rest) => stage(rest)?,
            ("pipelines", rest) => pipeline(rest)?,
            _ => return None,
        };
        Some(SourceFile { name: format!("builtin:{inner}"), path: None, text: text.to_owned() })
    }

    /// Reads a file of the project; a problem is reported, not fatal.
    pub(crate) fn load(&self, path: &Path, limit: usize) -> Loaded {
        let name = self.named(path);
        let (text, fault) = match read_capped(path, limit) {
            Ok(Some(bytes)) => match String::from_utf8(bytes) {
                Ok(text) => (text, None),
                Err(bad) => {
                    let at = bad.utf8_error().valid_up_to();
                    let text = String::from_utf8_lossy(&bad.as_bytes()[..at]).into_owned();
                    let why = format!("it is not valid UTF-8 at byte {at}");
                    (text, Some(LoadFault { why, hint: Some("save it as UTF-8") }))
                }
            },
            Ok(None) => (String::new(), Some(LoadFault { why: "there is no such file".to_owned(), hint: None })),
            Err(error) => {
                let hint = match &error {
                    StoreError::NotAFile { .. } => "replace it with a text file",
                    StoreError::Io { source, .. } if source.kind() == ErrorKind::FileTooLarge => {
                        "make it shorter; agents can read other files themselves"
                    }
                    _ => "make the file readable",
                };
                (String::new(), Some(LoadFault { why: told(&error), hint: Some(hint) }))
            }
        };
        Loaded { file: Arc::new(SourceFile { name, path: Some(path.to_owned()), text }), fault }
    }

    /// The name of a project file in messages.
    fn named(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).to_string_lossy().replace('\\', "/")
    }
}

fn is_stage(folder: &Path) -> bool {
    ["stage.yaml", OLD_FILE, "prompt.md"].iter().any(|file| folder.join(file).exists())
}

fn last(path: &Path) -> Option<String> {
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}

fn told(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

fn builtin(name: String, text: &str) -> Loaded {
    Loaded { file: Arc::new(SourceFile { name, path: None, text: text.to_owned() }), fault: None }
}

/// The names of a folder's entries. Names that cannot be typed back are skipped.
fn names(folder: &Path, name: impl Fn(&Path) -> Option<String>) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| name(&entry.path())).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names.dedup();
    names
}

fn merged(own: Vec<String>, builtin: &[&str]) -> Vec<(String, Origin)> {
    let mut all: Vec<(String, Origin)> = own
        .into_iter()
        .map(|name| {
            let origin = if builtin.contains(&name.as_str()) { Origin::Override } else { Origin::Project };
            (name, origin)
        })
        .collect();
    for name in builtin {
        if !all.iter().any(|(own, _)| own == name) {
            all.push(((*name).to_owned(), Origin::Builtin));
        }
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

/// Checks whether a new stage or pipeline can have this name.
pub(crate) fn require_name(name: &str) -> Result<(), DefinitionError> {
    match name_problem(name) {
        Some(why) => Err(DefinitionError::Name { name: name.to_owned(), why }),
        None => Ok(()),
    }
}
