//! Unsupported features of runs, and what the kernel does with the settings of a profile.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use earlydrop::units::{BitsPerSec, Bytes, Nanos};
use earlydrop_sim::spread::Spread;
use earlydrop_sim::tcp::{
    Algorithm, DelayedAcks, EcnFeedback, EcnMode, LossDetection, Profile, Recovery, SenderCounts,
};
use earlydrop_sim::traffic::{Application, Flow, Pattern};

use super::*;
use crate::run::testing::{
    Packet, Path, SYN, hosts, in_real_time, run_for, run_over, with_carrier,
};
use crate::run::traffic::controls_of_a_connection;
use crate::timing::Clock;

const MS: fn(u64) -> Nanos = Nanos::from_millis;

/// A run of one flow with this profile.
fn one(profile: Profile, application: Application) -> Run {
    let (mut run, near, far) = run_for(MS(800));
    run.add(Flow::tcp(near, far, &Arc::new(profile), application));
    run
}

fn modern(change: impl FnOnce(&mut Profile)) -> Profile {
    let mut profile = Profile::modern(Algorithm::Reno);
    change(&mut profile);
    profile
}

/// Data packets from the near end.
fn data(packets: &[Packet]) -> impl Iterator<Item = &Packet> {
    packets
        .iter()
        .filter(|packet| packet.from_near && packet.data() > 0)
}

#[test]
fn unsupported_settings_are_refused_by_name() {
    let delayed = |every| {
        Some(DelayedAcks {
            every,
            timeout: MS(40),
        })
    };
    let mut dctcp = Profile::modern(Algorithm::Dctcp);
    dctcp.ecn = EcnMode::Classic;
    let cases = [
        (Profile::ns2(Recovery::Tahoe), "Tahoe", "sack"),
        (Profile::ns2(Recovery::NewReno), "ns-2", "modern"),
        (modern(|p| p.recovery = Recovery::Tahoe), "Tahoe", "newreno"),
        (
            modern(|p| p.recovery = Recovery::Reno),
            "Reno recovery",
            "newreno",
        ),
        (Profile::modern(Algorithm::Scalable), "Scalable", "dctcp"),
        (Profile::modern(Algorithm::Prague), "Prague", "dctcp"),
        (
            modern(|p| {
                p.ecn = EcnMode::Classic;
                p.ecn_feedback = Some(EcnFeedback::AccEcn);
            }),
            "AccECN",
            "ecn_feedback",
        ),
        (modern(|p| p.ecn = EcnMode::L4s), "L4S", "ecn = "),
        (
            modern(|p| p.ecn = EcnMode::Dctcp),
            "dctcp's marks",
            "ecn = ",
        ),
        (modern(|p| p.header_size = 44), "headers of 44", "52"),
        (
            modern(|p| p.segment_size = 9000),
            "segments of 9000",
            "1500",
        ),
        (modern(|p| p.segment_size = 100), "segments of 100", "140"),
        (
            modern(|p| p.initial_ssthresh = Some(8)),
            "ssthresh",
            "never",
        ),
        (modern(|p| p.max_burst = Some(4)), "bursts", "never"),
        (modern(|p| p.dupack_threshold = 5), "5 duplicate ACKs", "3"),
        (
            modern(|p| p.loss_detection = LossDetection::DupAck),
            "RACK-TLP",
            "rack",
        ),
        (
            modern(|p| p.delayed_acks = delayed(4)),
            "every 4",
            "delayed_acks",
        ),
    ];
    let known = ["reno", "cubic", "bbr"].map(str::to_string);
    for (profile, named, helped) in cases {
        let (message, help) = tcp_profile::problem(&profile, &known).expect(named);
        assert!(message.contains(named), "{message}");
        assert!(help.contains(helped), "{help}");
        let refused = check(&one(profile, Application::Bulk)).unwrap_err();
        assert_eq!(refused.flow, Some(0));
    }
    let (message, help) = tcp_profile::problem(&dctcp, &known).unwrap();
    assert!(message.contains("this kernel has no dctcp") && help.contains("cubic"));
    let dctcp_known = ["dctcp".to_string()];
    assert!(tcp_profile::problem(&dctcp, &dctcp_known).is_some());
    assert_eq!(
        tcp_profile::problem(&Profile::modern(Algorithm::Dctcp), &dctcp_known),
        None
    );
    assert_eq!(tcp_profile::problem(&modern(|_| ()), &known), None);
}

#[test]
fn the_linux_profile_sets_the_same_as_modern() {
    let known = ["reno", "cubic"].map(str::to_string);
    for algorithm in [Algorithm::Reno, Algorithm::Cubic] {
        let (linux, modern) = (Profile::linux(algorithm), Profile::modern(algorithm));
        assert_eq!(tcp_profile::problem(&linux, &known), None);
        assert_eq!(tcp_profile::metrics(&linux), tcp_profile::metrics(&modern));
        assert_eq!(
            tcp_profile::host_wide(&linux),
            tcp_profile::host_wide(&modern)
        );
    }
}

#[test]
fn host_wide_settings_must_be_equal_in_all_flows() {
    let (mut run, near, far) = run_for(MS(100));
    for profile in [modern(|_| ()), modern(|p| p.recovery = Recovery::NewReno)] {
        run.add(Flow::bulk(near, far, &Arc::new(profile)));
    }
    let refused = check(&run).unwrap_err();
    assert_eq!(refused.flow, Some(1));
    assert!(
        refused.message.contains("one recovery for all flows"),
        "{refused}"
    );
    let other = modern(|p| p.header_size = 40);
    run.flows[1] = Flow::bulk(near, far, &Arc::new(other));
    assert!(check(&run).unwrap_err().message.contains("one header"));
}

#[test]
fn limits_are_refused_by_number() {
    let (mut run, near, far) = run_for(MS(100));
    let flow = Flow::voice(near, far);
    run.flows = vec![flow.clone(); 10_001];
    let refused = check(&run).unwrap_err();
    assert!(refused.message.contains("10001"), "{refused}");
    run.flows = vec![Flow::datagrams(
        near,
        far,
        Bytes(9000),
        BitsPerSec(1),
        Pattern::Constant,
    )];
    assert!(check(&run).unwrap_err().help.contains("28 to 1500"));
    run.flows = vec![flow];
    run.measure.round_trips = true;
    assert!(check(&run).unwrap_err().message.contains("round trips"));
    run.measure.round_trips = false;
    let arrivals = Application::Arrivals {
        every: Spread::constant(MS(1)),
        size: Spread::constant(Bytes(1)),
        at_most: u32::MAX,
    };
    run.add(Flow::tcp(near, far, &Arc::new(modern(|_| ())), arrivals));
    let refused = check(&run).unwrap_err();
    assert!(refused.message.contains("open files") && refused.help.contains("at_most"));
}

#[test]
fn full_packets_have_the_segment_size() {
    in_real_time(|| {
        for (segment, header) in [(1500, 52), (1000, 40), (576, 52), (140, 52), (140, 40)] {
            let profile = modern(|p| (p.segment_size, p.header_size) = (segment, header));
            let run = one(profile, Application::Transfer(Bytes(20_000)));
            let Some((seen, packets)) = run_over(&run, Path::default()) else {
                return;
            };
            assert_eq!(seen.flows[0].goodput_bytes, 20_000);
            let sizes: Vec<usize> = data(&packets).map(|packet| packet.size).collect();
            let (last, full) = sizes.split_last().unwrap();
            assert!(
                full.iter().all(|size| *size == segment as usize),
                "{sizes:?}"
            );
            assert!(*last <= segment as usize);
            assert!(data(&packets).all(|packet| packet.headers() == header as usize));
            assert_eq!(sizes.len() as u32, 20_000_u32.div_ceil(segment - header));
        }
    });
}

#[test]
fn the_first_flight_is_the_initial_window() {
    in_real_time(|| {
        for window in [1, 3, 10, 25] {
            let run = one(modern(|p| p.initial_window = window), Application::Bulk);
            // Nothing is acknowledged within 100 ms.
            let path = Path {
                delay: MS(50),
                ..Path::default()
            };
            let Some((_, packets)) = run_over(&run, path) else {
                return;
            };
            let first = data(&packets).next().unwrap().at;
            let flight = data(&packets).filter(|packet| packet.at < first + MS(90));
            assert_eq!(flight.count() as u32, window);
        }
    });
}

#[test]
fn in_flight_is_limited_by_the_receiver_window() {
    in_real_time(|| {
        let profile =
            modern(|p| (p.receiver_window, p.segment_size, p.header_size) = (20, 1000, 40));
        let run = one(profile, Application::Bulk);
        let path = Path {
            delay: MS(50),
            ..Path::default()
        };
        let Some((_, packets)) = run_over(&run, path) else {
            return;
        };
        // The first segments may open the window further before it is clamped again.
        let mut acknowledged = None;
        let mut most = 0;
        for packet in &packets {
            let [number, next] = packet.numbers();
            if !packet.from_near {
                acknowledged = Some(next);
            } else if let Some(acknowledged) = acknowledged
                && packet.at > MS(400)
            {
                let end = number.wrapping_add(packet.data() as u32);
                most = most.max(end.wrapping_sub(acknowledged) as i32);
            }
        }
        assert_eq!(most, 20 * 960);
    });
}

#[test]
fn acknowledgments_are_for_every_segment_or_every_second() {
    in_real_time(|| {
        let count = |delayed_acks| {
            // The receiver window is smaller than the path's buffer, so nothing is lost.
            let profile = modern(|p| (p.delayed_acks, p.receiver_window) = (delayed_acks, 30));
            let run = one(profile, Application::Bulk);
            let (_, packets) = run_over(&run, Path::default())?;
            let acknowledgments = packets.iter().filter(|packet| !packet.from_near);
            // Two thirds of the run, in equilibrium.
            let late = |packet: &&Packet| packet.at > MS(250);
            let sent = data(&packets).filter(late).count() as f64;
            Some(acknowledgments.filter(late).count() as f64 / sent)
        };
        let (Some(each), Some(delayed)) = (
            count(None),
            count(Profile::modern(Algorithm::Reno).delayed_acks),
        ) else {
            return;
        };
        assert!((0.95..1.05).contains(&each), "{each} a segment");
        assert!((0.4..0.75).contains(&delayed), "{delayed} a segment");
    });
}

#[test]
fn options_are_offered_as_the_profile_says() {
    in_real_time(|| {
        const SACK_PERMITTED: u8 = 4;
        const TIMESTAMPS: u8 = 8;
        for (recovery, header) in [(Recovery::Sack, 52), (Recovery::NewReno, 40)] {
            let profile = modern(|p| (p.recovery, p.header_size) = (recovery, header));
            let run = one(profile, Application::Transfer(Bytes(1)));
            let Some((_, packets)) = run_over(&run, Path::default()) else {
                return;
            };
            let mut requests = packets.iter().filter(|packet| packet.flags() & SYN != 0);
            let both = [requests.next().unwrap(), requests.next().unwrap()];
            for request in both {
                let options = request.options();
                assert_eq!(
                    options.contains(&SACK_PERMITTED),
                    header == 52,
                    "{options:?}"
                );
                assert_eq!(options.contains(&TIMESTAMPS), header == 52, "{options:?}");
            }
        }
    });
}

/// Sends a single segment whose first copies are lost; returns the times at which it was sent,
/// and the sender's counts.
fn retransmitted(least: Nanos, drops: usize) -> Option<(Vec<Nanos>, SenderCounts)> {
    let profile = modern(|p| p.timer.minimum = least);
    let run = one(profile, Application::Transfer(Bytes(1000)));
    let path = Path {
        drops,
        ..Path::default()
    };
    let (seen, packets) = run_over(&run, path)?;
    let sent = data(&packets).map(|packet| packet.at).collect();
    Some((sent, seen.flows[0].sender))
}

#[test]
fn a_lost_segment_is_retransmitted_after_the_minimum_rto() {
    in_real_time(|| {
        let gap = |least| {
            let (sent, counts) = retransmitted(least, 1)?;
            assert_eq!((counts.segments, counts.retransmissions), (2, 1));
            Some(sent[1].since(sent[0]))
        };
        let (Some(short), Some(long)) = (gap(MS(30)), gap(MS(600))) else {
            return;
        };
        // The kernel's default is 200 ms.
        assert!(short >= MS(30) && long >= MS(600), "{short}, {long}");
        assert!(short < Nanos(long.0 / 2), "{short}, {long}");
    });
}

#[test]
fn timeouts_are_counted_if_the_kernel_reports_them() {
    in_real_time(|| {
        // The first retransmission is a tail loss probe (RFC 8985), not a timeout.
        let Some((sent, counts)) = retransmitted(MS(20), 3) else {
            return;
        };
        assert_eq!(counts.segments as usize, sent.len());
        assert!(counts.retransmissions >= 3, "{counts:?}");
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
        let mut numbers = release
            .split(['.', '-'])
            .map_while(|part| part.parse::<u32>().ok());
        let version = (numbers.next().unwrap(), numbers.next().unwrap());
        let expected = u32::from(version >= (6, 7));
        assert!(
            (expected..=2 * expected).contains(&counts.timeouts),
            "{counts:?} on {release}"
        );
    });
}

#[test]
fn every_profile_has_its_congestion_control_at_both_ends() {
    let (mut run, near, far) = run_for(MS(500));
    let kinds = [
        (Algorithm::Reno, "reno"),
        (Algorithm::Cubic, "cubic"),
        (Algorithm::Bbr, "bbr"),
    ];
    let known = congestion_controls();
    let kinds = kinds
        .iter()
        .filter(|(_, name)| known.iter().any(|known| known == name));
    let names: Vec<&str> = kinds
        .map(|(algorithm, name)| {
            run.add(Flow::bulk(
                near,
                far,
                &Arc::new(Profile::modern(*algorithm)),
            ));
            *name
        })
        .collect();
    let Some((hosts, devices, addresses)) = hosts(&run) else {
        return;
    };
    let (clock, over) = (Clock::start(), AtomicBool::new(false));
    let ask = || {
        let asked = (0..names.len() as u32).map(|flow| {
            controls_of_a_connection(&hosts, addresses.addresses(flow), 6000 + flow as u16)
        });
        asked.collect::<Vec<_>>()
    };
    let (controls, _) = with_carrier(&devices, Path::default(), clock, &over, ask);
    for (controls, name) in controls.iter().zip(names) {
        assert_eq!(controls, &[name, name]);
    }
}

/// User id of nobody, on every Linux.
const NOBODY: u32 = 65_534;

#[test]
fn unprivileged_users_get_every_congestion_control() {
    // A process with many threads cannot enter a user namespace, but unshare(1) can before it
    // starts one.
    let mut command = Command::new("unshare");
    let test = "run::hosts::tests::every_profile_has_its_congestion_control_at_both_ends";
    let program = std::env::current_exe().unwrap();
    command.args(["--user", "--map-root-user"]).arg(program);
    command
        .args(["--exact", test, "--nocapture"])
        .current_dir("/");
    if nix::unistd::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let ran = match command.output() {
        Ok(ran) => ran,
        Err(problem) => return println!("skipped: unshare(1): {problem}"),
    };
    let [out, err] = [&ran.stdout, &ran.stderr].map(|said| String::from_utf8_lossy(said));
    if out.contains("skipped: ") || err.contains("unshare: ") {
        return println!("skipped: {out}{err}");
    }
    assert!(ran.status.success() && out.contains("1 passed"), "{ran:?}");
}
