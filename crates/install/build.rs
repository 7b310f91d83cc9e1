//! Embeds the payloads that `client` is tested with, so that `stead doctor` can send them. A new client's are found
//! here without anybody naming them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let fixtures = here.join("../client/fixtures");
    println!("cargo::rerun-if-changed={}", fixtures.display());
    let mut table = String::from("&[\n");
    for folder in sorted(&fixtures)?.into_iter().filter(|path| path.is_dir()) {
        for file in sorted(&folder)?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "json")) {
            let name = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let path = file.display().to_string();
            writeln!(table, "    ({:?}, {:?}, include_str!({path:?})),", name(&folder), name(&file))
                .map_err(io::Error::other)?;
        }
    }
    table.push_str("]\n");
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap_or_default()).join("payloads.rs"), table)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths)
}
