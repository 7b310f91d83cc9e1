use serde_json::{Map, Value, json};

use super::record::{ContributorKind, Record, SteadNote};

stead_model::named! {
    /// A way to write the ledger for other programs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Dialect {
        /// As it is stored.
        AgentTrace = "agent-trace",
        /// The older field names.
        Trp1 = "trp1",
    }
}

/// Writes a record in a dialect.
pub fn export(record: &Record, dialect: Dialect) -> Value {
    match dialect {
        Dialect::AgentTrace => serde_json::to_value(agent_trace(record)).unwrap_or_default(),
        Dialect::Trp1 => trp1(record),
    }
}

/// A record of the older dialect gets what a valid one needs.
fn agent_trace(record: &Record) -> Record {
    let mut record = record.clone();
    if record.version.is_empty() {
        Record::VERSION.clone_into(&mut record.version);
    }
    if let Some(vcs) = &mut record.vcs
        && vcs.kind.is_empty()
    {
        "git".clone_into(&mut vcs.kind);
    }
    if record.metadata.stead.is_none() && (record.intent_id.is_some() || record.mutation_class.is_some()) {
        let intent = record.intent().map(str::to_owned);
        let how = "stated".to_owned();
        record.metadata.stead = Some(SteadNote { v: 1, intent, class: record.class(), how, ..SteadNote::default() });
    }
    for talk in record.files.iter_mut().flat_map(|file| &mut file.conversations) {
        talk.url = talk.url.take().filter(|url| url.contains(':'));
        for related in &mut talk.related {
            if let Some(id) = related.intent().map(str::to_owned) {
                *related = super::Related::to_intent(&id);
            }
        }
    }
    record
}

fn trp1(record: &Record) -> Value {
    let mut out = Map::new();
    out.insert("id".to_owned(), record.id.as_str().into());
    out.insert("timestamp".to_owned(), record.timestamp.as_str().into());
    if let Some(vcs) = &record.vcs {
        out.insert("vcs".to_owned(), json!({"revision_id": vcs.revision}));
    }
    out.insert("intent_id".to_owned(), record.intent().into());
    out.insert("mutation_class".to_owned(), record.class().name().into());
    let session = record.session();
    let files = record.files.iter().map(|file| {
        let talks = file.conversations.iter().map(|talk| {
            let who = talk.contributor.as_ref();
            let kind = match who.map(|who| who.kind).unwrap_or_default() {
                ContributorKind::Ai => "AI".to_owned(),
                other => other.name().to_uppercase(),
            };
            let mut contributor = json!({"entity_type": kind});
            if let Some(model) = who.and_then(|who| who.model_id.as_deref()) {
                contributor["model_identifier"] = model.into();
            }
            let range = |range: &super::LineRange| {
                let mut out = json!({"start_line": range.start_line, "end_line": range.end_line});
                if let Some(hash) = &range.content_hash {
                    out["content_hash"] = hash.as_str().into();
                }
                out
            };
            let related = |related: &super::Related| {
                json!({"type": related.kind, "value": related.intent().unwrap_or(&related.url)})
            };
            json!({
                "url": talk.url.as_deref().or(session),
                "contributor": contributor,
                "ranges": talk.ranges.iter().map(range).collect::<Vec<_>>(),
                "related": talk.related.iter().map(related).collect::<Vec<_>>(),
            })
        });
        json!({"relative_path": file.path, "conversations": talks.collect::<Vec<_>>()})
    });
    out.insert("files".to_owned(), files.collect::<Vec<_>>().into());
    Value::Object(out)
}
