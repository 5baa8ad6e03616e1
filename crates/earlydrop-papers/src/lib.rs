//! Five papers on Random Early Detection, reproduced.

#![forbid(unsafe_code)]

pub mod catalogue;
pub mod claims;
pub mod pages;
