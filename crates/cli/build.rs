//! Lets what a hook call touches lie side by side in the shipped binary (ARCHITECTURE.md, "Speed"): that is few pages.
//! Where the linker cannot do that, the binary is only a little slower.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Functions and variables, and constants, in their order; written by `cargo xtask order`.
const SYMBOLS: &str = "hot-symbols.txt";
const CONSTANTS: &str = "hot-constants.ld";

/// Asks for a map of the linked binary, at this path.
const MAP: &str = "STEAD_LINK_MAP";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={SYMBOLS}");
    println!("cargo::rerun-if-changed={CONSTANTS}");
    println!("cargo::rerun-if-env-changed={MAP}");
    let is = |name: &str, wanted: &str| env::var(name).is_ok_and(|value| value == wanted);
    // Cargo says "release" for every profile that inherits it; the folder has the profile's own name.
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    let is_shipped = out.components().any(|part| part.as_os_str() == "dist");
    if !is_shipped || !is("CARGO_CFG_TARGET_OS", "linux") {
        return;
    }
    if let Some(map) = env::var_os(MAP) {
        pass(&format!("-Wl,-Map={}", Path::new(&map).display()));
        pass("-Wl,--no-demangle");
    }
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let order = [
        format!("-Wl,--symbol-ordering-file={}", folder.join(SYMBOLS).display()),
        format!("-Wl,-T,{}", folder.join(CONSTANTS).display()),
        "-Wl,--no-warn-symbol-ordering".into(),
    ];
    if links_with(&order) {
        order.iter().for_each(|arg| pass(arg));
    }
}

fn pass(arg: &str) {
    println!("cargo::rustc-link-arg-bin=stead={arg}");
}

/// Tries it: only one of the usual linkers takes such a list, and nobody says which one will be called.
fn links_with(args: &[String]) -> bool {
    let get = |name: &str| env::var(name).unwrap_or_default();
    let out = PathBuf::from(get("OUT_DIR"));
    let source = out.join("probe.rs");
    if std::fs::write(&source, "fn main() {}\n").is_err() {
        return false;
    }
    let mut rustc = Command::new(get("RUSTC"));
    rustc.arg(&source).arg("-o").arg(out.join("probe")).args(["--target", &get("TARGET")]);
    rustc.args(get("CARGO_ENCODED_RUSTFLAGS").split('\u{1f}').filter(|flag| !flag.is_empty()));
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        rustc.arg("-C").arg(format!("linker={}", Path::new(&linker).display()));
    }
    rustc.args(args.iter().flat_map(|arg| ["-C".to_owned(), format!("link-arg={arg}")]));
    rustc.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    rustc.status().is_ok_and(|status| status.success())
}
