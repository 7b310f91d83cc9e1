use super::Shelf;
use crate::ContextError;

/// A chain of this many packets or more gets a warning.
pub(crate) const CHAIN_WARNING: usize = 5;

/// The longest chain that may be continued.
const LONGEST: usize = 20;

/// Follows the packets that `id` continues, nearest first, including `id` itself. A cycle, or a chain that is too long,
/// is an error; a predecessor that is missing or cannot be read ends it.
pub fn chain(shelf: &Shelf, id: &str) -> Result<Vec<String>, ContextError> {
    let mut links = vec![id.to_owned()];
    let mut packet = shelf.read(id)?;
    while let Some(before) = packet.continues().map(str::to_owned) {
        if links.contains(&before) {
            return Err(ContextError::ChainCycle { id: id.to_owned(), again: before });
        }
        links.push(before.clone());
        if links.len() >= LONGEST {
            return Err(ContextError::ChainTooLong { id: id.to_owned(), depth: links.len() });
        }
        let Ok(earlier) = shelf.read(&before) else { break };
        packet = earlier;
    }
    Ok(links)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn chains_end_and_do_not_go_round() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::new(folder.path());
        fs::create_dir(folder.path().join("packets")).unwrap();
        let put =
            |id: &str, before: &str| fs::write(shelf.path(id), format!("---\ncontinues: {before}\n---\n")).unwrap();
        put("a", "null");
        put("b", "a");
        put("c", "gone");
        assert_eq!(chain(&shelf, "b").unwrap(), ["b", "a"]);
        assert_eq!(chain(&shelf, "c").unwrap(), ["c", "gone"]);
        fs::write(shelf.path("broken"), "no head").unwrap();
        put("d", "broken");
        assert_eq!(chain(&shelf, "d").unwrap(), ["d", "broken"]);
        assert!(chain(&shelf, "broken").is_err());
        put("a", "b");
        assert_eq!(
            chain(&shelf, "b").unwrap_err().to_string(),
            "the chain of packets that `b` continues has a cycle at `b`"
        );
        for number in 0..30 {
            put(&format!("n{number}"), &format!("n{}", number + 1));
        }
        assert!(matches!(chain(&shelf, "n0"), Err(ContextError::ChainTooLong { depth: 20, .. })));
        assert_eq!(chain(&shelf, "n25").unwrap().len(), 6);
    }
}
