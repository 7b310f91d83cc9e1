//! A linear layer with weights of eight bits: each row has its own scale. Inputs have up to sixteen bits, so that a row
//! times an input is a sum of integers, which the compiler turns into the processor's widest instructions without help.

use std::ops::Range;

use super::body::{Body, put_floats};

/// The largest weight.
const WEIGHT: i32 = i8::MAX as i32;

/// Rows that are multiplied together, so that an input stays in the processor's cache.
const ROWS: usize = 8;

#[derive(Debug)]
pub(crate) struct Linear {
    inputs: usize,
    scales: Vec<f32>,
    bias: Vec<f32>,
    /// Where the weights are in the file: one row per output.
    weights: Range<usize>,
}

impl Linear {
    pub(crate) fn read(body: &mut Body, inputs: usize, outputs: usize) -> Option<Self> {
        let (scales, bias) = (body.floats(outputs)?, body.floats(outputs)?);
        let weights = body.range(inputs.checked_mul(outputs)?)?;
        Some(Self { inputs, scales, bias, weights })
    }

    /// Writes a layer as [`Linear::read`] expects it.
    pub(crate) fn write(out: &mut Vec<u8>, weights: &[f32], bias: &[f32], inputs: usize) {
        let rows = QuantisedRows::of(weights, inputs);
        put_floats(out, &rows.scales);
        put_floats(out, bias);
        out.extend(rows.bytes);
    }

    /// Multiplies each input by the weights and adds the bias. `file` is what the layer was read from.
    pub(crate) fn apply(&self, file: &[u8], inputs: &Inputs) -> Vec<f32> {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[expect(
                unsafe_code,
                reason = "more than twice as fast; the same safe code, compiled for newer processors"
            )]
            // SAFETY: the processor has the instructions.
            return unsafe { self.multiply_with_avx2(file, inputs) };
        }
        self.multiply(file, inputs)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn multiply_with_avx2(&self, file: &[u8], inputs: &Inputs) -> Vec<f32> {
        self.multiply(file, inputs)
    }

    #[inline(always)]
    fn multiply(&self, file: &[u8], inputs: &Inputs) -> Vec<f32> {
        let (columns, outputs) = (self.inputs, self.scales.len());
        let mut out = vec![0.0; inputs.scales.len() * outputs];
        let mut rows = vec![0_i16; ROWS * columns];
        let weights = file.get(self.weights.clone()).unwrap_or_default();
        for (block, weights) in weights.chunks(ROWS * columns).enumerate() {
            rows.iter_mut().zip(weights).for_each(|(wide, byte)| *wide = i16::from(byte.cast_signed()));
            let from = block * ROWS;
            let (scales, bias) = (&self.scales[from..], &self.bias[from..]);
            let pieces = inputs.values.chunks_exact(columns).zip(&inputs.scales);
            for ((input, input_scale), out) in pieces.zip(out.chunks_exact_mut(outputs)) {
                let rows = rows.chunks_exact(columns).zip(scales).zip(bias);
                for (out, ((row, scale), bias)) in out[from..].iter_mut().zip(rows) {
                    *out = product(row, input) as f32 * (scale * input_scale) + bias;
                }
            }
        }
        out
    }
}

/// Rows of numbers in eight bits, each with its scale.
pub(crate) struct QuantisedRows {
    pub(crate) scales: Vec<f32>,
    pub(crate) bytes: Vec<u8>,
}

impl QuantisedRows {
    pub(crate) fn of(numbers: &[f32], columns: usize) -> Self {
        let mut rows = Self { scales: Vec::new(), bytes: Vec::with_capacity(numbers.len()) };
        for row in numbers.chunks_exact(columns) {
            let scale = scale(row, WEIGHT);
            rows.scales.push(scale);
            rows.bytes.extend(row.iter().map(|number| ((number / scale).round_ties_even() as i8).cast_unsigned()));
        }
        rows
    }
}

/// What a linear layer is applied to: one row for each word piece.
pub(crate) struct Inputs {
    values: Vec<i16>,
    scales: Vec<f32>,
}

impl Inputs {
    pub(crate) fn of(rows: &[f32], columns: usize) -> Self {
        // The sum of a row's products stays within 32 bits.
        let limit = (i32::MAX / WEIGHT / i32::try_from(columns).unwrap_or(i32::MAX)).min(i32::from(i16::MAX));
        let mut inputs = Self { values: vec![0; rows.len()], scales: Vec::new() };
        for (row, values) in rows.chunks_exact(columns).zip(inputs.values.chunks_exact_mut(columns)) {
            let scale = scale(row, limit);
            let factor = 1.0 / scale;
            values.iter_mut().zip(row).for_each(|(value, number)| *value = (number * factor).round_ties_even() as i16);
            inputs.scales.push(scale);
        }
        inputs
    }
}

/// What the largest number of a row has to be divided by to become `limit`.
fn scale(row: &[f32], limit: i32) -> f32 {
    let largest = row.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
    // A row of zeros, or one that was not made of numbers, has any scale.
    if largest > 0.0 && largest.is_finite() { largest / limit as f32 } else { 1.0 }
}

#[inline(always)]
fn product(one: &[i16], other: &[i16]) -> i32 {
    one.iter().zip(other).fold(0_i32, |sum, (a, b)| sum.wrapping_add(i32::from(*a) * i32::from(*b)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn products_are_close_to_the_exact_ones(
            weights in prop::collection::vec(-1.0_f32..1.0, 6 * 40),
            bias in prop::collection::vec(-1.0_f32..1.0, 6),
            rows in prop::collection::vec(-20.0_f32..20.0, 3 * 40),
        ) {
            let mut file = vec![0; 5];
            Linear::write(&mut file, &weights, &bias, 40);
            let layer = Linear::read(&mut Body::new(&file, 5), 40, 6).unwrap();
            let inputs = Inputs::of(&rows, 40);
            let found = layer.apply(&file, &inputs);
            prop_assert_eq!(&found, &layer.multiply(&file, &inputs), "on every processor");
            for (at, found) in found.iter().enumerate() {
                let (row, output) = (&rows[at / 6 * 40..][..40], at % 6);
                let products = row.iter().zip(&weights[output * 40..]).map(|(a, b)| a * b);
                let exact = products.sum::<f32>() + bias[output];
                // Each weight is wrong by half a step at most.
                let step = row.iter().map(|number| number.abs()).sum::<f32>() / 254.0;
                prop_assert!((found - exact).abs() <= step * 1.01 + 0.01, "{found} {exact}");
            }
        }
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let (columns, mut file) = (1_536, Vec::new());
        Linear::write(&mut file, &vec![1.0; columns], &[0.0], columns);
        let layer = Linear::read(&mut Body::new(&file, 0), columns, 1).unwrap();
        let found = layer.apply(&file, &Inputs::of(&vec![-3.0; columns], columns))[0];
        assert!((found + 3.0 * columns as f32).abs() < 1.0, "{found}");
    }
}
