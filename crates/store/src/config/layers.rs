use std::ffi::OsString;
use std::path::Path;

use super::key::KEYS;
use super::parse::{Parsed, parse_file, parse_flag, parse_variable};
use super::{Layer, Origin, Problem};
use crate::file::read_capped;
use crate::{CONFIG, CONFIG_LOCAL, UserDirs};

/// The size limit of a settings file.
const LIMIT: usize = 1024 * 1024;

/// Reads every layer above the defaults, weakest first.
pub(crate) fn read(root: Option<&Path>, env: &dyn Fn(&str) -> Option<OsString>, flags: &[String]) -> Vec<Parsed> {
    let mut layers = Vec::new();
    if let Some(dirs) = UserDirs::from_env(env) {
        layers.push(read_file(Layer::User, &dirs.config.join("config.toml")));
    }
    if let Some(root) = root {
        layers.push(read_file(Layer::Project, &root.join(CONFIG)));
        layers.push(read_file(Layer::Local, &root.join(CONFIG_LOCAL)));
    }
    for key in KEYS.iter() {
        let variable = key.variable();
        if let Some(typed) = env(&variable) {
            layers.push(parse_variable(key, variable, &typed));
        }
    }
    layers.extend(flags.iter().map(|flag| parse_flag(flag)));
    layers
}

fn read_file(layer: Layer, path: &Path) -> Parsed {
    let origin = Origin { file: Some(path.to_owned()), ..Origin::layer(layer) };
    let broken = |message: String| Parsed { problems: vec![Problem::error(&origin, message)], ..Parsed::default() };
    match read_capped(path, LIMIT) {
        Ok(None) => Parsed::default(),
        Ok(Some(bytes)) => match std::str::from_utf8(&bytes) {
            Ok(text) => parse_file(&origin, text),
            Err(_) => broken("the file is not UTF-8 text".into()),
        },
        Err(error) => {
            let cause = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
            broken(format!("{error}{cause}"))
        }
    }
}
