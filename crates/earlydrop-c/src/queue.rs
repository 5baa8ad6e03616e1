//! The queue behind a handle: a queue of the core, the caller's function for drops, and what has
//! stopped it.

use std::any::Any;
use std::ffi::{CString, c_void};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use earlydrop::aqm::DropReason;
use earlydrop::queue::Losses;
use earlydrop::units::Bytes;
use earlydrop::{
    AnyQueue, BitsPerSec, ConfigError, Explanation, LinkFacts, Nanos, Plan, QueueDiscipline, Spec,
};

use crate::types::{Config, CounterSet, OnDrop, Packet, Sent, Verdict, WaitingPacket};

/// A queue in front of a link. One thread at a time uses it. Times are of the caller's clock, in ns,
/// from any zero on; one that is earlier than the call before is taken for that call's.
#[derive(Debug)]
pub struct Queue {
    queue: AnyQueue<WaitingPacket>,
    drops: Drops,
    /// The time of the latest call.
    latest: Nanos,
    fault: Option<CString>,
}

/// Who receives dropped packets.
#[derive(Debug)]
struct Drops {
    on_drop: OnDrop,
    context: *mut c_void,
}

impl Losses<WaitingPacket> for Drops {
    // Apart, so that packets that are not dropped do not pay for its registers.
    #[cold]
    #[inline(never)]
    fn lost(&mut self, packet: WaitingPacket, reason: DropReason) {
        if let Some(on_drop) = self.on_drop {
            // SAFETY: who made the queue promised that the function may be called with this context
            // during any call, and that it returns.
            unsafe { on_drop(self.context, packet.handle, reason.into()) }
        }
    }
}

/// A scheme for a link, checked.
pub(crate) fn plan(spec: &str, config: &Config) -> Result<Plan, ConfigError> {
    let spec: Spec = spec.parse()?;
    let mut link = LinkFacts::at(BitsPerSec(config.link_bps));
    if config.mean_packet > 0 {
        link.mean_packet = Bytes(config.mean_packet);
    }
    spec.plan(&link)
}

impl Queue {
    /// An empty queue, with the memory for all packets that it may hold.
    pub(crate) fn new(plan: Plan, config: &Config) -> Queue {
        Queue {
            queue: plan.into_queue(config.seed),
            drops: Drops {
                on_drop: config.on_drop,
                context: config.context,
            },
            latest: Nanos::ZERO,
            fault: None,
        }
    }

    /// The queue of the core.
    pub(crate) fn core(&self) -> &AnyQueue<WaitingPacket> {
        &self.queue
    }

    /// What has stopped the queue.
    pub(crate) fn fault(&self) -> Option<&CString> {
        self.fault.as_ref()
    }

    /// Makes a call of the queue at `now`. A panic in it stops the queue; then, and from then on,
    /// there is no result.
    #[inline(always)]
    fn at<T>(
        &mut self,
        now: u64,
        call: impl FnOnce(&mut AnyQueue<WaitingPacket>, Nanos, &mut Drops) -> T,
    ) -> Option<T> {
        if self.fault.is_some() {
            return None;
        }
        self.latest = self.latest.max(Nanos(now));
        let Queue {
            queue,
            drops,
            latest,
            fault,
        } = self;
        // A queue that a panic leaves half changed is never used again.
        match catch_unwind(AssertUnwindSafe(|| call(queue, *latest, drops))) {
            Ok(result) => Some(result),
            Err(panic) => {
                *fault = Some(message(panic));
                None
            }
        }
    }

    #[inline(always)]
    pub(crate) fn enqueue(&mut self, packet: &Packet, now: u64) -> Verdict {
        let verdict = self.at(now, |queue, now, drops| {
            // Made here, so that it is copied once: into the queue.
            let packet = WaitingPacket::from(packet);
            Verdict::from(queue.enqueue_with(now, packet, drops))
        });
        verdict.unwrap_or(Verdict::Fault)
    }

    /// Writes the packet that leaves; false where none does.
    #[inline(always)]
    pub(crate) fn dequeue(&mut self, now: u64, sent: &mut MaybeUninit<Sent>) -> bool {
        let is_sent = self.at(now, |queue, now, drops| {
            let left = queue.dequeue_with(now, drops);
            left.map(|left| sent.write(left.into())).is_some()
        });
        is_sent.unwrap_or(false)
    }

    pub(crate) fn poll(&mut self, now: u64) {
        self.at(now, |queue, now, _| queue.poll(now));
    }

    pub(crate) fn set_link_rate(&mut self, bps: u64, now: u64) {
        self.at(now, |queue, now, _| {
            queue.set_link_rate(now, BitsPerSec(bps))
        });
    }

    pub(crate) fn counters(&self) -> CounterSet {
        self.queue.counters().into()
    }

    pub(crate) fn probe(&self, name: &[u8]) -> Option<f64> {
        let mut result = None;
        self.queue.probes(&mut |known, value| {
            if known.as_bytes() == name {
                result = Some(value);
            }
        });
        result
    }

    /// Why the next call, an enqueue of `packet` or a dequeue, drops, marks or keeps packets.
    pub(crate) fn explain(&self, packet: Option<&Packet>, now: u64) -> String {
        if self.fault.is_some() {
            return String::new();
        }
        let now = self.latest.max(Nanos(now));
        let explanations = match packet {
            Some(packet) => self.queue.explain_enqueue(now, &packet.into()),
            None => self.queue.explain_dequeue(now),
        };
        let texts: Vec<String> = explanations.iter().map(Explanation::to_string).collect();
        texts.join("\n\n")
    }
}

/// The text of a panic.
fn message(panic: Box<dyn Any + Send>) -> CString {
    let text = match panic.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => other
            .downcast_ref::<&str>()
            .unwrap_or(&"unknown")
            .to_string(),
    };
    let text = format!("a defect of earlydrop has stopped this queue: {text}");
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use earlydrop::aqm::{Aqm, Backlog, Verdict as SchemeVerdict};
    use earlydrop::packet::PacketInfo;
    use earlydrop::queue::Limit;
    use earlydrop::random::Pcg32;

    #[derive(Clone, Debug)]
    struct Panics;

    impl Aqm for Panics {
        fn on_arrival<Q: Backlog>(
            &mut self,
            _now: Nanos,
            packet: &PacketInfo,
            _queue: &Q,
            _random: &mut Pcg32,
        ) -> SchemeVerdict {
            assert!(packet.size < 100, "a size of {}", packet.size);
            SchemeVerdict::Keep
        }
    }

    fn config() -> Config {
        Config {
            spec: std::ptr::null(),
            link_bps: 1_000_000,
            mean_packet: 0,
            seed: 1,
            on_drop: None,
            context: std::ptr::null_mut(),
        }
    }

    #[test]
    fn a_panic_stops_the_queue_and_says_so() {
        let mut queue = Queue::new(Plan::custom(Panics, Limit::packets(9)), &config());
        let mut packet = Packet {
            size: 50,
            ..Packet::default()
        };
        assert_eq!(queue.enqueue(&packet, 0), Verdict::Queued);
        packet.size = 200;
        assert_eq!(queue.enqueue(&packet, 1), Verdict::Fault);
        packet.size = 50;
        assert_eq!(queue.enqueue(&packet, 2), Verdict::Fault);
        assert!(!queue.dequeue(3, &mut MaybeUninit::uninit()));
        let fault = queue.fault().unwrap().to_str().unwrap();
        assert!(
            fault.ends_with("stopped this queue: a size of 200"),
            "{fault}"
        );
    }

    #[test]
    fn time_does_not_run_backwards() {
        let mut queue = Queue::new(plan("codel", &config()).unwrap(), &config());
        let packet = Packet {
            size: 1000,
            ..Packet::default()
        };
        queue.enqueue(&packet, 5_000);
        queue.enqueue(&packet, 3_000);
        for now in [0, 9_000] {
            let mut sent = MaybeUninit::new(Sent::default());
            assert!(queue.dequeue(now, &mut sent));
            // SAFETY: it was initialised.
            assert_eq!(unsafe { sent.assume_init() }.arrived, 5_000);
        }
    }
}
