//! A scenario file as text: a tree of values that know where they were written.
//!
//! [`Node`] is the tree, [`Section`] says what may stand in it, [`Entries`] is what did,
//! each value read and within its range. A [`Problem`] points at the place that is wrong.

mod entries;
mod node;
mod page;
mod problem;
mod schema;
mod section;

pub use entries::{Entries, Item, Spot};
pub use node::{Content, Key, Node};
pub use page::page;
pub use problem::suggestion;
pub use problem::{Place, Problem, Problems};
pub use schema::schema;
pub use section::base_unit;
pub use section::{Field, Section, Shape, parse_spread};
