//! What made a page.

/// The command and the version that make a page, which stand in its footer.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// The command that makes the page again.
    pub command: String,
    /// The version of earlydrop.
    pub version: String,
    /// Whether the runs are those of [`Pace::Quick`](crate::catalogue::Pace::Quick).
    pub is_quick: bool,
}
