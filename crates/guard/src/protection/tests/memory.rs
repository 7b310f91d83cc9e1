//! What an agent may do with traces.

use super::{allow, deny};

#[test]
fn an_agent_stores_and_reads_and_forgets_only_its_own() {
    allow(
        "stead memory store --type decision --what 'forget the old API' --why 'nobody uses it'
         stead memory query confirm
         stead memory get 3f2a --level full
         stead memory export
         stead memory verify
         stead memory forget trace-mine
         stead memory forget trace-mine other-mine --why 'told wrongly'
         stead memory promote --help
         echo stead memory confirm x",
    );
    deny(
        "stead memory confirm 3f2a
         stead memory promote 3f2a
         stead memory import ann.jsonl
         stead memory forget trace-theirs
         stead memory forget trace-mine trace-theirs
         stead memory forget $ID
         stead memory forget
         stead -C . memory confirm 3f2a
         bash -c 'stead memory promote 3f2a'
         stead memory export .agent/guards/x.yaml
         echo '{}' >> .agent/graph/traces.jsonl
         cp x .agent/graph/peers/ann.jsonl
         rm -rf .agent/graph
         echo x > ~/.local/share/stead/traces.jsonl",
    );
}
