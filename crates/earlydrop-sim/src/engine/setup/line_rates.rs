//! The rates of hosts' links, for senders that start at them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use earlydrop::units::BitsPerSec;

use super::routes::FlowRoutes;
use crate::network::Network;
use crate::tcp::{Algorithm, Profile};
use crate::traffic::{Flow, Traffic};

/// Gives each flow under DCQCN whose profile has no [line rate](Profile::line_rate) that of the first
/// link of its route. Flows with one profile and equal links share one still.
pub(super) fn set(flows: &mut Cow<'_, [Flow]>, network: &Network, routes: &[FlowRoutes]) {
    let mut known: HashMap<(*const Profile, BitsPerSec), Arc<Profile>> = HashMap::new();
    for index in 0..flows.len() {
        let Traffic::Tcp { profile, .. } = &flows[index].traffic else {
            continue;
        };
        let Some(first) = routes[index].forward.first() else {
            continue;
        };
        if profile.control != Algorithm::Dcqcn || profile.line_rate.is_some() {
            continue;
        }
        let rate = network.get(*first).rate;
        let at_rate = known
            .entry((Arc::as_ptr(profile), rate))
            .or_insert_with(|| {
                Arc::new(Profile {
                    line_rate: Some(rate),
                    ..**profile
                })
            })
            .clone();
        if let Traffic::Tcp { profile, .. } = &mut flows.to_mut()[index].traffic {
            *profile = at_rate;
        }
    }
}
