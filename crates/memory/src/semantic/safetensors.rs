use std::ops::Range;

use serde::Deserialize;
use serde_json::{Map, Value};

/// The weights of a model as it is published: a table of names, then their numbers.
#[derive(Debug)]
pub(crate) struct Safetensors<'a> {
    table: Map<String, Value>,
    data: &'a [u8],
}

/// What the table says about one name.
#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

impl<'a> Safetensors<'a> {
    /// Reads the table; the error says why that is not possible.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let (length, rest) = bytes.split_first_chunk().ok_or("it is too short")?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let (table, data) = rest.split_at_checked(length).ok_or("its table is longer than the file")?;
        let table = serde_json::from_slice(table).map_err(|error| format!("its table is not JSON: {error}"))?;
        Ok(Self { table, data })
    }

    /// The numbers of a name, which must have this shape.
    pub(crate) fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
        let entry = self.table.get(name).ok_or_else(|| format!("it has no `{name}`"))?;
        let entry = Entry::deserialize(entry).map_err(|error| format!("`{name}` in its table is wrong: {error}"))?;
        if entry.dtype != "F32" || entry.shape != shape {
            let Entry { dtype, shape: found, .. } = entry;
            return Err(format!("`{name}` is {dtype} of shape {found:?}; expected F32 of shape {shape:?}"));
        }
        let [start, end] = entry.data_offsets;
        let bytes = self.data.get(Range { start, end }).ok_or_else(|| format!("`{name}` lies outside of the file"))?;
        let (words, rest) = bytes.as_chunks();
        if !rest.is_empty() || words.len() != shape.iter().product::<usize>() {
            return Err(format!("`{name}` has {} bytes, which is not its shape", bytes.len()));
        }
        Ok(words.iter().map(|word| f32::from_le_bytes(*word)).collect())
    }
}
