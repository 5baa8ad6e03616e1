//! What can go wrong with reproducing a paper.

use earlydrop_lab::document::Problems;
use earlydrop_lab::files::FileError;
use earlydrop_lab::store::{RunError, StoreError};

use crate::catalogue::UnknownName;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No paper and no claim has the name that was given.
    #[error(transparent)]
    UnknownName(#[from] UnknownName),
    /// A scenario, or a file of claims, figures or ideas, has errors.
    #[error(transparent)]
    Document(#[from] Problems),
    /// The results of an experiment cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An experiment cannot be run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A page cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}
