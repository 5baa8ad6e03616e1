//! The published schemes of the RED family, one file each, beside the part each brought.
//!
//! To add one, write its file, name its module here, and add it to `schemes!` in
//! `schemes/mod.rs`. A scheme that brings a curve also adds it to [`CURVES`].

pub mod ared;
pub mod choke;
pub mod clred;
pub mod dsred;
pub mod feng;
pub mod fred;
pub mod gred;
pub mod lru_red;
pub mod mred;
pub mod nlred;
pub mod rared;
pub mod red;
pub mod restraint;
pub mod sfred;

use crate::curve::CurveLaw;

/// Every published curve of the RED family, for the parameter `curve`.
pub const CURVES: &[&CurveLaw] = &[
    &red::CURVE,
    &gred::CURVE,
    &dsred::CURVE,
    &nlred::CURVE,
    &nlred::GENTLE_CURVE,
    &mred::CURVE,
    &clred::CURVE,
];
