//! A user-space forwarder whose queue is earlydrop, between two hosts of smoltcp.
//!
//! A server sends a download (TCP, CUBIC) and a call (a UDP datagram each 20 ms) to a client, over
//! 10 Mbps and 20 ms each way. Time is simulated: each run prints the same.
//!
//! ```text
//! cargo run -p earlydrop-forwarder --example download -- droptail:limit=250 codel fq-codel
//! ```

use std::error::Error;

use earlydrop::{BitsPerSec, Nanos};
use earlydrop_forwarder::Forwarder;
use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::{tcp, udp};
use smoltcp::time::Instant;
use smoltcp::wire::{HardwareAddress, IpAddress, IpCidr};

/// A host's network device at one moment: the direction of the link from which packets come, and the
/// one into which they go.
struct Port<'a>(Nanos, &'a mut Forwarder, &'a mut Forwarder);
struct Arrived(Vec<u8>);
struct Sending<'a>(Nanos, &'a mut Forwarder);

impl RxToken for Arrived {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, read: F) -> R {
        read(&self.0)
    }
}

impl TxToken for Sending<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, write: F) -> R {
        let mut packet = vec![0; length];
        let result = write(&mut packet);
        self.1.receive(self.0, packet);
        result
    }
}

#[rustfmt::skip]
impl Device for Port<'_> {
    type RxToken<'a> = Arrived where Self: 'a;
    type TxToken<'a> = Sending<'a> where Self: 'a;

    fn receive(&mut self, _: Instant) -> Option<(Arrived, Sending<'_>)> {
        let Port(now, from, into) = self;
        Some((Arrived(from.poll(*now)?), Sending(*now, into)))
    }
    fn transmit(&mut self, _: Instant) -> Option<Sending<'_>> {
        Some(Sending(self.0, self.2))
    }
    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        (capabilities.medium, capabilities.max_transmission_unit) = (Medium::Ip, 1500);
        capabilities
    }
}

struct Host {
    interface: Interface,
    sockets: SocketSet<'static>,
    tcp: SocketHandle,
    udp: SocketHandle,
}

impl Host {
    fn new(last: u8, mut port: Port<'_>) -> Host {
        let config = Config::new(HardwareAddress::Ip);
        let mut interface = Interface::new(config, &mut port, Instant::ZERO);
        let own = IpCidr::new(address(last), 24);
        interface.update_ip_addrs(|addresses| addresses.push(own).expect("room for one"));
        let bytes = || tcp::SocketBuffer::new(vec![0; 1 << 20]);
        let mut tcp = tcp::Socket::new(bytes(), bytes());
        tcp.set_congestion_control(tcp::CongestionControl::Cubic);
        let calls = || udp::PacketBuffer::new(vec![udp::PacketMetadata::EMPTY; 9], vec![0; 2000]);
        let mut udp = udp::Socket::new(calls(), calls());
        udp.bind(5004).expect("a new socket");
        let mut sockets = SocketSet::new(Vec::new());
        let (tcp, udp) = (sockets.add(tcp), sockets.add(udp));
        Host {
            interface,
            sockets,
            tcp,
            udp,
        }
    }

    fn tcp(&mut self) -> &mut tcp::Socket<'static> {
        self.sockets.get_mut(self.tcp)
    }

    fn udp(&mut self) -> &mut udp::Socket<'static> {
        self.sockets.get_mut(self.udp)
    }

    /// Receives and sends what it can; returns when it must be asked again.
    fn poll(&mut self, mut port: Port<'_>) -> Option<Nanos> {
        let time = Instant::from_micros((port.0.0 / 1000) as i64);
        self.interface.poll(time, &mut port, &mut self.sockets);
        let next = self.interface.poll_at(time, &self.sockets)?;
        Some(Nanos::from_micros(next.total_micros() as u64))
    }
}

fn address(last: u8) -> IpAddress {
    IpAddress::v4(10, 0, 0, last)
}

/// The download's goodput in Mbps, and the 99th percentile of how long the call's packets wait, in ms.
fn run(spec: &str, duration: Nanos) -> Result<(f64, f64), Box<dyn Error>> {
    let (rate, delay) = (BitsPerSec::from_mbps(10), Nanos::from_millis(20));
    let mut down = Forwarder::new(spec, rate, delay)?;
    let mut up = Forwarder::new("droptail", rate, delay)?;
    let (mut now, mut next_call) = (Nanos(0), Nanos(0));
    let mut server = Host::new(1, Port(now, &mut up, &mut down));
    let mut client = Host::new(2, Port(now, &mut down, &mut up));
    server.tcp().listen(80)?;
    let download = client.sockets.get_mut::<tcp::Socket>(client.tcp);
    download.connect(client.interface.context(), (address(1), 80), 50_000)?;
    let (mut received, mut waits) = (0, Vec::new());
    while now < duration {
        if server.tcp().can_send() {
            server.tcp().send(|free| (free.len(), ()))?;
        }
        if next_call <= now {
            let payload = [now.0.to_le_bytes(); 20].concat();
            server.udp().send_slice(&payload, (address(2), 5004))?;
            next_call += Nanos::from_millis(20);
        }
        let timers = [
            server.poll(Port(now, &mut up, &mut down)),
            client.poll(Port(now, &mut down, &mut up)),
        ];
        if client.tcp().can_recv() {
            received += client.tcp().recv(|bytes| (bytes.len(), bytes.len()))?;
        }
        while let Ok((bytes, _)) = client.udp().recv() {
            let sent = Nanos(u64::from_le_bytes(bytes[..8].try_into()?));
            waits.push(1e3 * now.since(sent + delay).as_secs_f64());
        }
        let events = [down.next_event(), up.next_event(), Some(next_call)];
        let next = timers.into_iter().chain(events).flatten().min();
        now = next.unwrap_or(now).max(now + Nanos::from_micros(1));
    }
    waits.sort_by(f64::total_cmp);
    let goodput = 8e-6 * received as f64 / duration.as_secs_f64();
    Ok((goodput, waits[waits.len() * 99 / 100]))
}

fn main() -> Result<(), Box<dyn Error>> {
    for spec in std::env::args().skip(1) {
        let (goodput, wait) = run(&spec, Nanos::from_secs(20))?;
        println!("{spec}: download {goodput:.2} Mbps, call waits {wait:.1} ms");
    }
    Ok(())
}

#[test]
fn fq_codel_spares_the_call_at_no_cost_to_the_download() {
    let of = |spec| run(spec, Nanos::from_secs(5)).unwrap();
    let [(whole, slow), (shared, fast)] = ["droptail:limit=250", "fq-codel"].map(of);
    assert!(slow > 200.0 && fast < 0.05 * slow, "{slow} and {fast} ms");
    assert!(shared > 0.9 * whole, "{shared} of {whole} Mbps");
}
