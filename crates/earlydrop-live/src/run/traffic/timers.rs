//! Timers: starts, stops, transfers and datagrams that are due.

use std::cmp::Reverse;
use std::os::fd::AsRawFd;

use earlydrop::units::Nanos;
use nix::sys::socket::{MsgFlags, send};

use super::TrafficGenerator;
use super::flow::Source;
use super::sockets::PAYLOAD;
use crate::LiveError;

impl TrafficGenerator {
    /// Wakes the flows whose timers have expired.
    pub(super) fn run_due_timers(&mut self, now: Nanos) -> Result<(), LiveError> {
        while let Some(Reverse((at, number))) = self.timers.peek().copied()
            && at <= now
        {
            self.timers.pop();
            let flow = &mut self.flows[number as usize];
            if flow.wake_at == at {
                flow.wake_at = Nanos::NEVER;
                self.wake(number, now)?;
                self.arm_timer(number);
            }
        }
        Ok(())
    }

    /// Does everything that is due of a flow.
    fn wake(&mut self, number: u32, now: Nanos) -> Result<(), LiveError> {
        while self.flows[number as usize].step(now) {
            let flow = &self.flows[number as usize];
            if let Source::Bulk(Some(connection)) = flow.source
                && flow.open
            {
                self.write_pending(connection)?;
            }
        }
        while self.flows[number as usize].source_due() <= now {
            match &mut self.flows[number as usize].source {
                Source::Bulk(_) => {
                    let connection = self.open_sender(number, 0, u64::MAX, false)?;
                    self.flows[number as usize].source = Source::Bulk(Some(connection));
                }
                Source::Session(_) => self.next_transfer(number, now)?,
                Source::Spawner(spawner) => {
                    if let Some(slot) = spawner.spawn() {
                        self.begin_transfer(number, slot, now)?;
                    }
                }
                Source::Datagrams(source) => {
                    if let Some(socket) = &source.sender {
                        // What a full device does not accept is lost, as on any host, and counted by
                        // the device.
                        let payload = &PAYLOAD[..source.payload];
                        let _ = send(socket.as_raw_fd(), payload, MsgFlags::empty());
                    }
                    source.schedule.advance();
                }
            }
        }
        Ok(())
    }
}
