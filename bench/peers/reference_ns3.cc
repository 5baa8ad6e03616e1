// One run of a TCP over a queue discipline in ns-3, for bench/reference/ns3.csv.
//
//   reference_ns3 TCP DISC ECN FLOWS SEED [VARIANT]
//
// TCP      newreno, linuxreno, cubic
// DISC     droptail, red, ared, codel, pie, fqcodel
// ECN      noecn, ecn
// FLOWS    20 and 5 are in the table
// VARIANT  plain (default), or one modelling freedom taken the other way:
//          classic (classic recovery instead of PRR), device (two packets wait
//          in the device instead of one)
//
// Prints one line of JSON. Every setting that matters is written here, whether
// or not it is the default; README.md in ../reference says what they mean.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t PAYLOAD = 1448; // + 32 TCP with timestamps + 20 IP = 1500, + 2 PPP
constexpr double RATE = 10e6;
constexpr double FROM = 20.0;
constexpr double TO = 100.0;
constexpr uint16_t PORT = 5001;

/// Times in packets' stay, in steps of 0.05 ms.
class Histogram
{
  public:
    void Add(double seconds)
    {
        const auto bin = std::min(static_cast<size_t>(seconds / STEP), m_bins.size() - 1);
        ++m_bins[bin];
        ++m_count;
        m_sum += seconds;
    }

    void Remove(double seconds)
    {
        const auto bin = std::min(static_cast<size_t>(seconds / STEP), m_bins.size() - 1);
        --m_bins[bin];
        --m_count;
        m_sum -= seconds;
    }

    double Mean() const
    {
        return m_count ? m_sum / m_count : 0.0;
    }

    double Quantile(double q) const
    {
        uint64_t below = 0;
        for (size_t bin = 0; bin < m_bins.size(); ++bin)
        {
            below += m_bins[bin];
            if (below >= q * m_count)
            {
                return (bin + 0.5) * STEP;
            }
        }
        return 0.0;
    }

  private:
    static constexpr double STEP = 5e-5;
    std::vector<uint64_t> m_bins = std::vector<uint64_t>(200000);
    uint64_t m_count = 0;
    double m_sum = 0.0;
};

/// Everything that is counted, from FROM on.
class Meter
{
  public:
    Meter(Ptr<QueueDisc> disc, Ptr<NetDevice> device, const ApplicationContainer& sinks)
        : m_disc(disc),
          m_sinks(sinks)
    {
        disc->TraceConnectWithoutContext("PacketsInQueue", MakeCallback(&Meter::Length, this));
        disc->TraceConnectWithoutContext("SojournTime", MakeCallback(&Meter::Stay, this));
        disc->TraceConnectWithoutContext("DropAfterDequeue", MakeCallback(&Meter::Unstay, this));
        device->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Meter::Sent, this));
        Simulator::Schedule(Seconds(FROM), &Meter::Begin, this);
    }

    /// Senders have sockets only once they have started.
    void Follow(const ApplicationContainer& senders)
    {
        for (uint32_t i = 0; i < senders.GetN(); ++i)
        {
            auto socket = DynamicCast<BulkSendApplication>(senders.Get(i))->GetSocket();
            NS_ABORT_MSG_IF(!socket, "a sender has not started");
            socket->TraceConnectWithoutContext("CongState", MakeCallback(&Meter::State, this));
            socket->TraceConnectWithoutContext("RTT", MakeCallback(&Meter::Rtt, this));
        }
    }

    void Print(const std::string& head)
    {
        Length(m_length, m_length);
        const QueueDisc::Stats now = m_disc->GetStats();
        const double span = TO - FROM;
        const double arrived = now.nTotalReceivedPackets - m_then.nTotalReceivedPackets;
        const double dropped = now.nTotalDroppedPackets - m_then.nTotalDroppedPackets;
        const double marked = now.nTotalMarkedPackets - m_then.nTotalMarkedPackets;
        double sum = 0.0;
        double squares = 0.0;
        for (uint32_t i = 0; i < m_sinks.GetN(); ++i)
        {
            const double rate = (Received(i) - m_receivedThen[i]) * 8e-6 / span;
            sum += rate;
            squares += rate * rate;
        }
        std::printf("{%s,\"util\":%.6f,\"meanq\":%.5f,\"sojourn\":%.7f,\"sojourn_p99\":%.6f,"
                    "\"loss_pct\":%.5f,\"mark_pct\":%.5f,\"goodput_mbps\":%.6f,\"jain\":%.6f,"
                    "\"timeouts\":%u,\"recoveries\":%u,\"ecn_cuts\":%u,\"rtt\":%.6f,"
                    "\"arrived\":%.0f,\"longest\":%u,\"queues\":%zu}\n",
                    head.c_str(),
                    m_bits / (RATE * span),
                    m_area / span,
                    m_stays.Mean(),
                    m_stays.Quantile(0.99),
                    100.0 * dropped / arrived,
                    100.0 * marked / arrived,
                    sum / m_sinks.GetN(),
                    sum * sum / (m_sinks.GetN() * squares),
                    m_timeouts,
                    m_recoveries,
                    m_cuts,
                    m_rttSum / std::max<uint64_t>(1, m_rtts),
                    arrived,
                    m_longest,
                    m_disc->GetNQueueDiscClasses());
    }

  private:
    uint64_t Received(uint32_t i) const
    {
        return DynamicCast<PacketSink>(m_sinks.Get(i))->GetTotalRx();
    }

    void Begin()
    {
        m_on = true;
        m_since = Simulator::Now();
        m_length = m_disc->GetNPackets();
        m_then = m_disc->GetStats();
        for (uint32_t i = 0; i < m_sinks.GetN(); ++i)
        {
            m_receivedThen.push_back(Received(i));
        }
    }

    void Length(uint32_t, uint32_t now)
    {
        if (m_on)
        {
            m_area += m_length * (Simulator::Now() - m_since).GetSeconds();
            m_since = Simulator::Now();
            m_length = now;
            m_longest = std::max(m_longest, now);
        }
    }

    void Stay(Time stay)
    {
        m_last = stay.GetSeconds();
        if (m_on)
        {
            m_stays.Add(m_last);
        }
    }

    /// What is dropped at the head has just been counted as if it were sent.
    void Unstay(Ptr<const QueueDiscItem>, const char*)
    {
        if (m_on)
        {
            m_stays.Remove(m_last);
        }
    }

    void Sent(Ptr<const Packet> packet)
    {
        if (m_on)
        {
            m_bits += 8.0 * packet->GetSize();
        }
    }

    void State(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now)
    {
        if (m_on)
        {
            m_timeouts += now == TcpSocketState::CA_LOSS;
            m_recoveries += now == TcpSocketState::CA_RECOVERY;
            m_cuts += now == TcpSocketState::CA_CWR;
        }
    }

    void Rtt(Time, Time now)
    {
        if (m_on)
        {
            ++m_rtts;
            m_rttSum += now.GetSeconds();
        }
    }

    Ptr<QueueDisc> m_disc;
    ApplicationContainer m_sinks;
    bool m_on = false;
    Time m_since;
    uint32_t m_length = 0;
    uint32_t m_longest = 0;
    double m_area = 0.0;
    double m_bits = 0.0;
    double m_last = 0.0;
    Histogram m_stays;
    QueueDisc::Stats m_then;
    std::vector<uint64_t> m_receivedThen;
    uint32_t m_timeouts = 0;
    uint32_t m_recoveries = 0;
    uint32_t m_cuts = 0;
    uint64_t m_rtts = 0;
    double m_rttSum = 0.0;
};

bool
ConfigureTcp(const std::string& tcp, bool ecn, const std::string& variant)
{
    TypeId control;
    if (tcp == "newreno")
    {
        control = TcpNewReno::GetTypeId();
    }
    else if (tcp == "linuxreno")
    {
        control = TcpLinuxReno::GetTypeId();
    }
    else if (tcp == "cubic")
    {
        control = TcpCubic::GetTypeId();
    }
    else
    {
        return false;
    }
    const TypeId recovery =
        variant == "classic" ? TcpClassicRecovery::GetTypeId() : TcpPrrRecovery::GetTypeId();
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(control));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(recovery));
    // Later versions have one bound only, and no attribute for it.
    Config::SetDefaultFailSafe("ns3::TcpPrrRecovery::ReductionBound", StringValue("SSRB"));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::ReTxThreshold", UintegerValue(3));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MilliSeconds(1)));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(ecn ? "On" : "Off"));
    Config::SetDefault("ns3::RttEstimator::InitialEstimation", TimeValue(Seconds(1)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(PAYLOAD));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    // Not ns-3's 200 ms: with a minimum RTO of 200 ms too, a sender down to one
    // segment times out before each acknowledgement, and flows starve.
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(Seconds(3)));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));
    // A flow must not end after seven losses in a row.
    Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(1000));
    Config::SetDefault("ns3::TcpSocket::ConnCount", UintegerValue(1000));
    Config::SetDefault("ns3::TcpCubic::FastConvergence", BooleanValue(true));
    Config::SetDefault("ns3::TcpCubic::Beta", DoubleValue(0.7));
    Config::SetDefault("ns3::TcpCubic::C", DoubleValue(0.4));
    Config::SetDefault("ns3::TcpCubic::HyStart", BooleanValue(true));
    return true;
}

bool
ConfigureDisc(TrafficControlHelper& helper, const std::string& disc, bool ecn, uint32_t salt)
{
    const BooleanValue useEcn(ecn);
    if (disc == "droptail")
    {
        Config::SetDefault("ns3::FifoQueueDisc::MaxSize", StringValue("120p"));
        helper.SetRootQueueDisc("ns3::FifoQueueDisc");
        return true;
    }
    if (disc == "red" || disc == "ared")
    {
        const bool ared = disc == "ared";
        Config::SetDefault("ns3::RedQueueDisc::MaxSize", StringValue("120p"));
        // ARED sets thresholds and weight itself: 5, 15, 1 - exp(-1/833).
        Config::SetDefault("ns3::RedQueueDisc::ARED", BooleanValue(ared));
        Config::SetDefault("ns3::RedQueueDisc::MinTh", DoubleValue(10));
        Config::SetDefault("ns3::RedQueueDisc::MaxTh", DoubleValue(30));
        Config::SetDefault("ns3::RedQueueDisc::QW", DoubleValue(0.002));
        Config::SetDefault("ns3::RedQueueDisc::LInterm", DoubleValue(10));
        Config::SetDefault("ns3::RedQueueDisc::MeanPktSize", UintegerValue(1500));
        Config::SetDefault("ns3::RedQueueDisc::Gentle", BooleanValue(true));
        Config::SetDefault("ns3::RedQueueDisc::Wait", BooleanValue(true));
        Config::SetDefault("ns3::RedQueueDisc::NLRED", BooleanValue(false));
        Config::SetDefault("ns3::RedQueueDisc::FengAdaptive", BooleanValue(false));
        Config::SetDefault("ns3::RedQueueDisc::Ns1Compat", BooleanValue(false));
        Config::SetDefault("ns3::RedQueueDisc::LinkBandwidth", StringValue("10Mbps"));
        Config::SetDefault("ns3::RedQueueDisc::LinkDelay", TimeValue(MilliSeconds(20)));
        Config::SetDefault("ns3::RedQueueDisc::TargetDelay", TimeValue(MilliSeconds(5)));
        Config::SetDefault("ns3::RedQueueDisc::Interval", TimeValue(MilliSeconds(500)));
        Config::SetDefault("ns3::RedQueueDisc::Alpha", DoubleValue(0.01));
        Config::SetDefault("ns3::RedQueueDisc::Beta", DoubleValue(0.9));
        Config::SetDefault("ns3::RedQueueDisc::Top", DoubleValue(0.5));
        // Left at 0 ns-3 takes 8*1500*0.1/10^7 = 0.00012, the round trip being on
        // the wrong side of the fraction; ns-2 takes 80000/10^7.
        Config::SetDefault("ns3::RedQueueDisc::Bottom", DoubleValue(0.008));
        Config::SetDefault("ns3::RedQueueDisc::UseEcn", useEcn);
        Config::SetDefault("ns3::RedQueueDisc::UseHardDrop", BooleanValue(true));
        helper.SetRootQueueDisc("ns3::RedQueueDisc");
        return true;
    }
    if (disc == "codel")
    {
        Config::SetDefault("ns3::CoDelQueueDisc::MaxSize", StringValue("1000p"));
        Config::SetDefault("ns3::CoDelQueueDisc::MinBytes", UintegerValue(1500));
        Config::SetDefault("ns3::CoDelQueueDisc::Interval", StringValue("100ms"));
        Config::SetDefault("ns3::CoDelQueueDisc::Target", StringValue("5ms"));
        Config::SetDefault("ns3::CoDelQueueDisc::UseEcn", useEcn);
        Config::SetDefault("ns3::CoDelQueueDisc::UseL4s", BooleanValue(false));
        helper.SetRootQueueDisc("ns3::CoDelQueueDisc");
        return true;
    }
    if (disc == "pie")
    {
        Config::SetDefault("ns3::PieQueueDisc::MaxSize", StringValue("1000p"));
        Config::SetDefault("ns3::PieQueueDisc::MeanPktSize", UintegerValue(1500));
        Config::SetDefault("ns3::PieQueueDisc::A", DoubleValue(0.125));
        Config::SetDefault("ns3::PieQueueDisc::B", DoubleValue(1.25));
        Config::SetDefault("ns3::PieQueueDisc::Tupdate", TimeValue(MilliSeconds(15)));
        Config::SetDefault("ns3::PieQueueDisc::QueueDelayReference", TimeValue(MilliSeconds(15)));
        Config::SetDefault("ns3::PieQueueDisc::MaxBurstAllowance", TimeValue(MilliSeconds(150)));
        Config::SetDefault("ns3::PieQueueDisc::UseDequeueRateEstimator", BooleanValue(false));
        Config::SetDefault("ns3::PieQueueDisc::UseCapDropAdjustment", BooleanValue(true));
        Config::SetDefault("ns3::PieQueueDisc::UseDerandomization", BooleanValue(false));
        Config::SetDefault("ns3::PieQueueDisc::MarkEcnThreshold", DoubleValue(0.1));
        Config::SetDefault("ns3::PieQueueDisc::UseEcn", useEcn);
        Config::SetDefault("ns3::PieQueueDisc::UseL4s", BooleanValue(false));
        helper.SetRootQueueDisc("ns3::PieQueueDisc");
        return true;
    }
    if (disc == "fqcodel")
    {
        // The quantum is the device's MTU, 1500.
        Config::SetDefault("ns3::FqCoDelQueueDisc::MaxSize", StringValue("10240p"));
        Config::SetDefault("ns3::FqCoDelQueueDisc::Flows", UintegerValue(1024));
        Config::SetDefault("ns3::FqCoDelQueueDisc::DropBatchSize", UintegerValue(64));
        Config::SetDefault("ns3::FqCoDelQueueDisc::Interval", StringValue("100ms"));
        Config::SetDefault("ns3::FqCoDelQueueDisc::Target", StringValue("5ms"));
        Config::SetDefault("ns3::FqCoDelQueueDisc::EnableSetAssociativeHash", BooleanValue(false));
        Config::SetDefault("ns3::FqCoDelQueueDisc::Perturbation", UintegerValue(salt));
        Config::SetDefault("ns3::FqCoDelQueueDisc::UseEcn", useEcn);
        Config::SetDefault("ns3::FqCoDelQueueDisc::UseL4s", BooleanValue(false));
        helper.SetRootQueueDisc("ns3::FqCoDelQueueDisc");
        return true;
    }
    return false;
}

} // namespace

int
main(int argc, char** argv)
{
    const std::vector<std::string> args(argv + 1, argv + argc);
    const bool ecn = args.size() > 2 && args[2] == "ecn";
    const std::string variant = args.size() > 5 ? args[5] : "plain";
    TrafficControlHelper helper;
    if (args.size() < 5 || args.size() > 6 || (!ecn && args[2] != "noecn") ||
        (variant != "plain" && variant != "classic" && variant != "device") ||
        !ConfigureTcp(args[0], ecn, variant))
    {
        std::fprintf(stderr, "usage: reference_ns3 TCP DISC noecn|ecn FLOWS SEED [VARIANT]\n");
        return 2;
    }
    const auto seed = static_cast<uint32_t>(std::atoi(args[4].c_str()));
    const auto flows = static_cast<uint32_t>(std::atoi(args[3].c_str()));
    if (!ConfigureDisc(helper, args[1], ecn, seed))
    {
        std::fprintf(stderr, "no queue discipline '%s'\n", args[1].c_str());
        return 2;
    }
    RngSeedManager::SetSeed(seed);

    NodeContainer senders;
    senders.Create(flows);
    NodeContainer receivers;
    receivers.Create(flows);
    Ptr<Node> left = CreateObject<Node>();
    Ptr<Node> right = CreateObject<Node>();
    InternetStackHelper stack;
    stack.InstallAll();

    PointToPointHelper access;
    access.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    access.SetChannelAttribute("Delay", StringValue("1ms"));
    access.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("10000p"));

    PointToPointHelper bottleneck;
    bottleneck.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(RATE))));
    bottleneck.SetChannelAttribute("Delay", StringValue("20ms"));
    bottleneck.SetQueue("ns3::DropTailQueue",
                        "MaxSize",
                        StringValue(variant == "device" ? "2p" : "1p"));
    NetDeviceContainer middle = bottleneck.Install(left, right);
    DynamicCast<PointToPointNetDevice>(middle.Get(1))
        ->GetQueue()
        ->SetMaxSize(QueueSize("10000p"));
    Ptr<QueueDisc> disc = helper.Install(middle.Get(0)).Get(0);

    // Assigning addresses adds queue discs. Remove them, so that the bottleneck's is the
    // only one.
    Ipv4AddressHelper address;
    address.SetBase("10.250.0.0", "255.255.255.0");
    address.Assign(middle);
    helper.Uninstall(middle.Get(1));
    std::vector<Ipv4Address> destinations;
    for (uint32_t i = 0; i < 2 * flows; ++i)
    {
        const bool sending = i < flows;
        NetDeviceContainer pair = sending ? access.Install(senders.Get(i), left)
                                          : access.Install(receivers.Get(i - flows), right);
        const std::string base = "10." + std::to_string(i + 1) + ".0.0";
        address.SetBase(base.c_str(), "255.255.255.0");
        Ipv4InterfaceContainer addresses = address.Assign(pair);
        helper.Uninstall(pair);
        if (!sending)
        {
            destinations.push_back(addresses.GetAddress(0));
        }
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    PacketSinkHelper receiver("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), PORT));
    ApplicationContainer sinks = receiver.Install(receivers);
    sinks.Start(Seconds(0));

    ApplicationContainer applications;
    Ptr<UniformRandomVariable> start = CreateObject<UniformRandomVariable>();
    for (uint32_t i = 0; i < flows; ++i)
    {
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(destinations[i], PORT));
        bulk.SetAttribute("SendSize", UintegerValue(PAYLOAD));
        ApplicationContainer sender = bulk.Install(senders.Get(i));
        sender.Start(Seconds(start->GetValue(0.0, 1.0)));
        applications.Add(sender);
    }

    Meter meter(disc, middle.Get(0), sinks);
    Simulator::Schedule(Seconds(1.5), &Meter::Follow, &meter, applications);
    Simulator::Stop(Seconds(TO));
    Simulator::Run();

    meter.Print("\"case\":\"" + args[0] + "." + args[1] + "." + args[2] + ".N" + args[3] +
                "\",\"seed\":" + args[4] + ",\"variant\":\"" + variant + "\"");
    Simulator::Destroy();
    return 0;
}
