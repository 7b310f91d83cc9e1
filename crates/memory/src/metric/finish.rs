use stead_evidence::Item;
use stead_feature::{Feature, Status};

/// When a feature became tested, by the newest evidence that proves it; `None` if it is not tested, or nobody knows.
pub(crate) fn finished(feature: &Feature) -> Option<String> {
    let is_tested = feature.state() == Status::Tested;
    feature.evidence.iter().filter_map(|id| Item::moment(id)).max().filter(|_| is_tested)
}
