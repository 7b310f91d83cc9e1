use std::path::Path;

use stead_store::{Durability, StoreError, create, create_parents};

/// What git ignores in the folder of the traces.
const IGNORED: &[u8] = b"# Private to this checkout.\n/*\n!/.gitignore\n";

/// Creates the folders above a file of the `graph` folder; what is directly in that folder stays private.
pub(crate) fn prepare(file: &Path) -> Result<(), StoreError> {
    create_parents(file)?;
    match file.parent() {
        Some(dir) => create(&dir.join(".gitignore"), IGNORED, Durability::Quick).map(drop),
        None => Ok(()),
    }
}
