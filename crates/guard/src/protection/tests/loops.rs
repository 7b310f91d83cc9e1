//! Which loops an agent may end.

use super::{allow, deny};

#[test]
fn an_agent_ends_only_the_loops_that_it_started() {
    allow(
        "stead loop cancel 20261115T194530Z-mine
         stead loop pause 20261115T194530Z-mine --json
         cd src && stead -C .. loop cancel 20261115T194530Z-mine
         stead loop start go on
         stead loop start cancel the order
         stead loop start 'pause it'
         stead loop list
         stead loop resume 20261115T194530Z-theirs
         stead loop log --json
         stead loop cancel --help
         echo stead loop cancel x",
    );
    deny(
        "stead loop cancel 20261115T194530Z-theirs
         stead loop pause 20261115T194530Z-theirs
         stead loop cancel 20261115T194530Z-mine 20261115T194530Z-theirs
         stead loop cancel mine
         stead loop cancel
         stead -C . loop cancel 20261115T194530Z-theirs
         stead loop --config a=b cancel 20261115T194530Z-theirs
         stead loop cancel $ID
         stead loop cancel $(stead loop list)
         bash -c 'stead loop cancel 20261115T194530Z-theirs'
         echo 20261115T194530Z-theirs | xargs stead loop cancel
         python3 -c \"import os; os.system('stead loop cancel x')\"",
    );
}
