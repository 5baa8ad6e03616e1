//! What a command writes over.

use earlydrop_lab::files::Overwrite;

/// Whether a command writes over files that earlydrop has not made.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub(crate) struct Overwriting {
    /// Write over files that are there already even if earlydrop has not made them
    #[arg(long)]
    force: bool,
}

impl Overwriting {
    /// The files that may be replaced.
    pub(crate) fn files(self) -> Overwrite {
        match self.force {
            true => Overwrite::Any,
            false => Overwrite::Own,
        }
    }
}
