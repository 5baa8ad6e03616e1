//! Vectors of packets at random, chosen by a search: each finds changes of a rule that no other
//! does.
//!
//! A number stands for a case: parameters of a list, and bursts of packets. `conformance/mutants`
//! tries the numbers from 0 on, and names the fewest that find what the vectors do not find yet
//! (`-- search SCHEME`).

use earlydrop::random::Pcg32;

use super::traffic::{Stream, draft, stream};
use crate::fault::ANY_CHANGE;
use crate::record::Draft;
use crate::vector::Ecn;

/// The numbers that the search has named.
const CHOSEN: &[(&str, &[u32])] = &[
    ("droptail", &[0]),
    ("red", &[61, 5, 20, 27, 481]),
    ("gred", &[0]),
    ("ared", &[50]),
    ("sfred", &[408, 367]),
    ("sfb", &[359]),
    ("pie", &[367, 28, 198, 251, 72, 109, 152, 481]),
    ("codel", &[51, 116, 213, 395]),
    ("cobalt", &[7, 127, 13, 28]),
    ("fq-codel", &[127, 192, 552, 35, 47]),
    ("dualpi2", &[575, 50, 80]),
];

/// The settings that a scheme's cases have.
fn settings(scheme: &str) -> &'static [&'static str] {
    match scheme {
        "droptail" => &["limit=6 packets", "limit=5000 bytes", "limit=2300 bytes"],
        "red" => &[
            "min=2,max=8,max_p=0.2,weight=0.25,limit=12",
            "min=1,max=5,max_p=0.5,weight=0.5,limit=20,ecn=on",
            "min=2,max=8,max_p=0.1,weight=0.125,limit=12,idle=linux",
            "min=3,max=6,max_p=1,weight=1,limit=9",
            "min=2000 bytes,max=7000 bytes,max_p=0.3,weight=0.25,limit=20,unit=bytes",
            "min=2,max=9,max_p=0.3,weight=0.25,limit=20,mark_limit=0.1,ecn=on",
            "min=2,max=9,max_p=0.02,weight=0.002,limit=20",
        ],
        "gred" => &["min=2,max=5,max_p=0.2,weight=0.25,limit=15"],
        "ared" => &[
            "min=2,max=8,max_p=0.1,weight=0.25,limit=20",
            "min=3,max=12,max_p=0.4,weight=0.5,limit=20",
            "min=3,max=12,max_p=0.02,weight=0.25,limit=20,ared_interval=100 ms",
        ],
        "nlred" => &["min=2,max=8,max_p=0.3,weight=0.25,limit=12"],
        "clred" => &["min=2,max=8,max_p=0.3,weight=0.25,limit=12"],
        "sfred" => &[
            "min=2,max=8,max_p=0.2,weight=0.25,limit=20,flows=4,k=2",
            "min=2,max=6,max_p=0.5,weight=0.5,limit=12,flows=2,k=3",
        ],
        "choke" => &["min=2,max=8,max_p=0.3,weight=0.25,limit=12"],
        "sfb" => &[
            "bins=64,bin_size=3,d1=0.1,d2=0.05,penalty_rate=20,penalty_burst=2,limit=20,rehash=0 s",
            "bins=16,bin_size=2,d1=0.3,d2=0.1,penalty_rate=10,penalty_burst=1,limit=12,rehash=300 ms,warmup=100 ms",
            "bins=16,bin_size=4,d1=0.25,d2=0.25,penalty_rate=5,penalty_burst=3,limit=30,rehash=0 s",
        ],
        "pie" => &[
            "target=20 ms,interval=15 ms,alpha=2,beta=20,burst=0 s,limit=30",
            "target=20 ms,interval=15 ms,alpha=2,beta=20,burst=60 ms,limit=12",
            "target=10 ms,interval=30 ms,alpha=10,beta=60,burst=0 s,limit=30,derandomise=on",
            "target=20 ms,interval=15 ms,alpha=0.125,beta=1.25,burst=0 s,limit=30",
            "target=20 ms,interval=15 ms,alpha=2,beta=20,burst=0 s,limit=30,mark_limit=0.3",
            "as=linux,target=10 ms,interval=15 ms,limit=20",
        ],
        // What examples in other languages have, too.
        "codel" => &[
            "target=10 ms,interval=40 ms,mtu=1000 bytes,limit=20",
            "target=5 ms,interval=20 ms,mtu=300 bytes,limit=60",
            "target=10 ms,interval=30 ms,mtu=3000 bytes,limit=8",
        ],
        "cobalt" => &[
            "target=10 ms,interval=40 ms,limit=12",
            "target=20 ms,interval=100 ms,limit=8",
            "target=5 ms,interval=20 ms,limit=40",
        ],
        "fq-codel" => &[
            "target=10 ms,interval=40 ms,quantum=1000 bytes,limit=12",
            "target=10 ms,interval=40 ms,quantum=300 bytes,limit=30",
            "target=5 ms,interval=20 ms,quantum=1500 bytes,limit=60,queues=8",
            "as=linux,limit=20",
            "target=10 ms,interval=40 ms,quantum=1000 bytes,limit=60,ce_threshold=6 ms",
        ],
        _ => &[
            "target=40 ms,update=16 ms,alpha=1,beta=10,step=10 ms,limit=20",
            "target=20 ms,update=16 ms,alpha=10,beta=100,step=10 ms,limit=60",
            "target=10 ms,update=8 ms,alpha=5,beta=30,step=5 ms,limit=12",
            "target=20 ms,update=16 ms,alpha=10,beta=100,step=10 ms,limit=40,drop_on_overload=off",
        ],
    }
}

/// The case of a number.
pub fn case(scheme: &str, number: u32) -> Draft {
    let mut random = Pcg32::new(u64::from(number), 45);
    let mut pick = |of: usize| random.below(of as u32) as usize;
    let settings = settings(scheme);
    let settings = settings[pick(settings.len())];
    let mut streams = Vec::new();
    let mut from = 0.0;
    for _ in 0..2 + pick(3) {
        let gap = [0.0, 1.0, 2.5, 4.0, 7.0, 8.0, 9.0, 12.0, 30.0][pick(9)];
        let ecn = [Ecn::Not, Ecn::Not, Ecn::Ect0, Ecn::Ect1, Ecn::Ce][pick(5)];
        let burst = Stream {
            size: [1000, 1000, 1000, 1500, 300, 40][pick(6)],
            flow: 1 + pick(4) as u32,
            ecn,
            ..stream(from, gap, 1 + pick(20) as u32)
        };
        from += [0.0, 3.0, 20.0, 60.0, 150.0, 400.0, 1200.0][pick(7)];
        streams.push(burst);
    }
    let after = [10.0, 100.0, 300.0][pick(3)];
    draft(
        &format!("{scheme}/search-{number}"),
        &format!("{scheme}:{settings}"),
        "Bursts of packets at random, found by a search: they tell the rule from ones that differ \
         in a comparison, a number or a step.",
        &[ANY_CHANGE],
        &streams,
        after,
    )
}

/// The chosen cases of a scheme.
pub(super) fn chosen(scheme: &str) -> impl Iterator<Item = Draft> {
    let numbers = CHOSEN.iter().filter(move |(of, _)| *of == scheme);
    let numbers = numbers.flat_map(|(_, numbers)| numbers.iter());
    numbers.map(move |number| case(scheme, *number))
}
