use crate::world::marked;

const LIST: &str = r#"{"features":[{"id":"login","title":"sign in"},{"id":"other"}]}"#;

#[test]
fn an_attempt_is_reflected_on_in_two_steps() {
    let world = marked();
    world.write("project/.agent/features/feature-list.json", LIST);
    let run = world.stead(&["reflect", "--feature", "login", "--prevent", "test with an expired `session`"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(
        run.stderr.starts_with("error: the prevention was refused: nothing was recorded that failed\nhint: "),
        "{run}"
    );
    let run = world.stead(&["reflect", "--feature", "login", "--failed", "I should be more careful"]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stderr.contains("refused: it names nothing concrete\nhint: name the function"), "{run}");
    assert!(!world.exists("project/.agent/features/reflections.jsonl"));
    world.stead(&["reflect", "--feature", "login", "--failed", "I assumed that session.user is never null"]).ok();
    let json = world.stead(&["reflect", "--feature", "login", "--json"]).json();
    assert_eq!(json["latest"]["failed"], "I assumed that session.user is never null");
    assert_eq!(json["latest"]["prevent"], serde_json::Value::Null);
    world.stead(&["reflect", "--feature", "login", "--prevent", "test with an expired `session`"]).ok();
    let said = world.stead(&["reflect", "--feature", "login"]).ok();
    let shown = "failed   I assumed that session.user is never null\nprevent  test with an expired `session`\n";
    assert_eq!(said, shown);
    assert_eq!(world.stead(&["reflect", "--feature", "other"]).ok(), "there is no reflection yet\n");
}

#[test]
fn unknown_features_and_both_steps_at_once_are_usage_errors() {
    let world = marked();
    world.write("project/.agent/features/feature-list.json", LIST);
    let run = world.stead(&["reflect", "--feature", "logn", "--failed", "`x_y` is null"]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("did you mean `login`?"), "{run}");
    let run = world.stead(&["reflect", "--failed", "`x_y` is null", "--prevent", "check `x_y`"]);
    assert_eq!(run.code, 2, "{run}");
}
