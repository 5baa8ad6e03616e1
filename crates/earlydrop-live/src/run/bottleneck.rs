//! The bottleneck thread: forwards packets between the two devices until the run is over.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use earlydrop::packet::FlowKey;
use earlydrop::registry::{ConfigError, Spec};
use earlydrop::units::{Bytes, Nanos};
use earlydrop_sim::Run;
use earlydrop_sim::network::Link;
use nix::sys::resource::UsageWho;

use super::addresses::AddressPlan;
use super::host_path::HostPath;
use super::meter::Meter;
use super::timing_quality::TimingQuality;
use super::topology::Topology;
use crate::LiveError;
use crate::device::Device;
use crate::direction::Direction;
use crate::emulator::{Emulator, NAMES, buffer_count};
use crate::error::Context;
use crate::stats::{DeviceCounts, DeviceTally, LatenessHistogram, lateness_limit_at};
use crate::timing::{Clock, cpu_time, minimize_timer_slack};

/// A bottleneck that is ready to forward.
#[derive(Debug)]
pub(crate) struct Bottleneck {
    emulator: Emulator<HostPath>,
    end: Nanos,
    tolerated: Nanos,
    clock: Clock,
}

/// Measurements of the bottleneck thread.
#[derive(Debug)]
pub(crate) struct BottleneckReport {
    /// Path from the near to the far end, path back.
    pub(crate) paths: [HostPath; 2],
    /// Counters of the device reads and writes.
    tallies: [DeviceTally; 2],
    /// The kernel's counters of the near end's device and of the far end's.
    pub(crate) devices: [DeviceCounts; 2],
    lateness: LatenessHistogram,
    tolerated: Nanos,
    /// CPU time of the thread as a share of one core.
    cpu: f64,
}

/// Time between two checks whether to stop.
const STOP_CHECK_INTERVAL: Nanos = Nanos::from_millis(50);

/// Quantiles of lateness that are reported, besides every percentile below 100.
const SHARES: [f64; 5] = [0.995, 0.999, 0.9995, 0.9999, 1.0];

/// Smallest packet, for which the number of buffers is computed.
const SMALL: Bytes = Bytes(64);

impl Bottleneck {
    /// A bottleneck between the near end's device and the far end's.
    ///
    /// It has buffers for 32,768 waiting packets and for the 64-byte packets that all wires can
    /// hold, half a million at most.
    pub(crate) fn new(
        run: &Run,
        topology: &Topology,
        addresses: &Arc<AddressPlan>,
        devices: [Device; 2],
    ) -> Result<Bottleneck, LiveError> {
        let links = topology.links.map(|link| run.network.get(link));
        let buffers = buffer_count(packets_on_wires(topology, links));
        let [up, down] = [0, 1].map(|index| host_path(run, topology, addresses, index, buffers));
        let clock = Clock::start();
        let from = run.measure.warm_up;
        Ok(Bottleneck {
            emulator: Emulator::with_paths(devices, [up?, down?], buffers, clock, from),
            end: run.duration,
            tolerated: lateness_limit_at(links.map(Link::mean_rate)),
            clock,
        })
    }

    /// Sets time zero to now.
    pub(crate) fn start(&mut self) -> Clock {
        self.clock = self.emulator.start();
        self.clock
    }

    /// Forwards packets until the run's end, until `stop`, or until the other end of the pipe
    /// `traffic` is closed.
    pub(crate) fn run(
        mut self,
        stop: &AtomicBool,
        traffic: OwnedFd,
    ) -> Result<BottleneckReport, LiveError> {
        minimize_timer_slack().context("setting the timer's slack")?;
        let before = cpu_time(UsageWho::RUSAGE_THREAD);
        let no_capture = &mut |_: usize, _: Nanos, _: &[u8]| {};
        loop {
            let now = self.clock.now();
            if now >= self.end || stop.load(Ordering::Relaxed) {
                break;
            }
            let until = self.end.min(now + STOP_CHECK_INTERVAL);
            if self.emulator.poll(until, traffic.as_fd(), no_capture)? {
                break;
            }
        }
        let cpu = cpu_time(UsageWho::RUSAGE_THREAD)
            .since(before)
            .as_secs_f64();
        let devices = self.emulator.device_counts();
        let devices = devices.context("reading the devices' counters")?;
        let (paths, pool) = self.emulator.paths();
        for path in paths {
            path.finish(self.end, pool);
        }
        Ok(BottleneckReport {
            tallies: *self.emulator.tallies(),
            devices,
            lateness: self.emulator.lateness_histogram().clone(),
            tolerated: self.tolerated,
            cpu: cpu / self.clock.now().as_secs_f64(),
            paths: self.emulator.into_paths(),
        })
    }
}

impl BottleneckReport {
    /// How exactly packets were delivered.
    pub(crate) fn timing(&self) -> TimingQuality {
        let hundredths = (0..100).map(|percent| f64::from(percent) / 100.0);
        let shares = hundredths.chain(SHARES);
        let late = |share| (share, self.lateness.within(share));
        let lost = self
            .tallies
            .iter()
            .map(|tallies| tallies.unbuffered + tallies.refused);
        let unread = self.devices.iter().map(|device| device.unread);
        TimingQuality {
            lateness: shares.map(late).collect(),
            tolerated: self.tolerated.as_secs_f64(),
            cpu: self.cpu,
            lost_outside_queue: lost.chain(unread).sum(),
        }
    }
}

/// Number of small packets that may be in flight on all wires.
fn packets_on_wires(topology: &Topology, links: [&Link; 2]) -> usize {
    let access = topology.before.iter().chain(&topology.after);
    let access: f64 = access.map(|access| access.packets_in_flight(SMALL)).sum();
    let across =
        links.map(|link| link.mean_rate().packets_per_sec(SMALL) * link.delay.as_secs_f64());
    (access + across.iter().sum::<f64>()) as usize
}

/// Builds one direction of the bottleneck: 0 up, 1 down.
pub(super) fn host_path(
    run: &Run,
    topology: &Topology,
    addresses: &Arc<AddressPlan>,
    index: usize,
    buffers: u32,
) -> Result<HostPath, LiveError> {
    let id = topology.links[index];
    let link = run.network.get(id);
    // Each link has its own random numbers.
    let seed = FlowKey(run.seed).hash(u64::from(id.0));
    let direction = queue(link, buffers)
        .and_then(|queue| Direction::of_link(link, &queue, seed))
        .map_err(|problem| LiveError::Queue {
            direction: NAMES[index],
            problem,
        })?;
    let is_up = index == 0;
    let ours = topology
        .from_near
        .iter()
        .map(|from_near| *from_near == is_up);
    let meter = Meter::new(run, id, addresses, ours, buffers);
    let access = [
        topology.before[index].clone(),
        topology.after[index].clone(),
    ];
    Ok(HostPath::new(link, direction, access, meter, buffers, seed))
}

/// The queue of a link. Without one of its own, it has drop-tail: with the default limit if
/// the link changes or follows a trace, as in the simulator, else with one that is never full.
fn queue(link: &Link, buffers: u32) -> Result<Spec, ConfigError> {
    match &link.queue {
        Some(queue) => Ok(queue.clone()),
        None if is_measured(link) => Spec::new("droptail"),
        None => format!("droptail:limit={buffers}").parse(),
    }
}

/// Whether the results include a link's queue.
pub(crate) fn is_measured(link: &Link) -> bool {
    link.queue.is_some() || !link.changes.is_empty() || link.trace.is_some()
}
