//! Queue disciplines on real packets.

#![deny(unsafe_code)]

pub mod packet;
