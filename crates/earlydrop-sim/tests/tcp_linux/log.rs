//! The log of a script, as the kernel's device writes it and in the short form that is stored.

use std::fmt::Write as _;

use earlydrop::packet::Ecn;

use super::peer::ScriptedAck;
use super::play::{Record, Sent, State};

/// Bytes of payload in a full segment, with timestamps.
const PAYLOAD: u64 = 1448;

/// A sequence number as the kernel's log has it: bytes, the SYN is 0.
fn seq(number: u32) -> u64 {
    match number {
        0 => 0,
        number => 1 + (u64::from(number) - 1) * PAYLOAD,
    }
}

/// The log in the kernel's form; fields that the simulator does not have are 0.
pub(crate) fn render(records: &[Record]) -> String {
    let mut text = String::new();
    for record in records {
        match record {
            Record::Sent(sent) => render_sent(&mut text, sent),
            Record::Arrived(at, ack) => render_ack(&mut text, *at, ack),
            Record::LostAck(at, ack) => {
                let _ = writeln!(text, "L {at} {} {}", ack.ordinal, seq(ack.next));
            }
            Record::State(state) => render_state(&mut text, state),
        }
    }
    text
}

fn render_sent(text: &mut String, sent: &Sent) {
    let segment = &sent.segment;
    let flag = |on, letter| if on { letter } else { '-' };
    let codepoint = match segment.ecn {
        Ecn::NotCapable => 0,
        Ecn::Ect1 => 1,
        Ecn::Ect0 => 2,
        Ecn::Ce => 3,
    };
    let _ = writeln!(
        text,
        "S {} {} {} {} {}-{}{}-- {codepoint} {}",
        sent.at,
        sent.ordinal,
        seq(segment.number),
        if segment.syn { 0 } else { PAYLOAD },
        flag(segment.syn, 'S'),
        flag(segment.retransmission, 'R'),
        flag(segment.cwr, 'W'),
        sent.fate
    );
}

fn render_ack(text: &mut String, at: u64, ack: &ScriptedAck) {
    let ece = if ack.ece { 'E' } else { '-' };
    let _ = write!(text, "A {at} {} {} {ece}", ack.ordinal, seq(ack.next));
    for block in &ack.blocks {
        let _ = write!(text, " {}-{}", seq(block.from), seq(block.to));
    }
    text.push('\n');
}

fn render_state(text: &mut String, state: &State) {
    let ssthresh = match state.ssthresh.is_finite() {
        true => state.ssthresh.floor() as u64,
        false => 2_147_483_647,
    };
    let _ = writeln!(
        text,
        "C {} {} 0 {:.3} {ssthresh} 0 {} 0 0 0 {} 0 {} 0 0 0 0",
        state.at,
        seq(state.snd_una),
        state.cwnd,
        state.in_flight,
        state.srtt / 1000,
        state.rto / 1000
    );
}
