//! Where the routes begin that packets are sprayed over.

use super::super::route::Sprays;
use super::routes::FlowRoutes;

/// Takes where each [pair](FlowRoutes::pairs) of routes begins; returns for each of `routes` where
/// its two begin, or the numbers of the sets of routes that its packets are sprayed over.
pub(super) fn choose(begins: Vec<u32>, routes: &[FlowRoutes], seed: u64) -> (Vec<u32>, Sprays) {
    let mut sprays = Sprays::new(seed);
    let mut chosen = Vec::with_capacity(2 * routes.len());
    let mut pairs = begins.chunks_exact(2);
    for routes in routes {
        let Some(spray) = &routes.spray else {
            chosen.extend(pairs.next().into_iter().flatten());
            continue;
        };
        let own: Vec<&[u32]> = pairs.by_ref().take(spray.pairs.len()).collect();
        for (direction, distinct) in spray.distinct.into_iter().enumerate() {
            let begins = own[..distinct].iter().map(|pair| pair[direction]);
            chosen.push(sprays.add(begins.collect()));
        }
    }
    (chosen, sprays)
}
