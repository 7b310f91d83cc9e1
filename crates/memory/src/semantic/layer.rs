use super::body::{Body, put_floats};
use super::linear::{Inputs, Linear};
use super::shape::Shape;

/// Keeps a normalisation from dividing by zero, as the original does.
const EPSILON: f32 = 1e-12;

/// One transformer layer: each word piece looks at the others of its text, then a small network works on each.
#[derive(Debug)]
pub(crate) struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: Norm,
    wide: Linear,
    narrow: Linear,
    norm: Norm,
}

impl Layer {
    pub(crate) fn read(body: &mut Body, shape: &Shape) -> Option<Self> {
        let (hidden, wide) = (shape.hidden, shape.wide);
        Some(Self {
            query: Linear::read(body, hidden, hidden)?,
            key: Linear::read(body, hidden, hidden)?,
            value: Linear::read(body, hidden, hidden)?,
            attended: Linear::read(body, hidden, hidden)?,
            attended_norm: Norm::read(body, hidden)?,
            wide: Linear::read(body, hidden, wide)?,
            narrow: Linear::read(body, wide, hidden)?,
            norm: Norm::read(body, hidden)?,
        })
    }

    /// Works on the pieces of several texts at once, whose lengths are `lengths`.
    pub(crate) fn apply(&self, file: &[u8], shape: &Shape, states: &mut [f32], lengths: &[usize]) {
        let inputs = Inputs::of(states, shape.hidden);
        let [query, key, value] = [&self.query, &self.key, &self.value].map(|linear| linear.apply(file, &inputs));
        let mut seen = vec![0.0; states.len()];
        let mut start = 0;
        for length in lengths {
            let text = start..start + length * shape.hidden;
            start = text.end;
            let look = Look { query: &query[text.clone()], key: &key[text.clone()], value: &value[text.clone()] };
            look.at_each_other(shape, &mut seen[text]);
        }
        let attended = self.attended.apply(file, &Inputs::of(&seen, shape.hidden));
        self.attended_norm.apply_to_sum(states, &attended);
        let mut wide = self.wide.apply(file, &Inputs::of(states, shape.hidden));
        wide.iter_mut().for_each(|number| *number = gelu(*number));
        let narrow = self.narrow.apply(file, &Inputs::of(&wide, shape.wide));
        self.norm.apply_to_sum(states, &narrow);
    }
}

/// The pieces of one text, as each asks, is found and answers.
struct Look<'a> {
    query: &'a [f32],
    key: &'a [f32],
    value: &'a [f32],
}

impl Look<'_> {
    fn at_each_other(&self, shape: &Shape, seen: &mut [f32]) {
        let (hidden, size) = (shape.hidden, shape.hidden / shape.heads);
        let factor = 1.0 / (size as f32).sqrt();
        let mut weights = vec![0.0; self.query.len() / hidden];
        for head in (0..hidden).step_by(size) {
            let part = head..head + size;
            for (query, seen) in self.query.chunks_exact(hidden).zip(seen.chunks_exact_mut(hidden)) {
                for (weight, key) in weights.iter_mut().zip(self.key.chunks_exact(hidden)) {
                    *weight = product(&query[part.clone()], &key[part.clone()]) * factor;
                }
                soften(&mut weights);
                let seen = &mut seen[part.clone()];
                for (weight, value) in weights.iter().zip(self.value.chunks_exact(hidden)) {
                    seen.iter_mut().zip(&value[part.clone()]).for_each(|(seen, value)| *seen += weight * value);
                }
            }
        }
    }
}

/// Makes the numbers positive, with a sum of one.
fn soften(numbers: &mut [f32]) {
    let largest = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for number in numbers.iter_mut() {
        *number = (*number - largest).exp();
        sum += *number;
    }
    numbers.iter_mut().for_each(|number| *number /= sum);
}

/// Scales each piece to mean zero and variance one, then by learned numbers.
#[derive(Debug)]
pub(crate) struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Norm {
    pub(crate) fn read(body: &mut Body, hidden: usize) -> Option<Self> {
        Some(Self { weight: body.floats(hidden)?, bias: body.floats(hidden)? })
    }

    pub(crate) fn write(out: &mut Vec<u8>, weight: &[f32], bias: &[f32]) {
        put_floats(out, weight);
        put_floats(out, bias);
    }

    pub(crate) fn apply(&self, states: &mut [f32]) {
        let size = self.weight.len();
        for row in states.chunks_exact_mut(size) {
            let mean = sum(row) / size as f32;
            row.iter_mut().for_each(|number| *number -= mean);
            let factor = 1.0 / (product(row, row) / size as f32 + EPSILON).sqrt();
            for ((number, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
                *number = *number * factor * weight + bias;
            }
        }
    }

    fn apply_to_sum(&self, states: &mut [f32], more: &[f32]) {
        states.iter_mut().zip(more).for_each(|(state, more)| *state += more);
        self.apply(states);
    }
}

/// Several sums side by side, which a processor computes at once.
const LANES: usize = 8;

fn product(one: &[f32], other: &[f32]) -> f32 {
    let ((one, one_rest), (other, other_rest)) = (one.as_chunks::<LANES>(), other.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (one, other) in one.iter().zip(other) {
        (0..LANES).for_each(|lane| sums[lane] += one[lane] * other[lane]);
    }
    sums.iter().sum::<f32>() + one_rest.iter().zip(other_rest).map(|(a, b)| a * b).sum::<f32>()
}

pub(crate) fn sum(numbers: &[f32]) -> f32 {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        (0..LANES).for_each(|lane| sums[lane] += chunk[lane]);
    }
    sums.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

/// The Gaussian error linear unit, with the error function to seven digits (Abramowitz and Stegun 7.1.26).
fn gelu(x: f32) -> f32 {
    const P: f32 = 0.327_591_1;
    const A: [f32; 5] = [0.254_829_6, -0.284_496_72, 1.421_413_8, -1.453_152_1, 1.061_405_4];
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + P * z);
    let series = A.iter().rev().fold(0.0, |sum, factor| (sum + factor) * t);
    let erf = 1.0 - series * (-z * z).exp();
    0.5 * x * (1.0 + erf.copysign(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_the_one_of_the_tables() {
        for (x, expected) in [(0.0, 0.0), (1.0, 0.841_344_7), (-1.0, -0.158_655_3), (3.0, 2.995_950_2), (-8.0, 0.0)] {
            assert!((gelu(x) - expected).abs() < 2e-6, "{x}: {}", gelu(x));
        }
    }

    #[test]
    fn weights_of_a_look_sum_to_one() {
        let mut numbers = [1000.0, 1000.0, -1000.0];
        soften(&mut numbers);
        assert_eq!(numbers, [0.5, 0.5, 0.0]);
    }
}
