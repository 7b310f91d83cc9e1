//! Reads the labelled pairs, judges them, and counts.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use stead_code::{Budget, Change, Class, Language, classify, file_hash};

/// One labelled change.
pub(crate) struct Case {
    /// File and name.
    pub(crate) id: String,
    pub(crate) language: &'static str,
    pub(crate) label: Class,
    /// Path, text before, text after.
    files: Vec<(String, String, String)>,
}

/// Whether the cases that are not held out are listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    Totals,
    Tune,
}

pub(crate) struct Report {
    pub(crate) cases: Vec<(Case, Class, &'static str)>,
}

impl Case {
    /// The rule that splits the cases: nobody chooses.
    pub(crate) fn is_held_out(&self) -> bool {
        file_hash(self.id.as_bytes()).0[0] & 1 == 1
    }

    fn judge(&self) -> (Class, &'static str) {
        let change = |(path, before, after): &'_ (String, String, String)| -> Change<'_> {
            let language = Language::of(path, after);
            // The texts live as long as the case.
            Change { path: leak(path), language, before: Some(leak(before)), after: Some(leak(after)) }
        };
        let changes: Vec<_> = self.files.iter().map(change).collect();
        let judged = classify(&changes, &Budget::default());
        (judged.class, judged.how)
    }
}

fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

pub(crate) fn run() -> Result<Report, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mutation");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("cannot list the fixtures: {error}"))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    let mut cases = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|end| end == "txt")) {
        let text =
            std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        for case in read(stem, &text)? {
            let (class, how) = case.judge();
            cases.push((case, class, how));
        }
    }
    Ok(Report { cases })
}

/// Parts of a fixture: the words behind `####`, and the text up to the next.
fn sections(text: &str) -> Vec<(Vec<&str>, String)> {
    let mut sections: Vec<(Vec<&str>, String)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("#### "), sections.last_mut()) {
            (Some(head), _) => sections.push((head.split(' ').collect(), String::new())),
            (None, Some((_, body))) => {
                body.push_str(line);
                body.push('\n');
            }
            (None, None) => {}
        }
    }
    sections
}

fn read(stem: &str, text: &str) -> Result<Vec<Case>, String> {
    let mut bases: Vec<(String, String)> = Vec::new();
    let mut cases: Vec<Case> = Vec::new();
    let (mut file, mut find, mut all) = (0, String::new(), false);
    for (head, body) in sections(text) {
        let here = || format!("{stem}: {}", cases_id(&cases));
        match (head[0], &head[1..]) {
            ("base", [path]) => bases.push(((*path).to_owned(), body)),
            ("case", [label, name]) => {
                let language = Language::of(&bases[0].0, "").map_or("?", Language::name);
                let label = if *label == "refactor" { Class::Refactor } else { Class::Evolution };
                let files = bases.iter().map(|(path, text)| (path.clone(), text.clone(), text.clone())).collect();
                cases.push(Case { id: format!("{stem}/{name}"), language, label, files });
                file = 0;
            }
            ("in", [path]) => {
                let place = bases.iter().position(|(base, _)| base == path);
                file = place.ok_or_else(|| format!("{}: no base `{path}`", here()))?;
            }
            ("find" | "find-all", []) => (find, all) = (body, head[0] == "find-all"),
            ("put", []) => {
                let message = format!("{}: `{}`", here(), find.trim());
                let case = cases.last_mut().ok_or("no case")?;
                let text = &mut case.files[file].2;
                // A part of a line has no line end.
                let (mut from, mut to) = (find.as_str(), body.as_str());
                if all || text.matches(from).count() != 1 || body.is_empty() && !from.contains('\n') {
                    (from, to) = (from.trim_end_matches('\n'), to.trim_end_matches('\n'));
                }
                match text.matches(from).count() {
                    1 => {}
                    count if count > 1 && all => {}
                    count => return Err(format!("{message} occurs {count} times")),
                }
                *text = text.replace(from, to);
            }
            ("whole", [path]) => {
                let case = cases.last_mut().ok_or("no case")?;
                case.files.push(((*path).to_owned(), String::new(), body));
            }
            _ => return Err(format!("{}: `{}` is no section", here(), head.join(" "))),
        }
    }
    Ok(cases)
}

fn cases_id(cases: &[Case]) -> &str {
    cases.last().map_or("before the first case", |case| &case.id)
}

impl Report {
    /// Right answers and cases of one half.
    pub(crate) fn score(&self, held_out: bool) -> (usize, usize) {
        let half = self.cases.iter().filter(|(case, ..)| case.is_held_out() == held_out);
        half.fold((0, 0), |(right, all), (case, class, _)| (right + usize::from(case.label == *class), all + 1))
    }

    /// Changes of behaviour that were taken for refactorings.
    pub(crate) fn missed(&self) -> usize {
        let missed = |(case, class, _): &&(Case, Class, _)| case.label == Class::Evolution && *class == Class::Refactor;
        self.cases.iter().filter(missed).count()
    }

    pub(crate) fn text(&self, shown: Shown) -> String {
        let mut text = String::new();
        let mut languages: BTreeMap<&str, [(usize, usize); 2]> = BTreeMap::new();
        let mut confusion: BTreeMap<(bool, Class, Class), usize> = BTreeMap::new();
        for (case, class, how) in &self.cases {
            let half = case.is_held_out();
            let score = &mut languages.entry(case.language).or_default()[usize::from(half)];
            score.0 += usize::from(case.label == *class);
            score.1 += 1;
            *confusion.entry((half, case.label, *class)).or_default() += 1;
            if shown == Shown::Tune && !half && case.label != *class {
                let _ = writeln!(text, "{}: {} instead of {} ({how})", case.id, class.as_str(), case.label.as_str());
            }
        }
        let _ = writeln!(text, "{:<12} {:>9} {:>9}", "language", "tune", "held out");
        for (language, [tune, held]) in &languages {
            let _ = writeln!(
                text,
                "{language:<12} {:>9} {:>9}",
                format!("{}/{}", tune.0, tune.1),
                format!("{}/{}", held.0, held.1)
            );
        }
        for (name, half) in [("tune", false), ("held out", true)] {
            let (right, all) = self.score(half);
            let _ =
                writeln!(text, "\n{name}: {right} of {all} right ({:.1} %)", 100.0 * right as f64 / all.max(1) as f64);
            for ((_, label, class), count) in confusion.iter().filter(|((of, ..), _)| *of == half) {
                let _ = writeln!(text, "  {:<16} judged {:<16} {count:>4}", label.as_str(), class.as_str());
            }
        }
        text
    }
}
