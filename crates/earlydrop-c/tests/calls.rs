//! The calls, one by one.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;

use earlydrop::aqm::DropReason;
use earlydrop::registry::Spec;
use earlydrop::{BitsPerSec, LinkFacts};
use earlydrop_c::*;

fn create(spec: &str, link_bps: u64) -> Result<*mut Queue, String> {
    let text = CString::new(spec).unwrap();
    let config = Config {
        spec: text.as_ptr(),
        link_bps,
        mean_packet: 0,
        seed: 1,
        on_drop: None,
        context: ptr::null_mut(),
    };
    let mut error: [c_char; 400] = [1; 400];
    // SAFETY: config and error live through the call.
    let queue = unsafe { earlydrop_create(&config, error.as_mut_ptr(), error.len()) };
    if queue.is_null() {
        // SAFETY: the library wrote a NUL.
        let text = unsafe { CStr::from_ptr(error.as_ptr()) };
        return Err(text.to_str().unwrap().to_string());
    }
    Ok(queue)
}

fn packet(handle: u64) -> Packet {
    Packet {
        handle,
        flow: 1,
        size: 1000,
        ..Packet::default()
    }
}

#[test]
fn errors_are_those_of_the_command() {
    for spec in [
        "rde",
        "red:min=50,max=30",
        "red:mni=3",
        "red:max_p=2",
        "red:min",
        "codel:target=x",
    ] {
        let link = LinkFacts::at(BitsPerSec(10_000_000));
        let ours = spec.parse::<Spec>().and_then(|spec| spec.plan(&link));
        assert_eq!(create(spec, 10_000_000), Err(ours.unwrap_err().to_string()));
    }
    let error = create("red", 0).unwrap_err();
    assert!(error.ends_with("both must be above zero"), "{error}");
    // SAFETY: NULL is allowed.
    assert!(unsafe { earlydrop_create(ptr::null(), ptr::null_mut(), 0) }.is_null());
}

#[test]
fn null_does_nothing() {
    let (queue, mut sent) = (ptr::null_mut(), Sent::default());
    // SAFETY: NULL is allowed.
    unsafe {
        assert_eq!(earlydrop_enqueue(queue, &packet(1), 0), Verdict::Fault);
        assert!(!earlydrop_dequeue(queue, 0, &mut sent));
        assert_eq!(earlydrop_packets(queue), 0);
        assert_eq!(earlydrop_bytes(queue), 0);
        assert_eq!(earlydrop_count(queue), CounterSet::default());
        assert_eq!(earlydrop_next_deadline(queue), u64::MAX);
        assert_eq!(earlydrop_explain_dequeue(queue, 0, ptr::null_mut(), 0), 0);
        assert!(earlydrop_fault(queue).is_null());
        earlydrop_poll(queue, 0);
        earlydrop_set_link_rate(queue, 1, 0);
        earlydrop_destroy(queue);
    }
}

#[test]
fn packets_are_queued_sent_and_counted() {
    let queue = create("droptail:limit=2", 8_000_000).unwrap();
    let mut sent = Sent::default();
    // SAFETY: the queue is used here alone.
    unsafe {
        assert_eq!(earlydrop_enqueue(queue, &packet(7), 10), Verdict::Queued);
        assert_eq!(earlydrop_enqueue(queue, &packet(8), 20), Verdict::Queued);
        assert_eq!(
            earlydrop_enqueue(queue, &packet(9), 30),
            Verdict::DroppedForced
        );
        assert_eq!(
            (earlydrop_packets(queue), earlydrop_bytes(queue)),
            (2, 2000)
        );
        assert!(earlydrop_dequeue(queue, 40, &mut sent));
        assert_eq!(
            (sent.handle, sent.arrived, sent.size, sent.ecn),
            (7, 10, 1000, 0)
        );
        let counters = earlydrop_count(queue);
        assert_eq!(
            (counters.arrived.packets, counters.dropped_forced.bytes),
            (3, 1000)
        );
        earlydrop_destroy(queue);
    }
}

/// The handles that a queue gave back, with the verdicts.
type Back = Vec<(u64, Verdict)>;

unsafe extern "C" fn keep(context: *mut c_void, handle: u64, verdict: Verdict) {
    // SAFETY: the context is the test's list, which outlives the queue.
    unsafe { (*context.cast::<Back>()).push((handle, verdict)) };
}

#[test]
fn a_packet_that_waits_comes_back_when_it_is_dropped() {
    let mut back = Back::new();
    let config = Config {
        spec: c"fq-codel:limit=3".as_ptr(),
        link_bps: 8_000_000,
        mean_packet: 0,
        seed: 1,
        on_drop: Some(keep),
        context: (&raw mut back).cast(),
    };
    // SAFETY: the queue is used here alone, and config outlives it.
    unsafe {
        let queue = earlydrop_create(&config, ptr::null_mut(), 0);
        for handle in 0..4 {
            let verdict = earlydrop_enqueue(queue, &packet(handle), 0);
            assert_eq!(verdict, Verdict::Queued);
        }
        earlydrop_destroy(queue);
    }
    assert_eq!(back.first(), Some(&(0, Verdict::DroppedForced)));
}

#[test]
fn a_mark_is_in_the_ecn_field() {
    let queue = create("step:threshold=1", 8_000_000).unwrap();
    let capable = Packet {
        ecn: 2,
        ..packet(1)
    };
    let mut sent = Sent::default();
    // SAFETY: the queue is used here alone.
    unsafe {
        let verdicts = [0, 1, 2].map(|now| earlydrop_enqueue(queue, &capable, now));
        assert_eq!(verdicts[2], Verdict::Marked);
        for ecn in [2, 2, 3] {
            assert!(earlydrop_dequeue(queue, 3, &mut sent));
            assert!(sent.ecn == ecn || sent.ecn == 3);
        }
        assert_eq!(sent.ecn, 3);
        earlydrop_destroy(queue);
    }
}

#[test]
fn a_verdict_is_explained_before_it_is_given() {
    let queue = create("droptail:limit=1", 8_000_000).unwrap();
    let mut text: [c_char; 300] = [1; 300];
    // SAFETY: the queue is used here alone, and text is as long as said.
    unsafe {
        earlydrop_enqueue(queue, &packet(1), 0);
        let length = earlydrop_explain_enqueue(queue, &packet(2), 5, text.as_mut_ptr(), 300);
        let whole = CStr::from_ptr(text.as_ptr()).to_str().unwrap();
        assert_eq!(whole.len(), length);
        assert!(
            whole.ends_with("the buffer holds 1 of 1 packets: dropped"),
            "{whole}"
        );
        // What does not fit is cut, and its length is known.
        assert_eq!(
            earlydrop_explain_enqueue(queue, &packet(2), 5, text.as_mut_ptr(), 6),
            length
        );
        assert_eq!(CStr::from_ptr(text.as_ptr()).to_bytes().len(), 5);
        let length = earlydrop_explain_dequeue(queue, 5, text.as_mut_ptr(), 300);
        let whole = CStr::from_ptr(text.as_ptr()).to_str().unwrap();
        assert!(length > 0 && whole.ends_with("kept"), "{whole}");
        earlydrop_destroy(queue);
    }
}

#[test]
fn a_scheme_shows_its_quantities_and_its_timer() {
    let queue = create("pie:interval=15 ms", 8_000_000).unwrap();
    let mut value = -1.0;
    // SAFETY: the queue is used here alone.
    unsafe {
        earlydrop_enqueue(queue, &packet(1), 0);
        let deadline = earlydrop_next_deadline(queue);
        assert!(deadline <= 15_000_000, "{deadline}");
        earlydrop_poll(queue, deadline);
        assert!(earlydrop_next_deadline(queue) > deadline);
        assert!(
            earlydrop_probe(queue, c"probability".as_ptr(), &mut value),
            "pie shows its probability"
        );
        assert!(value >= 0.0);
        assert!(!earlydrop_probe(queue, c"average".as_ptr(), &mut value));
        earlydrop_destroy(queue);
    }
}

#[test]
fn every_reason_for_a_drop_has_a_verdict() {
    let verdicts = DropReason::ALL.map(|reason| Verdict::from(reason) as i32);
    assert_eq!(verdicts, [2, 3, 4, 5]);
}

#[test]
fn the_version_is_the_crates() {
    // SAFETY: the text ends with a NUL and lives for ever.
    let version = unsafe { CStr::from_ptr(earlydrop_version()) };
    assert_eq!(version.to_str().unwrap(), env!("CARGO_PKG_VERSION"));
    assert_eq!(earlydrop_abi_version(), EARLYDROP_ABI_VERSION);
}
