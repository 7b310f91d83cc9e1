//! Variables: their possible values, arrays, and the arguments of a function or script.
//!
//! A variable may have several possible values. An array is stored under `name[@]` with its elements, and an element
//! that was set separately under `name[key]`; the later one counts.

use std::borrow::Cow;

use crate::parse::syntax::{Assignment, Simple, Value, Word, mark};
use crate::programs::options::has_flag;
use crate::walk::program::{brief, operands};
use crate::walk::{Call, Stop, Walk};

/// Variables a command may set.
pub(crate) const VARIABLES: usize = 2_000;
/// Values that one variable may have.
const VALUES: usize = 1_024;
/// The maximum number of bytes they may have together.
const LONGEST: usize = 2 << 20;
/// Names that one name may stand for, one after the other.
const REFERENCES: usize = 8;
/// Lines of a text that a loop is followed through.
const LINES: usize = 64;
/// Words of a function or script that can be told apart after `shift`.
const WORDS: usize = 32;

impl Walk<'_> {
    /// Sets the values of a variable.
    pub(crate) fn set(&mut self, name: &str, values: Vec<String>) -> Result<(), Stop> {
        if self.variables.len() >= VARIABLES {
            return Err(Stop);
        }
        let name = self.meant(name).into_owned();
        self.variables.push((name, values));
        Ok(())
    }

    /// Gives a variable a value that programs see.
    pub(crate) fn export(&mut self, name: &str, value: &str) -> Result<(), Stop> {
        self.exported.push(name.to_owned());
        self.set(name, vec![value.to_owned()])
    }

    /// The variable of a name: itself, or the one it refers to.
    fn meant<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let mut meant = Cow::Borrowed(name);
        for _ in 0..self.references.len().min(REFERENCES) {
            let (base, key) = meant.split_at(meant.find('[').unwrap_or(meant.len()));
            let Some((_, other)) = self.references.iter().rev().find(|(known, _)| known == base) else { break };
            meant = Cow::Owned(format!("{other}{key}"));
        }
        meant
    }

    /// `declare -n name=other`: treats the latest assignments as references to other variables.
    pub(crate) fn refer(&mut self, simple: &Simple, from: usize) {
        let flag = |word: &Word| {
            word.plain().is_some_and(|flag| flag.starts_with('-') && !flag.starts_with("--") && flag.contains('n'))
        };
        if simple.words.iter().skip(1).any(flag) && from <= self.variables.len() {
            let set = self.variables.split_off(from);
            self.references
                .extend(set.into_iter().filter_map(|(name, values)| Some((name, values.into_iter().next()?))));
        }
    }

    /// What is known to be in a variable, by this command or by the environment.
    pub(crate) fn known_value(&self, name: &str) -> Option<Vec<String>> {
        self.bound(name).or_else(|| (self.place.env)(name).map(|value| vec![value.to_string_lossy().into_owned()]))
    }

    /// The characters that separate words, if this command sets them.
    pub(crate) fn separators(&self) -> Option<String> {
        self.bound("IFS").map(|signs| signs.concat()).filter(|signs| !signs.contains(mark::is_mark))
    }

    /// The values a variable may have.
    pub(crate) fn value(&self, name: &str) -> Vec<String> {
        self.bound(name).unwrap_or_else(|| match name {
            "PWD" => self.cwds.clone(),
            "OLDPWD" if !self.came_from.is_empty() => self.came_from.clone(),
            "OLDPWD" => vec![mark::UNKNOWN.to_string()],
            "_" => vec![self.last_word.clone().unwrap_or_else(|| mark::UNKNOWN.to_string())],
            "HOME" => self.home().map(|home| home.to_string_lossy().into_owned()).into_iter().collect(),
            _ => match (name.strip_prefix('~'), (self.place.env)(name)) {
                (Some(person), _) => vec![self.home_of(person)],
                (None, Some(value)) => vec![value.to_string_lossy().into_owned()],
                (None, None) => vec![mark::UNKNOWN.to_string()],
            },
        })
    }

    /// What this command itself gave a variable; `None` if it did not set it.
    pub(crate) fn bound(&self, name: &str) -> Option<Vec<String>> {
        let name = &*self.meant(name);
        let (base, key) = name.strip_suffix(']').and_then(|name| name.split_once('[')).unwrap_or((name, ""));
        let place = base.parse::<usize>().ok().filter(|place| *place > 0);
        let base = if base == "*" { "@" } else { base };
        for (known, values) in self.variables.iter().rev() {
            let rest = known.strip_prefix(base);
            match (rest, place) {
                (_, Some(place)) if known == "@" => {
                    // An index beyond the last word gives nothing.
                    return Some(vec![values.get(place - 1).cloned().unwrap_or_default()]);
                }
                (Some("[@]"), _) => return Some(element(values, key)),
                (Some(""), _) => {
                    return Some(match key {
                        "" | "0" | "@" | "*" => values.clone(),
                        _ => vec![mark::UNKNOWN.to_string()],
                    });
                }
                (Some(_), _) if known == name => return Some(values.clone()),
                _ => {}
            }
        }
        None
    }

    /// Returns true if a name stands for many words rather than for one that is unknown.
    pub(crate) fn is_list(&self, name: &str) -> bool {
        let base = name.strip_suffix("[@]").or_else(|| name.strip_suffix("[*]"));
        let array = |(known, _): &&(String, Vec<String>)| {
            known.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest == "[@]")
        };
        matches!(name, "@" | "*")
            || base.is_some()
            || self.variables.iter().rev().find(array).is_some_and(|(known, _)| known.len() > name.len())
    }

    /// What this command itself gave a variable, where that is one text.
    pub(crate) fn own_value(&self, name: &str) -> Option<String> {
        let values = self.bound(name)?;
        values.first().filter(|value| values.len() == 1 && !value.is_empty()).cloned()
    }

    /// The values of `${name:-other}` and its like.
    pub(crate) fn value_or(&mut self, name: &str, sign: char, other: Vec<String>) -> Result<Vec<String>, Stop> {
        let inborn = matches!(name, "HOME" | "OLDPWD" | "PWD") || (self.place.env)(name).is_some();
        let known = self.bound(name).or_else(|| inborn.then(|| self.value(name)));
        // It is unset, so the default applies.
        let Some(known) = known else {
            if sign == '=' {
                self.set(name, other.clone())?;
            }
            return Ok(other);
        };
        let is_unknown = |value: &String| value.chars().all(|c| matches!(c, mark::UNKNOWN | mark::FETCHED));
        let mut values: Vec<String> = Vec::new();
        for value in known {
            match sign {
                _ if value.is_empty() && sign != '+' => values.extend(other.iter().cloned()),
                '+' if value.is_empty() => values.push(value),
                '+' => values.extend(other.iter().cloned()),
                _ if is_unknown(&value) => {
                    values.extend(other.iter().cloned());
                    values.push(value);
                }
                _ => values.push(value),
            }
        }
        if values.is_empty() {
            values = other;
        }
        values.dedup();
        if sign == '=' {
            self.set(name, values.clone())?;
        }
        Ok(values)
    }

    /// Carries out an assignment and gives the values.
    pub(crate) fn assign(&mut self, assignment: &Assignment) -> Result<Vec<String>, Stop> {
        let name = assignment.name.as_str();
        let before = if assignment.adds { self.bound(name) } else { None };
        let before = before.or_else(|| (self.place.env)(name).filter(|_| assignment.adds).map(|_| self.value(name)));
        match &assignment.value {
            Value::One(word) => {
                let mut values = self.expand_value(word)?;
                if let Some(before) = before {
                    let pairs = before.iter().flat_map(|old| values.iter().map(move |new| format!("{old}{new}")));
                    values = pairs.take(VALUES + 1).collect();
                }
                self.bear(&values)?;
                match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
                    Some((base, key)) => {
                        let mut all = self.bound(&format!("{base}[@]")).unwrap_or_default();
                        all.extend(values.iter().cloned());
                        self.bear(&all)?;
                        self.set(&format!("{base}[@]"), all)?;
                        if !key.is_empty() {
                            self.set(name, values.clone())?;
                        }
                    }
                    None => self.set(name, values.clone())?,
                }
                Ok(values)
            }
            Value::List(list) => {
                let mut all = before.unwrap_or_default();
                let mut keyed = Vec::new();
                for (key, word) in list {
                    let values = self.expand(word)?;
                    keyed.extend(key.as_ref().map(|key| (format!("{name}[{key}]"), values.clone())));
                    all.extend(values);
                }
                self.bear(&all)?;
                self.set(&format!("{name}[@]"), all.clone())?;
                keyed.into_iter().try_for_each(|(name, values)| self.set(&name, values))?;
                Ok(all)
            }
        }
    }

    /// Limits values that grow without end.
    pub(crate) fn bear(&mut self, values: &[String]) -> Result<(), Stop> {
        let bytes = values.iter().map(String::len).sum::<usize>();
        self.work += bytes;
        let much = values.len() > VALUES || bytes > LONGEST || self.work > crate::walk::expand::WORK;
        if much { Err(Stop) } else { Ok(()) }
    }

    /// Another person's home: beside one's own.
    fn home_of(&self, person: &str) -> String {
        let own = self.home();
        if let Some(own) = own.filter(|own| own.file_name().is_some_and(|name| name == person)) {
            return own.to_string_lossy().into_owned();
        }
        match (person, own.and_then(|own| own.parent()).filter(|folder| folder.parent().is_some())) {
            ("root", _) => "/root".to_owned(),
            (_, Some(folder)) => folder.join(person).to_string_lossy().into_owned(),
            (_, None) => format!("/home/{person}"),
        }
    }
}

/// An element of an array; all of them when the key is not a number.
fn element(values: &[String], key: &str) -> Vec<String> {
    let Ok(place) = key.parse::<isize>() else { return values.to_vec() };
    let place = if place < 0 { values.len().checked_add_signed(place) } else { usize::try_from(place).ok() };
    vec![place.and_then(|place| values.get(place)).cloned().unwrap_or_default()]
}

/// The part of a list that `offset` and `length` name; all of it when they are no numbers.
pub(crate) fn slice(values: &[String], operand: &str, first: usize) -> Vec<String> {
    let (offset, length) = operand.split_once(':').unwrap_or((operand, ""));
    let (Ok(offset), length) = (offset.trim().parse::<isize>(), length.trim()) else { return values.to_vec() };
    let start = match usize::try_from(offset) {
        Ok(offset) => offset.saturating_sub(first),
        Err(_) => values.len().saturating_sub(offset.unsigned_abs()),
    };
    let most = if length.is_empty() { usize::MAX } else { length.parse().unwrap_or(usize::MAX) };
    values.iter().skip(start).take(most).cloned().collect()
}

/// Sets the words of a script or shell: `$0`, and the rest as `$@`.
pub(crate) fn give_words(walk: &mut Walk<'_>, argv: &[String]) -> Result<(), Stop> {
    if let Some(first) = argv.first().filter(|first| *first != "--") {
        walk.set("0", vec![first.clone()])?;
    }
    walk.set("@", argv.get(1..).unwrap_or_default().to_vec())
}

/// `shift`: where it is sure to happen the words move up; else each place may hold any of the words behind it.
pub(crate) fn shift(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let Some(words) = walk.variables.iter().rev().find(|(name, _)| name == "@").map(|(_, words)| words.clone()) else {
        return Ok(());
    };
    let count = call.argv.get(1).map_or(Ok(1), |count| count.parse::<usize>());
    match count {
        Ok(count) if walk.branches == 0 => walk.set("@", words.get(count..).unwrap_or_default().to_vec()),
        _ => {
            for place in 0..words.len().min(WORDS) {
                walk.set(&(place + 1).to_string(), words[place..].to_vec())?;
            }
            Ok(())
        }
    }
}

/// `declare` and its like behind a wrapper, where their words were not read as assignments.
pub(crate) fn declare(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    if matches!(program(call), "local" | "declare" | "typeset") {
        let names = operands(call.argv).into_iter().map(|word| word.split('=').next().unwrap_or_default().to_owned());
        walk.locals.extend(names);
    }
    let refers = has_flag(call.argv, "n", &[]) && !matches!(program(call), "export" | "readonly");
    let exports = program(call) == "export" || call.argv.iter().any(|flag| flag.starts_with('-') && flag.contains('x'));
    for word in &call.argv[1..] {
        if exports && !word.starts_with('-') {
            let name = word.split('=').next().unwrap_or_default();
            walk.exported.push(name.trim_end_matches('+').to_owned());
        }
        if let Some((name, value)) = word.split_once('=') {
            if refers {
                walk.references.push((name.to_owned(), value.to_owned()));
                continue;
            }
            match name.strip_suffix('+') {
                Some(name) => {
                    let before = walk.bound(name).unwrap_or_default().concat();
                    walk.set(name, vec![before + value])?;
                }
                None => walk.set(name, vec![value.to_owned()])?,
            }
        }
    }
    Ok(())
}

fn program<'c>(call: &Call<'c>) -> &'c str {
    call.argv.first().map_or("", String::as_str)
}

/// `getopts`: the option's value is one of the words, or glued to its letter.
pub(crate) fn options(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let words = match call.argv.get(3..) {
        Some(words) if !words.is_empty() => words.to_vec(),
        _ => walk.value("@"),
    };
    let glued = words.iter().filter_map(|word| word.strip_prefix('-')?.get(1..)).filter(|rest| !rest.is_empty());
    let plain = words.iter().filter(|word| !word.starts_with('-'));
    let values: Vec<String> = plain.cloned().chain(glued.map(str::to_owned)).collect();
    walk.set("OPTARG", if values.is_empty() { vec![mark::UNKNOWN.to_string()] } else { values })?;
    walk.set("OPTIND", vec![mark::UNKNOWN.to_string()])?;
    if let Some(name) = call.argv.get(2) {
        walk.set(name, vec![mark::UNKNOWN.to_string()])?;
    }
    if walk.bound("@").is_none() {
        walk.gap(&brief(call.argv), "the options are not known");
    }
    Ok(())
}

/// Sets variables by `read`: from a here-string, else to an unknown value.
pub(crate) fn take_in(walk: &mut Walk<'_>, call: &Call<'_>) -> Result<(), Stop> {
    let mut flags = Flags::read(call.argv);
    let fed = walk.fed(call).filter(|text| !text.trim().is_empty());
    let Some(text) = fed else {
        flags.names.extend(flags.array.take());
        let unknown = walk.unknown_input(call);
        return flags.names.iter().try_for_each(|name| walk.set(name, vec![unknown.clone()]));
    };
    // A loop around it takes line after line.
    let lines: Vec<&str> = match flags.delimiter.as_deref() {
        Some("") => text.split('\0').flat_map(str::lines).take(LINES).collect(),
        Some(sign) => text.split(sign.chars().next().unwrap_or('\n')).take(LINES).collect(),
        None => text.lines().take(LINES).collect(),
    };
    if text.lines().nth(LINES).is_some() {
        walk.gap(&brief(call.argv), "it reads more lines than are followed");
    }
    if flags.all {
        let array = format!("{}[@]", flags.names.first().map_or("MAPFILE", String::as_str));
        return walk.set(&array, lines.into_iter().map(str::to_owned).collect());
    }
    let signs = walk.separators();
    let is_sign = |c: char| signs.as_ref().map_or(c.is_whitespace(), |signs| signs.contains(c));
    let fields = |line: &str, most: usize| -> Vec<String> {
        let mut fields = Vec::new();
        let mut rest = line.trim();
        while fields.len() + 1 < most
            && let Some((field, after)) = rest.split_once(is_sign)
        {
            fields.push(field.to_owned());
            rest = if signs.is_none() { after.trim_start() } else { after };
        }
        fields.push(rest.to_owned());
        fields
    };
    if let Some(array) = &flags.array {
        let rows: Vec<Vec<String>> = lines.iter().map(|line| fields(line, VALUES)).collect();
        walk.set(&format!("{array}[@]"), rows.concat())?;
        if rows.len() > 1 {
            let longest = rows.iter().map(Vec::len).max().unwrap_or(0).min(WORDS);
            for place in 0..longest {
                let column = rows.iter().filter_map(|row| row.get(place).cloned()).collect();
                walk.set(&format!("{array}[{place}]"), column)?;
            }
        }
        return Ok(());
    }
    if flags.names.is_empty() {
        flags.names.push("REPLY".to_owned());
    }
    let count = flags.names.len();
    let rows: Vec<Vec<String>> = lines.iter().map(|line| fields(line, count)).collect();
    for (place, name) in flags.names.iter().enumerate() {
        let column = rows.iter().map(|row| row.get(place).cloned().unwrap_or_default()).collect();
        walk.set(name, column)?;
    }
    Ok(())
}

/// What `read` or `mapfile` is told.
#[derive(Default)]
struct Flags {
    names: Vec<String>,
    array: Option<String>,
    delimiter: Option<String>,
    /// `mapfile`: all lines at once.
    all: bool,
}

impl Flags {
    fn read(argv: &[String]) -> Self {
        let all = argv.first().is_some_and(|name| name != "read");
        let mut flags = Self { all, ..Self::default() };
        let valued = if all { "dnOsuCc" } else { "adinNptu" };
        let mut words = argv.iter().skip(1);
        while let Some(word) = words.next() {
            let Some(letters) = word.strip_prefix('-') else {
                flags.names.push(word.clone());
                continue;
            };
            let Some((at, letter)) = letters.char_indices().find(|(_, letter)| valued.contains(*letter)) else {
                continue;
            };
            let glued = &letters[at + 1..];
            let value = if glued.is_empty() { words.next().cloned().unwrap_or_default() } else { glued.to_owned() };
            match letter {
                'a' => flags.array = Some(value),
                'd' => flags.delimiter = Some(value),
                _ => {}
            }
        }
        flags
    }
}
