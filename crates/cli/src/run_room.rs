//! The runs of a project, as the commands use them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use stead_client::Harness;
use stead_pipeline::{Catalog, DefinitionError, EngineError, Provider, RunFolder, parse_provider, provider};
use stead_store::{Layout, Room};

use crate::error::CliError;
use crate::error_code::Coded;
use crate::project::Project;
use crate::trusting::refuse_setting;
use crate::ui::Ui;

pub(crate) struct RunRoom {
    pub(crate) project: Project,
}

impl RunRoom {
    pub(crate) fn find(ui: &Ui) -> Result<Self, CliError> {
        Ok(Self { project: Project::find(ui)? })
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.room(Room::Runs)
    }

    pub(crate) fn catalog(&self) -> Catalog {
        Catalog::new(self.project.root(), self.room(Room::Stages), self.room(Room::Pipelines))
    }

    fn room(&self, room: Room) -> PathBuf {
        Layout::of(&self.project.config).dir(self.project.root(), room)
    }

    /// The folder of a run, existing or not.
    pub(crate) fn folder(&self, name: &str) -> Result<RunFolder, CliError> {
        Ok(RunFolder::at(&self.dir(), name)?)
    }

    /// The folder of an existing run.
    pub(crate) fn known(&self, name: &str) -> Result<RunFolder, CliError> {
        let folder = self.folder(name)?;
        if folder.is_begun() { Ok(folder) } else { Err(folder.unknown().into()) }
    }

    /// The default provider if neither the files nor the command line name one.
    pub(crate) fn default_provider(&self) -> Provider {
        Provider::Known(Harness::DEFAULT.name().to_owned())
    }

    /// The provider typed on the command line. A path is relative to the current folder, and stored relative to the
    /// project root if it is inside.
    pub(crate) fn typed_provider(&self, typed: &str, ui: &Ui) -> Result<Provider, CliError> {
        let provider = parse_provider(typed)
            .map_err(|hint| CliError::usage(format!("unknown provider `{typed}`")).hinted(hint))?;
        let Provider::Command(argv) = provider else { return Ok(provider) };
        let place = |program: &String| -> Result<String, CliError> {
            let path = stead_model::clean(&ui.dir()?.join(program));
            let shown = match path.strip_prefix(self.project.root()) {
                Ok(below) => Path::new(".").join(below),
                Err(_) => path,
            };
            Ok(shown.to_string_lossy().into_owned())
        };
        Ok(Provider::Command(argv.iter().map(place).collect::<Result<_, _>>()?))
    }

    /// Additional arguments for providers, by name, from the settings.
    pub(crate) fn provider_args<'a>(
        &self,
        providers: impl Iterator<Item = &'a Provider>,
    ) -> Result<BTreeMap<String, Vec<String>>, CliError> {
        let known = providers.filter_map(|provider| match provider {
            Provider::Known(name) => Some(name),
            Provider::Command(_) | Provider::Mock => None,
        });
        known.map(|name| Ok((name.clone(), self.words(name)?))).collect()
    }

    fn words(&self, name: &str) -> Result<Vec<String>, CliError> {
        if Harness::from_name(name).is_none() {
            return Ok(Vec::new());
        }
        let key = format!("provider.{name}.args");
        refuse_setting(&self.project, &key)?;
        provider::split_words(self.project.config.text(&key)).map_err(|error| {
            let told = CliError::config(format!("`{key}` is not a list of words")).because(error);
            told.hinted(format!("fix it with `stead config set {key} …`"))
        })
    }
}

impl From<EngineError> for CliError {
    fn from(error: EngineError) -> Self {
        let hint = error.hint();
        let (message, code) = (error.to_string(), error.code());
        let told = match error {
            EngineError::Store(source) => return source.into(),
            EngineError::BadName { .. }
            | EngineError::Exists { .. }
            | EngineError::UnknownRun { .. }
            | EngineError::NotBegun { .. } => Self::usage(message),
            _ => Self::user(message),
        };
        told.coded(code).hinted_if(hint)
    }
}

impl From<DefinitionError> for CliError {
    fn from(error: DefinitionError) -> Self {
        let hint = error.hint();
        let (message, code) = (error.to_string(), error.code());
        let told = match error {
            DefinitionError::Store(source) => return source.into(),
            DefinitionError::Faulty { .. } | DefinitionError::Alone { .. } | DefinitionError::Taken { .. } => {
                Self::user(message)
            }
            _ => Self::usage(message),
        };
        told.coded(code).hinted_if(hint)
    }
}
