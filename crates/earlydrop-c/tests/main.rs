//! The C interface as its callers see it.

mod calls;
mod header;
