use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::diff::differences;
use super::rule::FieldHit;
use crate::pattern::meets;

/// Which fields of a document belong to a role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Owner {
    pub(crate) role: String,
    /// JSON pointers in which `*` stands for any key or item; everything below is included.
    pub(crate) pointers: Vec<String>,
}

/// The changes that a role may not make: a role with fields may change only these, any other role all the rest.
pub(super) fn foreign(owners: &[Owner], role: &str, before: Option<&Value>, after: Option<&Value>) -> Vec<FieldHit> {
    let own: Vec<&Owner> = owners.iter().filter(|owner| meets(&owner.role, role)).collect();
    let is_free = |path: &str| {
        let covered = |owner: &Owner| owner.pointers.iter().any(|pointer| covers(pointer, path));
        if own.is_empty() { !owners.iter().any(covered) } else { own.iter().any(|owner| covered(owner)) }
    };
    differences(before, after)
        .into_iter()
        .filter(|path| !is_free(path))
        .map(|path| FieldHit { why: format!("changes {path} as `{role}`"), owner: None, pointer: path })
        .collect()
}

fn covers(pointer: &str, path: &str) -> bool {
    let mut names = path.trim_matches('/').split('/').filter(|name| !name.is_empty());
    pointer
        .trim_matches('/')
        .split('/')
        .filter(|name| !name.is_empty())
        .all(|wanted| names.next().is_some_and(|name| wanted == "*" || wanted == name))
}

impl Owner {
    pub(crate) fn foreign(owners: &[Self], role: &str, before: Option<&Value>, after: Option<&Value>) -> Vec<FieldHit> {
        foreign(owners, role, before, after)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(role: &str, after: Value, expected: &[&str]) {
        let owners = [
            Owner { role: "tester".into(), pointers: vec!["/features/*/tested".into()] },
            Owner { role: "cod*".into(), pointers: vec!["/features/*/status".into(), "/notes".into()] },
        ];
        let before = json!({"features": [{"id": "a", "tested": false, "status": "open"}], "title": "x"});
        let found = foreign(&owners, role, Some(&before), Some(&after));
        assert_eq!(found.iter().map(|hit| hit.pointer.as_str()).collect::<Vec<_>>(), expected, "{role}");
    }

    #[test]
    fn a_role_writes_its_own_fields() {
        let tested = json!({"features": [{"id": "a", "tested": true, "status": "open"}], "title": "x"});
        let status = json!({"features": [{"id": "a", "tested": false, "status": "done"}], "title": "x"});
        let title = json!({"features": [{"id": "a", "tested": false, "status": "open"}], "title": "y"});
        let notes =
            json!({"features": [{"id": "a", "tested": false, "status": "open"}], "title": "x", "notes": {"b": 1}});
        check("tester", tested.clone(), &[]);
        check("tester", status.clone(), &["/features/a/status"]);
        check("tester", title.clone(), &["/title"]);
        check("coder", status.clone(), &[]);
        check("coding", notes, &[]);
        check("coder", tested.clone(), &["/features/a/tested"]);
        check("main", tested, &["/features/a/tested"]);
        check("main", title, &[]);
        check("main", json!({}), &["/features/a/tested", "/features/a/status"]);
    }
}
