use crate::{FeatureList, Status};

/// The list as check boxes, which `import` reads. Only what is tested is checked.
pub fn markdown(list: &FeatureList) -> String {
    let mut text = String::from("# Features\n");
    let mut category = None;
    for feature in &list.features {
        if category != Some(&feature.category) {
            category = Some(&feature.category);
            let heading = if feature.category.is_empty() { "Other" } else { &feature.category };
            text += &format!("\n## {}\n\n", one_line(heading));
        }
        let status = feature.state();
        let mark = if status == Status::Tested { 'x' } else { ' ' };
        let note = match status {
            Status::Tested | Status::Pending => String::new(),
            status => format!(" ({status})"),
        };
        text += &format!("- [{mark}] **{}**: {}{note}\n", feature.id, one_line(&feature.title));
        feature.steps.iter().for_each(|step| text += &format!("  - {}\n", one_line(step)));
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
