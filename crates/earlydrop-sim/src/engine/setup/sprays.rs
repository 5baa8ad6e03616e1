//! Where the routes begin that packets are sprayed over.

use super::super::route::Sprays;
use super::routes::FlowRoutes;
use crate::network::Begins;

/// Takes where each [pair](FlowRoutes::pairs) of routes begins; returns for each of `routes` where
/// its two begin, or the numbers of the sets of routes that its packets are sprayed over.
pub(super) fn choose(
    begins: Vec<u32>,
    routes: &[FlowRoutes],
    seed: u64,
    periods: Begins,
) -> (Vec<u32>, Sprays) {
    let mut sprays = Sprays::new(seed, periods);
    let mut chosen = Vec::with_capacity(2 * routes.len());
    let mut pairs = begins.chunks_exact(2);
    for routes in routes {
        if routes.choices.is_empty() {
            chosen.extend(pairs.next().into_iter().flatten());
            continue;
        }
        let mut begins = [Vec::new(), Vec::new()];
        for choice in &routes.choices {
            let own: Vec<&[u32]> = pairs.by_ref().take(choice.pairs.len()).collect();
            for (direction, distinct) in choice.distinct.into_iter().enumerate() {
                let of_period = own[..distinct].iter().map(|pair| pair[direction]);
                begins[direction].push(of_period.collect());
            }
        }
        chosen.extend(begins.map(|begins| sprays.add(begins)));
    }
    (chosen, sprays)
}
