use super::body::put_floats;
use super::layer::Norm;
use super::linear::{Linear, QuantisedRows};
use super::safetensors::Safetensors;
use super::shape::Shape;
use super::vocabulary::Vocabulary;

/// Makes the body of a model file from what is published: weights and the word pieces in order. The error says what is
/// wrong with the weights or the pieces.
pub(crate) fn convert(weights: &[u8], pieces: &[&str], shape: &Shape) -> Result<Vec<u8>, String> {
    let weights = Safetensors::read(weights)?;
    let hidden = shape.hidden;
    if pieces.len() != shape.vocabulary {
        return Err(format!("the vocabulary has {} pieces; expected {}", pieces.len(), shape.vocabulary));
    }
    let mut out = Vec::new();
    Vocabulary::of(pieces).write(&mut out);
    let words = weights.floats("embeddings.word_embeddings.weight", &[shape.vocabulary, hidden])?;
    let words = QuantisedRows::of(&words, hidden);
    put_floats(&mut out, &words.scales);
    out.extend(words.bytes);
    put_floats(&mut out, &positions(&weights, shape)?);
    let norm = |out: &mut Vec<u8>, name: &str| {
        let part = |part: &str| weights.floats(&format!("{name}.LayerNorm.{part}"), &[hidden]);
        Norm::write(out, &part("weight")?, &part("bias")?);
        Ok::<_, String>(())
    };
    norm(&mut out, "embeddings")?;
    for layer in 0..shape.layers {
        let linear = |out: &mut Vec<u8>, name: &str, inputs: usize, outputs: usize| {
            let name = format!("encoder.layer.{layer}.{name}");
            let bias = weights.floats(&format!("{name}.bias"), &[outputs])?;
            Linear::write(out, &weights.floats(&format!("{name}.weight"), &[outputs, inputs])?, &bias, inputs);
            Ok::<_, String>(())
        };
        for name in ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"] {
            linear(&mut out, name, hidden, hidden)?;
        }
        norm(&mut out, &format!("encoder.layer.{layer}.attention.output"))?;
        linear(&mut out, "intermediate.dense", hidden, shape.wide)?;
        linear(&mut out, "output.dense", shape.wide, hidden)?;
        norm(&mut out, &format!("encoder.layer.{layer}.output"))?;
    }
    Ok(out)
}

/// What is added for the place of a piece in its text. The vector of the first sentence is added here, once, because a
/// text is always the first of a pair.
fn positions(weights: &Safetensors, shape: &Shape) -> Result<Vec<f32>, String> {
    /// Places that the published model has.
    const PLACES: usize = 512;
    let mut places = weights.floats("embeddings.position_embeddings.weight", &[PLACES, shape.hidden])?;
    let sentences = weights.floats("embeddings.token_type_embeddings.weight", &[2, shape.hidden])?;
    places.truncate(shape.longest * shape.hidden);
    for place in places.chunks_exact_mut(shape.hidden) {
        place.iter_mut().zip(&sentences).for_each(|(number, sentence)| *number += sentence);
    }
    Ok(places)
}
