//! The published model, fetched once into the target folder with pip or uv, compared with the vectors that the original
//! program computes (`reference.jsonl`, see its README).

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde::Deserialize;
use stead_memory::semantic::{
    ClientOutput, DIMENSIONS, Installed, LONGEST_TEXT, MODEL_FILE, ModelState, ModelStatus, Origin, Registry,
    SemanticError, SemanticModel, install, model_dir, remove,
};

const NOW: &str = "2026-01-01T00:00:00Z";

/// The folder with the installed model. Tests run in several processes, of which one installs it.
fn installed() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data/stead");
    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join("model.lock")).unwrap();
    lock.lock().unwrap();
    let dir = model_dir(&folder);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let registry = Origin::Registry(Registry { path, output: ClientOutput::Kept });
    if let Err(error) = install(&dir, &registry, NOW, &mut |_| ()) {
        panic!("the model could not be installed: {error}; hint: {}", error.hint().unwrap_or_default());
    }
    dir
}

#[derive(Deserialize)]
struct Reference {
    text: String,
    pieces: Vec<u32>,
    /// In hexadecimal, one signed byte per dimension.
    vector: String,
}

fn references() -> Vec<Reference> {
    include_str!("reference.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    product(one, other) / (product(one, one) * product(other, other)).sqrt()
}

#[test]
fn vectors_are_those_of_the_original() {
    let model = SemanticModel::open(&installed()).unwrap();
    let references = references();
    assert!(references.len() >= 40);
    let texts: Vec<&str> = references.iter().map(|one| one.text.as_str()).collect();
    let vectors = model.embed_batch(&texts);
    let mut sum = 0.0;
    for (reference, vector) in references.iter().zip(&vectors) {
        let text = &reference.text;
        assert_eq!(model.pieces(text), reference.pieces, "{text:?}");
        assert_eq!(*vector, model.embed(text), "{text:?}");
        assert_eq!(vector.len(), DIMENSIONS);
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-5);
        let bytes = reference.vector.as_bytes().as_chunks::<2>().0;
        let expected: Vec<f32> = bytes.iter().map(|pair| f32::from(hex(pair).cast_signed())).collect();
        let cosine = cosine(vector, &expected);
        assert!(cosine > 0.995, "{text:?}: {cosine}");
        sum += cosine;
    }
    assert!(sum / references.len() as f32 > 0.999, "{sum}");
    assert!(references.iter().any(|one| one.pieces.len() == LONGEST_TEXT));
}

fn hex(pair: &[u8; 2]) -> u8 {
    u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()
}

#[test]
fn a_paraphrase_is_closer_than_another_subject() {
    let model = SemanticModel::open(&installed()).unwrap();
    let [query, same, other] = [
        "tests must not talk to the network",
        "unit checks have to stay offline",
        "the button in the header has the wrong colour",
    ]
    .map(|text| model.embed(text));
    assert!(cosine(&query, &same) > cosine(&query, &other) + 0.2);
}

#[test]
fn a_damaged_model_is_named() {
    let dir = installed();
    let whole = fs::read(dir.join(MODEL_FILE)).unwrap();
    let id = SemanticModel::open(&dir).unwrap().id().to_owned();
    assert!(matches!(ModelStatus::look(&dir).state, ModelState::Installed(facts) if facts.id == id));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(MODEL_FILE);
    let check = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        let error = SemanticModel::open(folder.path()).unwrap_err();
        assert!(matches!(&error, SemanticError::Corrupt { path, .. } if *path == file), "{error}");
        assert!(error.hint().unwrap().contains("stead model install"));
        assert!(matches!(ModelStatus::look(folder.path()).state, ModelState::Unusable(_)));
    };
    for at in [0, 10, 300, 1_000, 400_000, whole.len() / 2, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        check(&damaged);
    }
    for length in [0, 1, 500, whole.len() - 1] {
        check(&whole[..length]);
    }
    check(&[0; 4096]);
    assert!(remove(folder.path()).unwrap());
    assert!(matches!(SemanticModel::open(folder.path()), Err(SemanticError::Absent { .. })));
    assert!(!remove(folder.path()).unwrap());
}

#[test]
fn what_is_not_the_model_is_not_installed() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, from) = (folder.path().join("model"), folder.path().join("from"));
    fs::create_dir_all(from.join("deep")).unwrap();
    let check = |origin: &Path, expected: fn(&SemanticError) -> bool| {
        let error = install(&dir, &Origin::Path(origin.to_owned()), NOW, &mut |_| ()).unwrap_err();
        assert!(expected(&error), "{error}");
        assert!(matches!(ModelStatus::look(&dir).state, ModelState::Absent));
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    };
    check(&folder.path().join("none"), |error| matches!(error, SemanticError::Store(_)));
    check(&from, |error| matches!(error, SemanticError::NotTheModel { .. }));
    fs::write(from.join("deep/model.safetensors"), "x").unwrap();
    check(&from, |error| matches!(error, SemanticError::NotTheModel { .. }));
    fs::write(from.join("deep/tokenizer.json"), "{}").unwrap();
    check(&from, |error| matches!(error, SemanticError::NotTheModel { .. }));
    fs::write(from.join("deep/vocab.txt"), "a\nb\n").unwrap();
    check(&from, |error| matches!(error, SemanticError::HashDiffers { name: "model.safetensors", .. }));
    fs::write(folder.path().join("one.whl"), "PK").unwrap();
    check(&folder.path().join("one.whl"), |error| matches!(error, SemanticError::NotTheModel { .. }));
}

#[test]
fn an_intact_model_is_kept() {
    let dir = installed();
    let origin = Origin::Path(dir.join("none"));
    assert_eq!(install(&dir, &origin, NOW, &mut |_| panic!("nothing to do")).unwrap(), Installed::Before);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 1, "what was fetched is removed");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_text_has_a_vector(text in "(\\PC|\\p{C}|[a-z ]{3}){0,80}") {
        let model = SemanticModel::open(&installed()).unwrap();
        let vector = model.embed(&text);
        prop_assert_eq!(vector.len(), DIMENSIONS);
        prop_assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-4 && vector.iter().all(|number| number.is_finite()));
    }
}
