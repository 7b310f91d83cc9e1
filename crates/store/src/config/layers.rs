use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::key::KEYS;
use super::parse::{Parsed, parse_file, parse_flag, parse_variable};
use super::{Layer, Origin, Problem};
use crate::file::read_capped;
use crate::{CONFIG, CONFIG_LOCAL, OWN, UserDirs, confine};

/// The size limit of a settings file.
const LIMIT: usize = 1024 * 1024;

/// The name of the person's settings, below their folder for them.
const USER: &str = "config.toml";

/// Reads every layer above the defaults, weakest first. `instead` are texts that count in place of files.
pub(crate) fn read(
    root: Option<&Path>,
    env: &dyn Fn(&str) -> Option<OsString>,
    flags: &[String],
    instead: &[(PathBuf, String)],
) -> Vec<Parsed> {
    let read_file = |layer: Layer, path: &Path| match instead.iter().find(|(file, _)| file == path) {
        Some((_, text)) => parse_file(&Origin { file: Some(path.to_owned()), ..Origin::layer(layer) }, text),
        None => read_file(layer, path),
    };
    let mut layers = Vec::new();
    let named = UserDirs::from_env(env).map(|dirs| dirs.config.join(USER));
    let known = root.and_then(|root| UserDirs::of_project(root, env)).map(|dirs| dirs.config.join(USER));
    let is_other = known.is_some() && named != known;
    layers.extend(known.as_ref().or(named.as_ref()).map(|path| read_file(Layer::User, path)));
    // Whoever sets the environment of a process must not replace the person's settings.
    if let Some(named) = named.filter(|_| is_other) {
        layers.push(Parsed { is_other_user: true, ..read_file(Layer::User, &named) });
    }
    if let Some(root) = root {
        confine(root, OWN);
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
