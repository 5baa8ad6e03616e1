//! PIE. A packet of 1000 bytes takes the link 8 ms.

use super::traffic::{draft, stream};
use crate::record::Draft;
use crate::vector::Ecn;

pub(super) fn pie() -> Vec<Draft> {
    let base = "pie:target=20 ms,interval=15 ms,alpha=2,beta=20,burst=0 s,limit=60";
    let overload = [stream(0.0, 5.0, 130)];
    vec![
        draft(
            "pie/overload",
            base,
            "Packets at 1.6 times the link's rate, no burst allowance.",
            &["update-time", "delay-measured-otherwise", "autotune"],
            &overload,
            60.0,
        ),
        draft(
            "pie/burst",
            "pie:target=20 ms,interval=15 ms,alpha=2,beta=20,burst=150 ms,limit=60",
            "The same with a burst allowance of 150 ms: nothing is dropped until it is used up.",
            &["burst-not-spared"],
            &overload,
            60.0,
        ),
        draft(
            "pie/burst-again",
            "pie:target=20 ms,interval=15 ms,alpha=2,beta=20,burst=60 ms,limit=60",
            "After a calm the allowance is given anew.",
            &["burst-not-spared", "decay"],
            &[stream(0.0, 4.0, 60), stream(1400.0, 3.0, 50)],
            60.0,
        ),
        draft(
            "pie/small-gains",
            "pie:target=20 ms,interval=15 ms,burst=0 s,limit=60",
            "The RFC's gains: while the probability is small they are divided by up to 2048.",
            &["autotune"],
            &[stream(0.0, 4.0, 120)],
            60.0,
        ),
        draft(
            "pie/capable",
            base,
            "Packets that can be marked are marked while the probability is below 0.1, and dropped \
             from there.",
            &[
                "mark-limit",
                "marks-what-cannot-be",
                "drops-what-could-be-marked",
            ],
            &[stream(0.0, 5.0, 130).ecn(Ecn::Ect0)],
            60.0,
        ),
        draft(
            "pie/half-capable",
            base,
            "Every other packet can be marked.",
            &["marks-what-cannot-be", "drops-what-could-be-marked"],
            &[
                stream(0.0, 12.0, 60),
                stream(6.0, 12.0, 60).ecn(Ecn::Ect0),
                stream(300.0, 12.0, 30).ecn(Ecn::Ect1),
            ],
            60.0,
        ),
        draft(
            "pie/two-packets",
            "pie:target=4 ms,interval=15 ms,alpha=20,beta=200,burst=0 s,limit=60",
            "A queue of two packets at most, with a target below what one takes: it is spared.",
            &["small-queue-not-spared"],
            &[
                stream(0.0, 8.0, 60),
                stream(4.0, 16.0, 30).size(200),
                stream(500.0, 6.0, 30),
            ],
            60.0,
        ),
        draft(
            "pie/calm",
            base,
            "After an overload packets come at a third of the link's rate: the probability decays.",
            &["decay", "small-queue-not-spared"],
            &[stream(0.0, 4.0, 70), stream(700.0, 24.0, 40)],
            60.0,
        ),
        draft(
            "pie/no-cap",
            "pie:target=20 ms,interval=15 ms,alpha=2,beta=20,burst=0 s,limit=60,cap=off",
            "Without a cap on its rise the probability follows a sudden queue at once.",
            &["update-time"],
            &[stream(0.0, 0.0, 30), stream(30.0, 4.0, 60)],
            60.0,
        ),
        draft(
            "pie/derandomised",
            "pie:target=20 ms,interval=15 ms,alpha=2,beta=20,burst=0 s,limit=60,derandomise=on",
            "Drops that would follow each other too closely are left out, those that are overdue \
             come.",
            &["gaps-not-uniform"],
            &overload,
            60.0,
        ),
        draft(
            "pie/limit",
            "pie:target=20 ms,interval=15 ms,burst=10 s,limit=10",
            "The buffer is full while a burst is allowed.",
            &["limit-off-by-one", "burst-not-spared"],
            &[stream(0.0, 0.0, 16), stream(40.0, 4.0, 30)],
            60.0,
        ),
        draft(
            "pie/late-update",
            base,
            "Updates that fall due during a pause are made up for before the next packet.",
            &["update-time", "decay"],
            &[stream(0.0, 4.0, 50), stream(500.0, 4.0, 50)],
            60.0,
        ),
    ]
}
