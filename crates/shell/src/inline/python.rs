//! What Python's calls do.

use stead_model::{Content, How};

use crate::inline::Act;
use crate::inline::arguments::Arguments;
use crate::inline::eval::Eval;
use crate::inline::value::{UNKNOWN, Value, pattern};
use crate::inline::{sqlite, text};

/// Looks at a call by its dotted name; `None` for one that we do not know.
pub(crate) fn call(eval: &mut Eval<'_>, name: &str, arguments: &Arguments) -> Option<Value> {
    let first = arguments.at(0);
    let second = arguments.at(1);
    let home = || eval.surroundings.home.clone();
    Some(match name {
        "open" | "io.open" | "codecs.open" | "os.open" | "gzip.open" => {
            let path = arguments.get(0, "file").clone();
            open(eval, &path, arguments.get(1, "mode"), name)
        }
        "os.remove" | "os.unlink" | "os.rmdir" => deletes(eval, first, false),
        "os.removedirs" | "shutil.rmtree" | "send2trash.send2trash" => deletes(eval, first, true),
        "os.rename" | "os.replace" | "os.renames" | "shutil.move" => {
            eval.rename(first, second);
            Value::Unknown
        }
        "shutil.copy" | "shutil.copy2" | "shutil.copyfile" => {
            eval.looks(first);
            writes(eval, second, How::Replace)
        }
        "shutil.copytree" => {
            eval.looks(first);
            tree(eval, second)
        }
        "zipfile.ZipFile" | "tarfile.open" | "tarfile.TarFile" => {
            let path = arguments.get(0, if name == "zipfile.ZipFile" { "file" } else { "name" }).clone();
            open(eval, &path, arguments.get(1, "mode"), "open")
        }
        "sqlite3.connect" | "sqlite3.Connection" | "sqlite3.dbapi2.connect" => {
            sqlite::connect(eval, arguments.get(0, "database"))
        }
        "shutil.unpack_archive" => tree(eval, arguments.get(1, "extract_dir")),
        "os.symlink" | "os.link" => writes(eval, second, How::Link),
        "os.truncate" => writes(eval, first, How::Replace),
        "os.chmod" | "os.chown" | "os.utime" | "shutil.chown" => writes(eval, first, How::Attributes),
        "os.mkdir" | "os.makedirs" | "os.mkfifo" | "os.mknod" => writes(eval, first, How::Into),
        "os.system"
        | "os.popen"
        | "subprocess.getoutput"
        | "subprocess.getstatusoutput"
        | "commands.getoutput"
        | "pty.spawn" => {
            eval.starts(first, None);
            Value::Unknown
        }
        "subprocess.run"
        | "subprocess.call"
        | "subprocess.check_call"
        | "subprocess.check_output"
        | "subprocess.Popen"
        | "asyncio.create_subprocess_shell" => {
            let dir = arguments.named("cwd").and_then(Value::known).map(str::to_owned);
            let what = arguments.get(0, "args").clone();
            eval.starts(&what, dir);
            Value::Unknown
        }
        "os.execv" | "os.execvp" | "os.execve" | "os.execvpe" | "os.spawnv" | "os.spawnvp" => {
            let words =
                arguments.list.iter().find(|value| matches!(value, Value::List(_))).cloned().unwrap_or(Value::Unknown);
            eval.starts(&words, None);
            Value::Unknown
        }
        "os.execl" | "os.execlp" | "asyncio.create_subprocess_exec" => {
            let skip = usize::from(name.starts_with("os."));
            eval.starts(&Value::List(arguments.list.iter().skip(skip).cloned().collect()), None);
            Value::Unknown
        }
        "os.chdir" => {
            for dir in first.texts() {
                eval.act(Act::Enter { dir });
            }
            Value::Unknown
        }
        "exec" | "eval" => {
            match first.known() {
                Some(text) => {
                    eval.act(Act::Code { text: text.to_owned() });
                }
                None => eval.gap("a program text that is put together at run time"),
            }
            Value::Unknown
        }
        "compile" => first.clone(),
        "__import__" | "importlib.import_module" => Value::Name(first.known()?.to_owned()),
        "getattr" => match (first, second.known()) {
            (Value::Name(module), Some(name)) => Value::Name(format!("{module}.{name}")),
            _ => return None,
        },
        "os.path.join" | "posixpath.join" => text::path(&arguments.list),
        "os.path.expanduser" => expand(first, home().as_deref()),
        "os.path.expandvars" => expand_variables(eval, first),
        "os.path.abspath" | "os.path.realpath" | "os.path.normpath" | "os.fspath" | "str" | "bytes" | "os.fsencode" => {
            first.clone()
        }
        "os.path.dirname" => first.map(|path| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned()),
        "os.path.basename" => first.map(|path| path.rsplit('/').next().unwrap_or_default().to_owned()),
        "pathlib.Path" | "Path" | "pathlib.PosixPath" | "pathlib.PurePath" | "PosixPath" | "PurePath" => {
            match arguments.list.as_slice() {
                [] => Value::path(vec![".".to_owned()]),
                list => Value::path(text::path(list).texts()),
            }
        }
        "pathlib.Path.home" | "Path.home" => Value::path(vec![home()?]),
        "pathlib.Path.cwd" | "Path.cwd" => Value::path(vec![eval.surroundings.cwd.clone()]),
        "os.getcwd" => Value::text(eval.surroundings.cwd.clone()),
        "os.environ.get" | "os.getenv" => match eval.variable(first) {
            Value::Unknown if arguments.has(1) => second.clone(),
            value => value,
        },
        "base64.b64decode"
        | "base64.urlsafe_b64decode"
        | "base64.standard_b64decode"
        | "base64.decodebytes"
        | "binascii.a2b_base64" => crate::decode::base64(first.known()?).map_or(Value::Unknown, Value::text),
        "base64.b32decode" => crate::decode::base32(first.known()?).map_or(Value::Unknown, Value::text),
        "bytes.fromhex" | "bytearray.fromhex" | "binascii.unhexlify" | "binascii.a2b_hex" | "base64.b16decode" => {
            crate::decode::hex(first.known()?).map_or(Value::Unknown, Value::text)
        }
        "codecs.decode" | "codecs.encode" => {
            text::by_name(first.known()?, second.known()?).map_or(Value::Unknown, Value::text)
        }
        "chr" => text::letters(&arguments.list)?,
        "map" => match (first, second) {
            (Value::Name(name), Value::List(items)) if name == "chr" => {
                Value::List(items.iter().filter_map(|item| text::letters(std::slice::from_ref(item))).collect())
            }
            _ => return None,
        },
        "reversed" => match first {
            Value::Text { .. } => first.map(|text| text.chars().rev().collect()),
            _ => return None,
        },
        "list" | "tuple" | "sorted" | "set" | "iter" | "frozenset" => first.clone(),
        "enumerate" => Value::List(vec![Value::List(vec![Value::Unknown, first.clone().one_of()])]),
        "zip" => Value::List(vec![Value::List(arguments.list.iter().map(|list| list.clone().one_of()).collect())]),
        "dict" => {
            let named = arguments.named.iter().map(|(name, value)| (Some(name.clone()), value.clone()));
            match first {
                Value::Fields(fields) => Value::Fields(fields.iter().cloned().chain(named).collect()),
                _ if arguments.has(0) => return None,
                _ => Value::Fields(named.collect()),
            }
        }
        "shlex.split" => match first.known() {
            // A text with quotes is left to the shell, which reads them.
            Some(text) if !text.contains(['\'', '"', '\\', '#']) => {
                Value::List(text.split_whitespace().map(Value::text).collect())
            }
            _ => first.clone(),
        },
        "glob.glob" | "glob.iglob" => Value::List(vec![first.map(pattern)]),
        "os.listdir" => Value::List(vec![Value::text(crate::glob::MANY.to_string())]),
        "os.scandir" => {
            let folder = if arguments.has(0) { first.clone() } else { Value::text(".") };
            let inside = Value::text(crate::glob::MANY.to_string());
            Value::List(vec![Value::path(folder.join("/", &inside).texts())])
        }
        "os.walk" => walked(eval, arguments.get(0, "top")),
        "fileinput.input" | "fileinput.FileInput" => {
            let changes = arguments.named("inplace").is_some();
            if changes { writes(eval, arguments.get(0, "files"), How::Edit) } else { return None }
        }
        "print" => {
            if let Some(Value::File(file)) = arguments.named("file") {
                let line = first.join("", &Value::text("\n"));
                eval.fills(*file, &line);
            }
            Value::Unknown
        }
        "urllib.request.urlopen"
        | "requests.get"
        | "requests.post"
        | "requests.put"
        | "requests.delete"
        | "httpx.get"
        | "httpx.post"
        | "urllib.request.urlretrieve" => {
            let address = first.known().map(str::to_owned);
            eval.act(Act::Network { name: name.to_owned(), address });
            if name.ends_with("urlretrieve") {
                writes(eval, second, How::Replace);
            }
            Value::Unknown
        }
        "socket.create_connection" | "socket.socket" => {
            eval.act(Act::Network { name: name.to_owned(), address: None });
            Value::Unknown
        }
        _ => return None,
    })
}

/// Looks at a method of a path.
pub(crate) fn path_method(eval: &mut Eval<'_>, path: &Value, name: &str, arguments: &Arguments) -> Option<Value> {
    let first = arguments.at(0);
    Some(match name {
        "write_text" | "write_bytes" | "write" | "binwrite" => {
            let content = first.known().map_or(Content::Unknown, |text| Content::Text(text.to_owned()));
            eval.write(path, How::Replace, content)
        }
        "touch" => eval.write(path, How::Append, Content::Text(String::new())),
        "unlink" | "rmdir" | "delete" => deletes(eval, path, false),
        "rmtree" => deletes(eval, path, true),
        "mkdir" | "mkpath" => writes(eval, path, How::Into),
        "rename" | "replace" => {
            eval.rename(path, first);
            first.clone()
        }
        "symlink_to" | "hardlink_to" | "link_to" | "make_symlink" => writes(eval, path, How::Link),
        "chmod" | "lchmod" => writes(eval, path, How::Attributes),
        "open" => open(eval, path, arguments.get(0, "mode"), "open"),
        "read_text" | "read_bytes" | "read" | "readlines" => {
            eval.looks(path);
            Value::Unknown
        }
        "joinpath" | "join" => arguments.list.iter().fold(path.clone(), |path, next| path.join("/", next)),
        "expanduser" => expand(path, eval.surroundings.home.as_deref()),
        "parent" | "dirname" => path.map(|path| path.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned()),
        "with_name" => {
            path.map(|path| path.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned()).join("/", first)
        }
        "with_suffix" => {
            let stem = path.map(|path| path.rsplit_once('.').map_or(path, |(stem, _)| stem).to_owned());
            stem.join("", first)
        }
        "glob" | "rglob" => {
            let deep =
                if name == "rglob" { Value::text(format!("{0}{0}", crate::glob::MANY)) } else { Value::text("") };
            Value::List(vec![path.join("/", &deep).join("/", &first.map(pattern))])
        }
        "iterdir" | "children" => Value::List(vec![path.join("/", &Value::text(crate::glob::MANY.to_string()))]),
        _ => return None,
    })
}

/// Opens a file; the mode says what for. Without one it is read.
pub(crate) fn open(eval: &mut Eval<'_>, path: &Value, mode: &Value, name: &str) -> Value {
    // A mode that is no text is a place of its own, such as a buffer size; one that is put together may write.
    let mode = match mode {
        Value::Text { any, .. } => any.first().cloned().unwrap_or_default(),
        Value::Name(flags) if name == "os.open" => flags.clone(),
        Value::Name(_) => "w".to_owned(),
        _ if name == "os.open" => "w".to_owned(),
        _ => String::new(),
    };
    let has = |sign: char| mode.contains(sign);
    if mode.contains(UNKNOWN)
        || has('w')
        || has('x') && !mode.contains("O_")
        || mode.contains("WRONLY")
        || mode.contains("CREAT")
    {
        eval.write(path, How::Replace, Content::Unknown)
    } else if has('a') || has('A') {
        eval.write(path, How::Append, Content::Unknown)
    } else if has('+') || mode.contains("RDWR") {
        eval.write(path, How::Edit, Content::Unknown)
    } else {
        eval.looks(path);
        Value::Unknown
    }
}

fn writes(eval: &mut Eval<'_>, path: &Value, how: How) -> Value {
    eval.write(path, how, Content::Unknown);
    Value::Unknown
}

fn tree(eval: &mut Eval<'_>, path: &Value) -> Value {
    for path in path.texts() {
        eval.act(Act::Write { path, how: How::Into, content: Content::Unknown, tree: true });
    }
    Value::Unknown
}

/// An archive whose files come into a folder.
pub(crate) fn extracts(eval: &mut Eval<'_>, folder: &Value) -> Value {
    match folder {
        Value::Unknown => tree(eval, &Value::text(".")),
        folder => tree(eval, folder),
    }
}

/// What `os.walk` gives in each round: a folder, the names of its folders, and those of its files.
fn walked(eval: &Eval<'_>, top: &Value) -> Value {
    let name = Value::List(vec![Value::text(crate::glob::MANY.to_string())]);
    // Whoever walks through everything picks out what is meant.
    let wide = |top: &str| {
        let plain = top.trim_end_matches('/');
        let cwd = &eval.surroundings.cwd;
        matches!(plain, "" | "." | ".." | "~")
            || plain.starts_with('/') && format!("{cwd}/").starts_with(&format!("{plain}/"))
    };
    match top {
        Value::Text { any, .. } if !any.iter().any(|top| wide(top) || top.contains(UNKNOWN)) => {
            let below = top.join("/", &Value::text(format!("{0}{0}", crate::glob::MANY)));
            Value::List(vec![Value::List(vec![below, name.clone(), name])])
        }
        _ => Value::List(vec![Value::List(vec![Value::Unknown, Value::Unknown, Value::Unknown])]),
    }
}

fn deletes(eval: &mut Eval<'_>, path: &Value, tree: bool) -> Value {
    eval.delete(path, tree);
    Value::Unknown
}

/// Puts home in the place of the tilde.
pub(crate) fn expand(value: &Value, home: Option<&str>) -> Value {
    value.map(|text| match (text.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        _ => text.to_owned(),
    })
}

fn expand_variables(eval: &Eval<'_>, value: &Value) -> Value {
    value.map(|text| match text.strip_prefix('$') {
        Some(rest) => {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let (name, rest) = rest.split_at(end);
            format!("{}{rest}", eval.variable(&Value::text(name)).texts().swap_remove(0))
        }
        None => text.to_owned(),
    })
}
