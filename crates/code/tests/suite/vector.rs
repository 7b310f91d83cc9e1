use serde_json::Value;
use stead_code::{Budget, Language, file_hash, line_hash, nodes, range_hash};

const PAGE: &str = include_str!("../../../../docs/formats/content-hash.md");

fn compute(vector: &Value) -> String {
    let word = |key: &str| vector[key].as_str().unwrap_or_default();
    let number = |key: &str| vector[key].as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or_default();
    let text = word("text");
    match word("hash of") {
        "file" => file_hash(text.as_bytes()).to_string(),
        "line" => line_hash(text).to_string(),
        "range" => range_hash(text, number("start"), number("end")).expect("the lines are there").to_string(),
        "node" => {
            let language = Language::from_name(word("language")).expect("a known language");
            let nodes = nodes(language, text, &Budget::default()).expect("it can be read");
            let node = nodes.iter().find(|node| node.name == word("name")).expect("the node is there");
            node.normal.expect("it parses").to_string()
        }
        other => panic!("{other}: no such hash"),
    }
}

#[test]
fn the_page_gives_the_hashes_we_compute() {
    let (_, rest) = PAGE.split_once("```jsonl\n").expect("the page has vectors");
    let (lines, _) = rest.split_once("```").expect("the block ends");
    let mut count = 0;
    for line in lines.lines() {
        let vector: Value = serde_json::from_str(line).expect("a vector is JSON");
        assert_eq!(vector["is"], compute(&vector), "{line}");
        count += 1;
    }
    assert!(count >= 12, "{count} vectors");
}
