//! Changes of one setting, which show the settings that the figures depend on.

use earlydrop::units::Nanos;
use earlydrop_sim::tcp::{Handshake, Rules};

use crate::reference::{Change, Setting};

/// Settings of the queue, each with the one that replaces it.
pub(crate) const QUEUE: [Setting; 7] = [
    ("spacing=wait", "spacing=uniform"),
    ("spacing=wait", "spacing=geometric"),
    ("cautious=on", "cautious=off"),
    ("idle=ns2", "idle=exact"),
    ("last_place=off", "last_place=on"),
    ("mark_limit=0.1", "mark_limit=1"),
    ("gentle_slope=initial", "gentle_slope=live"),
];

/// Changes of the TCP profile, with their names.
pub(crate) const SENDER: [Change; 8] = [
    ("the RFCs' rules", |p| p.rules = Rules::Standard),
    ("whole_cuts the other way", |p| p.whole_cuts = !p.whole_cuts),
    ("limited_transmit the other way", |p| {
        p.limited_transmit = !p.limited_transmit;
    }),
    ("no SYN", |p| p.handshake = Handshake::None),
    ("a minimum RTO of 1 s", |p| {
        p.timer.minimum = Nanos::from_secs(1)
    }),
    ("ticks of 1 ms", |p| p.timer.tick = Nanos::from_millis(1)),
    ("an initial window of 1", |p| p.initial_window = 1),
    ("no slow-start restart", |p| p.slow_start_restart = false),
];
