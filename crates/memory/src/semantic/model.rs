use std::num::NonZero;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use stead_store::read_capped;

use super::body::Body;
use super::header::{Flaw, Header, VERSION};
use super::layer::{Layer, Norm};
use super::shape::Shape;
use super::tokenizer::Tokenizer;
use super::vocabulary::Vocabulary;
use super::{MODEL_FILE, SemanticError};

/// A model file is smaller.
const LARGEST: usize = 64 << 20;

/// Word pieces that go through the layers together: many enough to read each weight rarely, few enough for the cache.
const TOGETHER: usize = 256;

/// The sentence model, ready to turn texts into vectors.
#[derive(Debug)]
pub struct SemanticModel {
    file: Vec<u8>,
    shape: Shape,
    id: String,
    tokenizer: Tokenizer,
    word_scales: Vec<f32>,
    words: Range<usize>,
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

impl SemanticModel {
    /// Reads the model in its folder ([`super::model_dir`]).
    pub fn open(dir: &Path) -> Result<Self, SemanticError> {
        let (file, header, body) = read(dir)?;
        let wrong = |why: &str| SemanticError::Corrupt { path: dir.join(MODEL_FILE), why: why.to_owned() };
        if header.shape != Shape::MINILM {
            return Err(wrong("its shape is that of another model"));
        }
        Self::of(file, header, body.start).ok_or_else(|| wrong("its body does not fit its shape"))
    }

    pub(crate) fn of(mut file: Vec<u8>, header: Header, start: usize) -> Option<Self> {
        file.truncate(start.checked_add(header.bytes)?);
        let shape = header.shape;
        let mut body = Body::new(&file, start);
        let tokenizer = Tokenizer::new(Vocabulary::read(&mut body, shape.vocabulary)?)?;
        let word_scales = body.floats(shape.vocabulary)?;
        let words = body.range(shape.vocabulary.checked_mul(shape.hidden)?)?;
        let positions = body.floats(shape.longest.checked_mul(shape.hidden)?)?;
        let norm = Norm::read(&mut body, shape.hidden)?;
        let layers = (0..shape.layers).map(|_| Layer::read(&mut body, &shape)).collect::<Option<_>>()?;
        let complete = body.is_at_end();
        complete.then_some(Self {
            file,
            shape,
            id: header.sha256,
            tokenizer,
            word_scales,
            words,
            positions,
            norm,
            layers,
        })
    }

    /// Tells models apart: vectors of models with different ids cannot be compared.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The vector of a text, of length one. Only the first [`super::LONGEST_TEXT`] word pieces count.
    pub fn embed(&self, text: &str) -> Vec<f32> {
        self.vectors(&[self.pieces(text)]).pop().unwrap_or_default()
    }

    /// The vectors of many texts, computed on all processors.
    pub fn embed_batch(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let pieces: Vec<_> = texts.iter().map(|text| self.pieces(text)).collect();
        let groups = groups(&pieces);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push((group.start, self.vectors(&pieces[group.clone()])));
            }
            done
        };
        let processors = thread::available_parallelism().map_or(1, NonZero::get).min(groups.len());
        let mut done = thread::scope(|scope| {
            let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
            let others: Vec<_> = (1..processors).filter_map(start).collect();
            let mut done = work();
            for other in others {
                done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            done
        });
        done.sort_unstable_by_key(|(start, _)| *start);
        done.into_iter().flat_map(|(_, vectors)| vectors).collect()
    }

    /// The numbers of a text's word pieces, with those of its start and its end.
    pub fn pieces(&self, text: &str) -> Vec<u32> {
        self.tokenizer.pieces(text, self.shape.longest)
    }

    fn vectors(&self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let hidden = self.shape.hidden;
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let mut states = Vec::with_capacity(lengths.iter().sum::<usize>() * hidden);
        for text in texts {
            for (piece, position) in text.iter().zip(self.positions.chunks_exact(hidden)) {
                self.put_word(&mut states, *piece as usize, position);
            }
        }
        self.norm.apply(&mut states);
        for layer in &self.layers {
            layer.apply(&self.file, &self.shape, &mut states, &lengths);
        }
        let mut rest = states.as_slice();
        let mut vectors = Vec::with_capacity(texts.len());
        for length in lengths {
            let (text, behind) = rest.split_at(length * hidden);
            rest = behind;
            vectors.push(direction(text, hidden));
        }
        vectors
    }

    fn put_word(&self, states: &mut Vec<f32>, piece: usize, position: &[f32]) {
        let row = self.words.start + piece * self.shape.hidden;
        let bytes = self.file.get(row..row + self.shape.hidden).unwrap_or_default();
        let scale = self.word_scales.get(piece).copied().unwrap_or(0.0);
        states.extend(bytes.iter().zip(position).map(|(byte, place)| f32::from(byte.cast_signed()) * scale + place));
    }
}

/// Reads a model file and its header.
pub(crate) fn read(dir: &Path) -> Result<(Vec<u8>, Header, Range<usize>), SemanticError> {
    let path = dir.join(MODEL_FILE);
    let file = read_capped(&path, LARGEST)?.ok_or_else(|| SemanticError::Absent { dir: dir.to_owned() })?;
    match Header::unpack(&file) {
        Ok((header, body)) => Ok((file, header, body)),
        Err(Flaw::Version(found)) => Err(SemanticError::OtherVersion { path, found, known: VERSION }),
        Err(Flaw::Corrupt(why)) => Err(SemanticError::Corrupt { path, why: why.to_owned() }),
    }
}

/// The sum of all pieces, scaled to length one. The mean has the same direction.
fn direction(pieces: &[f32], hidden: usize) -> Vec<f32> {
    let mut vector = vec![0.0; hidden];
    for piece in pieces.chunks_exact(hidden) {
        vector.iter_mut().zip(piece).for_each(|(sum, number)| *sum += number);
    }
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt().max(1e-12);
    vector.iter_mut().for_each(|number| *number /= length);
    vector
}

/// Groups texts that go through the layers together.
fn groups(texts: &[Vec<u32>]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut length = 0;
    for (at, text) in texts.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if length + text.len() <= TOGETHER => group.end = at + 1,
            _ => {
                length = 0;
                groups.push(at..at + 1);
            }
        }
        length += text.len();
    }
    groups
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::semantic::convert::convert;

    const SMALL: Shape = Shape { vocabulary: 7, longest: 9, hidden: 8, heads: 2, wide: 12, layers: 2 };
    const PIECES: [&str; 7] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b"];

    /// Weights of a small model, as they are published.
    fn published() -> Vec<u8> {
        let (hidden, wide) = (SMALL.hidden, SMALL.wide);
        let mut tensors = vec![
            ("embeddings.word_embeddings.weight".to_owned(), vec![SMALL.vocabulary, hidden]),
            ("embeddings.position_embeddings.weight".to_owned(), vec![512, hidden]),
            ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, hidden]),
        ];
        let mut pair = |name: String, shape: &[usize]| {
            tensors.push((format!("{name}.weight"), shape.to_vec()));
            tensors.push((format!("{name}.bias"), vec![shape[0]]));
        };
        pair("embeddings.LayerNorm".to_owned(), &[hidden]);
        for layer in (0..SMALL.layers).map(|layer| format!("encoder.layer.{layer}")) {
            for name in ["self.query", "self.key", "self.value", "output.dense"] {
                pair(format!("{layer}.attention.{name}"), &[hidden, hidden]);
            }
            pair(format!("{layer}.attention.output.LayerNorm"), &[hidden]);
            pair(format!("{layer}.intermediate.dense"), &[wide, hidden]);
            pair(format!("{layer}.output.dense"), &[hidden, wide]);
            pair(format!("{layer}.output.LayerNorm"), &[hidden]);
        }
        let (mut table, mut data) = (Map::new(), Vec::new());
        for (name, shape) in tensors {
            let start = data.len();
            for at in 0..shape.iter().product::<usize>() {
                data.extend((((at * 7919 + start) % 97) as f32 / 97.0 - 0.4).to_le_bytes());
            }
            table.insert(name, json!({"dtype": "F32", "shape": shape, "data_offsets": [start, data.len()]}));
        }
        let table = Value::Object(table).to_string();
        [&(table.len() as u64).to_le_bytes()[..], table.as_bytes(), &data].concat()
    }

    fn file() -> Vec<u8> {
        let body = convert(&published(), &PIECES, &SMALL).unwrap();
        let [model, weights, vocabulary, installed, sha256] = [(); 5].map(|()| String::new());
        Header { v: VERSION, model, shape: SMALL, weights, vocabulary, installed, bytes: 0, sha256 }.pack(&body)
    }

    fn open(file: Vec<u8>) -> Option<SemanticModel> {
        let (header, body) = Header::unpack(&file).ok()?;
        SemanticModel::of(file, header, body.start)
    }

    #[test]
    fn a_converted_model_turns_texts_into_directions() {
        let model = open(file()).unwrap();
        let vector = model.embed("a b");
        assert_eq!(vector.len(), SMALL.hidden);
        assert!((vector.iter().map(|number| number * number).sum::<f32>() - 1.0).abs() < 1e-5, "{vector:?}");
        assert_ne!(vector, model.embed("b a"));
        let texts = ["a", "", "b b b b b b b b b b b", "a b"];
        let texts: Vec<&str> = texts.iter().cycle().take(200).copied().collect();
        let each: Vec<_> = texts.iter().map(|text| model.embed(text)).collect();
        assert_eq!(model.embed_batch(&texts), each);
        assert!(model.embed_batch(&[]).is_empty());
    }

    #[test]
    fn any_changed_byte_is_noticed() {
        let file = file();
        for at in (0..file.len()).step_by(7) {
            let mut other = file.clone();
            other[at] ^= 4;
            assert!(Header::unpack(&other).is_err(), "{at}");
            assert!(Header::unpack(&file[..at]).is_err(), "{at}");
        }
        let later = String::from_utf8_lossy(&file).replacen("\"v\":1", "\"v\":2", 1);
        assert_eq!(Header::unpack(later.as_bytes()).unwrap_err(), Flaw::Version(2));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn wrong_weights_are_an_error(at in 0_usize..20_000, bytes: [u8; 4], cut: Option<u16>) {
            let mut weights = published();
            let at = at % (weights.len() - 4);
            weights[at..at + 4].copy_from_slice(&bytes);
            weights.truncate(weights.len() - usize::from(cut.unwrap_or(0)).min(weights.len()));
            if let Ok(body) = convert(&weights, &PIECES, &SMALL) {
                prop_assert_eq!(body.len(), convert(&published(), &PIECES, &SMALL).unwrap().len());
            }
        }

        #[test]
        fn arbitrary_weights_are_an_error(bytes: Vec<u8>, length in 0_u64..300) {
            prop_assert!(convert(&bytes, &PIECES, &SMALL).is_err());
            prop_assert!(convert(&[&length.to_le_bytes()[..], &bytes].concat(), &PIECES, &SMALL).is_err());
        }

        #[test]
        fn a_wrong_body_never_panics(at in 0_usize..20_000, bytes: [u8; 4], text in "[ab ]{0,20}") {
            let file = file();
            let (header, body) = Header::unpack(&file).unwrap();
            let mut wrong = file[body].to_vec();
            let at = at % (wrong.len() - 4);
            wrong[at..at + 4].copy_from_slice(&bytes);
            if let Some(model) = open(header.pack(&wrong)) {
                prop_assert_eq!(model.embed(&text).len(), SMALL.hidden);
            }
        }

        #[test]
        fn arbitrary_files_are_refused(bytes: Vec<u8>) {
            prop_assert!(open(bytes).is_none());
        }
    }
}
