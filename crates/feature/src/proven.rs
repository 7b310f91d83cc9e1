/// The proof that a feature is tested. Only `stead_evidence::proof_of` makes one, from a standing; tidy checks that no
/// other room calls [`Proven::attest`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    feature: String,
    evidence: Vec<String>,
}

impl Proven {
    /// Attests that these pieces of evidence prove the feature; `None` without any.
    pub fn attest(feature: &str, evidence: Vec<String>) -> Option<Self> {
        let evidence: Vec<String> = evidence.into_iter().filter(|id| !id.is_empty()).collect();
        (!evidence.is_empty()).then(|| Self { feature: feature.to_owned(), evidence })
    }

    pub fn feature(&self) -> &str {
        &self.feature
    }

    /// The ids of the evidence.
    pub fn evidence(&self) -> &[String] {
        &self.evidence
    }
}
