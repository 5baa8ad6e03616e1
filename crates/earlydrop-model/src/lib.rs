//! The analytic side: what queue, delay and loss to expect of a scheme's parameters, which
//! parameters to choose, and what other tools' knobs mean.

#![forbid(unsafe_code)]
