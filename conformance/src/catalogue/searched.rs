//! Vectors of packets at random, chosen by a search: each finds changes of a rule that no other
//! does.
//!
//! A number stands for a case: parameters of a list, and bursts of packets. `conformance/mutants`
//! tries numbers from 0 on, and names few and small ones that find what vectors made by hand do not
//! (`-- search [SCHEME...]`).

use earlydrop::Spec;
use earlydrop::random::Pcg32;
use earlydrop::registry::{ConfigError, Kind};

use super::traffic::{LINK, Stream, draft, stream};
use crate::fault::ANY_CHANGE;
use crate::own::link;
use crate::record::Draft;
use crate::vector::Ecn;

/// The numbers that the search has named.
const CHOSEN: &[(&str, &[u32])] = &[
    ("droptail", &[344]),
    (
        "red",
        &[
            6802, 6970, 7030, 3168, 672, 9230, 3502, 4462, 8333, 9499, 6635, 375, 193, 6943, 4477,
            3005, 6687, 9035, 7615, 2145, 1321, 3313, 4881, 867,
        ],
    ),
    ("gred", &[7476]),
    ("ared", &[854, 9128]),
    ("sfred", &[5236, 5990, 3672, 1299, 9323]),
    ("sfb", &[1714, 6462, 5852, 6364, 0, 5935, 9329]),
    (
        "pie",
        &[
            4206, 746, 2920, 9634, 106, 4138, 8780, 6678, 7232, 40, 7376, 7904, 8279, 6363, 3827,
            8733, 6573, 3973, 6793,
        ],
    ),
    ("codel", &[9630, 140, 8548, 850, 7332, 9851, 7619, 3901]),
    ("cobalt", &[4896, 8400, 410, 3356, 9376, 5911]),
    (
        "fq-codel",
        &[3646, 1150, 9598, 4724, 7972, 5040, 6196, 8, 2248, 2645],
    ),
    ("dualpi2", &[344, 7788, 140, 3658, 1088, 4846, 9300]),
];

/// The settings that a scheme's cases have.
fn settings(scheme: &str) -> &'static [&'static str] {
    match scheme {
        "droptail" => &[
            "limit=6 packets",
            "limit=5000 bytes",
            "limit=2300 bytes",
            "limit=24 ms",
        ],
        "red" => &[
            "min=2,max=8,max_p=0.2,weight=0.25,limit=12",
            "min=1,max=5,max_p=0.5,weight=0.5,limit=20",
            "min=2,max=8,max_p=0.1,weight=0.125,limit=12,idle=linux",
            "min=3,max=6,max_p=1,weight=1,limit=9",
            "min=2000 bytes,max=7000 bytes,max_p=0.3,weight=0.25,limit=20,unit=bytes",
            "min=2,max=9,max_p=0.3,weight=0.25,limit=20,mark_limit=0.1",
            "min=2,max=9,max_p=0.02,weight=0.002,limit=20",
            "min=1,max=4,max_p=0.25,weight=1,limit=8,mean_packet=500 bytes",
            "min=2,max=10,max_p=0.5,weight=0.01,limit=16,idle_packet=100 bytes",
            "as=linux,min=2000 bytes,max=6000 bytes,limit=12000 bytes,weight=0.25,max_p=0.2",
        ],
        "gred" => &[
            "min=2,max=5,max_p=0.2,weight=0.25,limit=15",
            "min=1,max=4,max_p=0.5,weight=1,limit=15",
        ],
        "ared" => &[
            "min=2,max=8,max_p=0.1,weight=0.25,limit=20",
            "min=3,max=12,max_p=0.4,weight=0.5,limit=20",
            "min=3,max=12,max_p=0.02,weight=0.25,limit=20,ared_interval=100 ms",
            "min=5,max=10,max_p=0.495,weight=1,limit=20,ared_interval=40 ms",
            "min=5,max=10,max_p=0.01,weight=1,limit=20,ared_interval=40 ms",
            "min=2,max=8,max_p=0.3,weight=1,limit=20,ared_interval=40 ms,ared_top=0.2,ared_bottom=0.1",
        ],
        "nlred" => &["min=2,max=8,max_p=0.3,weight=0.25,limit=12"],
        "clred" => &["min=2,max=8,max_p=0.3,weight=0.25,limit=12"],
        "sfred" => &[
            "min=2,max=8,max_p=0.2,weight=0.25,limit=20,flows=4,k=2",
            "min=2,max=6,max_p=0.5,weight=0.5,limit=12,flows=2,k=3",
            "min=2,max=9,max_p=0.3,weight=0.5,limit=12,flows=3,k=1,horizon=400 ms,eta=3",
            "min=2,max=9,max_p=0.3,weight=0.5,limit=12,flows=8,k=0,horizon=100 ms,eta=1",
            "min=2,max=9,max_p=0.3,weight=0.25,limit=12,flows=3,k=2,horizon=never,eta=0",
        ],
        "choke" => &["min=2,max=8,max_p=0.3,weight=0.25,limit=12"],
        "sfb" => &[
            "bins=512,bin_size=3,d1=0.1,d2=0.05,penalty_rate=20,penalty_burst=2,limit=20,rehash=0 s",
            "bins=512,bin_size=2,d1=0.3,d2=0.1,penalty_rate=10,penalty_burst=1,limit=12,rehash=300 ms,warmup=100 ms",
            "bins=512,bin_size=4,d1=0.25,d2=0.25,penalty_rate=5,penalty_burst=3,limit=30,rehash=0 s",
            "bins=512,bin_size=1,d1=0.5,d2=0.25,penalty_rate=100,penalty_burst=2,limit=10,rehash=100 ms,warmup=100 ms",
            "bins=512,bin_size=2,d1=0.5,d2=0.25,penalty_rate=25,penalty_burst=0,limit=10,rehash=200 ms,warmup=50 ms",
            "bins=512,bin_size=3,bin_max=5,full_bin=least,d1=0.2,d2=0.1,penalty_rate=20,penalty_burst=2,limit=20",
        ],
        "pie" => &[
            "target=20 ms,interval=15 ms,alpha=2,beta=20,burst=0 s,limit=30",
            "target=20 ms,interval=15 ms,alpha=2,beta=20,burst=60 ms,limit=12",
            "target=10 ms,interval=30 ms,alpha=10,beta=60,burst=0 s,limit=30,derandomise=on",
            "target=20 ms,interval=15 ms,alpha=0.125,beta=1.25,burst=0 s,limit=30",
            "target=20 ms,interval=15 ms,alpha=2,beta=20,burst=0 s,limit=30,mark_limit=0.3",
            "as=linux,target=10 ms,interval=15 ms,limit=20",
            "target=16 ms,interval=16 ms,alpha=20,beta=100,burst=32 ms,limit=40",
            "target=16 ms,interval=16 ms,alpha=100,beta=300,burst=0 s,limit=40,mark_limit=0",
            "target=16 ms,interval=16 ms,alpha=20,beta=100,burst=0 s,limit=40,high_delay=32 ms",
            "target=8 ms,interval=16 ms,alpha=20,beta=100,burst=0 s,limit=40,mean_packet=500 bytes",
            "target=20 ms,interval=20 ms,alpha=50,beta=100,burst=0 s,limit=60,delay=rate,dq_threshold=4000 bytes",
            "target=8 ms,interval=8 ms,alpha=100,beta=100,burst=0 s,limit=60,derandomise=on,wraps_at=4",
        ],
        // What examples in other languages have, too.
        "codel" => &[
            "target=10 ms,interval=40 ms,mtu=1000 bytes,limit=20",
            "target=5 ms,interval=20 ms,mtu=300 bytes,limit=60",
            "target=10 ms,interval=30 ms,mtu=3000 bytes,limit=8",
            "target=8 ms,interval=32 ms,mtu=0 bytes,limit=60",
            "target=1 ms,interval=1 ms,mtu=0 bytes,limit=100",
            "target=8 ms,interval=16 ms,mtu=0 bytes,limit=60,ce_threshold=16 ms",
        ],
        "cobalt" => &[
            "target=10 ms,interval=40 ms,limit=12",
            "target=20 ms,interval=100 ms,limit=8",
            "target=5 ms,interval=20 ms,limit=40",
            "target=8 ms,interval=32 ms,limit=40,slow_link=1,mtu=1000 bytes",
            "target=8 ms,interval=32 ms,limit=5,increment=0.25,decrement=0.0625,slow_link=0",
            "target=16 ms,interval=64 ms,limit=4,increment=0.5,decrement=0.25,slow_link=0",
            "target=1 ms,interval=2 ms,limit=60,slow_link=0",
        ],
        "fq-codel" => &[
            "target=10 ms,interval=40 ms,quantum=1000 bytes,limit=12",
            "target=10 ms,interval=40 ms,quantum=300 bytes,limit=30",
            "target=5 ms,interval=20 ms,quantum=1500 bytes,limit=60",
            "as=linux,limit=20",
            "target=10 ms,interval=40 ms,quantum=1000 bytes,limit=60,ce_threshold=6 ms",
            "target=8 ms,interval=32 ms,quantum=64 bytes,limit=8,drop_batch=1",
            "target=8 ms,interval=32 ms,quantum=500 bytes,limit=8,drop_batch=3",
            "target=8 ms,interval=32 ms,quantum=500 bytes,limit=9000 bytes,drop_batch=2",
            "target=8 ms,interval=32 ms,quantum=2000 bytes,limit=100,memory_limit=8000 bytes,drop_batch=2",
            "target=8 ms,interval=32 ms,quantum=2000 bytes,limit=100,memory_limit=12000 bytes,memory=truesize",
        ],
        _ => &[
            "target=40 ms,update=16 ms,alpha=1,beta=10,step=10 ms,limit=20",
            "target=20 ms,update=16 ms,alpha=10,beta=100,step=10 ms,limit=60",
            "target=10 ms,update=8 ms,alpha=5,beta=30,step=5 ms,limit=12",
            "target=20 ms,update=16 ms,alpha=10,beta=100,step=10 ms,limit=40,drop_on_overload=off",
            "target=16 ms,update=16 ms,alpha=20,beta=50,step=8 ms,limit=40,c_share=0.5,step_packets=3",
            "target=8 ms,update=8 ms,alpha=50,beta=100,step=8 ms,ramp=32 ms,limit=40,k=1",
            "target=8 ms,update=16 ms,alpha=50,beta=100,step=16 ms,limit=10000 bytes,least_backlog=2000 bytes",
        ],
    }
}

/// Choices that make another scheme of the RED family.
const OTHER_SCHEMES: &[&str] = &["curve", "adapt", "policy"];

/// The scheme with one or two of its switches and choices at random, as far as they go together.
fn varied(mut spec: Spec, pick: &mut impl FnMut(usize) -> usize) -> Spec {
    let link = link(LINK, 1000);
    for _ in 0..=pick(2) {
        let Ok(settings) = spec.settings(&link) else {
            return spec;
        };
        let mut open: Vec<(&str, &str)> = Vec::new();
        for (parameter, _) in settings.iter() {
            let name = parameter.name;
            if !settings.matters(parameter) || OTHER_SCHEMES.contains(&name) {
                continue;
            }
            match parameter.kind {
                Kind::Flag => open.extend([(name, "on"), (name, "off")]),
                Kind::Choice(choices) => open.extend(choices.iter().map(|(of, _)| (name, *of))),
                _ => {}
            }
        }
        if open.is_empty() {
            return spec;
        }
        let (name, value) = open[pick(open.len())];
        let other = spec.without(name).with(name, value);
        if let Ok(other) = other
            && other.plan(&link).is_ok()
        {
            spec = other;
        }
    }
    spec
}

/// The case of a number. Every second one has switches and choices other than its settings'.
pub fn case(scheme: &str, number: u32) -> Result<Draft, ConfigError> {
    let mut random = Pcg32::new(u64::from(number), 45);
    let mut pick = |of: usize| random.below(of as u32) as usize;
    let settings = settings(scheme);
    let mut spec: Spec = format!("{scheme}:{}", settings[pick(settings.len())]).parse()?;
    if number % 2 == 1 {
        spec = varied(spec, &mut pick);
    }
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
        from += [0.0, 3.0, 20.0, 60.0, 150.0, 400.0, 1200.0, 12_000.0][pick(8)];
        streams.push(burst);
    }
    let after = [10.0, 100.0, 300.0][pick(3)];
    Ok(draft(
        &format!("{scheme}/search-{number}"),
        &spec.to_string(),
        "Bursts of packets at random, found by a search: they tell the rule from ones that differ \
         in a comparison, a number or a step.",
        &[ANY_CHANGE],
        &streams,
        after,
    ))
}

/// The chosen cases of a scheme.
pub(super) fn chosen(scheme: &str) -> impl Iterator<Item = Result<Draft, ConfigError>> {
    let numbers = CHOSEN.iter().filter(move |(of, _)| *of == scheme);
    let numbers = numbers.flat_map(|(_, numbers)| numbers.iter());
    numbers.map(move |number| case(scheme, *number))
}
