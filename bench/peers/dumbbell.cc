// The dumbbell of run.sh in ns-3.
//
//   dumbbell CASE SECONDS SEED [SCHEDULER]
//
// CASE       a: 100 flows over 10 Mbps, RED 10/30, buffer 120
//            b: 200 flows over 100 Mbps, RED 100/300, buffer 1000
// SCHEDULER  Map (default), Heap, Calendar, PriorityQueue, List
//
// Prints one line of JSON. The wall clock covers Simulator::Run alone. No
// tracing; one callback follows the length of the queue.
//
// As close to the ns-2 script as ns-3 allows: packets of 1000 bytes on the
// wire (958 of payload, 20 TCP, 20 IP, 2 PPP; no options), NewReno with classic
// recovery, no SACK, no timestamps, every packet acknowledged, a minimum RTO
// of 0.2 s, initial window 2.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint16_t PORT = 5001;
constexpr uint32_t PAYLOAD = 958;

struct Case
{
    uint32_t flows;
    const char* rate;
    const char* access;
    uint32_t limit;
    double minTh;
    double maxTh;
};

/// The queue's length over time.
struct QueueLength
{
    uint32_t now = 0;
    Time since;
    double area = 0.0;

    void Change(uint32_t, uint32_t next)
    {
        area += now * (Simulator::Now() - since).GetSeconds();
        since = Simulator::Now();
        now = next;
    }
};

void
ConfigureTcp()
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
                       TypeIdValue(TcpClassicRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(PAYLOAD));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));
    // A flow must not end after seven losses in a row.
    Config::SetDefault("ns3::TcpSocket::DataRetries", UintegerValue(1000));
    Config::SetDefault("ns3::TcpSocket::ConnCount", UintegerValue(1000));
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc < 4 || argc > 5 || (std::string(argv[1]) != "a" && std::string(argv[1]) != "b"))
    {
        std::fprintf(stderr, "usage: dumbbell a|b SECONDS SEED [SCHEDULER]\n");
        return 2;
    }
    const std::string name = argv[1];
    const double seconds = std::atof(argv[2]);
    const auto seed = static_cast<uint32_t>(std::atoi(argv[3]));
    const std::string scheduler = argc > 4 ? argv[4] : "Map";
    const Case setup = name == "a" ? Case{100, "10Mbps", "100Mbps", 120, 10.0, 30.0}
                                   : Case{200, "100Mbps", "1Gbps", 1000, 100.0, 300.0};

    RngSeedManager::SetSeed(seed);
    GlobalValue::Bind("SchedulerType", StringValue("ns3::" + scheduler + "Scheduler"));
    ConfigureTcp();

    NodeContainer senders;
    NodeContainer receivers;
    senders.Create(setup.flows);
    receivers.Create(setup.flows);
    Ptr<Node> left = CreateObject<Node>();
    Ptr<Node> right = CreateObject<Node>();
    InternetStackHelper stack;
    stack.InstallAll();

    PointToPointHelper access;
    access.SetDeviceAttribute("DataRate", StringValue(setup.access));
    access.SetChannelAttribute("Delay", StringValue("1ms"));
    access.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("100000p"));

    PointToPointHelper bottleneck;
    bottleneck.SetDeviceAttribute("DataRate", StringValue(setup.rate));
    bottleneck.SetChannelAttribute("Delay", StringValue("10ms"));
    bottleneck.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1p"));

    NetDeviceContainer middle = bottleneck.Install(left, right);
    // Only acknowledgements go from right to left: no limit.
    DynamicCast<PointToPointNetDevice>(middle.Get(1))
        ->GetQueue()
        ->SetMaxSize(QueueSize("100000p"));

    TrafficControlHelper red;
    red.SetRootQueueDisc("ns3::RedQueueDisc",
                         "MinTh",
                         DoubleValue(setup.minTh),
                         "MaxTh",
                         DoubleValue(setup.maxTh),
                         "MaxSize",
                         QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, setup.limit)),
                         "QW",
                         DoubleValue(0.002),
                         "LInterm",
                         DoubleValue(10.0),
                         "Gentle",
                         BooleanValue(true),
                         "Wait",
                         BooleanValue(true),
                         "MeanPktSize",
                         UintegerValue(1000),
                         "LinkBandwidth",
                         StringValue(setup.rate),
                         "LinkDelay",
                         StringValue("10ms"));
    Ptr<QueueDisc> disc = red.Install(middle.Get(0)).Get(0);

    // Assigning addresses adds queue discs. Remove them, so that the bottleneck's is the
    // only one.
    TrafficControlHelper plain;
    Ipv4AddressHelper address;
    address.SetBase("10.250.0.0", "255.255.255.0");
    address.Assign(middle);
    plain.Uninstall(middle.Get(1));
    address.SetBase("10.1.0.0", "255.255.255.0");
    auto attach = [&](Ptr<Node> router, Ptr<Node> host) {
        NetDeviceContainer pair = access.Install(router, host);
        Ipv4InterfaceContainer addresses = address.Assign(pair);
        plain.Uninstall(pair);
        address.NewNetwork();
        return addresses.GetAddress(1);
    };
    std::vector<Ipv4Address> destinations;
    for (uint32_t i = 0; i < setup.flows; ++i)
    {
        attach(left, senders.Get(i));
        destinations.push_back(attach(right, receivers.Get(i)));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    PacketSinkHelper receiver("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), PORT));
    receiver.Install(receivers).Start(Seconds(0));

    Ptr<UniformRandomVariable> start = CreateObject<UniformRandomVariable>();
    for (uint32_t i = 0; i < setup.flows; ++i)
    {
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(destinations[i], PORT));
        bulk.SetAttribute("SendSize", UintegerValue(PAYLOAD));
        bulk.Install(senders.Get(i)).Start(Seconds(start->GetValue(0.0, 1.0)));
    }

    QueueLength length;
    disc->TraceConnectWithoutContext("PacketsInQueue", MakeCallback(&QueueLength::Change, &length));
    Simulator::Stop(Seconds(seconds));

    const auto before = std::chrono::steady_clock::now();
    Simulator::Run();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - before;

    const QueueDisc::Stats stats = disc->GetStats();
    std::printf("{\"tool\":\"ns-3\",\"version\":\"%s\",\"case\":\"%s\",\"scheduler\":\"%s\","
                "\"simulated_s\":%g,\"forwarded\":%llu,\"wall_s\":%.6f,\"packets_per_s\":%.0f,"
                "\"mean_queue\":%.2f,\"loss_percent\":%.3f}\n",
                NS3_VERSION,
                name.c_str(),
                scheduler.c_str(),
                seconds,
                static_cast<unsigned long long>(stats.nTotalSentPackets),
                wall.count(),
                stats.nTotalSentPackets / wall.count(),
                length.area / seconds,
                100.0 * stats.nTotalDroppedPackets / stats.nTotalReceivedPackets);
    Simulator::Destroy();
    return 0;
}
