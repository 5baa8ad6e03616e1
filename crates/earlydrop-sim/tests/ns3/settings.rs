//! Changes of one setting, which show the settings that the figures depend on.

use earlydrop::units::Nanos;
use earlydrop_sim::tcp::{Growth, Recovery, Reduction};

use crate::reference::{Change, Setting};

/// Settings of the queue, each with the one that replaces it.
pub(crate) const QUEUE: [Setting; 7] = [
    ("spacing=wait", "spacing=uniform"),
    ("spacing=wait", "spacing=geometric"),
    ("cautious=on", "cautious=off"),
    ("idle=ns2", "idle=exact"),
    ("gentle_slope=initial", "gentle_slope=live"),
    ("mtu=1499 bytes", "mtu=1502 bytes"),
    ("ared_bottom=0.008", "ared_bottom=0.00012"),
];

/// Changes of the TCP profile, with their names.
pub(crate) const SENDER: [Change; 9] = [
    ("reductions at once, no PRR", |p| {
        p.reduction = Reduction::AtOnce;
    }),
    ("Reno's growth by fractions", |p| {
        p.growth = Growth::Segments;
    }),
    ("lost retransmissions detected", |p| {
        p.lost_retransmissions = true;
    }),
    ("NewReno's recovery, without SACK", |p| {
        p.reduction = Reduction::AtOnce;
        p.recovery = Recovery::NewReno;
    }),
    ("ECN-capable retransmissions", |p| {
        p.ecn_on_retransmissions = true;
    }),
    ("each segment acknowledged", |p| p.delayed_acks = None),
    ("a minimum RTO of 1 s", |p| {
        p.timer.minimum = Nanos::from_secs(1);
    }),
    ("no limited transmit", |p| p.limited_transmit = false),
    ("an initial window of 1", |p| p.initial_window = 1),
];
