//! The published schemes of the RED family, one file each, with the part each brought.
//!
//! To add one, write its file, name its module here, and add it to `schemes!` in
//! `schemes/mod.rs`. A scheme that brings a curve also adds it to [`CURVES`].

pub mod ared;
pub mod choke;
pub mod clred;
pub mod curvy_red;
pub mod dsred;
pub mod feng;
pub mod fred;
pub mod fxred;
pub mod gred;
pub mod ired;
pub mod lru_red;
pub mod mred;
pub mod nlred;
pub mod rared;
pub mod red;
pub mod red_e;
pub mod red_ql;
pub mod restraint;
pub mod sfred;
pub mod smred;
pub mod tred;

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
    &tred::CURVE,
    &smred::CURVE,
    &red_ql::CURVE,
    &ired::CURVE,
    &fxred::LIGHT_CURVE,
    &fxred::CURVE,
    &fxred::HEAVY_CURVE,
    &red_e::CURVE,
    &curvy_red::CURVE,
];
