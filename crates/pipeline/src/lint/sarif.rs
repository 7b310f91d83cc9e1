use serde_json::{Value, json};

use super::{Code, Finding, Severity};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The findings as SARIF 2.1.0, which code hosts show next to the lines. `version` is the program's.
pub fn sarif(findings: &[Finding], version: &str) -> Value {
    let rules = Code::ALL.map(|code| {
        json!({
            "id": code.to_string(),
            "shortDescription": {"text": code.title()},
        })
    });
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "stead", "version": version, "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn result(finding: &Finding) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning | Severity::Deprecation => "warning",
    };
    let text = match &finding.hint {
        Some(hint) => format!("{}; {hint}", finding.message),
        None => finding.message.clone(),
    };
    let (end_line, end_column) = finding.file.position(finding.at.end.max(finding.at.start));
    json!({
        "ruleId": finding.code.to_string(),
        "ruleIndex": Code::ALL.iter().position(|code| *code == finding.code),
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(&finding.file.name)},
            "region": {
                "startLine": finding.line,
                "startColumn": finding.column,
                "endLine": end_line,
                "endColumn": end_column,
            },
        }}],
    })
}

/// A relative path as a URI reference.
fn uri(name: &str) -> String {
    let keep = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte);
    let mut uri = String::with_capacity(name.len());
    for byte in name.bytes() {
        match keep(byte) {
            true => uri.push(char::from(byte)),
            false => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
